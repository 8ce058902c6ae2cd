/** What the coverage reranker aims at, held against every world and every list that there can be. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Verdict } from '../../../src/core/model.ts';
import {
  aimAt,
  COVERAGE_AIMS,
  isPlainAim,
  type CoverageAim,
} from '../../../src/core/rerank/expected-aims.ts';
import { expectedCoverageRerank } from '../../../src/core/rerank/expected-coverage.ts';
import type { JudgeErrors } from '../../../src/core/rerank/judge-errors.ts';

type Chances = readonly (readonly number[])[];
type World = readonly (readonly boolean[])[];

/** Every way in which candidates may support perspectives, with its chance. */
function worldsOf(chances: Chances): { readonly world: World; readonly chance: number }[] {
  const pairs = chances.flat();
  const m = chances[0]!.length;
  return Array.from({ length: 2 ** pairs.length }, (_, mask) => {
    const supports = pairs.map((_chance, at) => ((mask >> at) & 1) === 1);
    return {
      world: chances.map((_own, candidate) => supports.slice(candidate * m, (candidate + 1) * m)),
      chance: pairs.reduce((product, chance, at) => product * (supports[at] ? chance : 1 - chance), 1),
    };
  });
}

function listsOf(n: number, k: number): number[][] {
  if (k === 0) return [[]];
  return listsOf(n, k - 1).flatMap((list) =>
    Array.from({ length: n }, (_, each) => each)
      .filter((each) => !list.includes(each))
      .map((each) => [...list, each]),
  );
}

/** As Clarke et al. 2008 write it, with α = 0.5. */
function alphaDcg(list: readonly number[], world: World): number {
  const seen = world[0]!.map(() => 0);
  return list.reduce((sum, candidate, place) => {
    const gain = seen.reduce((own, times, at) => own + (world[candidate]![at] ? 0.5 ** times : 0), 0);
    world[candidate]!.forEach((supports, at) => void (supports && seen[at]!++));
    return sum + gain / Math.log2(place + 2);
  }, 0);
}

function mrecall(list: readonly number[], world: World): number {
  const covered = world[0]!.filter((_, at) => list.some((candidate) => world[candidate]![at])).length;
  return covered >= Math.min(list.length, world[0]!.length) ? 1 : 0;
}

/** The main part of an aim; that of MRecall has two small ones beside it. */
const MEASURES = { MRecall: mrecall, alpha_nDCG: alphaDcg } as const;

const expectation = (aim: CoverageAim, list: readonly number[], chances: Chances): number =>
  worldsOf(chances).reduce((sum, { world, chance }) => sum + chance * MEASURES[aim](list, world), 0);

const sizes = fc
  .record({ n: fc.integer({ min: 2, max: 4 }), m: fc.integer({ min: 1, max: 2 }) })
  .chain(({ n, m }) =>
    fc.record({
      k: fc.integer({ min: 1, max: Math.min(3, n) }),
      chances: fc.array(
        fc.array(fc.double({ min: 0.01, max: 0.99, noNaN: true }), { minLength: m, maxLength: m }),
        { minLength: n, maxLength: n },
      ),
    }),
  );

const valueOf = (aim: CoverageAim, list: readonly number[], chances: Chances): number =>
  aimAt(aim, Float64Array.from(chances.flat()), chances[0]!.length, list.length).valueOf(list);

test('the worth of a set for MRecall is the mean over all worlds, and a little for what is covered and what supports', () => {
  fc.assert(
    fc.property(sizes, ({ k, chances }) => {
      const m = chances[0]!.length;
      for (const list of listsOf(chances.length, k)) {
        const wanted = worldsOf(chances).reduce((sum, { world, chance }) => {
          const covered = world[0]!.filter((_, at) => list.some((candidate) => world[candidate]![at])).length;
          const supporting = list.filter((candidate) => world[candidate]!.includes(true)).length;
          return sum + chance * (mrecall(list, world) + (0.02 * covered) / m + (0.02 * supporting) / k);
        }, 0);
        assert.ok(Math.abs(valueOf('MRecall', list, chances) - wanted) < 1e-9);
      }
    }),
    { numRuns: 30 },
  );
});

test('the order of a set counts for α-nDCG alone, and MRecall is the aim where nothing is said', () => {
  const isOrdered = COVERAGE_AIMS.map((aim) => aimAt(aim, Float64Array.of(0.5), 1, 1).isOrdered);
  assert.deepEqual(isOrdered, [false, true]);
  assert.deepEqual([undefined, ...COVERAGE_AIMS].map(isPlainAim), [true, true, false]);
});

