/** A corpus in files is written into real stores, which then answer as its own index does. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { pushCommand } from '../../../../src/cli/commands/push-command.ts';
import { parsePipeline } from '../../../../src/core/pipeline.ts';
import { passageUuid } from '../../../../src/engine/external/stores/passage-uuid.ts';
import { withPostgres } from '../../../fixtures/stores/loading.ts';
import { orReason, startChroma, startPostgres } from '../../../fixtures/stores/real-servers.ts';
import { startWritableIndex } from '../../../fixtures/stores/writable-opensearch.ts';
import { startWritableQdrant } from '../../../fixtures/stores/writable-qdrant.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { records, testWorkspace, type TestWorkspace } from '../../../fixtures/workspace.ts';
import { run } from '../../cli/support.ts';
import { storeSpec } from './support.ts';

const postgres = await orReason(startPostgres);
const chroma = await orReason(startChroma);
after(() => Promise.all([postgres.server?.stop(), chroma.server?.stop()]));

const TOPICS = ['rivers', 'mountains', 'harbours', 'deserts', 'forests', 'islands', 'plains'];
const QUERIES = [
  'harbours and islands',
  'number 31676',
  'what is known about deserts',
  'Passage 12, mountains',
];
const COUNT = 300;

function corpus(count: number): string {
  const texts = Array.from({ length: count }, (_, index) => [
    `p${index}`,
    `Passage ${index} is about ${TOPICS[index % 7]} and ${TOPICS[(index * 3) % 7]}, number ${index * 7919}.`,
  ]);
  return records(Object.fromEntries(texts) as Record<string, string>);
}
const DOCS = { roots: ['corpus.jsonl'], split: { type: 'none' as const } };

const inPostgres = (table: string, extra: object = {}): object => ({
  ...{ type: 'postgres', port: postgres.server?.port, database: 'postgres', user: 'postgres' },
  ...{ table, embedder: 'hashing', ...extra },
});
const inChroma = (collection: string, extra: object = {}): object => ({
  ...{ type: 'chroma', url: `http://127.0.0.1:${chroma.server?.port}`, collection, embedder: 'hashing' },
  ...extra,
});

function workspace(t: TestContext, store: object): Promise<TestWorkspace> {
  return testWorkspace(t, {
    files: { 'corpus.jsonl': corpus(COUNT) },
    corpora: { docs: DOCS, there: { store: storeSpec(store) } },
    // It is not there yet.
    unindexed: ['there'],
    approximateAbove: 1_000_000,
  });
}

/** The store, as a corpus of its own, gives the same passages as the index on this machine, best first. */
async function assertAgrees(opened: TestWorkspace, store: object): Promise<void> {
  const found = async (name: string, retriever: object, text: string): Promise<string[]> => {
    const pipeline = parsePipeline({ retriever, k: 10 });
    const asked = { corpus: name, query: { text }, perspectives: [], pipeline };
    return (await opened.request('search', asked)).candidates
      .slice(0, 10)
      .map(({ id, text: said }) => `${id}: ${said}`);
  };
  for (const query of QUERIES) {
    const here = await found('docs', { type: 'dense', embedder: 'hashing' }, query);
    assert.equal(here.length, 10);
    assert.deepEqual(await found('there', store, query), here, query);
  }
}

async function assertFills(t: TestContext, store: object): Promise<void> {
  const opened = await workspace(t, store);
  const task = { corpus: 'docs', store: storeSpec(store) };
  await assert.rejects(opened.request('push', { ...task, create: false }), {
    id: 'not-found',
    message: /is not there yet; --create makes it/,
  });
  const pushed = await opened.request('push', { ...task, create: true });
  assert.deepEqual(pushed, { added: COUNT, held: 0, differing: 0 });
  await assertAgrees(opened, store);
  const again = await opened.request('push', { ...task, create: true });
  assert.deepEqual(again, { added: 0, held: COUNT, differing: 0 });
  assert.equal((await opened.request('index', { corpus: 'there', rebuild: false })).passages, COUNT);
}

test('PostgreSQL answers as the index does', { skip: postgres.skip }, (t) =>
  assertFills(t, inPostgres('fill"ed')),
);
test('Chroma answers as the index does', { skip: chroma.skip }, (t) => assertFills(t, inChroma('filled')));
test('Qdrant answers as the index does, as far as its API description tells', async (t) => {
  const { url, points } = await startWritableQdrant(t);
  await assertFills(t, { type: 'qdrant', url, collection: 'filled', embedder: 'hashing', idField: 'ref.id' });
  const [first] = points;
  assert.equal(first!.id, passageUuid('p0'));
  const { text, ...payload } = first!.payload;
  assert.match(String(text), /^Passage 0 is about rivers/);
  assert.deepEqual(payload, { metadata: { source: 'p0' }, ref: { id: 'p0' } });
});

for (const engine of ['opensearch', 'elasticsearch'] as const)
  test(`${engine} answers as the index does, as far as its API description tells`, async (t) => {
    // Once it has too much to do for one of the passages.
    const { url, documents } = await startWritableIndex(t, engine, 1);
    const place = { type: 'opensearch', engine, url, index: 'filled', textField: 'doc.text', idField: 'ref' };
    await assertFills(t, { ...place, mode: 'knn', vectorField: 'embedding', embedder: 'hashing' });
    assert.deepEqual(documents.get('p0')!.metadata, { source: 'p0' });
  });

