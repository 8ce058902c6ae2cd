import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  holeAtK,
  marginalContribution,
  poolGrowth,
  rankChanges,
} from '../../../src/core/analysis/pooling.ts';
import { evaluateRun } from '../../../src/core/metrics/evaluate.ts';
import { parseMeasure } from '../../../src/core/metrics/measures.ts';
import type { Qrels, Run } from '../../../src/core/model.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';

const runOf = (...passages: string[]): Run =>
  new Map([['q', passages.map((item, rank) => ({ item, score: -rank }))]]);
const qrelsOf = (judged: Record<string, Record<string, number>>): Qrels =>
  new Map([
    ['q', new Map(Object.entries(judged).map(([id, passages]) => [id, new Map(Object.entries(passages))]))],
  ]);

const ORIGINAL = qrelsOf({ p: { a: 1 }, r: {} });
const FILLED = qrelsOf({ p: { a: 1, b: 1, c: 0, d: 1 }, r: { a: 1, c: 1, d: 0 } });

test('Hole@k counts passages whose support only the filled judgements contain', () => {
  // a was known to support p, so its support of r makes no hole.
  assert.equal(holeAtK(runOf('a', 'b', 'x', 'c'), ORIGINAL, FILLED, 4), 0.5);
  assert.equal(holeAtK(runOf('b'), ORIGINAL, FILLED, 4), 0.25);
  assert.equal(holeAtK(runOf('b', 'c'), ORIGINAL, FILLED, 1), 1);
  assert.equal(holeAtK(new Map(), ORIGINAL, FILLED, 4), 0);
  assert.equal(holeAtK(runOf('a', 'b'), FILLED, FILLED, 2), 0);
  assert.throws(() => holeAtK(runOf('a'), ORIGINAL, FILLED, 0), { id: 'bad-argument' });
});

test('the growth rate follows its definition and is undefined without holes', () => {
  // Holes: first finds (b,p); second finds (b,p), (c,r), (d,p).
  const runs = [runOf('b'), runOf('b', 'c', 'd')];
  const inOrder = poolGrowth(runs, ORIGINAL, FILLED, { depth: 3, random: () => 0.999, orders: 1 });
  assert.deepEqual(inOrder, { holes: [1, 3], growthRate: [undefined, 2] });
  const reversed = poolGrowth(runs, ORIGINAL, FILLED, { depth: 3, random: () => 0, orders: 1 });
  assert.deepEqual(reversed, { holes: [3, 3], growthRate: [undefined, 0] });
  const more = [runOf('b', 'c'), runOf('c', 'd')];
  const half = poolGrowth(more, ORIGINAL, FILLED, { depth: 3, random: () => 0.999, orders: 1 });
  assert.deepEqual(half, { holes: [2, 3], growthRate: [undefined, 0.5] });
  const mixed = poolGrowth(runs, ORIGINAL, FILLED, { depth: 3, random: seededRandom(1), orders: 2000 });
  assert.ok(Math.abs(mixed.growthRate[1]! - 1) < 0.1);
  const none = poolGrowth(runs, FILLED, FILLED, { depth: 3, random: () => 0, orders: 1 });
  assert.deepEqual(none, { holes: [0, 0], growthRate: [undefined, undefined] });
});

test('the depth of the pool limits its finds', () => {
  const { holes } = poolGrowth([runOf('a', 'b', 'c', 'd')], ORIGINAL, FILLED, { depth: 2, random: () => 0 });
  // (a, r) and (b, p)
  assert.deepEqual(holes, [2]);
  // Nothing deeper is judged for the others either.
  const filled = qrelsOf({ p: { a: 1 } });
  const options = { depth: 1, random: () => 0, orders: 1 };
  const runs = [runOf('a'), runOf('b', 'a')];
  assert.deepEqual(
    marginalContribution(runs, new Map(), filled, { measure: 'Precision', k: 1 }, options),
    [0.5, 0.5],
  );
});

test('new questions and perspectives consist of holes only', () => {
  for (const original of [new Map(), qrelsOf({})])
    assert.deepEqual(
      poolGrowth([runOf('a', 'b')], original, FILLED, { depth: 2, random: () => 0, orders: 1 }).holes,
      [3],
    );
});

test("marginal contribution is the change after judging a pipeline's own passages", () => {
  // Two pipelines with nothing in common, judged only through each other.
  const filled = qrelsOf({ p: { a: 1, b: 1 } });
  const none = qrelsOf({ p: {} });
  const options = { depth: 1, random: () => 0, orders: 1 };
  const apart = [runOf('a'), runOf('b')];
  assert.deepEqual(
    marginalContribution(apart, none, filled, { measure: 'Precision', k: 1 }, options),
    [1, 1],
  );
  // With the same passages, one other pipeline suffices.
  const alike = [runOf('a'), runOf('a')];
  assert.deepEqual(marginalContribution(alike, none, filled, { measure: 'MRecall', k: 1 }, options), [1, 0]);
  // A perspective added after the pool was judged.
  assert.deepEqual(
    marginalContribution(apart, qrelsOf({}), filled, { measure: 'Precision', k: 1 }, options),
    [1, 1],
  );
  // Original judgements need no pool.
  assert.deepEqual(
    marginalContribution(apart, filled, filled, { measure: 'Precision', k: 1 }, options),
    [0, 0],
  );
});

