/** A real client of the Model Context Protocol against the built `parallax mcp`, over the sample workspace. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { MAX_CHARACTERS } from '../../../src/features/agents/tools/answer.ts';
import { AGENT_TOOL_NAMES } from '../../../src/features/agents/tools/names.ts';
import { inputSchemaOf } from '../../../src/features/agents/tools/tools.ts';
import { mcpCommand } from '../../../src/features/agents/cli/mcp-command.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { verdictReply } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { run } from '../cli/support.ts';
import { SmallDisk } from '../faults/support/small-disk.ts';
import { serverFor } from '../judges/support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const CLI = path.resolve('dist/cli.js');

interface Served {
  readonly client: Client;
  /** The sample workspace; the test's own copy. */
  readonly folder: string;
  readonly temporary: string;
  /** The JSON of an answer. */
  readonly ask: (name: string, input?: object) => Promise<Record<string, unknown>>;
  /** The sentence of a tool error. */
  readonly refused: (name: string, input?: object) => Promise<string>;
}

async function serve(
  t: TestContext,
  {
    change = {},
    options = [],
    environment = {},
    configFile = 'parallax.json',
    sampling = false,
  }: {
    readonly sampling?: boolean;
    readonly change?: object;
    readonly options?: readonly string[];
    readonly configFile?: string;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<Served> {
  const temporary = temporaryFolder(t);
  const folder = path.join(temporary, 'sample');
  await cp('media/sample', folder, { recursive: true });
  const config = path.join(folder, configFile);
  const sample = JSON.parse(await readFile(path.join(folder, 'parallax.json'), 'utf8')) as object;
  await writeFile(config, JSON.stringify({ ...sample, ...change }));
  const capabilities = sampling ? { sampling: {} } : {};
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--config', config, ...options],
    env: {
      ...(process.env as Record<string, string>),
      TMPDIR: temporary,
      OPENAI_API_KEY: 'secret-key',
      ...environment,
    },
    stderr: 'pipe',
  });
  await client.connect(transport);
  t.after(() => client.close());
  const call = async (
    name: string,
    input: object,
  ): Promise<{ readonly text: string; readonly failed: boolean }> => {
    const { content, isError } = await client.callTool({ name, arguments: { ...input } });
    const [part] = content as [{ readonly type: string; readonly text: string }];
    assert.equal(part.type, 'text');
    return { text: part.text, failed: isError === true };
  };
  return {
    client,
    folder,
    temporary,
    ask: async (name, input = {}) => {
      const { text, failed } = await call(name, input);
      assert.ok(!failed, text);
      assert.ok(text.length <= MAX_CHARACTERS, `${name}: ${text.length}`);
      return JSON.parse(text) as Record<string, unknown>;
    },
    refused: async (name, input = {}) => {
      const { text, failed } = await call(name, input);
      assert.ok(failed, text);
      return text;
    },
  };
}

const of = <T>(answer: Record<string, unknown>, field: string): T => answer[field] as T;
type Named = readonly {
  readonly name: string;
  readonly figures: Record<string, { readonly value: number }>;
}[];

test(
  'leaves no index behind if its terminal is closed',
  { skip: process.platform === 'win32' },
  async (t) => {
    const { ask, client, temporary } = await serve(t);
    await ask('search', { query: 'Should schools start later?' });
    const indexes = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('parallax-mcp-'));
    assert.equal(indexes().length, 1);
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    process.kill((client.transport as StdioClientTransport).pid!, 'SIGHUP');
    await closed;
    assert.deepEqual(indexes(), []);
  },
);

