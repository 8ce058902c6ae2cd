/** `parallax check --behaviour` against real stores: no check fires for correct stores, and real faults are found. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { checkCommand } from '../../../../src/cli/commands/check-command.ts';
import type { BehaviourReport } from '../../../../src/features/behaviour/contract/behaviour.ts';
import { loadChroma, loadPostgres, withPostgres } from '../../../fixtures/stores/loading.ts';
import { orReason, startChroma, startPostgres } from '../../../fixtures/stores/real-servers.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { run } from '../../cli/support.ts';
import { embedded } from './support.ts';

const TOPICS = ['rivers', 'mountains', 'harbours', 'deserts', 'forests', 'islands', 'plains'];
const passages = await embedded(
  Array.from({ length: 400 }, (_, at) => ({
    id: `p${at}`,
    text: `Passage ${at} is about ${TOPICS[at % 7]} and ${TOPICS[(at * 3) % 7]}, number ${at * 7919}.`,
  })),
);
const postgres = await orReason(startPostgres);
const chroma = await orReason(startChroma);
after(() => Promise.all([postgres.server?.stop(), chroma.server?.stop()]));
const QUESTIONS = ['Harbours and Islands?', 'What is known about Deserts?', 'Mountains, number 31676'];

type Report = BehaviourReport & { readonly pipeline: string };

async function reportsOf(
  t: TestContext,
  store: object,
  pipelines: Record<string, object>,
  behaviour: object = {},
): Promise<Report[]> {
  const file = path.join(temporaryFolder(t), 'parallax.json');
  await writeFile(file, JSON.stringify({ corpora: { there: { store } }, pipelines, behaviour }));
  const { stdout } = await run(
    checkCommand,
    ...['--behaviour', '--config', file, '--json'],
    ...Object.keys(pipelines).flatMap((name) => ['--pipeline', name]),
    ...QUESTIONS.flatMap((question) => ['--question', question]),
  );
  return JSON.parse(stdout) as Report[];
}

const states = (reports: readonly Report[], wanted: string): string[] =>
  reports.flatMap(({ pipeline, checks }) =>
    checks.flatMap(({ check, state }) => (state === wanted ? [`${pipeline}: ${check}`] : [])),
  );

/** Plain, filtered, and with Parallax's MMR. */
const variants = (store: object, where: object): Record<string, object> => ({
  plain: { retriever: store, k: 5 },
  filtered: { retriever: { ...store, where }, k: 5 },
  mmr: { retriever: store, k: 5, rerank: [{ type: 'mmr', lambda: 0.5, embedder: 'hashing' }] },
});

test(
  'PostgreSQL with an HNSW index, with and without iterative scans',
  { skip: postgres.skip },
  async (t) => {
    const { port } = postgres.server!;
    await loadPostgres(port, 'places', passages);
    await withPostgres(port, (client) =>
      client.query('CREATE INDEX ON places USING hnsw (embedding vector_cosine_ops)'),
    );
    // Makes PostgreSQL use the index for so few rows. This server has one session for all connections.
    await withPostgres(port, (client) => client.query('SET enable_seqscan = off; SET enable_sort = off'));
    const place = { type: 'postgres', port, database: 'postgres', user: 'postgres', table: 'places' };
    const store = { ...place, columns: { text: 'te"xt' }, embedder: 'hashing' };
    const scanning = await reportsOf(t, store, variants(store, { even: true }));
    assert.deepEqual(states(scanning, 'broken'), []);
    assert.equal(states(scanning, 'holds').length, 17);
    // The breadth of a program which sets none, without iterative scans.
    assert.deepEqual(
      states(await reportsOf(t, store, variants({ ...store, ef: 40 }, { even: true })), 'broken'),
      [],
    );
    const narrow = { retriever: { ...store, ef: 8, where: { even: true } }, k: 8 };
    const mmr = (lambda: number, candidates = 50): object => ({
      ...{ retriever: store, k: 5, candidates },
      rerank: [{ type: 'mmr', lambda, embedder: 'hashing' }],
    });
    const faulty = await reportsOf(
      t,
      store,
      { narrow, turned: mmr(0.5), scant: mmr(0.5, 5), diverse: mmr(0), relevant: mmr(1) },
      { turned: { lambda0: 'relevant', lambda1: 'diverse' } },
    );
    assert.deepEqual(states(faulty, 'broken'), ['narrow: filter', 'turned: lambda', 'scant: mmr-candidates']);
    assert.match(JSON.stringify(faulty), /of 8 passages came back, although/u);
  },
);

test('Chroma', { skip: chroma.skip }, async (t) => {
  const { port } = chroma.server!;
  await loadChroma(port, 'places', passages);
  const place = {
    type: 'chroma',
    url: `http://127.0.0.1:${port}`,
    collection: 'places',
    embedder: 'hashing',
  };
  const reports = await reportsOf(t, place, variants(place, { even: true }));
  assert.deepEqual(states(reports, 'broken'), []);
  assert.equal(states(reports, 'holds').length, 17);
});