test('the id of a point is that of RFC 9562', () => {
  const id = passageUuid('docs/ports.md#3');
  assert.match(id, /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  assert.equal(id, passageUuid('docs/ports.md#3'));
  assert.notEqual(id, passageUuid('docs/ports.md#4'));
});

test(
  'a run that is cancelled is gone on with, without gaps and doubles',
  { skip: chroma.skip },
  async (t) => {
    const store = inChroma('halved');
    const opened = await workspace(t, store);
    const task = { corpus: 'docs', store: storeSpec(store), create: true };
    const stop = new AbortController();
    const stopped = opened.request('push', task, {
      signal: stop.signal,
      onNote: (note) => {
        if (note.type === 'progress' && note.progress.detail && note.progress.done > 0) stop.abort();
      },
    });
    await assert.rejects(stopped, { id: 'cancelled' });
    const { added, held } = await opened.request('push', task);
    assert.ok(held > 0 && added > 0, `${held} were held`);
    assert.equal(added + held, COUNT);
    await assertAgrees(opened, store);
  },
);

test(
  'a process that is killed leaves nothing half, and the next one adds the rest',
  { skip: postgres.skip },
  async (t) => {
    const count = 6_000;
    const base = temporaryFolder(t);
    const store = inPostgres('killed');
    writeFileSync(path.join(base, 'corpus.jsonl'), corpus(count));
    const file = path.join(base, 'parallax.json');
    writeFileSync(file, JSON.stringify({ corpora: { docs: DOCS, there: { store } } }));
    const argv = ['--to', 'there', '--create', '--config', file];
    const child = spawn(process.execPath, ['src/cli/main.ts', 'push', ...argv], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    const rows = (): Promise<number> =>
      withPostgres(postgres.server!.port, async (client) => {
        const {
          rows: [there],
        } = await client.query("SELECT to_regclass('killed') IS NOT NULL AS is");
        if (!there.is) return 0;
        return Number((await client.query('SELECT count(*) FROM killed')).rows[0].count);
      });
    while ((await rows()) === 0) assert.equal(child.exitCode, null);
    child.kill('SIGKILL');
    await ended;
    const before = await rows();
    assert.ok(before > 0 && before < count, `${before} rows`);
    const { code, stdout } = await run(pushCommand, ...argv);
    assert.deepEqual([code, stdout], [0, `${count - before} passages added, ${before} were there before.\n`]);
    assert.equal(await rows(), count);
  },
);

test(
  'what is there stays as it is, also what a filter hides, and where the table has no key',
  { skip: postgres.skip },
  async (t) => {
    await withPostgres(postgres.server!.port, async (client) => {
      await client.query('CREATE TABLE own (id text, text text, embedding halfvec(384))');
      await client.query(
        "INSERT INTO own VALUES ('p1', 'Another text.'), ('theirs', 'Somebody else wrote that.')",
      );
    });
    const store = inPostgres('own', { where: { id: 'nobody' } });
    const opened = await workspace(t, store);
    const task = { corpus: 'docs', store: storeSpec(store), create: true };
    assert.deepEqual(await opened.request('push', task), { added: COUNT - 1, held: 1, differing: 1 });
    const { rows } = await withPostgres(postgres.server!.port, (client) =>
      client.query("SELECT text FROM own WHERE id IN ('p1', 'theirs') ORDER BY id"),
    );
    assert.deepEqual(
      rows.map(({ text }) => text as string),
      ['Another text.', 'Somebody else wrote that.'],
    );
  },
);

test('what cannot be filled says why', { skip: postgres.skip }, async (t) => {
  await withPostgres(postgres.server!.port, (client) =>
    client.query('CREATE TABLE numbered (id bigint PRIMARY KEY, text text, embedding vector(384))'),
  );
  const opened = await workspace(t, inPostgres('absent'));
  const { url } = await startWritableQdrant(t);
  const cases: [object, RegExp][] = [
    [inPostgres('numbered'), /has ids of the type bigint in the column "id" of the table numbered/],
    [
      inPostgres('absent', { embedder: undefined, mode: 'text' }),
      /do not say by which embedder vectors are made, or in which field they stand/,
    ],
    [
      { type: 'pinecone', url: 'https://index.example', embedder: 'hashing' },
      /cannot be filled by Parallax yet; PostgreSQL, Qdrant, Chroma, OpenSearch/,
    ],
    [
      { type: 'qdrant', url, collection: 'c', embedder: 'hashing' },
      /name a field of the payload as "idField"/,
    ],
  ];
  for (const [store, message] of cases)
    await assert.rejects(opened.request('push', { corpus: 'docs', store: storeSpec(store), create: true }), {
      message,
    });
  const there = { corpus: 'there', store: storeSpec(inPostgres('absent')), create: true };
  await assert.rejects(opened.request('push', there), { message: /lives in a store itself/ });
});

test('the command says which names there are to choose from', async (t) => {
  const file = path.join(temporaryFolder(t), 'parallax.json');
  writeFileSync(
    file,
    JSON.stringify({ corpora: { docs: DOCS, more: DOCS, there: { store: inChroma('c') } } }),
  );
  const asked = (...argv: string[]) => run(pushCommand, '--config', file, ...argv);
  await assert.rejects(asked('--to', 'there'), /Name with --corpus which corpus/);
  await assert.rejects(asked('--to', 'docs', '--corpus', 'docs'), /parallax\.json has no store "docs"/);
  await assert.rejects(asked('--to', 'there', '--corpus', 'dogs'), /no corpus "dogs"/);
  await assert.rejects(asked('--corpus', 'docs'), /--to/);
});