describe('parallax mcp', () => {
  test('the tools are listed with the schemas that validate them', async (t) => {
    const { client } = await serve(t);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name, inputSchema }) => [name, inputSchema]),
      AGENT_TOOL_NAMES.map((name) => [name, inputSchemaOf(name)]),
    );
    assert.deepEqual(
      tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name),
      ['label', 'save_eval_set', 'accept_baseline'],
    );
  });

  test('the calls of the sample programs are listed, of all and of one', async (t) => {
    const { ask, refused, folder, temporary } = await serve(t);
    // Neither of them is a program, nor a reason not to list the others.
    await mkdir(path.join(folder, 'folder.py'));
    await symlink(path.join(folder, 'gone.py'), path.join(folder, 'broken.py'));
    const secret = 'from langchain_chroma import Chroma\nChroma("x").similarity_search("q", k=77)\n';
    await writeFile(path.join(temporary, 'secret.py'), secret);
    await symlink(path.join(temporary, 'secret.py'), path.join(folder, 'link.py'));
    const all = of<readonly { file: string; k: object }[]>(await ask('list_retrieval_sites'), 'sites');
    assert.deepEqual(
      all.map(({ file, k }) => [file, k]),
      [
        ['app/rag.py', { value: 5, from: 'literal' }],
        ['app/rag.py', { value: 5, from: 'literal' }],
        ['app/rag.ts', { value: 5, from: 'literal' }],
      ],
    );
    for (const file of ['app/rag.ts', path.join(folder, 'app/rag.ts')])
      assert.equal(of<readonly object[]>(await ask('list_retrieval_sites', { file }), 'sites').length, 1);
    await writeFile(path.join(temporary, 'outside.py'), 'x = 1\n');
    await symlink(path.join(temporary, 'outside.py'), path.join(folder, 'linked.py'));
    for (const file of ['nothing.py', '../outside.py', path.join(temporary, 'outside.py'), 'linked.py'])
      assert.match(await refused('list_retrieval_sites', { file }), /no file .* in the workspace/u);
    assert.match(await refused('list_retrieval_sites', { file: 'parallax.json' }), /is not a program/u);
  });

  test('a captured run is told step by step, in at most 2,000 tokens however long it is', async (t) => {
    const { ask, refused, folder, temporary } = await serve(t);
    const query = 'Is remote work good for teams?';
    const perspectives = ['Teams that work remotely lose contact.', 'Remote work gives people time.'];
    const passagesOf = async (words: string): Promise<readonly { id: string; text: string }[]> =>
      of(await ask('search', { query: words, pipeline: 'bm25', k: 3 }), 'passages');
    const queries = ['remote work', 'remote work of teams', 'remote work'];
    const found: (readonly { readonly id: string; readonly text: string }[])[] = [];
    for (const words of queries) found.push(await passagesOf(words));
    const labels = [
      { passage: found[0]![0]!.id, supports: [{ perspective: 1, quote: found[0]![0]!.text.slice(0, 40) }] },
    ];
    await ask('label', { questions: [{ query, perspectives, labels }] });
    const write = (times: number): Promise<void> =>
      writeFile(
        path.join(folder, 'captured.jsonl'),
        Array.from({ length: times }, () => queries)
          .flat()
          .map((words, place) =>
            JSON.stringify({
              query: words,
              results: found[place % 3]!.map(({ id }) => ({ id })),
              at: new Date(place * 1000).toISOString(),
              run: 'trace-1',
              question: query,
            }),
          )
          .join('\n'),
      );
    await write(1);
    const run = await ask('run_of_agent', { file: 'captured.jsonl', perspectives });
    assert.deepEqual([run['question'], run['never'], run['searchesAfterLastNew']], [query, [2], 2]);
    const searches = of<readonly { new: number[]; covered: number; seenBefore: number }[]>(run, 'searches');
    assert.deepEqual(
      searches.map(({ covered }) => covered),
      [1, 1, 1],
    );
    assert.deepEqual([searches[0]!.new, searches[2]!.seenBefore], [[1], 3]);
    assert.equal(of<readonly object[]>(run, 'whatIfs').length, 6);
    assert.deepEqual(
      of<readonly { firstSearch: number | null }[]>(run, 'perspectives').map(
        ({ firstSearch }) => firstSearch,
      ),
      [1, null],
    );
    await write(60);
    const long = await ask('run_of_agent', { file: 'captured.jsonl', perspectives });
    assert.ok(JSON.stringify(long).length <= MAX_CHARACTERS);
    assert.ok((long['searchesLeftOut'] as number) >= 150);

    assert.match(await refused('run_of_agent'), /No run was captured\. Record one with/u);
    assert.match(await refused('run_of_agent', { file: 'nothing.jsonl' }), /no file nothing\.jsonl/u);
    assert.match(
      await refused('run_of_agent', { file: 'captured.jsonl', run: 'x' }),
      /no run "x"; the newest is trace-1/u,
    );
    assert.match(
      await refused('run_of_agent', { file: 'parallax.json' }),
      /parallax\.json:1 is no captured/u,
    );
    await writeFile(path.join(temporary, 'outside.jsonl'), '{"query":"secret","results":[]}');
    assert.doesNotMatch(await refused('run_of_agent', { file: '../outside.jsonl' }), /secret/u);
  });

  test('pipelines, inline ones and calls in code are measured on people’s labels', async (t) => {
    const { ask } = await serve(t);
    const inline = { name: 'tried', retriever: { type: 'bm25' }, rerank: [{ type: 'mmr', lambda: 0.5 }] };
    const answer = await ask('evaluate_retrieval', { pipelines: ['bm25', inline], k: 5 });
    const [bm25, tried] = of<Named>(answer, 'pipelines');
    assert.equal(tried!.name, 'tried');
    const { value, low, high } = bm25!.figures['MRecall@5'] as { value: number; low: number; high: number };
    assert.ok(low <= value && value <= high && value > 0 && value < 1);
    assert.ok((bm25 as unknown as { worstQueries: object[] }).worstQueries.length === 3);
    assert.match(JSON.stringify(answer['judgements']), /"by":"people"/u);
    const listed = of<readonly { file: string; line: number }[]>(await ask('list_retrieval_sites'), 'sites');
    const { file, line } = listed[0]!;
    const [site] = of<Named>(await ask('evaluate_retrieval', { site: { file, line } }), 'pipelines');
    // The sample's BM25 call, with the same k.
    assert.equal(site!.figures['MRecall@5']!.value, value);
  });

  test('a read-only index is used as a copy and stays unchanged', async (t) => {
    const disk = SmallDisk.mount(50 * 2 ** 20);
    if (!disk) return t.skip('cannot run here: mounting a file system is not permitted');
    t.after(() => disk.unmount());
    const caches = temporaryFolder(t);
    const kept = {
      options: ['--store', path.join(disk.folder, 'store')],
      environment: { XDG_CACHE_HOME: caches },
    };
    const question = { pipelines: ['bm25'], k: 5 };
    const first = await serve(t, kept);
    const { pipelines } = await first.ask('evaluate_retrieval', question);
    await first.client.close();
    disk.makeReadOnly();
    const second = await serve(t, kept);
    assert.deepEqual((await second.ask('evaluate_retrieval', question))['pipelines'], pipelines);
    await second.client.close();
    assert.equal(readdirSync(path.join(caches, 'parallax', 'stores')).length, 1);
    return undefined;
  });

  test('lost perspectives are explained by passages and by possible fixes', async (t) => {
    const { ask } = await serve(t);
    const answer = await ask('explain_lost_perspectives', { pipeline: 'bm25' });
    const lost = of<readonly { firstRank?: number; supportedBy?: { excerpt: string } }[]>(answer, 'lost');
    assert.ok(lost.length > 0);
    const below = lost.filter(({ firstRank }) => firstRank !== undefined);
    assert.ok(below.length > 0 && below.every(({ firstRank }) => firstRank! > 5));
    assert.ok(below.every(({ supportedBy }) => supportedBy!.excerpt.length > 0));
    assert.match(String(answer['notice']), /data from files/u);
  });

  test('a missing document is explained, with the price of what brings it in', async (t) => {
    const { ask } = await serve(t);
    const query = 'Should secondary schools start later in the morning?';
    const document = 'docs/school-start/harriers-newsletter.md';
    const answer = await ask('explain_missing', { query, document, pipeline: 'bm25', k: 1 });
    assert.ok(Number(answer['rank']) > 1, JSON.stringify(answer));
    assert.equal(of<{ document: string }>(answer, 'passage').document, document);
    const { price } = of<{ price: { queries: number; measures: readonly object[] } }>(answer, 'change');
    assert.deepEqual([price.queries, price.measures.length], [11, 2]);
    assert.match(String(answer['notice']), /data from files/u);
    const nowhere = await ask('explain_missing', { query, document: 'docs/nowhere.md' });
    assert.equal(nowhere['cause'], 'unknown');
    assert.match(String(nowhere['says']), /no document, passage or text of this name/u);
  });

  test('bad arguments are errors of the tool, and the server continues', async (t) => {
    const { refused, ask, folder } = await serve(t);
    assert.match(await refused('evaluate_retrieval', { k: 0 }), /^evaluate_retrieval: k: /u);
    assert.match(
      await refused('evaluate_retrieval', { pipelines: ['nope'] }),
      /Available: hybrid, bm25, dense/u,
    );
    assert.match(await refused('nothing'), /no tool "nothing"/u);
    assert.match(await refused('explain_missing', { query: 'x' }), /document/u);
    assert.match(await refused('explain_lost_perspectives', { corpus: 'x' }), /Available: handbook/u);
    const evil = { retriever: { type: 'command', command: ['touch', path.join(folder, 'touched')] } };
    assert.match(await refused('evaluate_retrieval', { pipelines: [evil] }), /only through a pipeline/u);
    assert.ok(!existsSync(path.join(folder, 'touched')));
    const config = path.join(folder, 'parallax.json');
    const before = await readFile(config, 'utf8');
    await writeFile(config, before.slice(0, 40));
    assert.match(await refused('list_retrieval_sites'), /is not valid JSON/u);
    await writeFile(config, before);
    assert.equal(of<readonly object[]>(await ask('list_retrieval_sites'), 'sites').length, 3);
  });

  test('neither an eval set nor a baseline is written outside of the folder', async (t) => {
    const { refused, folder, temporary } = await serve(t);
    const outside = path.join(temporary, 'outside');
    await mkdir(outside);
    await symlink(outside, path.join(folder, 'eval', 'linked'));
    const questions = [{ query: 'Who?', perspectives: ['Somebody.'] }];
    assert.match(
      await refused('save_eval_set', { evalSet: 'linked/x', questions }),
      /lies outside this folder/u,
    );
    const config = path.join(folder, 'parallax.json');
    const written = JSON.parse(await readFile(config, 'utf8')) as object;
    for (const file of ['eval/linked/main.json', '../outside/main.json', path.join(outside, 'main.json')]) {
      const gate = { pipelines: ['bm25'], baseline: { file, lostPerspectives: 0 } };
      await writeFile(config, JSON.stringify({ ...written, gate }));
      assert.match(await refused('accept_baseline'), /lies outside this folder/u);
    }
    assert.deepEqual(readdirSync(outside), []);
  });

  test('labels are not appended to a file outside of the folder', async (t) => {
    const { ask, refused, folder, temporary } = await serve(t);
    const outside = path.join(temporary, 'outside');
    await mkdir(outside);
    const file = path.join(outside, 'judgements.jsonl');
    const query = 'Should schools start later?';
    const [passage] = of<readonly { readonly id: string }[]>(await ask('search', { query }), 'passages');
    const labels = [{ passage: passage!.id, supports: [] }];
    const input = { questions: [{ query, perspectives: ['$(touch x)'], labels }] };
    const own = path.join(folder, '.parallax');
    await rm(own, { recursive: true });
    await mkdir(own);
    await symlink(file, path.join(own, 'judgements.jsonl'));
    assert.match(await refused('label', input), /leads out of this folder through a link/u);
    assert.deepEqual(readdirSync(outside), []);
    await writeFile(file, '# of a shell\n');
    assert.match(await refused('label', input), /leads out of this folder through a link/u);
    await rm(own, { recursive: true });
    await symlink(outside, own);
    assert.match(await refused('label', input), /leads out of this folder through a link/u);
    assert.deepEqual(readdirSync(outside), ['judgements.jsonl']);
    assert.equal(await readFile(file, 'utf8'), '# of a shell\n');
    await rm(own);
    await ask('label', input);
    assert.ok(existsSync(path.join(own, 'judgements.jsonl')));
  });

  test('of a server with another configuration, that one is changed, in its own folder', async (t) => {
    const { ask, folder } = await serve(t, { change: { evalSets: [] }, configFile: 'other.json' });
    const before = await readFile(path.join(folder, 'parallax.json'), 'utf8');
    const questions = [{ query: 'Does it rain?', perspectives: ['It rains.'] }];
    const file = 'eval/rain.parallax.jsonl';
    assert.partialDeepStrictEqual(await ask('save_eval_set', { evalSet: 'rain', questions }), {
      evalSet: file,
      namedInConfig: true,
    });
    const { evalSets } = JSON.parse(await readFile(path.join(folder, 'other.json'), 'utf8')) as {
      evalSets: readonly string[];
    };
    assert.deepEqual(evalSets, [file]);
    assert.equal(await readFile(path.join(folder, 'parallax.json'), 'utf8'), before);
    assert.match(await readFile(path.join(folder, file), 'utf8'), /It rains\./u);
    // It is found in the configuration that the server was started with.
    const again = await ask('save_eval_set', { evalSet: 'rain', questions });
    assert.deepEqual(again['added'], { questions: 0, perspectives: 0 });
  });

  test('a cancelled query does not affect the server', async (t) => {
    const { client, ask } = await serve(t);
    const controller = new AbortController();
    const asked = client.callTool({ name: 'evaluate_retrieval', arguments: {} }, undefined, {
      signal: controller.signal,
    });
    controller.abort();
    await assert.rejects(asked);
    await ask('list_retrieval_sites');
  });

  test('temporary indexes are deleted when the client ends', async (t) => {
    const { client, ask, temporary } = await serve(t);
    await ask('evaluate_retrieval', { pipelines: ['bm25'] });
    const stores = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('parallax-mcp-'));
    assert.equal(stores().length, 1);
    await client.close();
    assert.deepEqual(stores(), []);
  });

  test('no model is asked without a budget; with one, its answers count and are cached', async (t) => {
    const server = await serverFor(t, {
      chat: ({ messages }) => verdictReply(readPairPrompt(messages).passage.length > 0 ? 'no' : 'yes'),
    });
    const judge = { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted', maxRetries: 0 };
    const change = { judge: 'model', judges: { model: judge } };
    const question = { queries: [{ text: 'Is tea better than coffee?', perspectives: ['Tea keeps calm.'] }] };
    const input = { ...question, pipelines: ['bm25'], k: 2, judge: true };
    const poor = await serve(t, { change });
    const refused = of<{ refused: string }>(await poor.ask('evaluate_retrieval', input), 'judging');
    assert.match(
      refused.refused,
      /"model" may ask a model up to 2 times; 0 of the 0 requests that --budget/u,
    );
    const hyde = { retriever: { type: 'bm25' }, expansion: { type: 'hyde' } };
    assert.match(
      await poor.refused('evaluate_retrieval', { pipelines: [hyde] }),
      /may ask a model up to 11 times/u,
    );
    assert.equal(server.requests.length, 0);

    const rich = await serve(t, { change, options: ['--budget', 'requests=3'] });
    const answer = await rich.ask('evaluate_retrieval', input);
    assert.partialDeepStrictEqual(answer['judging'], { asked: 2, answered: 2, requests: 2 });
    assert.match(JSON.stringify(answer['judgements']), /"by":"llm \(model\)","pairs":2/u);
    assert.equal(server.requests.length, 2);
    // Known answers cost nothing of the one request that is left.
    assert.deepEqual((await rich.ask('evaluate_retrieval', input))['judging'], { judge: 'model', asked: 0 });
    assert.equal(server.requests.length, 2);
  });
});

