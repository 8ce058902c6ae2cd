/**
 * How two judges err together: their wrong answers to the same labelled pairs, by the truth. Two judges that are wrong
 * about the same pairs are worth little more than one.
 */
import * as z from 'zod';
import { normalizePerspective } from '../../../core/formats/labels.ts';
import type { DecidedVerdict } from '../../../core/model.ts';
import type { Read } from '../../../core/read.ts';
import { UNKNOWN_CORRELATION } from '../../../core/rerank/judge-errors.ts';
import { quantile } from '../../../core/statistics/bootstrap.ts';
import { gammaDeviate } from '../../../core/statistics/gamma.ts';
import { seededRandom } from '../../../core/statistics/random.ts';
import type { Answer } from './confusion.ts';
import { countSchema, ratio, type Figure } from './figure.ts';

const wrongSchema = z.object({
  /** The numbers of pairs that both, only the first, only the second, or neither is wrong about. */
  both: countSchema,
  first: countSchema,
  second: countSchema,
  neither: countSchema,
});
type Wrong = Read<typeof wrongSchema>;

export const jointErrorsSchema = z.object({
  /** For pairs whose passage supports, and for the others. */
  support: wrongSchema,
  none: wrongSchema,
});
export type JointErrors = Read<typeof jointErrorsSchema>;

/** A labelled pair with the answers of two judges, or two answers of one judge. */
export interface AnsweredTwice {
  readonly reference: DecidedVerdict;
  readonly perspective: string;
  readonly answers: readonly [Answer | undefined, Answer | undefined];
}

/** Joint errors of two judges as a line of a file, by perspective, as a query does not use its own labels. */
export const togetherLineSchema = z.object({
  type: z.literal('together'),
  judges: z.tuple([z.string(), z.string()]),
  /** Keys of the judges with model and prompt. Twice the same for repeats of one judge. */
  keys: z.tuple([z.string(), z.string()]),
  /** ISO 8601. */
  at: z.string(),
  /** The number of answers per pair. Every pair of answers is counted. */
  answers: countSchema.min(2),
  perspectives: z.array(jointErrorsSchema.extend({ text: z.string() })),
});
export type TogetherLine = Read<typeof togetherLineSchema>;

/** With fewer pairs, a correlation is shrunk towards {@link UNKNOWN_CORRELATION}. */
export const ENOUGH_PAIRS = 30;

/** Leaves out pairs that either judge did not decide, as "unsure" is not a vote. */
export function jointErrors(pairs: Iterable<AnsweredTwice>): JointErrors {
  const counts = { support: noneWrong(), none: noneWrong() };
  for (const { reference, answers } of pairs) {
    const [first, second] = answers.map((answer) =>
      answer === 'yes' || answer === 'no' ? answer !== reference : undefined,
    );
    if (first === undefined || second === undefined) continue;
    const table = counts[reference === 'yes' ? 'support' : 'none'];
    table[first ? (second ? 'both' : 'first') : second ? 'second' : 'neither']++;
  }
  return counts;
}

/** Joint errors by perspective. */
export function jointErrorsByPerspective(pairs: readonly AnsweredTwice[]): TogetherLine['perspectives'] {
  return [...Map.groupBy(pairs, ({ perspective }) => perspective)].map(([text, pairsOfText]) => ({
    text,
    ...jointErrors(pairsOfText),
  }));
}

function noneWrong(): { -readonly [K in keyof Wrong]: number } {
  return { both: 0, first: 0, second: 0, neither: 0 };
}

export function pairsIn({ support, none }: JointErrors): number {
  return sizeOf(support) + sizeOf(none);
}

function sizeOf({ both, first, second, neither }: Wrong): number {
  return both + first + second + neither;
}

/**
 * The correlation of two judges' answers given the truth: the summed covariances of their errors among supporting pairs
 * and among others, over the geometric mean of the summed variances. With pairs of one kind it is φ.
 *
 * @returns from −1 to 1; `null` if either judge is never or always wrong
 */
export function errorCorrelation({ support, none }: JointErrors): Figure {
  let [together, first, second] = [0, 0, 0];
  for (const kind of [support, none]) {
    const size = sizeOf(kind);
    if (size === 0) continue;
    const [p, q] = [(kind.both + kind.first) / size, (kind.both + kind.second) / size];
    together += size * (kind.both / size - p * q);
    first += size * p * (1 - p);
    second += size * q * (1 - q);
  }
  return ratio(together, Math.sqrt(first * second));
}

