/** The price of a change, on the sample workspace. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import type { SplitSpec } from '../../../src/core/split/spec.ts';
import { priceLines, type ChangePrice } from '../../../src/evaluation/change-price.ts';
import { handle } from '../../../src/engine/engine.ts';
import { BM25, context, DENSE, evalQuery, only, refuses, sampleWorkspace } from './compare-support.ts';

type Sample = Awaited<ReturnType<typeof sampleWorkspace>>;

function priceOf(
  { workspace, queries }: Sample,
  before: PipelineInput,
  after: PipelineInput,
  split?: SplitSpec,
): Promise<ChangePrice> {
  const dataset = { name: 'set', corpus: 'handbook', evalSet: 'eval/questions.parallax.jsonl', queries };
  const pipelines = { before: parsePipeline(before), after: parsePipeline(after) };
  return handle(workspace.engine, 'changePrice', { judge: 'labels', dataset, ...pipelines, split }, context);
}

const sample = (t: TestContext): Promise<Sample> => sampleWorkspace(t);

test('a change costs what comparing the two pipelines shows', async (t) => {
  const found = await sample(t);
  const price = await priceOf(found, BM25, DENSE);
  const { workspace, queries } = found;
  const compared = only(
    await workspace.compare({ bm25: BM25, dense: DENSE }, [{ corpus: 'handbook', queries }]),
  );
  assert.equal(price.queries, queries.length);
  for (const { family, before, after } of price.measures) {
    const of = (place: number) => compared.pipelines[place]!.measures[`${family}@5`]!;
    assert.equal(before.value, of(0).value);
    assert.equal(after.value, of(1).value);
    const { p: _, ...expected } = of(1).difference!;
    const { p: __, ...difference } = after.difference!;
    assert.deepEqual(difference, expected, family);
  }
  assert.ok(price.tokens.before > 100 && price.milliseconds.after >= 0);
  assert.equal(workspace.logged.length, 0);
});

test('a larger k is measured at that k, and costs tokens', async (t) => {
  const price = await priceOf(await sample(t), { ...BM25, k: 2 }, { ...BM25, k: 10 });
  const [recall, precision] = price.measures;
  assert.equal(recall!.family, 'MRecall');
  assert.ok(recall!.after.value > recall!.before.value);
  assert.ok(recall!.after.difference!.wins > 0 && recall!.after.difference!.losses === 0);
  assert.ok(precision!.after.value < precision!.before.value);
  assert.ok(price.tokens.after > 3 * price.tokens.before);
  const lines = priceLines(price);
  assert.match(lines[0]!, /^On the 11 questions of eval\/questions\.parallax\.jsonl/);
  assert.match(
    lines[1]!,
    /^MRecall \d+\.\d% → (?:≥ )?\d+\.\d%; \+\d+\.\d pts \(95% interval .+\), \d+ won, 0 lost/,
  );
  assert.match(lines[3]!, /^Each question: about \d+ → \d+ tokens, /);
});

test('another split costs what an evaluation on the corpus with that split shows', async (t) => {
  const found = await sample(t);
  const { workspace, queries } = found;
  const split = { type: 'words', size: 400, overlap: 0 } as const;
  const price = await priceOf(found, BM25, BM25, split);
  const [corpus] = workspace.config.corpora;
  const resplit = { ...corpus!, config: { ...corpus!.config, split } };
  const before = only(await workspace.compare({ bm25: BM25 }, [{ corpus: 'handbook', queries }]));
  await workspace.configure({ corpora: [resplit] });
  await workspace.index('handbook');
  const after = only(await workspace.compare({ bm25: BM25 }, [{ corpus: 'handbook', queries }]));
  for (const measure of price.measures) {
    const of = (compared: typeof before) => compared.pipelines[0]!.measures[`${measure.family}@5`]!;
    assert.deepEqual([measure.before, measure.after.value], [of(before), of(after).value]);
  }
  assert.ok(price.tokens.after > 1.5 * price.tokens.before);
  assert.ok(price.measures.some((measure) => measure.before.value !== measure.after.value));
  assert.ok(price.measures.every(({ after: { difference } }) => difference));
});

test('without labels the difference is unknown, and not zero', async (t) => {
  const { workspace } = await sample(t);
  const queries = [evalQuery('new', 'When does school start?', 'early')];
  const price = await priceOf({ workspace, queries }, BM25, DENSE);
  assert.equal(price.measures[0]!.after.difference, undefined);
  assert.match(priceLines(price)[1]!, /difference not known, because the passages are not judged$/);
});

test('an eval set without perspectives, or a failing pipeline, is reported in one sentence', async (t) => {
  const found = await sample(t);
  const plain = { ...found, queries: [evalQuery('q', 'When does school start?')] };
  await refuses(priceOf(plain, BM25, DENSE), /No question of .* has perspectives/, 'bad-argument');
  const nowhere = { retriever: { type: 'dense', embedder: 'nowhere' } } as const;
  await assert.rejects(priceOf(found, BM25, nowhere), /nowhere/);
});