describe('the expected α-nDCG of a list', () => {
  test('is the mean over all worlds, as a share of what full support has', () => {
    fc.assert(
      fc.property(sizes, ({ k, chances }) => {
        const full = chances.map((own) => own.map(() => true));
        for (const list of listsOf(chances.length, k)) {
          const wanted = expectation('alpha_nDCG', list, chances) / alphaDcg(list, full);
          assert.ok(Math.abs(valueOf('alpha_nDCG', list, chances) - wanted) < 1e-9);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('of an exchange is that of the list with it', () => {
    fc.assert(
      fc.property(sizes, fc.nat(2), fc.constantFrom(...COVERAGE_AIMS), ({ k, chances }, at, aim) => {
        const list = Array.from({ length: k }, (_, each) => each);
        const place = at % k;
        const value = aimAt(aim, Float64Array.from(chances.flat()), chances[0]!.length, k);
        const exchanged = value.exchanged(list, place);
        for (let candidate = k; candidate < chances.length; candidate++)
          assert.ok(
            Math.abs(
              exchanged(candidate) -
                value.valueOf(list.map((own, index) => (index === place ? candidate : own))),
            ) < 1e-12,
          );
      }),
    );
  });
});

const ERRORS: JudgeErrors = { yesOfSupport: 0.8, yesOfNone: 0.1 };

function after(chances: Chances, candidate: number, perspective: number, verdict: Verdict): Chances {
  const { yesOfSupport, yesOfNone } = ERRORS;
  const [support, none] = verdict === 'yes' ? [yesOfSupport, yesOfNone] : [1 - yesOfSupport, 1 - yesOfNone];
  return chances.map((own, at) =>
    own.map((before, place) =>
      at === candidate && place === perspective
        ? (before * support) / (before * support + (1 - before) * none)
        : before,
    ),
  );
}

const bestOf = (aim: CoverageAim, chances: Chances, k: number): number =>
  Math.max(...listsOf(chances.length, k).map((list) => valueOf(aim, list, chances)));

const chanceOfYes = (before: number): number =>
  before * ERRORS.yesOfSupport + (1 - before) * ERRORS.yesOfNone;

/** What is to be expected of the best list after the best question. */
function oracle(aim: CoverageAim, chances: Chances, k: number): number {
  const values = chances.flatMap((own, candidate) =>
    own.map((before, perspective) => {
      const yes = chanceOfYes(before);
      const value = (verdict: Verdict): number =>
        bestOf(aim, after(chances, candidate, perspective, verdict), k);
      return yes * value('yes') + (1 - yes) * value('no');
    }),
  );
  return Math.max(bestOf(aim, chances, k), ...values);
}

/** The same of the list that the reranker ends with, over both answers to the question it asks. */
function reached(aim: CoverageAim, chances: Chances, k: number): number {
  const size = { candidates: chances.length, perspectives: chances[0]!.length };
  const begin = () => {
    const steps = expectedCoverageRerank({ ...size, k, aim, chances, errors: ERRORS, calls: 1 });
    return { steps, first: steps.next() };
  };
  const { first } = begin();
  if (first.done) return valueOf(aim, first.value.order.slice(0, k), chances);
  const [{ candidate, perspective }] = first.value as [{ candidate: number; perspective: number }];
  const yes = chanceOfYes(chances[candidate]![perspective]!);
  return (['yes', 'no'] as const).reduce((sum, verdict) => {
    const { steps } = begin();
    const { value, done } = steps.next([verdict]);
    assert.ok(done);
    const list = value.order.slice(0, k);
    const own = valueOf(aim, list, after(chances, candidate, perspective, verdict));
    return sum + (verdict === 'yes' ? yes : 1 - yes) * own;
  }, 0);
}

for (const aim of COVERAGE_AIMS)
  test(`the list for ${aim}, after one question, is as good as any question and list can be expected to be`, () => {
    fc.assert(
      fc.property(sizes, ({ k, chances }) => {
        const [own, best] = [reached(aim, chances, k), oracle(aim, chances, k)];
        assert.ok(own <= best + 1e-9);
        // The list is a local optimum, and an answer that changes little is not worth its call.
        assert.ok(own >= best - 0.01, `${own} of ${best}`);
      }),
      { numRuns: 200 },
    );
  });