const DRAWS = 1000;
/** Fixed, so that the same tables give the same intervals. */
const SEED = 1;
/** Added to each count. With it the intervals cover the truth in 92 to 99% from thirty pairs on. */
const PRIOR = 0.25;

/**
 * 95% credible interval under a Dirichlet prior. If errors are rare, a bootstrap covers the truth in only half of the
 * cases, as it never draws what was not observed. Pairs count as independent.
 *
 * Source: Gelman et al. 2013, section 3.4.
 *
 * @param weight of each count; less than 1 if pairs are counted several times
 */
export function correlationInterval(
  table: JointErrors,
  weight = 1,
): { readonly low: number; readonly high: number } {
  const random = seededRandom(SEED);
  const drawn = (kind: Wrong): Wrong => ({
    both: gammaDeviate(weight * kind.both + PRIOR, random),
    first: gammaDeviate(weight * kind.first + PRIOR, random),
    second: gammaDeviate(weight * kind.second + PRIOR, random),
    neither: gammaDeviate(weight * kind.neither + PRIOR, random),
  });
  const sorted = Float64Array.from({ length: DRAWS }, () => {
    const draw = { support: drawn(table.support), none: drawn(table.none) };
    return errorCorrelation(draw) ?? 0;
  }).sort();
  return { low: quantile(sorted, 0.025), high: quantile(sorted, 0.975) };
}

/**
 * The correlation to assume, in [0, 1]. Below {@link ENOUGH_PAIRS} pairs it is shrunk towards {@link
 * UNKNOWN_CORRELATION}, which is also used if there are no errors.
 */
export function correlationToUse(table: JointErrors, pairs = pairsIn(table)): number {
  const weight = Math.min(1, pairs / ENOUGH_PAIRS);
  const correlation = errorCorrelation(table) ?? UNKNOWN_CORRELATION;
  return Math.max(0, weight * correlation + (1 - weight) * UNKNOWN_CORRELATION);
}

/**
 * The number of independent votes that n correlated ones are worth: n / (1 + (n − 1) ρ).
 *
 * Source: Kish 1965, section 8.2.
 *
 * @param correlation mean over all pairs of votes, in [0, 1]
 */
export function effectiveVotes(votes: number, correlation: number): number {
  return votes / (1 + (votes - 1) * correlation);
}

/** What a filter of two cheap judges loses: the share of supporting pairs that both are wrong about. */
export function lostByBoth({ support }: Pick<JointErrors, 'support'>): {
  readonly lost: Figure;
  readonly ifIndependent: Figure;
} {
  const size = sizeOf(support);
  const shareOf = (wrong: number): number => wrong / size;
  return {
    lost: ratio(support.both, size),
    ifIndependent:
      size === 0 ? null : shareOf(support.both + support.first) * shareOf(support.both + support.second),
  };
}

/** A correlation from a validation, and the number of pairs behind it. */
export interface MeasuredCorrelation {
  readonly correlation: number;
  readonly pairs: number;
}

/**
 * The correlation for a query, from the labels of other queries, as for error rates.
 *
 * @param ownPerspectives texts of the query's perspectives
 * @returns `undefined` without pairs about other perspectives
 */
export function measuredCorrelation(
  { perspectives, answers }: TogetherLine,
  ownPerspectives: readonly string[],
): MeasuredCorrelation | undefined {
  const ownTexts = new Set(ownPerspectives.map(normalizePerspective));
  const table = sumOf(perspectives.filter(({ text }) => !ownTexts.has(normalizePerspective(text))));
  const pairs = pairsIn(table) / ((answers * (answers - 1)) / 2);
  return pairs === 0 ? undefined : { correlation: correlationToUse(table, pairs), pairs };
}

function sumOf(tables: readonly JointErrors[]): JointErrors {
  const sum = { support: noneWrong(), none: noneWrong() };
  for (const table of tables)
    for (const kind of ['support', 'none'] as const)
      for (const which of ['both', 'first', 'second', 'neither'] as const)
        sum[kind][which] += table[kind][which];
  return sum;
}
