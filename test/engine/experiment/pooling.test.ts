/** Unjudged pairs and saturation of a pool of pipelines, through the engine's requests and on the debate data. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseQrels } from '../../../src/core/formats/exchange/trec.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import type { Qrels, Run } from '../../../src/core/model.ts';
import { PLAIN_PERSPECTIVE } from '../../../src/core/words.ts';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { describePool } from '../../../src/engine/experiment/pooling.ts';
import { holeFigure, poolFigures, poolReportSchema, type PoolReport } from '../../../src/shared/pool.ts';
import type { Params } from '../../../src/shared/rpc.ts';
import { BM25, context, DENSE, readEvalSet, Workspace } from '../compare/compare-support.ts';
import { judgedWorkspace, saysYesTo, type JudgedWorkspace } from './support.ts';

const K = 2;
const QUERIES = ['bread', 'cheese'].map((food) => ({
  id: food,
  text: food,
  perspectives: ['tasty', 'healthy'].map((word) => ({ id: word, text: `${food} is ${word}.` })),
}));

interface Bench extends JudgedWorkspace {
  readonly params: Params<'pool'>;
}

/** Only `bread1` is judged: it is tasty, and not healthy. */
async function open(t: TestContext, pipelines: Readonly<Record<string, PipelineInput>>): Promise<Bench> {
  const passages = {
    bread1: 'bread bread bread is tasty',
    bread2: 'bread bread is healthy',
    bread3: 'bread',
    cheese1: 'cheese cheese cheese is tasty',
    cheese2: 'cheese cheese is nothing',
  };
  const { workspace, server } = await judgedWorkspace(
    t,
    passages,
    saysYesTo((statement) => statement.replace('.', '').split(' ').at(-1)!),
  );
  workspace.label('bread tasty bread1', 'bread healthy !bread1');
  const params = {
    judge: 'local',
    k: K,
    datasets: [{ name: 'food', corpus: 'corpus', evalSet: 'food.jsonl', queries: QUERIES }],
    pipelines: Object.entries(pipelines).map(([name, pipeline]) => ({
      name,
      pipeline: parsePipeline(pipeline),
    })),
  };
  return { workspace, server, params };
}

async function pool({ workspace, params }: Bench): Promise<PoolReport['datasets'][number]> {
  const report = poolReportSchema.parse(await workspace.engine.pool(params, context));
  assert.deepEqual([report.k, report.judge, report.heuristic, report.orders], [K, 'local', false, 10]);
  return report.datasets[0]!;
}

const THREE = { bm25: BM25, twin: { ...BM25, candidates: 50 }, dense: DENSE };

test('without judgements there are no holes, and saturation is not reported', async (t) => {
  const bench = await open(t, THREE);
  const found = await pool(bench);
  assert.deepEqual([found.holes, found.judgedBefore, found.judgedAfter], [0, 2, 2]);
  assert.ok(found.pairs > 2);
  assert.equal(found.saturation.saturated, null);
  assert.match(
    found.saturation.sentence,
    new RegExp(`^${found.pairs - 2} pairs of the pool are not judged yet`),
  );
  assert.equal(bench.server.requests.length, 0);
});

test('without judgements there is no figure and no rank, before and after', async (t) => {
  const bench = await open(t, THREE);
  const [dataset] = bench.params.datasets;
  const unlabelled = { ...bench.params, datasets: [{ ...dataset!, queries: QUERIES.slice(1) }] };
  const found = await pool({ ...bench, params: unlabelled });
  assert.deepEqual(found.basis, { before: 'open', after: 'open' });
  for (const pipeline of found.pipelines) {
    assert.deepEqual([pipeline.judgedBefore, pipeline.judgedAfter], [0, 0]);
    assert.equal(holeFigure(found, pipeline), null);
    for (const measure of Object.values(pipeline.measures))
      assert.deepEqual(measure, {
        before: null,
        after: null,
        mayRise: { before: true, after: true },
        rankBefore: null,
        rankAfter: null,
      });
  }
});

