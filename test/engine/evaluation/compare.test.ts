/** Pipelines compared on the sample workspace, through the engine's own door. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseEvalSet } from '../../../src/core/formats/queries.ts';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { Engine, type RequestContext } from '../../../src/engine/engine.ts';
import { comparisonSchema, type Comparison } from '../../../src/shared/compare.ts';
import { configSchema } from '../../../src/shared/config.ts';

const context: RequestContext = { signal: new AbortController().signal, report: () => undefined };
const EVAL_SET = 'eval/questions.parallax.jsonl';

async function compare(
  t: TestContext,
  pipelines: Record<string, PipelineInput>,
  judge = 'labels',
): Promise<Comparison> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-compare-'));
  cpSync('media/sample', folder, { recursive: true });
  const config = configSchema.parse(JSON.parse(readFileSync(path.join(folder, 'parallax.json'), 'utf8')));
  const engine = new Engine(undefined, () => undefined);
  t.after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await engine.configure({
    storage: path.join(folder, 'storage'),
    base: folder,
    trusted: true,
    corpora: Object.entries(config.corpora).map(([name, corpus]) => ({
      name,
      base: folder,
      config: corpus,
      excludeGlobs: [],
      store: path.join(folder, 'storage', name),
    })),
    embedders: {},
    judges: {},
    keys: {},
    labelsFile: path.join(folder, '.parallax/judgements.jsonl'),
    approximateAbove: 100_000,
  });
  await engine.index({ corpus: 'handbook', rebuild: false }, context);
  const { queries } = parseEvalSet(readFileSync(path.join(folder, EVAL_SET), 'utf8'), EVAL_SET);
  const result = await engine.compare(
    {
      corpus: 'handbook',
      judge,
      evalSet: EVAL_SET,
      queries: queries.map(({ perspectives, tags, ...query }) => ({
        ...query,
        perspectives: [...perspectives],
        ...(tags ? { tags: [...tags] } : {}),
      })),
      pipelines: Object.entries(pipelines).map(([name, input]) => ({ name, pipeline: parsePipeline(input) })),
      k: 5,
    },
    context,
  );
  return comparisonSchema.parse(result);
}

const BM25: PipelineInput = { retriever: { type: 'bm25' } };

test('the sample shows what it promises: BM25 loses a perspective on five of nine questions', async (t) => {
  const { queries, pipelines, sources } = await compare(t, { bm25: BM25 });
  const lost = queries.filter(({ mrecall }) => mrecall[0] === 0).map(({ id }) => id);
  for (const id of ['school-start', 'congestion-charge', 'monorepo', 'fasting', 'free-plan'])
    assert.ok(lost.includes(id), `${id} should lose a perspective; lost: ${lost.join(', ')}`);
  for (const id of ['code-review', 'ai-assistants', 'body-scan', 'open-source'])
    assert.ok(!lost.includes(id), `${id} should be covered`);
  assert.deepEqual(
    sources.map(({ source }) => source),
    ['human'],
  );
  assert.ok(pipelines[0]!.judged > 0.9, `judged ${pipelines[0]!.judged}`);
});

test('the coverage reranker with the labels as judge covers all that the corpus holds', async (t) => {
  const coverage: PipelineInput = { ...BM25, rerank: [{ type: 'coverage', judge: 'labels' }] };
  const { queries, pipelines } = await compare(t, { bm25: BM25, coverage });
  const lost = queries.filter(({ mrecall }) => mrecall[1] === 0).map(({ id }) => id);
  assert.deepEqual(lost, ['congestion-charge'], 'the one perspective that nobody argues');
  const { difference } = pipelines[1]!.measures['MRecall@5']!;
  assert.ok(difference && difference.low > 0, 'a difference that the interval confirms');
  assert.equal(
    pipelines[0]!.measures['MRecall@5']!.difference,
    undefined,
    'the baseline is not compared with itself',
  );
});

test('losses count every perspective of every query once', async (t) => {
  const { queries, pipelines } = await compare(t, { bm25: BM25, dense: { retriever: { type: 'dense' } } });
  const perspectives = queries.reduce((sum, query) => sum + query.perspectives.length, 0);
  for (const { losses } of pipelines)
    assert.equal(
      Object.values(losses).reduce<number>((sum, count) => sum + (count ?? 0), 0),
      perspectives,
    );
});

test('a pipeline that cannot run says why, and the others are compared all the same', async (t) => {
  const broken: PipelineInput = { retriever: { type: 'dense', embedder: 'nowhere' } };
  const { pipelines } = await compare(t, { broken, bm25: BM25 });
  assert.match(pipelines[0]!.error ?? '', /no embedder "nowhere"/u);
  assert.ok(pipelines[1]!.measures['MRecall@5']!.value > 0);
  assert.equal(
    pipelines[1]!.measures['MRecall@5']!.difference,
    undefined,
    'the first that runs is the baseline',
  );
});

test('the offline heuristic is asked for what no human labelled, and is named as a source', async (t) => {
  const { sources, pipelines } = await compare(t, { bm25: BM25 }, 'lexical');
  assert.equal(pipelines[0]!.judged, 1);
  assert.ok(sources.some(({ source }) => source === 'human'));
});

test('two sides: shares add up to 1', async (t) => {
  const { pipelines } = await compare(t, { bm25: BM25 });
  const { leaning } = pipelines[0]!;
  assert.ok(leaning && leaning.queries > 0, 'the sample has two-sided questions');
  assert.ok(Math.abs(leaning.onlySupport + leaning.onlyOppose + leaning.both + leaning.neither - 1) < 1e-9);
});