describe('an agent that edits parallax.json', () => {
  const edit = async (folder: string, change: object): Promise<void> => {
    const file = path.join(folder, 'parallax.json');
    const before = JSON.parse(await readFile(file, 'utf8')) as Record<string, object>;
    const merged = Object.entries(change).map(([key, value]) => [
      key,
      Array.isArray(value) || typeof value === 'string'
        ? (value as unknown)
        : { ...before[key], ...(value as object) },
    ]);
    await writeFile(file, JSON.stringify({ ...before, ...Object.fromEntries(merged) }));
  };

  test('cannot make the server run a command, ask an endpoint or read a folder', async (t) => {
    const model = await serverFor(t, { chat: () => verdictReply('no') });
    const { ask, refused, folder, temporary } = await serve(t, { options: ['--budget', '100'] });
    const original = await readFile(path.join(folder, 'parallax.json'), 'utf8');
    const mark = path.join(temporary, 'mark');
    const write = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, process.env.OPENAI_API_KEY)`;
    const command = { type: 'command', command: [process.execPath, '-e', write] };
    const http = { type: 'http', url: model.url };
    const judge = { type: 'openai', baseUrl: model.url, model: 'm' };
    const retrieving = (retriever: object) => ({ pipelines: { own: { retriever } } });
    for (const [change, named] of [
      [retrieving(command), /"command":/u],
      [retrieving({ type: 'hybrid', retrievers: [{ type: 'bm25' }, command] }), /"command":/u],
      [retrieving(http), /"type":"http"/u],
      [retrieving({ type: 'run', file: '/etc/passwd' }), /\/etc\/passwd/u],
      [{ judges: { own: judge }, judge: 'own' }, /"type":"openai"/u],
      [{ embedders: { own: judge } }, /"type":"openai"/u],
      [{ corpora: { own: { roots: [temporary] } } }, /"root":/u],
      [{ evalSets: ['../*.jsonl'] }, /"evalSet":/u],
    ] as const) {
      await writeFile(path.join(folder, 'parallax.json'), original);
      await edit(folder, change);
      for (const [tool, input] of [
        ['evaluate_retrieval', { pipelines: ['own'], judge: true }],
        ['evaluate_retrieval', { pipelines: ['bm25'] }],
        ['explain_lost_perspectives', { pipeline: 'own' }],
        ['explain_missing', { query: 'q', document: 'd', pipeline: 'own' }],
      ] as const) {
        const sentence = await refused(tool, input);
        assert.match(sentence, /refers to resources that no user has approved: .*start parallax mcp again/u);
        assert.match(sentence, named);
      }
    }
    assert.equal(model.requests.length, 0);
    assert.equal(existsSync(mark), false);
    await writeFile(path.join(folder, 'parallax.json'), original);
    await ask('evaluate_retrieval', { pipelines: ['bm25'] });
  });

  test('can measure steps and numbers that it wrote', async (t) => {
    const { ask, folder } = await serve(t);
    const pipeline = { retriever: { type: 'bm25' }, rerank: [{ type: 'mmr', lambda: 0.7 }], k: 3 };
    await edit(folder, { pipelines: { own: pipeline } });
    const answer = await ask('evaluate_retrieval', { pipelines: ['own'] });
    assert.deepEqual(
      of<Named>(answer, 'pipelines').map(({ name }) => name),
      ['own'],
    );
  });

  test('keeps the pipelines of the server’s start', async (t) => {
    const own = { retriever: { type: 'run', file: 'run.jsonl' }, k: 3 };
    const { ask, folder } = await serve(t, { change: { pipelines: { own } } });
    await writeFile(path.join(folder, 'run.jsonl'), '{"query":"a","results":[]}\n');
    await edit(folder, { pipelines: { another: { ...own, k: 5 } } });
    await ask('evaluate_retrieval', { pipelines: ['another'] });
  });
});

test('a budget of 8 is never exceeded by concurrent or failing calls', async (t) => {
  let asked = 0;
  const server = await serverFor(t, {
    chat: ({ messages }) => {
      if (++asked % 2 === 0) return { fault: 'status', status: 500 };
      return verdictReply(readPairPrompt(messages).passage.length > 0 ? 'no' : 'yes');
    },
  });
  const judge = { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted', maxRetries: 3 };
  const { client } = await serve(t, {
    change: { judge: 'model', judges: { model: judge } },
    options: ['--budget', '8'],
  });
  const call = (n: number) =>
    client.callTool({
      name: 'evaluate_retrieval',
      arguments: {
        queries: [{ text: `Is tea number ${n} better than coffee?`, perspectives: [`Tea ${n} keeps calm.`] }],
        pipelines: ['bm25'],
        k: 2,
        judge: true,
      },
    });
  await Promise.all(Array.from({ length: 12 }, (_, n) => call(n)));
  for (let n = 12; n < 24; n++) await call(n);
  assert.ok(server.requests.length <= 8, String(server.requests.length));
  assert.ok(server.requests.length > 0);
});

for (const [about, sampling, options, most] of [
  ['is asked within the budget if no judge is configured', true, ['--budget', '8'], 8],
  ['is not asked without a budget', true, [], 0],
  ['is not asked unless the client offers it', false, ['--budget', '8'], 0],
  ['is not asked beside another judge', true, ['--budget', '8', '--judge', 'labels'], 0],
] as const)
  test(`the client's model ${about}`, async (t) => {
    const requests: string[] = [];
    const { ask, client } = await serve(t, { change: { judge: undefined }, options, sampling });
    if (sampling)
      client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
        requests.push(JSON.stringify(params.messages));
        const { text } = verdictReply('no') as { readonly text: string };
        return { role: 'assistant', model: 'scripted', content: { type: 'text', text } };
      });
    const question = (n: number): object => ({
      queries: [{ text: `Is tea number ${n} better than coffee?`, perspectives: [`Tea ${n} keeps calm.`] }],
      pipelines: ['bm25'],
      k: 2,
      judge: true,
    });
    const first = await ask('evaluate_retrieval', question(0));
    assert.equal(requests.length > 0, most > 0);
    if (most > 0) {
      assert.match(JSON.stringify(first), /"judge":"client"/u);
      assert.match(requests[0]!, /Tea 0 keeps calm/u);
      const once = requests.length;
      await ask('evaluate_retrieval', question(0));
      assert.equal(requests.length, once, 'its answers are kept');
    }
    for (let n = 1; n < 12; n++)
      await client.callTool({ name: 'evaluate_retrieval', arguments: { ...question(n) } });
    assert.ok(requests.length <= most, String(requests.length));
  });

