/** A corpus in a store: nothing is indexed, and it is searched, judged and measured by the store's ids. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { analysesView } from '../../../../src/cli/commands/views/analyses.ts';
import { evalCommand } from '../../../../src/cli/commands/eval-command.ts';
import { gateCommand } from '../../../../src/features/gate/cli/gate-command.ts';
import { searchCommand } from '../../../../src/cli/commands/search-command.ts';
import type { PostgresRetriever } from '../../../../src/core/external/stores/postgres.ts';
import { parsePipeline, type Pipeline } from '../../../../src/core/pipeline.ts';
import { conditionsOf } from '../../../../src/engine/external/stores/postgres/postgres-filter.ts';
import { withPostgres } from '../../../fixtures/stores/loading.ts';
import { orReason, startPostgres } from '../../../fixtures/stores/real-servers.ts';
import { testWorkspace, type TestWorkspace } from '../../../fixtures/workspace.ts';
import { run, runJson } from '../../cli/support.ts';
import { embedded, openStore } from './support.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';

const { server, skip } = await orReason(startPostgres);
after(() => server?.stop());

const TEXTS = [
  { id: '7', text: 'Harbours bring trade, and towns around them grow rich.' },
  { id: '8', text: 'Harbours silt up, and dredging them costs more than the trade brings.' },
  { id: '9', text: 'Deserts are dry, and few people live there.' },
  { id: '10', text: 'Forests hold water, and their soil feeds many people.' },
];
const STORE = {
  type: 'postgres',
  port: server?.port,
  database: 'postgres',
  user: 'postgres',
  table: 'articles',
  embedder: 'hashing',
} as const;

if (server) {
  const passages = await embedded(TEXTS);
  await withPostgres(server.port, async (client) => {
    await client.query(
      'CREATE TABLE articles (id bigint PRIMARY KEY, text text, metadata jsonb, page int, embedding vector(384))',
    );
    for (const { id, text, vector } of passages)
      await client.query('INSERT INTO articles VALUES ($1, $2, $3, $4, $5)', [
        id,
        text,
        {
          source: `https://example.org/ports/${id}.html`,
          title: `Article ${id}`,
          author: Number(id) < 9 ? 'Kim' : 'Lee',
        },
        3,
        `[${vector.join(',')}]`,
      ]);
  });
}

const QUERY = 'What do harbours do for a town?';
const PERSPECTIVES = [
  { id: 'p1', text: 'Harbours bring trade' },
  { id: 'p2', text: 'Harbours cost much' },
];

function workspace(t: TestContext): Promise<TestWorkspace> {
  return testWorkspace(t, { corpora: { articles: { store: STORE } } });
}

/** A folder with a configuration, questions, and qrels by the store's ids. */
async function folder(t: TestContext, extra: object = {}): Promise<(file: string) => string> {
  const base = temporaryFolder(t);
  const place = (file: string): string => path.join(base, file);
  writeFileSync(
    place('parallax.json'),
    JSON.stringify({ corpora: { articles: { store: STORE } }, ...extra }),
  );
  writeFileSync(
    place('questions.jsonl'),
    `${JSON.stringify({ id: 'q1', text: QUERY, perspectives: PERSPECTIVES })}\n`,
  );
  writeFileSync(place('qrels.txt'), 'q1 p1 7 1\nq1 p2 8 1\nq1 p1 9 0\nq1 p2 4711 1\n');
  return place;
}

test(
  'it can be asked at once, and passages have the ids, titles and addresses of the store',
  { skip },
  async (t) => {
    const opened = await workspace(t);
    const status = await opened.request('status', { corpus: 'articles' });
    assert.deepEqual(
      { indexed: status.indexed, store: status.store, passages: status.passages },
      { indexed: true, store: 'pgvector (articles)', passages: 4 },
    );
    const { candidates, matches } = await opened.request('search', {
      corpus: 'articles',
      query: { text: QUERY },
      perspectives: [],
      pipeline: pipeline(),
    });
    const [first] = candidates;
    assert.deepEqual([candidates[0]!.id, candidates[1]!.id].sort(), ['7', '8']);
    assert.equal(first!.documentId, first!.id);
    assert.equal(first!.title, `Article ${first!.id}`);
    assert.equal(first!.section, 'p. 3');
    assert.equal(first!.source, `https://example.org/ports/${first!.id}.html`);
    assert.equal(matches?.foreign, 0);
    const { text } = await opened.request('documentText', { corpus: 'articles', documentId: first!.id });
    assert.ok(text.startsWith(`${first!.source!}\n\n`) && text.endsWith(first!.text));
  },
);