test('by hand, with everything judged', async (t) => {
  const bench = await open(t, THREE);
  await bench.workspace.engine.judgeFigures({ ...bench.params, scope: 'everything' }, context);
  const asked = bench.server.requests.length;
  const found = await pool(bench);
  assert.equal(bench.server.requests.length, asked);
  assert.equal(found.judgedAfter, found.pairs);
  // bread2 is healthy, cheese1 is tasty.
  assert.equal(found.holes, 2);
  const [bm25] = found.pipelines;
  // One unjudged pair in the top 2 of each query.
  assert.deepEqual([bm25!.hole, bm25!.judgedBefore, bm25!.judgedAfter], [0.5, 0.25, 1]);
  const mayRise = { before: true, after: false };
  assert.deepEqual(bm25!.measures, {
    'MRecall@2': { before: 0, after: 0.5, mayRise, rankBefore: null, rankAfter: 1 },
    'Precision@2': { before: 0.25, after: 0.75, mayRise, rankBefore: null, rankAfter: 1 },
  });
  assert.deepEqual(poolFigures(bm25!, 'Precision@2'), {
    before: { value: 0.25, isLeast: true },
    after: { value: 0.75, isLeast: false },
  });
  assert.deepEqual(found.growth.holes.length, 3);
  assert.equal(found.growth.holes.at(-1), 2);
  assert.equal(found.growth.rate[0], null);
  // Identical pipelines add nothing for the last one, unless it is the dense one.
  assert.deepEqual(found.marginal.MRecall.length, 3);
  assert.ok(found.marginal.Precision[0]! > found.marginal.Precision[2]!);
  assert.equal(typeof found.saturation.saturated, 'boolean');
});

test('the second of two identical pipelines saturates the pool', async (t) => {
  const bench = await open(t, {
    one: BM25,
    two: { ...BM25, candidates: 50 },
    three: { ...BM25, candidates: 60 },
  });
  await bench.workspace.engine.judgeFigures({ ...bench.params, scope: 'everything' }, context);
  const { growth, marginal, saturation } = await pool(bench);
  assert.deepEqual(growth, { holes: [2, 2, 2], rate: [null, 0, 0] });
  // Each alone, from the original judgements.
  const alone = [0.5, 0, 0];
  assert.deepEqual(marginal, { MRecall: alone, Precision: alone, Hit: alone, Recall: alone, nDCG: alone });
  assert.equal(saturation.saturated, true);
});

test('a pipeline that fails is omitted and named; if all fail, it is an error', async (t) => {
  const broken: PipelineInput = { retriever: { type: 'run', file: 'absent.run' } };
  const bench = await open(t, { bm25: BM25, broken });
  const found = await pool(bench);
  assert.deepEqual(
    found.pipelines.map(({ name }) => name),
    ['bm25'],
  );
  assert.match(found.failed[0]!.error, /absent\.run/);
  const none = { ...bench, params: { ...bench.params, pipelines: bench.params.pipelines.slice(1) } };
  await assert.rejects(pool(none), { id: 'bad-argument', message: /No pipeline could be run on food\./ });
});

test('a pool whose pipelines all fail is an error that names the data set, or its file', async () => {
  const none = { name: '', corpus: 'corpus', evalSet: 'food.jsonl', original: new Map(), filled: new Map() };
  const refused = async (pipelines: Parameters<typeof describePool>[0]['pipelines']): Promise<string> => {
    const pooled = { ...none, pipelines, basis: { before: 'open', after: 'open' } as const };
    const error = await describePool(pooled, K, {}).catch((caught: unknown) => caught);
    assert.ok(ParallaxError.is(error, 'bad-argument'), String(error));
    return error.message;
  };
  assert.equal(await refused([]), 'No pipeline could be run on food.jsonl.');
  const failed = [
    { name: 'bm25', error: 'It is broken.' },
    { name: 'dense', error: 'So is this.' },
  ];
  assert.equal(await refused(failed), 'No pipeline could be run on food.jsonl. It is broken.');
});

test('a question that a pipeline cannot ask is named and finds nothing, and the others count', async (t) => {
  const bench = await open(t, { bm25: BM25, dense: DENSE });
  // Without words there is no vector to search with.
  const wordless = { ...QUERIES[0]!, id: 'wordless', text: '?!' };
  const [dataset] = bench.params.datasets;
  const params = { ...bench.params, datasets: [{ ...dataset!, queries: [QUERIES[0]!, wordless] }] };
  const found = await pool({ ...bench, params });
  const [bm25, dense] = found.pipelines;
  assert.deepEqual(
    dense!.queryErrors?.map(({ query }) => query),
    ['wordless'],
  );
  assert.ok(!('queryErrors' in bm25!));
  const alone = await pool({
    ...bench,
    params: { ...params, datasets: [{ ...dataset!, queries: [QUERIES[0]!] }] },
  });
  assert.deepEqual([found.queries, alone.queries], [2, 1]);
  assert.equal(found.pairs, alone.pairs, 'nothing was found for it');
});