test('a budget is not exceeded by requests for embeddings that fail and are sent again', async (t) => {
  const server = await serverFor(t, { embeddings: () => ({ fault: 'status', status: 503 }) });
  const own = { type: 'openai', baseUrl: server.url, model: 'scripted', batchSize: 2048 };
  const { refused } = await serve(t, {
    change: { embedders: { own }, pipelines: { own: { retriever: { type: 'dense', embedder: 'own' } } } },
    options: ['--budget', '3'],
  });
  assert.match(await refused('search', { query: 'Tea' }), /3 requests that this call may send are spent/u);
  assert.equal(server.requests.length, 3);
  assert.match(await refused('search', { query: 'Tea' }), /0 of the 3 requests that --budget/u);
  assert.equal(server.requests.length, 3);
});

test('a budget is not exceeded by embeddings that fail in a measurement with a judge', async (t) => {
  const server = await serverFor(t, {
    embeddings: () => ({ fault: 'status', status: 503 }),
    chat: () => verdictReply('no'),
  });
  const own = { type: 'openai', baseUrl: server.url, model: 'scripted', batchSize: 2048 };
  const { batchSize: _, ...model } = own;
  const { ask } = await serve(t, {
    change: {
      judge: 'own',
      judges: { own: model },
      embedders: { own },
      pipelines: { own: { retriever: { type: 'dense', embedder: 'own' } } },
    },
    options: ['--budget', '8'],
  });
  const queries = [{ text: 'Tea?', perspectives: ['Tea is hot.', 'Tea is cold.'] }];
  await ask('evaluate_retrieval', { pipelines: ['own'], judge: true, queries });
  assert.equal(server.requests.length, 5);
});