test('authors and other metadata of its records are counted, like fields of files', { skip }, async (t) => {
  const opened = await workspace(t);
  const asked = { corpus: 'articles', query: { text: QUERY }, perspectives: [], pipeline: pipeline() };
  const { candidates } = await opened.request('search', asked);
  const slots = candidates.map(({ slot }) => slot);
  const { fields, foundFields } = await opened.request('likeness', {
    corpus: 'articles',
    question: QUERY,
    pipeline: pipeline(),
    candidates: slots,
    top: slots.slice(0, 2),
  });
  assert.deepEqual(fields, [{ name: 'author', top: 1, candidates: 2, without: 0 }]);
  assert.ok(foundFields.includes('page') && !foundFields.includes('text'), foundFields.join());
});

test('a passage that was never retrieved is fetched by its id', { skip }, async (t) => {
  const opened = await workspace(t);
  assert.equal(
    (await opened.request('passage', { corpus: 'articles', passageId: '10' })).text,
    TEXTS[3]!.text,
  );
  const { unknown } = await opened.request('unknownPassages', {
    corpus: 'articles',
    passageIds: ['7', '4711', 'seven', '99999999999999999999'],
  });
  assert.deepEqual(unknown, ['4711', 'seven', '99999999999999999999']);
});

test('a label applies by id and quotation when the text changes', { skip }, async (t) => {
  await withPostgres(server!.port, async (client) => {
    await client.query('CREATE TABLE edited AS SELECT * FROM articles');
  });
  const store = { ...STORE, table: 'edited' };
  const opened = await testWorkspace(t, { corpora: { edited: { store } } });
  const passage = await opened.request('passage', { corpus: 'edited', passageId: '7' });
  opened.write(
    '.parallax/judgements.jsonl',
    `${JSON.stringify({
      v: 1,
      query: 'q1',
      queryText: QUERY,
      perspective: 'p1',
      perspectiveText: PERSPECTIVES[0]!.text,
      document: passage.documentId,
      hash: passage.hash,
      quote: 'Harbours bring trade',
      verdict: 'yes',
      by: { kind: 'imported', name: 'x' },
      at: '2026-01-01T00:00:00.000Z',
    })}\n`,
  );
  await withPostgres(server!.port, (client) =>
    client.query("UPDATE edited SET text = text || ' So they say.' WHERE id = 7"),
  );
  const { candidates, known } = await opened.request('search', {
    corpus: 'edited',
    query: { id: 'q1', text: QUERY },
    perspectives: PERSPECTIVES,
    pipeline: pipeline(store),
    judge: 'labels',
  });
  const changed = candidates.find(({ id }) => id === '7')!;
  assert.match(changed.text, /So they say/u);
  assert.ok(known!.pairs.some(({ slot, perspectiveId }) => slot === changed.slot && perspectiveId === 'p1'));
});

test('pipelines over an index are refused with advice', { skip }, async (t) => {
  const opened = await workspace(t);
  for (const type of ['bm25', 'dense'])
    await assert.rejects(
      opened.request('search', {
        corpus: 'articles',
        query: { text: QUERY },
        perspectives: [],
        pipeline: pipeline(type === 'bm25' ? { type } : { type, embedder: 'hashing' }),
      }),
      /lives in pgvector \(articles\) and has no index on this machine/u,
    );
});

test('another retriever that returns its ids alone gets the texts of the store', { skip }, async (t) => {
  const opened = await workspace(t);
  opened.write(
    'run.jsonl',
    '{"id": "q1", "results": [{"id": "9"}, {"id": "8", "text": "Something else entirely."}]}\n',
  );
  const { candidates, matches } = await opened.request('search', {
    corpus: 'articles',
    query: { id: 'q1', text: QUERY },
    perspectives: [],
    pipeline: pipeline({ type: 'run', file: 'run.jsonl' }),
  });
  assert.equal(candidates[0]!.text, TEXTS[2]!.text);
  assert.notEqual(candidates[1]!.id, '8');
  assert.deepEqual(matches, { id: 1, text: 0, fuzzy: 0, foreign: 1 });
});

test('pipelines over a store that is no corpus get advice how to make it one', async (t) => {
  const place = await folder(t, { corpora: {}, pipelines: { articles: { retriever: STORE, k: 2 } } });
  const config = ['--config', place('parallax.json')];
  const said = {
    message: /names no corpus, though its pipelines search pgvector \(articles\)\. .*"corpora"/u,
  };
  await assert.rejects(run(searchCommand, QUERY, ...config), said);
  const data = ['--queries', place('questions.jsonl'), '--qrels', place('qrels.txt')];
  await assert.rejects(run(evalCommand, ...config, ...data, '--pipeline', 'articles'), said);
});

