/** A planted key against servers that repeat it: it must be in no error, log, report, answer or file. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { messageOf } from '../../../src/core/errors.ts';
import { REPORT_FORMATS } from '../../../src/core/reports/report.ts';
import { EngineClient } from '../../../src/extension/engine-process/engine-client.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { engineMethods, type EngineMethod, type Params, type Result } from '../../../src/shared/rpc.ts';
import { echoServer, type Echo } from './echo-server.ts';
import { engineBundle } from '../../fixtures/engine-bundle.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { engineConfig } from '../../fixtures/workspace.ts';
import '../../fixtures/built.ts';

const ENGINE = await engineBundle();

const KEY = 'sk-planted-0123456789abcdef/+key';
/** All forms in which a server could repeat it. */
const FORMS = [KEY, encodeURIComponent(KEY), Buffer.from(`elastic:${KEY}`).toString('base64')];
/** Long enough for its end to be cut off together with the rest of an error message. */
const PADDING = 'x '.repeat(140);

const completion = (text: string): object => ({
  choices: [
    { index: 0, message: { role: 'assistant', content: text, refusal: null }, finish_reason: 'stop' },
  ],
});

/** The ways in which a model endpoint repeats the key. */
const ECHOES: Readonly<Record<string, Echo>> = {
  'rejects it': (said) => ({ status: 401, body: { error: { message: `Incorrect key. ${said}` } } }),
  'forbids it': (said) => ({ status: 403, body: { error: { message: said } } }),
  'has no such model': (said) => ({ status: 404, body: { error: { message: `${PADDING}${said}` } } }),
  'rejects the request': (said) => ({
    status: 400,
    body: { error: { message: said, param: said, code: said } },
  }),
  'limits the rate': (said) => ({
    status: 429,
    body: { error: { message: said, code: 'insufficient_quota' } },
  }),
  fails: (said) => ({ status: 500, body: `<pre>${PADDING}${said}</pre>` }),
  'answers with it': (said) => ({
    status: 200,
    body: completion(JSON.stringify({ verdict: 'yes', evidence: [said], reason: said })),
  }),
  'answers with nothing else': (said) => ({ status: 200, body: completion(said) }),
  'refuses with it': (said) => ({
    status: 200,
    body: { choices: [{ index: 0, message: { role: 'assistant', content: null, refusal: said } }] },
  }),
  'answers with something else': (said) => ({ status: 200, body: { echoed: said } }),
};

const CONFIG = {
  corpora: { docs: { roots: ['docs'] } },
  evalSets: ['set.jsonl'],
  judge: 'model',
  gate: { pipelines: ['bm25'], judge: 'model', thresholds: [{ metric: 'MRecall@5', min: 0.5 }] },
};
const EVAL_LINE = { id: 'q', question: 'night trams', perspectives: ['Night trams bring workers home.'] };

interface Planted {
  readonly folder: string;
  /** parallax.json with a judge, an embedder and pipelines on the server. */
  readonly config: object;
  readonly environment: Readonly<Record<string, string>>;
}

function plant(t: TestContext, url: string, pipelines: object = {}): Planted {
  const folder = temporaryFolder(t);
  mkdirSync(path.join(folder, 'docs'));
  writeFileSync(path.join(folder, 'docs', 'a.txt'), 'Night trams bring workers home.');
  writeFileSync(path.join(folder, 'set.jsonl'), `${JSON.stringify(EVAL_LINE)}\n`);
  const endpoint = { type: 'openai', baseUrl: `${url}/v1`, key: 'planted' };
  const config = {
    ...CONFIG,
    judges: { model: { ...endpoint, model: 'm', maxRetries: 0 } },
    embedders: { remote: { ...endpoint, model: 'e' } },
    pipelines: { bm25: { retriever: { type: 'bm25' } }, ...pipelines },
  };
  writeFileSync(path.join(folder, 'parallax.json'), JSON.stringify(config));
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { folder, config, environment: { PATH, TMPDIR: folder, NODE_COMPILE_CACHE, PLANTED_API_KEY: KEY } };
}

/** The forked engine as in the editor, with all its output collected. */
class Told {
  readonly client: EngineClient;
  readonly said: string[] = [];

  constructor(t: TestContext, { folder, config }: Planted) {
    const keys = { planted: KEY };
    const own = engineConfig(folder, configSchema.parse(config), { generator: 'model', keys });
    const note = (message: string): void => void this.said.push(message);
    this.client = new EngineClient({
      enginePath: ENGINE,
      config: () => Promise.resolve(own),
      complete: () => Promise.reject(new Error('There is no model of the editor.')),
      log: { info: note, warn: note, error: note },
    });
    t.after(() => this.client.dispose());
  }

