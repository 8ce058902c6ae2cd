/** How much a figure depends on a judge that changes its answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeatedFigure } from '../../../src/core/metrics/repeats.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';

const width = ({ low, high }: { low: number; high: number }): number => high - low;

test('returns the figure of each repeat, their mean, and the questions that change', () => {
  // Twelve questions; two of them flip: 75.0, then 91.7.
  const perQuery = Array.from({ length: 12 }, (_, query) =>
    query < 9 ? [1, 1] : query < 11 ? [0, 1] : [0, 0],
  );
  const found = repeatedFigure('MRecall@5', perQuery);
  assert.deepEqual(
    found.values.map((value) => value.toFixed(3)),
    ['0.750', '0.917'],
  );
  assert.equal(found.changed, 2);
  const { theseQueries: own, otherQueries: others } = found;
  assert.ok(own.low < 0.75 && own.high > 0.917, `${own.low} ${own.high}`);
  assert.ok(others.low < found.mean && others.high <= 1);
});

test('intervals have a width of the step of the measure even if no repeat differs', () => {
  const never = Array.from({ length: 30 }, (_, query) => [query % 2, query % 2]);
  const all = repeatedFigure('MRecall@5', never).theseQueries;
  const fifth = repeatedFigure('Precision@5', never).theseQueries;
  assert.ok(width(all) > 0 && Math.abs(width(all) / width(fifth) - 5) < 1e-9);
  assert.ok(width(repeatedFigure('MRecall@5', never).otherQueries) > width(all));
});

test('differences may be negative', () => {
  const { theseQueries, mean } = repeatedFigure(
    'MRecall@5',
    Array.from({ length: 8 }, () => [-1, -1]),
    -1,
  );
  assert.deepEqual([mean, theseQueries.low], [-1, -1]);
});

test('intervals for these queries cover the limit of many repeats', () => {
  const random = seededRandom(5);
  let covered = 0;
  const runs = 200;
  for (let run = 0; run < runs; run++) {
    const chances = Array.from({ length: 30 }, () =>
      random() < 0.15 ? 0.1 + 0.8 * random() : Number(random() < 0.6),
    );
    const perQuery = chances.map((chance) => [0, 0, 0].map(() => Number(random() < chance)));
    const { low, high } = repeatedFigure('MRecall@5', perQuery).theseQueries;
    const truth = chances.reduce((sum, chance) => sum + chance, 0) / chances.length;
    if (low <= truth && truth <= high) covered++;
  }
  assert.ok(covered / runs >= 0.93, `${covered} of ${runs}`);
});
