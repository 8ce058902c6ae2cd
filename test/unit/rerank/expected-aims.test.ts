/** Compares the aim of the coverage reranker with an enumeration of all worlds and lists. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bestSet, mostAddedFirst } from '../../../src/core/rerank/best-set.ts';
import {
  aimAt,
  atLeast,
  COVERAGE_AIMS,
  isPlainAim,
  type CoverageAim,
} from '../../../src/core/rerank/expected-aims.ts';

type Chances = readonly (readonly number[])[];
type World = readonly (readonly boolean[])[];

/** Every way in which candidates may support perspectives, with its probability. */
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

/** The formula of Clarke et al. 2008 with α = 0.5. */
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

/** The main part of an aim. MRecall has two small further ones. */
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

test('the value of a set for MRecall is the mean over all worlds plus small terms for coverage and support', () => {
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

test('order matters for α-nDCG only, and MRecall is the default aim', () => {
  const isOrdered = COVERAGE_AIMS.map((aim) => aimAt(aim, Float64Array.of(0.5), 1, 1).isOrdered);
  assert.deepEqual(isOrdered, [false, true]);
  assert.deepEqual([undefined, ...COVERAGE_AIMS].map(isPlainAim), [true, true, false]);
});

describe('the expected α-nDCG of a list', () => {
  test('is the mean over all worlds, as a share of full support', () => {
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

  test('of an exchange equals that of the resulting list', () => {
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

for (const aim of COVERAGE_AIMS)
  test(`the list for ${aim} found by exchanges is hardly worse than the best`, () => {
    fc.assert(
      fc.property(sizes, ({ k, chances }) => {
        const [n, m] = [chances.length, chances[0]!.length];
        const start = Array.from({ length: k }, (_, each) => each);
        const list = bestSet(aimAt(aim, Float64Array.from(chances.flat()), m, k), start, n);
        assert.equal(new Set(list).size, k);
        const best = Math.max(...listsOf(n, k).map((each) => valueOf(aim, each, chances)));
        assert.ok(valueOf(aim, list, chances) >= best - 0.02);
      }),
      { numRuns: 200 },
    );
  });

test('a set for MRecall is ordered by gain, so that its first passages cover most', () => {
  const orderOf = (set: readonly number[], chances: Chances): readonly number[] =>
    mostAddedFirst(set, Float64Array.from(chances.flat()), chances[0]!.length);
  assert.deepEqual(
    orderOf(
      [0, 1, 2],
      [
        [0.8, 0.15],
        [0.9, 0.2],
        [0.1, 0.8],
      ],
    ),
    [1, 2, 0],
    'the first would say again what the second does',
  );
  assert.deepEqual(orderOf([2, 1], [[0.1], [0.5], [0.5]]), [1, 2], 'equals stay in their order');
});

test('the probability of a number of events equals a full enumeration', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 }),
      fc.nat(6),
      (chances, many) => {
        const needed = Math.min(many, chances.length);
        let wanted = 0;
        for (let mask = 0; mask < 2 ** chances.length; mask++) {
          const happened = chances.map((_, at) => ((mask >> at) & 1) === 1);
          if (happened.filter(Boolean).length < needed) continue;
          wanted += chances.reduce(
            (product, chance, at) => product * (happened[at] ? chance : 1 - chance),
            1,
          );
        }
        assert.ok(Math.abs(atLeast(Float64Array.from(chances), needed) - wanted) < 1e-9);
      },
    ),
  );
});
