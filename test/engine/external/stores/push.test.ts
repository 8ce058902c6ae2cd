/** Writes a corpus in files into real stores, which then answer like its index. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { pushCommand } from '../../../../src/cli/commands/push-command.ts';
import { portionsOf } from '../../../../src/engine/external/stores/writers/dialect-writer.ts';
import { passageUuid } from '../../../../src/engine/external/stores/writers/passage-uuid.ts';
import type { PostgresRetriever } from '../../../../src/core/external/stores/postgres.ts';
import { lackOfIndex } from '../../../../src/engine/external/stores/postgres/postgres-indexes.ts';
import { PostgresStatements } from '../../../../src/engine/external/stores/postgres/postgres-statements.ts';
import { withPostgres } from '../../../fixtures/stores/loading.ts';
import { orReason, startChroma, startPostgres } from '../../../fixtures/stores/real-servers.ts';
import { startWritableIndex } from '../../../fixtures/stores/writable-opensearch.ts';
import { startWritableQdrant } from '../../../fixtures/stores/writable-qdrant.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { records, testWorkspace } from '../../../fixtures/workspace.ts';
import { run } from '../../cli/support.ts';
import { assertAgrees, assertFills, assertGoesOn, corpus, COUNT, DOCS, workspace } from './filling.ts';
import { embedded, storeSpec } from './support.ts';

const postgres = await orReason(startPostgres);
const chroma = await orReason(startChroma);
after(() => Promise.all([postgres.server?.stop(), chroma.server?.stop()]));

const inPostgres = (table: string, extra: object = {}): object => ({
  ...{ type: 'postgres', port: postgres.server?.port, database: 'postgres', user: 'postgres' },
  ...{ table, embedder: 'hashing', ...extra },
});
const inChroma = (collection: string, extra: object = {}): object => ({
  ...{ type: 'chroma', url: `http://127.0.0.1:${chroma.server?.port}`, collection, embedder: 'hashing' },
  ...extra,
});

test('PostgreSQL answers as the index does', { skip: postgres.skip }, (t) =>
  assertFills(t, inPostgres('fill"ed')),
);
test('Chroma answers as the index does', { skip: chroma.skip }, (t) => assertFills(t, inChroma('filled')));
test('Qdrant answers as the index does, according to its API description', async (t) => {
  const { url, points } = await startWritableQdrant(t);
  await assertFills(t, { type: 'qdrant', url, collection: 'filled', embedder: 'hashing', idField: 'ref.id' });
  const [first] = points;
  assert.equal(first!.id, passageUuid('p0'));
  const { text, ...payload } = first!.payload;
  assert.match(String(text), /^Passage 0 is about rivers/);
  assert.deepEqual(payload, { metadata: { source: 'p0' }, ref: { id: 'p0' } });
});

for (const engine of ['opensearch', 'elasticsearch'] as const)
  test(`${engine} answers as the index does, according to its API description`, async (t) => {
    // The server is busy for one of the passages.
    const { url, documents } = await startWritableIndex(t, engine, 1);
    const place = { type: 'opensearch', engine, url, index: 'filled', textField: 'doc.text', idField: 'ref' };
    await assertFills(t, { ...place, mode: 'knn', vectorField: 'embedding', embedder: 'hashing' });
    assert.deepEqual(documents.get('p0')!.metadata, { source: 'p0' });
  });

test('the id of a point is a UUID as in RFC 9562', () => {
  const id = passageUuid('docs/ports.md#3');
  assert.match(id, /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  assert.equal(id, passageUuid('docs/ports.md#3'));
  assert.notEqual(id, passageUuid('docs/ports.md#4'));
});

test('UUIDs are keys unchanged, and other ids are stored in a field', async (t) => {
  const uuid = passageUuid('p0');
  const odd = 'my notes/häfen.md';
  const { url, points } = await startWritableQdrant(t);
  const opened = await testWorkspace(t, {
    files: {
      'corpus.jsonl': records({ [uuid]: 'A text.' }),
      'odd.jsonl': records({ [odd]: 'Another one.' }),
    },
    corpora: { docs: DOCS, odd: { ...DOCS, roots: ['odd.jsonl'] } },
  });
  const qdrant = { type: 'qdrant', url, collection: 'filled', embedder: 'hashing' };
  const push = (from: string, store: object) =>
    opened.request('push', { corpus: from, store: storeSpec(store), create: true });
  assert.deepEqual(await push('docs', qdrant), { added: 1, held: 0, differing: 0 });
  assert.deepEqual(await push('docs', qdrant), { added: 0, held: 1, differing: 0 });
  await push('odd', { ...qdrant, idField: 'ref' });
  assert.deepEqual(await push('odd', { ...qdrant, idField: 'ref' }), { added: 0, held: 1, differing: 0 });
  assert.deepEqual(
    points.map(({ id, payload }) => [id, payload['ref']]),
    [
      [uuid, undefined],
      [passageUuid(odd), odd],
    ],
  );
});

test('batches keep both limits and the order, and an oversized passage is sent alone', () => {
  const items = [1, 2, 3, 4, 5].map((at) => ({ at, text: at === 3 ? 'x'.repeat(100) : '' }));
  const portions = (most: number, bytes: number): number[][] =>
    portionsOf(items, { records: most, bytes }).map((portion) => portion.map(({ at }) => at));
  assert.deepEqual(portions(2, 1000), [[1, 2], [3, 4], [5]]);
  assert.deepEqual(portions(1000, 60), [[1, 2], [3], [4, 5]]);
  assert.deepEqual(portions(1000, 1000), [[1, 2, 3, 4, 5]]);
});

test('a cancelled run is continued without gaps and duplicates', { skip: chroma.skip }, async (t) => {
  const store = inChroma('halved');
  const opened = await workspace(t, store);
  await assertGoesOn(opened, store);
  await assertAgrees(opened, store);
});

test(
  'a killed process leaves no partial rows, and the next one adds the rest',
  { skip: postgres.skip },
  async (t) => {
    const count = 2_500;
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
    assert.deepEqual(
      [code, stdout],
      [0, `${(count - before).toLocaleString('en')} passages added, ${before} were there before.\n`],
    );
    assert.equal(await rows(), count);
  },
);

test(
  'existing rows stay, also those that a filter hides or a table has without a key',
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

test('a new PostgreSQL table gets the index that searches use', { skip: postgres.skip }, async (t) => {
  const count = 1_000;
  const base = temporaryFolder(t);
  writeFileSync(path.join(base, 'corpus.jsonl'), corpus(count));
  const stores = {
    cosine: inPostgres('by"cosine'),
    l2: inPostgres('by_l2', { distance: 'l2' }),
    plain: inPostgres('plain'),
  };
  const there = Object.fromEntries(Object.entries(stores).map(([name, store]) => [name, { store }]));
  const file = path.join(base, 'parallax.json');
  writeFileSync(file, JSON.stringify({ corpora: { docs: DOCS, ...there } }));
  const [vector] = await embedded([{ id: '', text: 'harbours and islands' }]);
  for (const [name, store] of Object.entries(stores)) {
    const declined = name === 'plain' ? ['--no-index'] : [];
    const kept = ['--store', path.join(base, 'index'), '--config', file];
    const { code, stderr } = await run(pushCommand, '--to', name, '--create', ...declined, ...kept);
    assert.deepEqual([code, stderr.includes('warning')], [0, false], stderr);
    const spec = storeSpec(store) as PostgresRetriever;
    const nearest = new PostgresStatements(spec, pg.escapeIdentifier).nearest(vector!.vector, 20, 'vector', {
      idType: 'text',
      about: [],
    });
    const plan = await withPostgres(postgres.server!.port, async (client) => {
      await client.query(`ANALYZE ${pg.escapeIdentifier(spec.table)}`);
      // PostgreSQL's setting for disks without moving parts.
      await client.query('SET random_page_cost = 1.1');
      const { rows } = await client.query({ text: `EXPLAIN ${nearest.text}`, values: [...nearest.values] });
      return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    });
    assert.equal(/Index Scan using/.test(plan), name !== 'plain', plan);
  }
});

test(
  'if pgvector has no index for the vectors, the table is filled and the lack reported',
  { skip: postgres.skip },
  async (t) => {
    const base = temporaryFolder(t);
    writeFileSync(path.join(base, 'corpus.jsonl'), corpus(3));
    const file = path.join(base, 'parallax.json');
    const store = inPostgres('wide', { embedder: 'wide' });
    writeFileSync(
      file,
      JSON.stringify({
        embedders: { wide: { type: 'hashing', dimensions: 2_048 } },
        corpora: { docs: DOCS, there: { store } },
      }),
    );
    const { code, stdout, stderr } = await run(pushCommand, '--to', 'there', '--create', '--config', file);
    assert.deepEqual([code, stdout], [0, '3 passages added, 0 were there before.\n']);
    assert.match(
      stderr,
      /warning: The table wide has no index.* takes 2,?000 dimensions at most, and these have 2,?048\./,
    );
  },
);

test('versions of pgvector and their indexes', () => {
  assert.equal(lackOfIndex('0.5.0', 384, 'cosine', 'articles'), undefined);
  assert.equal(lackOfIndex('1.0.0', 2_000, 'l1', 'articles'), undefined);
  assert.match(
    lackOfIndex('0.4.4', 384, 'cosine', 'articles')!,
    /pgvector 0\.4\.4 has no HNSW .* which 0\.5 has/,
  );
  assert.match(lackOfIndex('0.6.2', 384, 'l1', 'articles')!, /which 0\.7 has/);
});

test('a corpus or store that cannot be filled says why', { skip: postgres.skip }, async (t) => {
  await withPostgres(postgres.server!.port, (client) =>
    client.query('CREATE TABLE numbered (id bigint PRIMARY KEY, text text, embedding vector(384))'),
  );
  const opened = await workspace(t, inPostgres('absent'));
  const { url } = await startWritableQdrant(t);
  const cases: [object, RegExp][] = [
    [inPostgres('numbered'), /has ids of the type bigint in the column "id" of the table numbered/],
    [
      inPostgres('absent', { embedder: undefined, mode: 'text' }),
      /do not say by which embedder vectors are made, or in which field they are/,
    ],
    [
      { type: 'qdrant', url, collection: 'c', embedder: 'hashing' },
      /accepts only UUIDs as ids, which "p0" is not: name a field of the payload as "idField"/,
    ],
    [
      { type: 'milvus', url, collection: 'c', embedder: 'hashing' },
      /^Milvus \(c\) is searched only: Parallax fills PostgreSQL, Qdrant, Chroma, OpenSearch and Elasticsearch\./,
    ],
  ];
  for (const [store, message] of cases)
    await assert.rejects(opened.request('push', { corpus: 'docs', store: storeSpec(store), create: true }), {
      message,
    });
  const there = { corpus: 'there', store: storeSpec(inPostgres('absent')), create: true };
  await assert.rejects(opened.request('push', there), { message: /is in a store/ });
});

test('a folder is written for searching', { skip: chroma.skip }, async (t) => {
  const base = temporaryFolder(t);
  const file = path.join(base, 'parallax.json');
  const store = inChroma('folder');
  writeFileSync(file, JSON.stringify({ corpora: { there: { store } } }));
  writeFileSync(path.join(base, 'ports.md'), '# Ports\n\nA port is opened once.\n');
  const { code, stdout } = await run(
    pushCommand,
    '--to',
    'there',
    '--corpus',
    base,
    '--create',
    '--config',
    file,
  );
  assert.deepEqual([code, stdout], [0, '1 passage added, 0 were there before.\n']);
});

test('the command lists the available names', async (t) => {
  const file = path.join(temporaryFolder(t), 'parallax.json');
  writeFileSync(
    file,
    JSON.stringify({ corpora: { docs: DOCS, more: DOCS, there: { store: inChroma('c') } } }),
  );
  const asked = (...argv: string[]) => run(pushCommand, '--config', file, ...argv);
  await assert.rejects(asked('--to', 'there'), /Name with --corpus what is to be written/);
  await assert.rejects(asked('--to', 'docs', '--corpus', 'docs'), /parallax\.json has no store "docs"/);
  await assert.rejects(asked('--to', 'there', '--corpus', 'dogs'), /dogs: It does not exist/);
  await assert.rejects(asked('--corpus', 'docs'), /--to/);
});
