/**
 * Whether intervals of a judge's errors and noise cover the truth. Two judges with a known correlation of errors are
 * validated repeatedly. A judge that flips on some queries judges the same rankings several times.
 *
 *   npm run bench -- judge-noise
 */
import { repeatedFigure } from '../src/core/metrics/repeats.ts';
import { mean } from '../src/core/statistics/mean.ts';
import {
  correlationInterval,
  errorCorrelation,
  jointErrors,
  type AnsweredTwice,
} from '../src/features/validation/core/joint-errors.ts';
import { seededRandom } from './support/random.ts';
import { table } from './support/report.ts';

const DRAWS = Number(process.env['DRAWS'] ?? 300);
/** True and false positive rates. */
const RATES = {
  'DREAM, Table 1': [0.984, 0.081],
  'GPT-4, BERDS Table 4': [0.65, 0.05],
  'right in 0.9': [0.9, 0.1],
} as const;
const SUPPORTING = 0.4;

const random = seededRandom(1);
const chance = (share: number): boolean => random() < share;

process.stdout.write(
  `Correlation of the errors of two judges; ${DRAWS} validations each, ${percent(SUPPORTING)} of the pairs support.\n\n` +
    table(
      ['rates', 'pairs', 'in truth', 'mean estimate', 'interval covers', 'mean width'],
      Object.entries(RATES).flatMap(([name, rates]) =>
        [30, 100, 300].flatMap((pairs) =>
          [0, 0.44, 0.8].map((truth) => [
            name,
            String(pairs),
            String(truth),
            ...validated(rates, pairs, truth),
          ]),
        ),
      ),
    ) +
    `\n\nMRecall of a judge that flips; ${DRAWS} runs each.\n\n` +
    table(
      ['queries', 'repeats', 'flipping queries', 'interval for these queries covers', 'mean width'],
      [12, 30, 100].flatMap((queries) =>
        [2, 3, 5].flatMap((repeats) =>
          [0.03, 0.15, 0.4].map((flipping) => [
            String(queries),
            String(repeats),
            percent(flipping),
            ...repeated(queries, repeats, flipping),
          ]),
        ),
      ),
    ) +
    '\n',
);

/** The second judge repeats the first one's answer with the probability that is the correlation. */
function validated(
  [yesOfSupport, yesOfNone]: readonly [number, number],
  size: number,
  truth: number,
): string[] {
  const found = Array.from({ length: DRAWS }, () => {
    const joint = jointErrors(
      Array.from({ length: size }, (): AnsweredTwice => {
        const reference = chance(SUPPORTING) ? 'yes' : 'no';
        const answer = (): 'yes' | 'no' =>
          chance(reference === 'yes' ? yesOfSupport : yesOfNone) ? 'yes' : 'no';
        const first = answer();
        return { reference, perspective: '', answers: [first, chance(truth) ? first : answer()] };
      }),
    );
    return { estimate: errorCorrelation(joint), ...correlationInterval(joint) };
  });
  return [mean(found.flatMap(({ estimate }) => estimate ?? [])).toFixed(2), ...coverage(found, () => truth)];
}

/** Some queries flip, each with its own probability; the others are always covered or never. */
function repeated(queries: number, repeats: number, flipping: number): string[] {
  const truths: number[] = [];
  const found = Array.from({ length: DRAWS }, () => {
    const chances = Array.from({ length: queries }, () =>
      chance(flipping) ? 0.1 + 0.8 * random() : Number(chance(0.6)),
    );
    truths.push(mean(chances));
    const judged = chances.map((own) => Array.from({ length: repeats }, () => Number(chance(own))));
    return repeatedFigure('MRecall@5', judged).theseQueries;
  });
  return coverage(found, (draw) => truths[draw]!);
}

function coverage(
  found: readonly { readonly low: number; readonly high: number }[],
  truth: (draw: number) => number,
): string[] {
  const covered = found.filter(
    ({ low, high }, draw) => low <= truth(draw) + 1e-9 && truth(draw) <= high + 1e-9,
  );
  return [percent(covered.length / found.length), mean(found.map(({ low, high }) => high - low)).toFixed(2)];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)}%`;
}
