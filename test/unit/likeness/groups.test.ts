/** Compares groups with the definitions on the vectors, recomputed for every step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { groupsOf } from '../../../src/core/likeness/groups.ts';
import { similarityMatrix } from '../../../src/core/rerank/similarity.ts';

type Vectors = readonly (readonly number[])[];

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const distance = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + (value - b[at]!) ** 2, 0);

/** The sum of squared distances to the centre. */
function spreadWithin(vectors: Vectors): number {
  const centre = vectors[0]!.map((_, at) => mean(vectors.map((vector) => vector[at]!)));
  return vectors.reduce((sum, vector) => sum + distance(vector, centre), 0);
}

function wardCuts(vectors: Vectors): number[][][] {
  let groups = vectors.map((_, place) => [place]);
  const cuts = [groups];
  const within = (group: readonly number[]): number => spreadWithin(group.map((place) => vectors[place]!));
  while (groups.length > 1) {
    let best: { rise: number; a: number[]; b: number[] } | undefined;
    for (const [at, a] of groups.entries())
      for (const b of groups.slice(at + 1)) {
        const rise = within([...a, ...b]) - within(a) - within(b);
        if (!best || rise < best.rise) best = { rise, a, b };
      }
    const { a, b } = best!;
    const united = [...a, ...b].sort((x, y) => x - y);
    groups = groups.filter((group) => group !== b).map((group) => (group === a ? united : group));
    cuts.push(groups);
  }
  return cuts;
}

function meanSilhouette(vectors: Vectors, groups: readonly (readonly number[])[]): number {
  const away = (a: number, b: number): number => distance(vectors[a]!, vectors[b]!) / 2;
  return mean(
    groups.flatMap((own) =>
      own.map((place) => {
        if (own.length === 1) return 0;
        const within = mean(own.filter((other) => other !== place).map((other) => away(place, other)));
        const others = groups.filter((group) => group !== own);
        const nearest = Math.min(...others.map((group) => mean(group.map((other) => away(place, other)))));
        return (nearest - within) / Math.max(within, nearest);
      }),
    ),
  );
}

const unit = (values: readonly number[]): number[] => {
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
};

/** Directions in general position: all distances differ, so that rounding does not matter. */
const vectors = fc.integer({ min: 8, max: 22 }).chain((n) =>
  fc.array(fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: 5, maxLength: 5 }), {
    minLength: n,
    maxLength: n,
  }),
);

test('the groups are those of Ward’s method, cut where the mean silhouette is highest', () => {
  fc.assert(
    fc.property(vectors, fc.infiniteStream(fc.double({ min: 0, max: 1e-3, noNaN: true })), (raw, noise) => {
      const directions = raw.map((values) => unit(values.map((value) => value + noise.next().value)));
      const n = directions.length;
      const cosines = similarityMatrix(Float32Array.from(directions.flat()), n);
      const { groups, apart } = groupsOf(cosines, n);
      const most = Math.min(10, Math.floor(n / 4));
      const allowed = wardCuts(directions).filter(
        (cut, at, all) =>
          cut.length <= most &&
          cut.length > 1 &&
          (cut.every((group) => group.length <= n / 2) || all[at - 1]!.length > most),
      );
      const best = Math.max(...allowed.map((cut) => meanSilhouette(directions, cut)));
      assert.ok(Math.abs(apart - best) < 1e-4, `${apart} is not ${best}`);
      assert.ok(
        allowed.some(
          (cut) =>
            JSON.stringify(cut) === JSON.stringify(groups) &&
            Math.abs(meanSilhouette(directions, cut) - best) < 1e-4,
        ),
      );
    }),
    { numRuns: 60 },
  );
});