  /** Errors are collected, too. */
  async ask<M extends EngineMethod>(method: M, params: object): Promise<Result<M> | undefined> {
    try {
      const checked = engineMethods[method].params.parse(params) as Params<M>;
      const onNote = (note: unknown): void => void this.said.push(JSON.stringify(note));
      const answer = await this.client.request(method, checked, { onNote });
      this.said.push(JSON.stringify(answer));
      return answer;
    } catch (error) {
      this.said.push(error instanceof Error ? `${error.stack} ${messageOf(error)}` : String(error));
      return undefined;
    }
  }
}

function assertUnsaid(text: string, where: string): void {
  for (const form of FORMS)
    assert.ok(!text.includes(form), `${where} holds the key: …${around(text, form)}…`);
  assert.ok(!text.includes(KEY.slice(0, 14)), `${where} holds a part of the key`);
}

function around(text: string, form: string): string {
  const place = text.indexOf(form);
  return text.slice(Math.max(0, place - 120), place);
}

/** All bytes of all files below a folder, including databases and their logs. */
function assertNoFileHolds(folder: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  assert.ok(
    files.some(({ name }) => name.endsWith('.sqlite')),
    'nothing was stored',
  );
  for (const { parentPath, name } of files) {
    const file = path.join(parentPath, name);
    assertUnsaid(readFileSync(file, 'latin1'), path.relative(folder, file));
  }
}

const PAIR = {
  corpus: 'docs',
  judge: 'model',
  query: { id: 'q', text: 'night trams' },
  perspectives: [{ id: 'p1', text: 'Night trams bring workers home.' }],
};

describe('a key that a model endpoint repeats', () => {
  for (const [way, echo] of Object.entries(ECHOES))
    it(`is shown nowhere when the endpoint ${way}`, async (t) => {
      const server = await echoServer(t, KEY, echo);
      const planted = plant(t, server.url);
      const told = new Told(t, planted);
      const search = { ...PAIR, pipeline: { retriever: { type: 'bm25' } } };
      await told.ask('index', { corpus: 'docs', rebuild: false });
      const found = await told.ask('search', search);
      const slots = found!.candidates.map(({ slot }) => slot);
      assert.equal(slots.length, 1);
      await told.ask('judge', { ...PAIR, slots });
      await told.ask('generatePerspectives', { judge: 'model', query: 'night trams', count: 2 });
      await told.ask('search', {
        ...search,
        pipeline: { retriever: { type: 'bm25' }, expansion: { type: 'hyde' } },
      });
      await told.ask('search', { ...search, pipeline: { retriever: { type: 'dense', embedder: 'remote' } } });
      const config = configSchema.parse(planted.config);
      const report = await told.ask('evaluate', { config, ask: true, baseline: 'none' });
      if (report) for (const format of Object.values(REPORT_FORMATS)) told.said.push(format(report));
      const history = await told.ask('evaluationHistory', { config });
      for (const { id } of history!.evaluations) await told.ask('compareEvaluations', { then: id, now: id });
      assert.ok(server.keyed() >= 3, 'the key was not sent');
      told.client.dispose();
      assertUnsaid(told.said.join('\n'), 'what the engine said');
      assertNoFileHolds(planted.folder);
    });
});

