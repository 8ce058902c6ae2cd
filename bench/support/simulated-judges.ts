/** Judges with known error rates, and people who label a question until its figure is decided. */
import type { CorrectedMean } from '../../src/core/statistics/prediction-powered.ts';
import { mean } from '../../src/core/statistics/mean.ts';
import type { Random } from './random.ts';

/** The number of passages that figures use. */
export const K = 5;

/** [passages, perspectives]: whether a passage supports a perspective, in truth or by a judge. */
export type Verdicts = readonly (readonly boolean[])[];
/** The figure of one question from the verdicts on its top K. */
export type Figure = (top: Verdicts) => number;

/** The probability that a judge says yes to a pair. */
export type YesRate = (supports: boolean, perspective: number, rank: number) => number;

export const JUDGES: Readonly<Record<string, YesRate>> = {
  'right in 0.9 of either kind': (supports) => (supports ? 0.9 : 0.1),
  'DREAM, Table 1 (0.984 / 0.081)': (supports) => (supports ? 0.984 : 0.081),
  'GPT-4 one-shot, BERDS Table 4 (0.65 / 0.05)': (supports) => (supports ? 0.65 : 0.05),
  'blind for one side (0.98 / 0.15 and 0.50 / 0.02)': (supports, side) =>
    side === 0 ? (supports ? 0.98 : 0.15) : supports ? 0.5 : 0.02,
  'worse by rank (0.95 to 0.47 / 0.15 to 0.03)': (supports, _, rank) =>
    supports ? 0.95 - 0.12 * (rank - 1) : 0.15 - 0.03 * (rank - 1),
};

/** @param rankOf from 1, by the index of a passage; defaults to the place in the list */
export function answers(
  truth: Verdicts,
  rate: YesRate,
  random: Random,
  rankOf: (place: number) => number = (place) => place + 1,
): Verdicts {
  return truth.map((own, place) =>
    own.map((supports, side) => random() < rate(supports, side, rankOf(place))),
  );
}

/** What people label: passages by their index, best first. */
export interface Labelling {
  readonly truth: Verdicts;
  /** The judge whose "yes" is checked first. `undefined` without a judge. */
  readonly judge: Verdicts | undefined;
  readonly top: readonly number[];
  /** Labelled pairs as `passage side`; new ones are added. */
  readonly known: Set<string>;
}

export interface NamedFigure {
  readonly of: Figure;
  /** Labels pairs until people have decided the figure. */
  readonly label: (labelling: Labelling) => void;
}

export const FIGURES: Readonly<Record<string, NamedFigure>> = {
  [`MRecall@${K}`]: {
    of: (top) => (sidesOf(top).every((side) => top.some((own) => own[side])) ? 1 : 0),
    label: labelCoverage,
  },
  [`Precision@${K}`]: {
    of: (top) => top.filter((own) => own.includes(true)).length / K,
    label: labelPrecision,
  },
};

/** Starts with the side with the fewest "yes", which is decisive if it has no support. */
function labelCoverage(labelling: Labelling): void {
  const { truth, top } = labelling;
  const hope = hopeOf(labelling);
  const inSum = (side: number): number => top.reduce((sum, place) => sum + Math.max(0, hope(place, side)), 0);
  for (const side of sidesOf(truth).sort((a, b) => inSum(a) - inSum(b))) {
    const order = [...top].sort((a, b) => hope(b, side) - hope(a, side));
    if (
      !labelUntilYes(
        order.map((place) => [place, side] as const),
        labelling,
      )
    )
      return;
  }
}

function labelPrecision(labelling: Labelling): void {
  const hope = hopeOf(labelling);
  for (const place of labelling.top) {
    const order = sidesOf(labelling.truth).sort((a, b) => hope(place, b) - hope(place, a));
    labelUntilYes(
      order.map((side) => [place, side] as const),
      labelling,
    );
  }
}

/** @returns whether one of them supports the side */
function labelUntilYes(
  pairs: readonly (readonly [place: number, side: number])[],
  { truth, known }: Labelling,
): boolean {
  return pairs.some(([place, side]) => {
    known.add(`${place} ${side}`);
    return truth[place]![side]!;
  });
}

/** Known support comes first, then the judge's verdicts on the rest; known non-support comes last. */
function hopeOf({ truth, judge, known }: Labelling): (place: number, side: number) => number {
  return (place, side) => {
    if (known.has(`${place} ${side}`)) return truth[place]![side] ? 2 : -1;
    return Number(judge?.[place]![side] ?? false);
  };
}

function sidesOf(top: Verdicts): number[] {
  return top[0]!.map((_, side) => side);
}

/**
 * Questions in a random order until the labels are used up; the last one is not decided. The probability of a question
 * follows from the place where the order ended (priority sampling, Duffield, Lund and Thorup 2007).
 *
 * @param sizes relative probabilities
 */
export function labelled(
  sizes: readonly number[],
  budget: number,
  random: Random,
  cost: (at: number) => number,
) {
  const places = sizes.map((size) => random() / size);
  const order = sizes.map((_, at) => at).sort((a, b) => places[a]! - places[b]!);
  const decided = new Set<number>();
  let left = budget;
  let end = Infinity;
  for (const at of order) {
    left -= cost(at);
    if (left < 0) {
      end = places[at]!;
      break;
    }
    decided.add(at);
  }
  return { decided, chances: sizes.map((size) => Math.min(1, end * size)) };
}

export interface Draw {
  readonly counted: number;
  /** `undefined` if too few questions were decided. */
  readonly found: CorrectedMean | undefined;
  readonly questions: number;
}

/** A table row of samples: as counted, mean, coverage of the truth, half-width, questions. */
export function summary(draws: readonly Draw[], truth: number): string[] {
  const found = draws.flatMap((draw) => draw.found ?? []);
  const counted = percent(mean(draws.map((draw) => draw.counted)));
  if (found.length < draws.length / 2) return [counted, 'too few', '', '', ''];
  const covers = found.filter(({ low, high }) => low <= truth && truth <= high).length / found.length;
  return [
    counted,
    percent(mean(found.map(({ value }) => value))),
    percent(covers),
    percent(mean(found.map(({ low, high }) => (high - low) / 2))),
    mean(draws.map(({ questions }) => questions)).toFixed(1),
  ];
}

export function percent(share: number): string {
  return (100 * share).toFixed(1);
}
