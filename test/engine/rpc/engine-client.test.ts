/** The real engine in a real child process, with the client that the editor uses. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { EngineClient, type EngineState } from '../../../src/extension/engine-process/engine-client.ts';
import { admitRequest } from '../../../src/extension/workspace/usable-config.ts';
import { judgeSchema, type JudgeConfig } from '../../../src/shared/judge-config.ts';
import { Allowance } from '../../../src/shared/requests/spending.ts';
import type { EngineMethod, ProgressNote } from '../../../src/shared/rpc.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { serverFor } from '../judges/support.ts';
import { engineConfig, type WorkspaceConfig } from '../../fixtures/workspace.ts';
import '../../fixtures/built.ts';
import { engineBundle } from '../../fixtures/engine-bundle.ts';

const ENGINE = await engineBundle();

interface Setup {
  readonly client: EngineClient;
  readonly folder: string;
  readonly states: EngineState[];
  readonly log: string[];
}

function setUp(
  t: TestContext,
  options: {
    judges?: Record<string, JudgeConfig>;
    embedders?: WorkspaceConfig['embedders'];
    engine?: string;
    admit?: (method: EngineMethod) => void;
    /** Roots of the corpus, evaluated on each use. */
    roots?: () => string[];
  } = {},
): Setup {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-rpc-'));
  mkdirSync(path.join(folder, 'docs'));
  writeFileSync(
    path.join(folder, 'docs/cats.md'),
    '# Cats\n\nCats sleep most of the day and hunt at dusk.\n',
  );
  writeFileSync(path.join(folder, 'docs/dogs.md'), '# Dogs\n\nDogs follow people and bark at strangers.\n');
  const states: EngineState[] = [];
  const log: string[] = [];
  const note = (message: string): void => void log.push(message);
  const client = new EngineClient({
    enginePath: options.engine ?? ENGINE,
    ...(options.admit ? { admit: options.admit } : {}),
    config: async () =>
      engineConfig(folder, {
        corpora: { pets: { roots: options.roots?.() ?? ['docs'] } },
        judges: options.judges,
        embedders: options.embedders,
      }),
    complete: async ({ messages }) => ({
      text: JSON.stringify({
        evidence: null,
        verdict: messages.length > 0 ? 'yes' : 'no',
        reason: 'scripted',
      }),
      model: 'scripted',
    }),
    log: { info: note, warn: note, error: note },
    onState: (state) => states.push(state),
  });
  t.after(() => {
    client.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  return { client, folder, states, log };
}

/** A process that has ended keeps its id until its exit status is read. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const BM25 = parsePipeline({ retriever: { type: 'bm25' } });
const isError = (id: string) => (error: unknown) => ParallaxError.is(error) && error.id === id;

test('a debugger can attach to the engine at the port in the environment', async (t) => {
  process.env['PARALLAX_ENGINE_INSPECT'] = '0';
  t.after(() => delete process.env['PARALLAX_ENGINE_INSPECT']);
  const { client, log } = setUp(t);
  await client.request('index', { corpus: 'pets', rebuild: false });
  assert.ok(
    log.some((message) => message.includes('Debugger listening on ws://127.0.0.1:')),
    log.join('\n'),
  );
});

test('an error outside of a request ends the engine: requests fail, it is logged, and restarts', async (t) => {
  const throwing = `process.once('message', () => setImmediate(() => { throw new Error('127.0.0.1:9 said too much'); }));`;
  process.env['NODE_OPTIONS'] = `--import=data:text/javascript,${encodeURIComponent(throwing)}`;
  t.after(() => delete process.env['NODE_OPTIONS']);
  const { client, log } = setUp(t);
  await assert.rejects(client.request('index', { corpus: 'pets', rebuild: false }));
  assert.ok(
    log.some((message) => /The engine ends: .*127\.0\.0\.1:9 said too much/u.test(message)),
    log.join('\n'),
  );
  delete process.env['NODE_OPTIONS'];
  assert.equal((await client.request('index', { corpus: 'pets', rebuild: false })).added, 2);
});

test('a call sends no more requests for embeddings than it may, over several requests to the engine', async (t) => {
  let fails = true;
  const server = await serverFor(t, {
    embeddings: ({ input }) => (fails ? { fault: 'status', status: 503 } : input.map(() => [1, 0])),
  });
  const { client } = setUp(t, {
    embedders: { paid: { type: 'openai', baseUrl: server.url, model: 'scripted', batchSize: 1 } },
  });
  await client.request('index', { corpus: 'pets', rebuild: false });
  const allowance = new Allowance({ of: 4, left: 4 });
  const search = (): Promise<unknown> =>
    client.request(
      'search',
      {
        corpus: 'pets',
        query: { text: 'who barks?' },
        perspectives: [],
        pipeline: parsePipeline({ retriever: { type: 'dense', embedder: 'paid' } }),
      },
      { allowance },
    );
  await assert.rejects(
    search(),
    (error: Error) => isError('model-unreachable')(error) && /The 4 requests/u.test(error.message),
  );
  fails = false;
  await assert.rejects(search(), isError('model-unreachable'));
  assert.equal(server.requests.length, 4);
  assert.equal(allowance.left, 0);
});

test('the engine starts with the first request, indexes, and searches', async (t) => {
  const { client } = setUp(t);
  assert.equal(client.state, 'not started');
  const notes: ProgressNote[] = [];
  const report = await client.request(
    'index',
    { corpus: 'pets', rebuild: false },
    { onNote: (note) => notes.push(note) },
  );
  assert.equal(report.added, 2);
  assert.ok(notes.some(({ type }) => type === 'progress'));
  const { candidates, search } = await client.request('search', {
    corpus: 'pets',
    query: { text: 'who barks?' },
    perspectives: [],
    pipeline: BM25,
  });
  assert.equal(search, 'exact');
  assert.equal(candidates[0]?.documentId, 'docs/dogs.md');
  assert.equal(client.state, 'running');
});

test('if a judge is named, people’s labels come with the passages across the process border', async (t) => {
  const { client } = setUp(t);
  await client.request('index', { corpus: 'pets', rebuild: false });
  const perspective = { id: 'loud', text: 'Dogs are loud.' };
  const asked = {
    corpus: 'pets',
    query: { text: 'who barks?' },
    perspectives: [perspective],
    pipeline: BM25,
  };
  const { candidates, known, notices } = await client.request('search', asked);
  assert.equal(known, undefined);
  assert.deepEqual(notices, []);
  const [{ id, slot }] = candidates as [(typeof candidates)[0]];
  const { corpus, query } = asked;
  await client.request('label', { corpus, slot, query, perspective, verdict: 'yes', by: 'tester' });
  const after = (await client.request('search', { ...asked, judge: 'labels' })).known;
  assert.deepEqual(
    after?.pairs.map(({ judgement, ...pair }) => [pair, judgement.verdict, judgement.judge]),
    [[{ slot, perspectiveId: 'loud' }, 'yes', 'tester']],
  );
  assert.deepEqual(after?.supporters, [{ perspectiveId: 'loud', passageId: id, name: 'dogs' }]);
});

test('a search before indexing is refused with a message', async (t) => {
  const { client } = setUp(t);
  await assert.rejects(
    client.request('search', { corpus: 'pets', query: { text: 'x' }, perspectives: [], pipeline: BM25 }),
    (error) => isError('not-indexed')(error) && ParallaxError.is(error) && error.corpus === 'pets',
  );
});

test('without trust nothing is asked, and an invalid parallax.json keeps the index searchable', async (t) => {
  const workspace: { trusted: boolean; configProblem?: string } = { trusted: false };
  const { client } = setUp(t, { admit: (method) => admitRequest(method, workspace) });
  const index = (rebuild: boolean): Promise<unknown> => client.request('index', { corpus: 'pets', rebuild });
  await assert.rejects(index(false), isError('untrusted'));
  workspace.trusted = true;
  await index(false);
  workspace.configProblem = 'parallax.json: corpora.pets.roots: Too small.';
  for (const rebuild of [false, true])
    await assert.rejects(
      index(rebuild),
      (error) =>
        ParallaxError.is(error, 'bad-config') &&
        error.message.startsWith(`${workspace.configProblem} Until `),
    );
  const found = await client.request('search', {
    corpus: 'pets',
    query: { text: 'who barks?' },
    perspectives: [],
    pipeline: BM25,
  });
  assert.equal(found.candidates[0]?.documentId, 'docs/dogs.md');
  assert.equal((await client.request('status', { corpus: 'pets' })).indexed, true);
});

test('a request of the wrong shape is refused with the invalid field', async (t) => {
  const { client } = setUp(t);
  const wrong = { corpus: 'pets', query: { text: 'x' }, perspectives: [], pipeline: { ...BM25, k: 0 } };
  await assert.rejects(
    client.request('search', wrong),
    (error) => ParallaxError.is(error, 'bad-argument') && error.message.includes('pipeline.k'),
  );
});

test('a request during a change of configuration uses the new one', async (t) => {
  let roots = ['.'];
  const { client } = setUp(t, { roots: () => roots });
  await client.request('status', { corpus: 'pets' });
  roots = ['docs/cats.md'];
  const configured = client.reconfigure();
  const report = await client.request('index', { corpus: 'pets', rebuild: false });
  assert.equal(report.documents, 1);
  await configured;
});

test('a cancelled rebuild keeps the existing index', async (t) => {
  const { client, folder } = setUp(t);
  await client.request('index', { corpus: 'pets', rebuild: false });
  appendFileSync(path.join(folder, 'docs/cats.md'), '\nZebras do not sleep.\n');
  const controller = new AbortController();
  const rebuild = client.request(
    'index',
    { corpus: 'pets', rebuild: true },
    { signal: controller.signal, onNote: () => controller.abort() },
  );
  await assert.rejects(rebuild, isError('cancelled'));
  const zebras = async (): Promise<number> =>
    (
      await client.request('search', {
        corpus: 'pets',
        query: { text: 'zebras' },
        perspectives: [],
        pipeline: BM25,
      })
    ).candidates.length;
  assert.equal((await client.request('status', { corpus: 'pets' })).documents, 2);
  assert.equal(await zebras(), 0);
  const report = await client.request('index', { corpus: 'pets', rebuild: true });
  assert.equal(report.added, 2, 'a rebuild reads every file again');
  assert.equal(await zebras(), 1);
  assert.ok(!readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith('rebuild')));
});

test('killed during a request, the engine rejects it, and the next request finds everything', async (t) => {
  const { client, states } = setUp(t);
  await client.request('index', { corpus: 'pets', rebuild: false });
  const inFlight = client.request('index', { corpus: 'pets', rebuild: true });
  const rejection = assert.rejects(inFlight, isError('engine-stopped'));
  process.kill(client.pid!, 'SIGKILL');
  await rejection;
  const report = await client.request('index', { corpus: 'pets', rebuild: false });
  assert.equal(report.documents, 2);
  assert.ok(states.includes('failed'));
  assert.equal(client.state, 'running');
});

const noProc = process.platform !== 'linux' && 'cannot run here: no /proc';

test('a busy engine ends when its host is killed', { skip: noProc }, async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(path.join(folder, 'docs'));
  for (let i = 0; i < 300; i++)
    writeFileSync(
      path.join(folder, `docs/${i}.md`),
      `# ${i}\n\n${'Cats sleep and dogs bark. '.repeat(4000)}\n`,
    );
  const script = path.join(import.meta.dirname, 'support/indexing-host.ts');
  const host = spawn(process.execPath, [script, folder, ENGINE], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => host.kill('SIGKILL'));
  const [said] = (await once(host.stdout, 'data')) as [Buffer];
  const engine = Number(said.toString());
  assert.ok(isAlive(engine));
  host.kill('SIGKILL');
  t.after(() => isAlive(engine) && process.kill(engine, 'SIGKILL'));
  const left = AbortSignal.timeout(20_000);
  while (isAlive(engine)) {
    assert.ok(!left.aborted, 'the engine lives on');
    await sleep(20);
  }
});

test('an engine that dies at once is not restarted forever', async (t) => {
  const folder = temporaryFolder(t);
  const engine = path.join(folder, 'dies.mjs');
  writeFileSync(engine, 'process.exit(3);\n');
  const { client, log } = setUp(t, { engine });
  const messages: string[] = [];
  for (let attempt = 0; attempt < 4; attempt++)
    await client.request('status', { corpus: 'pets' }).catch((error: Error) => messages.push(error.message));
  assert.equal(log.filter((line) => line.includes('exit code 3')).length, 3, 'three starts, not four');
  assert.match(messages[3]!, /stopped 3 times/u);
});

test('cancelling rejects at once and is no error', async (t) => {
  const { client } = setUp(t);
  const controller = new AbortController();
  const request = client.request('index', { corpus: 'pets', rebuild: false }, { signal: controller.signal });
  controller.abort();
  await assert.rejects(request, isError('cancelled'));
  assert.equal((await client.request('status', { corpus: 'pets' })).indexed, false);
});

test("the engine asks the editor's model, remembers the answers, and human labels win over them", async (t) => {
  const { client } = setUp(t, { judges: { editor: judgeSchema.parse({ type: 'vscode' }) } });
  await client.request('index', { corpus: 'pets', rebuild: false });
  const { candidates } = await client.request('search', {
    corpus: 'pets',
    query: { text: 'cats and dogs' },
    perspectives: [],
    pipeline: BM25,
  });
  const judgingTask = {
    corpus: 'pets',
    judge: 'editor',
    query: { text: 'cats and dogs' },
    perspectives: [{ id: 'p1', text: 'Cats are lazy.' }],
    slots: candidates.map(({ slot }) => slot),
  };
  const { calls, known, effort } = await client.request('judgeCost', judgingTask);
  assert.deepEqual([calls, known, effort.requests], [2, 0, { least: 2, most: 2 }]);
  const notes: ProgressNote[] = [];
  const report = await client.request('judge', judgingTask, { onNote: (note) => notes.push(note) });
  assert.equal(report.answered, 2);
  assert.equal(notes.filter(({ type }) => type === 'judgement').length, 2);
  assert.equal((await client.request('judgeCost', judgingTask)).known, 2);
  await client.request('label', {
    corpus: 'pets',
    slot: candidates[0]!.slot,
    query: judgingTask.query,
    perspective: judgingTask.perspectives[0]!,
    verdict: 'no',
    by: 'tester',
  });
  const { pairs } = await client.request('judgements', judgingTask);
  assert.deepEqual(
    pairs.map(({ judgement }) => [judgement.source, judgement.verdict]),
    [
      ['human', 'no'],
      ['llm', 'yes'],
    ],
  );
});