describe('a key that a store or a retriever repeats', () => {
  const echo: Echo = (said) => ({
    status: 401,
    body: { status: { error: said }, error: { reason: said }, message: said },
  });
  const padded: Echo = (said) => ({ status: 500, body: `${PADDING}${said}` });
  const retrievers: Readonly<Record<string, (url: string) => object>> = {
    http: (url) => ({ type: 'http', url: `${url}/search`, key: 'planted' }),
    qdrant: (url) => ({ type: 'qdrant', url, collection: 'c', embedder: 'hashing', key: 'planted' }),
    chroma: (url) => ({ type: 'chroma', url, collection: 'c', embedder: 'hashing', key: 'planted' }),
    opensearch: (url) => ({ type: 'opensearch', url, index: 'c', key: 'planted' }),
    weaviate: (url) => ({ type: 'weaviate', url, collection: 'C', embedder: 'hashing', key: 'planted' }),
    milvus: (url) => ({ type: 'milvus', url, collection: 'c', embedder: 'hashing', key: 'planted' }),
    pinecone: (url) => ({ type: 'pinecone', url, embedder: 'hashing', key: 'planted' }),
    azure: (url) => ({ type: 'azure-search', url, index: 'c', embedder: 'hashing', key: 'planted' }),
    lancedb: (url) => ({
      type: 'lancedb',
      uri: 'db://d',
      host: url,
      table: 'c',
      client: process.cwd(),
      embedder: 'hashing',
      key: 'planted',
    }),
    elasticsearch: (url) => ({
      type: 'opensearch',
      engine: 'elasticsearch',
      url,
      index: 'c',
      user: 'elastic',
      key: 'planted',
    }),
  };
  for (const [name, retriever] of Object.entries(retrievers))
    it(`is shown nowhere when ${name} refuses or fails`, async (t) => {
      const planted = plant(t, 'http://127.0.0.1:1');
      const told = new Told(t, planted);
      await told.ask('index', { corpus: 'docs', rebuild: false });
      for (const answer of [echo, padded]) {
        const server = await echoServer(t, KEY, answer);
        const pipeline = { retriever: retriever(server.url) };
        await told.ask('search', { ...PAIR, pipeline });
        await told.ask('checkRetriever', { retriever: pipeline.retriever });
        assert.ok(server.keyed() >= 1, 'the key was not sent');
      }
      assertUnsaid(told.said.join('\n'), 'what the engine said');
      assertNoFileHolds(planted.folder);
    });

  it('is in no passage that a retriever makes of it', async (t) => {
    const server = await echoServer(t, KEY, (said) => ({
      status: 200,
      body: { results: [{ id: 'x', text: said, score: 1 }] },
    }));
    const planted = plant(t, server.url);
    const told = new Told(t, planted);
    await told.ask('index', { corpus: 'docs', rebuild: false });
    const found = await told.ask('search', {
      ...PAIR,
      pipeline: { retriever: retrievers['http']!(server.url) },
    });
    assert.match(found!.candidates[0]!.text, /^You sent/u);
    assertUnsaid(told.said.join('\n'), 'what the engine said');
    assertNoFileHolds(planted.folder);
  });
});

/** Runs the command line as a process. Resolves to its output. */
function parallax({ folder, environment }: Planted, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [path.resolve('src/cli/main.ts'), ...args], {
    cwd: folder,
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  return new Promise((resolve) => child.once('close', () => resolve(said)));
}

describe('a key of the environment', () => {
  it('is in no output of commands, however verbose', async (t) => {
    const server = await echoServer(t, KEY, ECHOES['rejects it']!);
    const pipelines = { own: { retriever: { type: 'http', url: `${server.url}/search`, key: 'planted' } } };
    const planted = plant(t, server.url, pipelines);
    const said = [
      await parallax(planted, 'check', '--verbose', '--config', 'parallax.json', '--pipeline', 'own'),
      await parallax(
        planted,
        'gate',
        '--verbose',
        '--config',
        'parallax.json',
        '--store',
        'store',
        '--output',
        'html=report.html',
      ),
      await parallax(planted, 'index', '--verbose', 'docs', '--store', 'index'),
      await parallax(planted, 'search', '--verbose', '--store', 'index', '--pipeline', 'own', 'night trams'),
    ];
    assert.ok(said.every((text) => text !== ''));
    assert.ok(server.keyed() >= 2, 'the key was not sent');
    assertUnsaid(said.join('\n'), 'what commands wrote');
    assertNoFileHolds(planted.folder);
  });

  it('is in no answer of the MCP server, and not in its log', async (t) => {
    const server = await echoServer(t, KEY, ECHOES['answers with it']!);
    const pipelines = { own: { retriever: { type: 'http', url: `${server.url}/search`, key: 'planted' } } };
    const planted = plant(t, server.url, pipelines);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [
        path.resolve('src/cli/main.ts'),
        'mcp',
        '--config',
        'parallax.json',
        '--store',
        'store',
        '--judge',
        'model',
        '--budget',
        '20',
      ],
      cwd: planted.folder,
      env: { ...planted.environment },
      stderr: 'pipe',
    });
    const client = new Client({ name: 'test', version: '1' });
    let said = '';
    transport.stderr?.on('data', (data: Buffer) => (said += data.toString()));
    await client.connect(transport);
    const call = async (name: string, input: Record<string, unknown>): Promise<void> => {
      said += JSON.stringify(await client.callTool({ name, arguments: input }));
    };
    await call('evaluate_retrieval', { pipelines: ['bm25'], judge: true });
    await call('evaluate_retrieval', { pipelines: ['own'] });
    await call('explain_lost_perspectives', { pipeline: 'own', judge: true });
    await call('list_retrieval_sites', {});
    await client.close();
    assert.ok(server.keyed() >= 2, 'the key was not sent');
    assertUnsaid(said, 'what the server said');
    assertNoFileHolds(planted.folder);
  });
});