test('search, eval, analyze and gate need only parallax.json', { skip }, async (t) => {
  const place = await folder(t, {
    evalSets: ['questions.jsonl'],
    gate: { pipelines: ['articles'], thresholds: [{ metric: 'MRecall@5', min: 0 }] },
  });
  const config = ['--config', place('parallax.json')];
  const found = await run(searchCommand, QUERY, ...config, '--k', '2');
  assert.equal(found.code, 0, found.stderr);
  assert.match(found.stdout, /Article 7/u);

  const data = ['--queries', place('questions.jsonl'), '--qrels', place('qrels.txt')];
  const asked = [...config, ...data, '--pipeline', 'articles', '--k', '2'];
  const evaluated = await run(evalCommand, ...asked);
  assert.match(evaluated.stderr, /1 of 4 judged passages .* are not in the corpus/u);
  const { pipelines } = await runJson<{
    pipelines: { metrics: Record<string, number>; judged: Record<string, number> }[];
  }>(evalCommand, ...asked);
  assert.equal(pipelines[0]!.metrics['MRecall@2'], 1);
  assert.equal(Object.values(pipelines[0]!.judged)[0], 1);

  const analysed = await run(analysesView, ...config, ...data, '--pipeline', 'articles');
  assert.equal(analysed.code, 0, analysed.stderr);
  const gated = await run(gateCommand, ...config);
  assert.match(gated.stdout, /articles/u);
});

interface Corpus {
  readonly fingerprint: string;
  readonly sample: { readonly records: number; readonly checksum: string };
}

test('the gate notices a replaced text of the store, although the count is the same', { skip }, async (t) => {
  await withPostgres(server!.port, (client) => client.query('CREATE TABLE altered AS TABLE articles'));
  const store = { ...STORE, table: 'altered' };
  const place = await folder(t, {
    corpora: { articles: { store } },
    pipelines: { articles: { retriever: store, k: 2 } },
    evalSets: ['questions.jsonl'],
    gate: { pipelines: ['articles'], k: 2, baseline: { file: 'baseline.json' } },
  });
  const gate = (...options: string[]): ReturnType<typeof run> =>
    run(gateCommand, '--config', place('parallax.json'), ...options);
  const corpus = async (): Promise<Corpus> => {
    const { stdout } = await gate('--format', 'json');
    return (JSON.parse(stdout) as { datasets: { corpus: Corpus }[] }).datasets[0]!.corpus;
  };
  mkdirSync(place('.parallax'));
  const by = { kind: 'human', name: 'Kim' };
  const [{ id: perspective, text: perspectiveText }] = [PERSPECTIVES[0]!];
  const label = { v: 1, query: 'q1', perspective, perspectiveText, document: '7', verdict: 'yes', by };
  writeFileSync(
    place('.parallax/judgements.jsonl'),
    `${JSON.stringify({ ...label, at: '2026-01-01T00:00:00Z' })}\n`,
  );
  const accepted = await gate('--accept');
  assert.equal(accepted.code, 0, accepted.stderr);
  const then = await corpus();
  assert.equal(then.sample.records, 4);
  assert.deepEqual(await corpus(), then);
  await withPostgres(server!.port, (client) =>
    client.query(`UPDATE altered SET text = 'Deserts grow.' WHERE id = 9`),
  );
  const now = await corpus();
  assert.equal(now.fingerprint, then.fingerprint);
  assert.notEqual(now.sample.checksum, then.sample.checksum);
});

