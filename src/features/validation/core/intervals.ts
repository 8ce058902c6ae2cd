/** Intervals of figures on a limited number of labelled pairs. */
import type { DecidedVerdict } from '../../../core/model.ts';
import { DECIDED_VERDICTS } from '../../../core/words.ts';
import { quantile } from '../../../core/statistics/bootstrap.ts';
import type { Random } from '../../../core/statistics/random.ts';
import { ANSWERS, figuresOf, type Answer, type Confusion, type Figures } from './confusion.ts';

interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Share of the resampled figures on either side of an interval. */
const TAIL = 0.025;

type WithInterval = 'accuracy' | 'f1' | 'balancedAccuracy' | 'kappa';
export type Intervals = Readonly<Record<WithInterval, Interval | null>>;

/**
 * An endless sequence of figures on pairs resampled with replacement. Pairs count as independent, so intervals are
 * somewhat too narrow if several pairs belong to one question.
 *
 * Source: Efron and Tibshirani 1993, section 13.3.
 */
export function* resampledFigures(confusion: Confusion, random: Random): Generator<Figures> {
  const cells = DECIDED_VERDICTS.flatMap((reference) =>
    ANSWERS.map((answer) => ({ reference, answer, count: confusion[reference][answer] })),
  );
  const cellOf = Uint8Array.from(cells.flatMap(({ count }, cell) => new Array<number>(count).fill(cell)));
  for (;;) {
    const counts = new Uint32Array(cells.length);
    for (let draw = 0; draw < cellOf.length; draw++) counts[cellOf[Math.floor(random() * cellOf.length)]!]!++;
    yield figuresOf(confusionOf(cells, counts));
  }
}

function confusionOf(
  cells: readonly { readonly reference: DecidedVerdict; readonly answer: Answer }[],
  counts: Uint32Array,
): Confusion {
  const answers = (truth: DecidedVerdict) =>
    Object.fromEntries(
      cells.flatMap(({ reference, answer }, cell) => (reference === truth ? [[answer, counts[cell]!]] : [])),
    ) as Record<Answer, number>;
  return { yes: answers('yes'), no: answers('no') };
}

/**
 * 95% percentile intervals from resampled figures. Leaves out resamples in which a figure is 0/0.
 *
 * @returns `null` for a figure that is undefined in every resample
 */
export function intervalsOf(samples: readonly Figures[]): Intervals {
  const interval = (name: WithInterval): Interval | null => {
    const sorted = Float64Array.from(samples.flatMap((sample) => sample[name] ?? [])).sort();
    return sorted.length === 0 ? null : { low: quantile(sorted, TAIL), high: quantile(sorted, 1 - TAIL) };
  };
  return {
    accuracy: interval('accuracy'),
    f1: interval('f1'),
    balancedAccuracy: interval('balancedAccuracy'),
    kappa: interval('kappa'),
  };
}