test('10,000 calls leave no trace in the server', async (t) => {
  const { client, ask, temporary } = await serve(t);
  const wrong = { name: 'evaluate_retrieval', arguments: { k: 'many' } };
  await ask('list_retrieval_sites', { file: 'app/rag.ts' });
  for (let sent = 0; sent < 10_000; sent += 500)
    for (const { isError } of await Promise.all(Array.from({ length: 500 }, () => client.callTool(wrong))))
      assert.equal(isError, true);
  const before = readdirSync(temporary).toSorted();
  const listing = { name: 'list_retrieval_sites', arguments: { file: 'app/rag.ts' } };
  for (const { isError } of await Promise.all(Array.from({ length: 200 }, () => client.callTool(listing))))
    assert.notEqual(isError, true);
  assert.deepEqual(readdirSync(temporary).toSorted(), before);
});

test('parallax mcp explains itself, and refuses what it cannot serve', async (t) => {
  const { stdout, code } = await run(mcpCommand, '--help');
  assert.equal(code, 0);
  assert.match(stdout, /--budget/u);
  const config = path.resolve('media/sample/parallax.json');
  await assert.rejects(
    run(mcpCommand, '--config', path.join(temporaryFolder(t), 'parallax.json')),
    UsageError,
  );
  await assert.rejects(run(mcpCommand, '--config', config, '--budget', 'much'), UsageError);
  await assert.rejects(run(mcpCommand, '--config', config, '--budget', 'tokens=9'), UsageError);
  await assert.rejects(run(mcpCommand, '--config', config, '--judge', 'nobody'), UsageError);
});