test(
  'a store that returns too few passages is reported, and is asked for no more than it has',
  { skip },
  async (t) => {
    const narrow = { ...STORE, where: { page: 3, id: 7 } };
    const opened = await workspace(t);
    const shortWith = async (retriever: object): Promise<unknown> => {
      const wanted = { corpus: 'articles', query: { text: QUERY }, perspectives: [] };
      return (await opened.request('search', { ...wanted, pipeline: pipeline(retriever) })).short;
    };
    await opened.request('index', { corpus: 'articles', rebuild: false });
    assert.equal(await shortWith(STORE), undefined);
    assert.deepEqual(await shortWith(narrow), { returned: 1, asked: 4 });
    assert.deepEqual(await shortWith({ type: 'hybrid', retrievers: [STORE, narrow] }), {
      returned: 1,
      asked: 4,
    });
    // Words without matches are no shortage: a search by words lacks nothing.
    assert.equal(await shortWith({ ...narrow, mode: 'text' }), undefined);

    const place = await folder(t, {
      pipelines: { narrow: { retriever: narrow, k: 2 }, articles: { retriever: STORE, k: 2 } },
    });
    const config = ['--config', place('parallax.json')];
    const found = await run(searchCommand, QUERY, ...config, '--pipeline', 'narrow');
    assert.match(found.stderr, /The store returned 1 of the 4 candidates it was asked for: either/u);
    const listed = await run(searchCommand, QUERY, ...config, '--pipeline', 'narrow', '--json');
    assert.deepEqual((JSON.parse(listed.stdout) as { short: unknown }).short, { returned: 1, asked: 4 });
    const data = ['--queries', place('questions.jsonl'), '--qrels', place('qrels.txt')];
    const both = ['--pipeline', 'narrow', '--pipeline', 'articles'];
    const evaluated = await run(evalCommand, ...config, ...data, ...both, '--k', '2');
    assert.match(
      evaluated.stderr,
      /warning: narrow: for 1 of 1 question the store returned fewer candidates than it was asked for, at worst 1 of 4:/u,
    );
    assert.doesNotMatch(evaluated.stderr, /warning: articles: for/u);
    const { pipelines } = await runJson<{ pipelines: { short?: unknown }[] }>(
      evalCommand,
      ...[...config, ...data, ...both, '--k', '2'],
    );
    assert.deepEqual(
      pipelines.map(({ short }) => short),
      [{ returned: 1, asked: 4, queries: 1 }, undefined],
    );
  },
);

test('rows are filtered by ranges, by lists, and by values in JSON', { skip }, async (t) => {
  await withPostgres(server!.port, async (client) => {
    await client.query('CREATE TABLE dated (id int PRIMARY KEY, text text, year int, meta json)');
    for (const [id, year, meta] of [
      [1, 2019, { doc: { lang: 'en', stars: 9 } }],
      [2, 2020, { doc: { lang: 'de', stars: 10 } }],
      [3, 2021, { doc: { lang: 'en', stars: [11] } }],
      [4, null, { doc: { lang: 'fr' }, open: true }],
    ] as const)
      await client.query('INSERT INTO dated VALUES ($1, $2, $3, $4)', [id, 'text', year, meta]);
    const ids = async (where: PostgresRetriever['where']): Promise<string> => {
      const { conditions, values } = conditionsOf(where, (name) => client.escapeIdentifier(name), 1);
      const text = `SELECT id FROM dated WHERE ${conditions.join(' AND ')} ORDER BY id`;
      return (await client.query<{ id: number }>({ text, values: [...values] })).rows
        .map(({ id }) => id)
        .join();
    };
    assert.equal(await ids({ year: { gte: 2020, lt: 2021 } }), '2');
    assert.equal(await ids({ year: { ne: 2020 } }), '1,3,4');
    assert.equal(await ids({ year: { in: [2019, 2021] }, id: { gt: 1 } }), '3');
    assert.equal(await ids({ 'meta->doc->>lang': 'en' }), '1,3');
    assert.equal(await ids({ 'meta->doc->>lang': { in: ['de', 'fr'] } }), '2,4');
    assert.equal(await ids({ 'meta->doc->>lang': { gt: 'de' }, year: { lte: 2021 } }), '1,3');
    // Ten is more than nine, and a list is no number.
    assert.equal(await ids({ 'meta->doc->>stars': { gt: 9 } }), '2');
    assert.equal(await ids({ 'meta->>open': true }), '4');
    assert.equal(await ids({ 'meta->>open': { ne: true } }), '1,2,3');
  });
  const where = { 'meta->doc->>lang': 'en', year: { gt: 2019 } };
  const store = openStore(t, { ...STORE, table: 'dated', where });
  assert.deepEqual(
    (await store.first!(10)).map(({ id }) => id),
    ['3'],
  );
});

test('records are identified by id, and ids of another form are no error', { skip }, async (t) => {
  const store = openStore(t, STORE);
  const records = await store.records(['10', '7', 'x']);
  assert.deepEqual(records.map(({ id }) => id).sort(), ['10', '7']);
  assert.deepEqual(records.find(({ id }) => id === '7')!.about, {
    title: 'Article 7',
    source: 'https://example.org/ports/7.html',
    page: '3',
    fields: {
      source: 'https://example.org/ports/7.html',
      title: 'Article 7',
      author: 'Kim',
      page: '3',
    },
  });
});

function pipeline(retriever: object = STORE): Pipeline {
  return parsePipeline({ retriever, k: 3 });
}