test('where qrels say what is not judged does not support, figures and ranks are given however little they name', async () => {
  const ranked = (...items: readonly string[]): Run =>
    new Map([['q', items.map((item, at) => ({ item, score: -at }))]]);
  // The perspective has the id of plain qrels, which do not distinguish perspectives.
  const judged = (...yes: readonly string[]): Qrels =>
    new Map([['q', new Map([[PLAIN_PERSPECTIVE, new Map(yes.map((item) => [item, 1]))]])]]);
  const pipelines = [
    { name: 'finds', run: ranked('x', 'y') },
    { name: 'misses', run: ranked('y', 'z') },
  ];
  const pooled = { name: 'set', corpus: 'corpus', evalSet: 'set.jsonl', pipelines };
  const described = await describePool(
    { ...pooled, original: judged(), filled: judged('x'), basis: { before: 'given', after: 'given' } },
    K,
    {},
  );
  const mayRise = { before: false, after: false };
  assert.deepEqual(
    described.pipelines.map(({ measures }) => measures),
    [
      {
        'MRecall@2': { before: 0, after: 1, mayRise, rankBefore: 1, rankAfter: 1 },
        'Precision@2': { before: 0, after: 0.5, mayRise, rankBefore: 1, rankAfter: 1 },
      },
      {
        'MRecall@2': { before: 0, after: 0, mayRise, rankBefore: 1, rankAfter: 2 },
        'Precision@2': { before: 0, after: 0, mayRise, rankBefore: 1, rankAfter: 2 },
      },
    ],
  );
  assert.deepEqual([described.pairs, described.judgedBefore, described.judgedAfter], [3, 0, 1]);
});

const DATA = '../shared/data/debate';
const skip = existsSync(DATA) ? false : `cannot run here: ${DATA} is absent`;

test('debate: holes of a pool judged through BM25 alone, and ranks before and after', { skip }, async (t) => {
  const workspace = new Workspace(t);
  await workspace.addCorpus('debate', path.join(DATA, 'corpus.jsonl'));
  await workspace.index('debate');
  const queries = readEvalSet(path.join(DATA, 'queries.jsonl')).slice(0, 60);
  const { qrels } = parseQrels(readFileSync(path.join(DATA, 'qrels.diversity.txt'), 'utf8'));
  const filled: Qrels = new Map(queries.map(({ id }) => [id, qrels.get(id)!]));
  const k = 10;
  const inputs: Readonly<Record<string, PipelineInput>> = {
    bm25: BM25,
    okapi: { retriever: { type: 'bm25', variant: 'okapi', k1: 1.5, b: 0.75 } },
    words: { retriever: { type: 'bm25', analyzer: 'simple' } },
    dense: DENSE,
    hybrid: {
      retriever: { type: 'hybrid', retrievers: [{ type: 'bm25' }, { type: 'dense', embedder: 'hashing' }] },
    },
  };
  const pipelines: { name: string; run: Run }[] = [];
  for (const [name, input] of Object.entries(inputs)) {
    const run = new Map<string, { item: string; score: number }[]>();
    for (const { id, text } of queries) {
      const params = {
        corpus: 'debate',
        query: { id, text },
        perspectives: [],
        pipeline: parsePipeline({ ...input, k }),
      };
      const { candidates } = await workspace.engine.search(params, context);
      run.set(
        id,
        candidates.slice(0, k).map(({ id: item, score }) => ({ item, score })),
      );
    }
    pipelines.push({ name, run });
  }
  // The original judgements: what BM25 retrieved.
  const original: Qrels = new Map(
    [...filled].map(([query, topic]) => {
      const top = new Set(pipelines[0]!.run.get(query)!.map(({ item }) => item));
      const kept = [...topic].map(
        ([perspective, judged]) => [perspective, new Map([...judged].filter(([id]) => top.has(id)))] as const,
      );
      return [query, new Map(kept)];
    }),
  );
  const basis = { before: 'given', after: 'given' } as const;
  const pooled = { name: 'debate', corpus: 'debate', evalSet: 'debate', pipelines, original, filled, basis };
  const found = await describePool(pooled, k, {});

  const by = new Map(found.pipelines.map((pipeline) => [pipeline.name, pipeline]));
  assert.equal(by.get('bm25')!.hole, 0);
  for (const name of ['okapi', 'words', 'dense', 'hybrid']) assert.ok(by.get(name)!.hole > 0, name);
  for (const { measures } of found.pipelines)
    for (const { before, after } of Object.values(measures)) assert.ok(after! >= before!);
  const gains = found.pipelines.map(({ measures }) => {
    const { before, after } = measures[`Precision@${k}`]!;
    return after! - before!;
  });
  // Precision gains exactly the unjudged pairs.
  for (const [place, { hole }] of found.pipelines.entries())
    assert.ok(Math.abs(gains[place]! - hole) < 1e-12);
  const { holes, rate } = found.growth;
  for (const [m, count] of holes.entries()) if (m > 0) assert.ok(count >= holes[m - 1]!);
  assert.equal(found.holes, holes.at(-1));
  assert.ok(rate[4]! < rate[1]!, 'growth slows down');
  assert.ok(found.marginal.Precision[4]! < found.marginal.Precision[0]!);
  t.diagnostic(
    `holes ${holes.map((count) => count.toFixed(1)).join(' ')}; growth ${rate.map((value) => value?.toFixed(3)).join(' ')}; ` +
      `${found.saturation.sentence}`,
  );
});