test('is the figure itself with an empty pool and no original judgements', () => {
  const passages = ['a', 'b', 'c', 'd'];
  fc.assert(
    fc.property(
      fc.array(fc.shuffledSubarray(passages), { minLength: 1, maxLength: 4 }),
      fc.dictionary(fc.constantFrom('p', 'r'), fc.dictionary(fc.constantFrom(...passages), fc.nat(1)), {
        minKeys: 1,
      }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom('MRecall', 'Precision'),
      (rankings, judged, k, measure) => {
        const runs = rankings.map((ranking) => runOf(...ranking));
        const filled = qrelsOf(judged);
        const [first] = marginalContribution(runs, new Map(), filled, { measure, k } as const, {
          depth: 5,
          random: seededRandom(3),
          orders: 1,
        });
        const name = `${measure}@${k}`;
        const values = runs.map(
          (run) => evaluateRun(run, filled, [parseMeasure(name)], { kind: 'diversity' }).mean[name]!,
        );
        assert.ok(Math.abs(first! - values.reduce((sum, value) => sum + value, 0) / values.length) < 1e-12);
      },
    ),
  );
});

test('compares the judgements of the pool with and without the pipeline', () => {
  const passages = ['a', 'b', 'c', 'd', 'e', 'f'];
  const names = { Hit: 'Success', Recall: 'R', nDCG: 'nDCG', Precision: 'Precision', MRecall: 'MRecall' };
  const k = 3;
  const onlyJudged = (filled: Qrels, original: Qrels, pool: readonly Run[]): Qrels => {
    const known = new Set(pool.flatMap((run) => run.get('q')!.map(({ item }) => item)));
    const judged = [...filled.get('q')!.get('p')!].filter(
      ([item]) => known.has(item) || original.get('q')!.get('p')!.has(item),
    );
    return new Map([['q', new Map([['p', new Map(judged)]])]]);
  };
  fc.assert(
    fc.property(
      fc.array(fc.shuffledSubarray(passages, { minLength: 1 }), { minLength: 1, maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...passages), fc.nat(1), { minKeys: 1 }),
      fc.subarray(passages),
      fc.constantFrom('Hit', 'Recall', 'nDCG', 'Precision', 'MRecall'),
      (rankings, relevance, judgedBefore, measure) => {
        const runs = rankings.map((ranking) => runOf(...ranking));
        const filled = qrelsOf({ p: relevance });
        const kept = Object.entries(relevance).filter(([item]) => judgedBefore.includes(item));
        const original = qrelsOf({ p: Object.fromEntries(kept) });
        const name = `${names[measure]}@${k}`;
        const figureOf = (run: Run, qrels: Qrels): number =>
          evaluateRun(run, qrels, [parseMeasure(name)], { kind: 'diversity' }).mean[name] ?? 0;
        const changes = runs.map((run) => {
          const others = runs.filter((other) => other !== run);
          const without = figureOf(run, onlyJudged(filled, original, others));
          return Math.abs(figureOf(run, onlyJudged(filled, original, runs)) - without);
        });
        const all = { depth: passages.length, random: seededRandom(3), orders: 1 };
        const last = marginalContribution(runs, original, filled, { measure, k }, all).at(-1)!;
        const wanted = changes.reduce((sum, change) => sum + change, 0) / runs.length;
        assert.ok(Math.abs(last - wanted) < 1e-12, `${measure}: ${last}, ${wanted}`);
      },
    ),
  );
});

test('a passage known for one perspective is known, whatever the pool has for others', () => {
  const original = qrelsOf({ p: { a: 1 } });
  const filled = qrelsOf({ p: { a: 1, b: 1 }, r: { a: 1 } });
  const options = { depth: 1, random: () => 0, orders: 1 };
  // Judged with its own pool, the pipeline finds b of a and b.
  const recall = marginalContribution([runOf('b')], original, filled, { measure: 'Recall', k: 1 }, options);
  assert.deepEqual(recall, [0.5]);
});

test('tied pipelines share the better rank', () => {
  const changes = rankChanges([
    { name: 'one', before: 0.5, after: 0.6 },
    { name: 'two', before: 0.5, after: 0.9 },
    { name: 'three', before: 0.4, after: 0.7 },
  ]);
  assert.deepEqual(
    changes.map(({ rankBefore, rankAfter }) => [rankBefore, rankAfter]),
    [
      [1, 3],
      [1, 1],
      [3, 2],
    ],
  );
});

test('an incomparable figure has no rank and does not affect others', () => {
  const changes = rankChanges([
    { name: 'one', before: null, after: 0.6 },
    { name: 'two', before: -0.5, after: null },
  ]);
  assert.deepEqual(
    changes.map(({ rankBefore, rankAfter }) => [rankBefore, rankAfter]),
    [
      [null, 1],
      [1, null],
    ],
  );
});

test('refuses an empty pool and invalid depths', () => {
  const options = { depth: 1, random: () => 0 };
  assert.throws(() => poolGrowth([], ORIGINAL, FILLED, options), { id: 'bad-argument' });
  assert.throws(() => poolGrowth([runOf('a')], ORIGINAL, FILLED, { ...options, depth: 0 }), {
    id: 'bad-argument',
  });
  assert.throws(
    () =>
      marginalContribution(
        [runOf('a')],
        ORIGINAL,
        FILLED,
        { measure: 'MRecall', k: 1 },
        { ...options, orders: 0 },
      ),
    { id: 'bad-argument' },
  );
});
