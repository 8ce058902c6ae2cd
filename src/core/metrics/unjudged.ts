/**
 * How far unjudged passages may still decide a perspective or a figure. A measure counts unjudged passages as not
 * supporting; this computes its value if all of them support. These are bounds for measures that never fall with more
 * support. Others, such as nDCG, whose ideal grows, may leave them slightly.
 */
import { atLeast, exactly, meanOf, type Measured } from '../measured.ts';
import type { Qrels, Run } from '../model.ts';
import type { RunEvaluation } from './evaluate.ts';
import { supports, topicOf, type Basis, type TopicJudgements } from './judgements.ts';
import { computeMeasure, definitionOf, measureName, parseMeasure, type Measure } from './measures.ts';

/** Values that differ by less than this are equal up to rounding. */
const ROUNDING = 1e-9;

/** A figure if no unjudged passage supports, and if all of them do. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/**
 * The perspectives that are not known to be covered but may be.
 *
 * @param basis without `open`, unjudged passages do not support
 * @returns the number of passages that may cover each perspective, by perspective id
 */
export function openPerspectives(
  passages: readonly string[],
  judgements: TopicJudgements,
  basis: Basis,
): Map<string, number> {
  const open = new Map<string, number>();
  if (basis !== 'open') return open;
  for (const [perspective, known] of judgements) {
    const unjudged = passages.filter((passage) => !known.has(passage)).length;
    if (unjudged > 0 && !passages.some((passage) => supports(known.get(passage))))
      open.set(perspective, unjudged);
  }
  return open;
}

/**
 * @param measure one that rests on judgements
 * @param ranking distinct passage ids, best first
 * @param judgements all perspectives of the query
 */
export function boundsOf(
  measure: Measure,
  ranking: readonly string[],
  judgements: TopicJudgements,
  basis: Basis,
): Bounds {
  return {
    low: computeMeasure(measure, ranking, topicOf(judgements, basis)),
    high: computeMeasure(measure, ranking, topicOf(withAllSupport(measure, ranking, judgements), basis)),
  };
}

/** Smaller changes of a mean do not show in print. A share. */
const PRINTED = 0.0005;

/**
 * The means over the queries of a run if no unjudged passage supports, and if all of them do.
 *
 * @param measures only those that rise with support are used
 * @returns the means that differ by at least {@link PRINTED}, by measure name
 */
export function openMeans(
  run: Run,
  qrels: Qrels,
  measures: readonly Measure[],
  basis: Basis,
): Record<string, Bounds> {
  const rising = measures.filter((measure) => definitionOf(measure).risesWithSupport);
  if (basis !== 'open' || qrels.size === 0) return {};
  const sums = new Map(rising.map((measure) => [measureName(measure), { low: 0, high: 0 }]));
  for (const [query, judgements] of qrels) {
    const ranking = (run.get(query) ?? []).map(({ item }) => item);
    for (const measure of rising) {
      const { low, high } = boundsOf(measure, ranking, judgements, basis);
      const sum = sums.get(measureName(measure))!;
      sum.low += low / qrels.size;
      sum.high += high / qrels.size;
    }
  }
  return Object.fromEntries([...sums].filter(([, bounds]) => mayRise(bounds)));
}

/** The values of a run with their possible range. */
export interface MeasuredRun {
  /** By measure name. */
  readonly means: Readonly<Record<string, Measured>>;
  /** By query id, then by measure name. */
  readonly perQuery: ReadonlyMap<string, Readonly<Record<string, Measured>>>;
}

/**
 * Distinguishes known values from those that further verdicts may change. A mean that they change by less than {@link
 * PRINTED} is exact.
 *
 * @param scores of this run and these judgements
 */
export function measuredRun(
  scores: Pick<RunEvaluation, 'mean' | 'perTopic'>,
  run: Run,
  qrels: Qrels,
  basis: Basis,
): MeasuredRun {
  const measures = Object.keys(scores.mean).map(parseMeasure);
  const perQuery = new Map(
    [...scores.perTopic].map(([query, values]) => {
      const ranking = (run.get(query) ?? []).map(({ item }) => item);
      const judgements = qrels.get(query) ?? new Map<string, ReadonlyMap<string, number>>();
      const measured = measures.map((measure) => {
        const value = values[measureName(measure)]!;
        return [measureName(measure), measuredValue(measure, value, ranking, judgements, basis)] as const;
      });
      return [query, Object.fromEntries(measured)] as const;
    }),
  );
  return { means: measuredMeans(scores.mean, [...perQuery.values()]), perQuery };
}

/** Names of the measures that further verdicts would change for some query. */
export function openMeasures({ perQuery }: Pick<MeasuredRun, 'perQuery'>): Set<string> {
  return new Set(
    [...perQuery.values()].flatMap((values) =>
      Object.entries(values).flatMap(([name, { bound }]) => (bound === 'exact' ? [] : [name])),
    ),
  );
}

function measuredMeans(
  means: RunEvaluation['mean'],
  perQuery: readonly Readonly<Record<string, Measured>>[],
): Record<string, Measured> {
  return Object.fromEntries(
    Object.entries(means).map(([name, value]) => {
      const { bound, most = value } = meanOf(perQuery.map((values) => values[name]!));
      const isExact = bound === 'exact' || Math.abs(most - value) < PRINTED;
      return [name, isExact ? exactly(value) : { value, bound, most }];
    }),
  );
}

function measuredValue(
  measure: Measure,
  value: number,
  ranking: readonly string[],
  judgements: TopicJudgements,
  basis: Basis,
): Measured {
  const { needs, better, risesWithSupport } = definitionOf(measure);
  const top = ranking.slice(0, measure.k);
  const isWhole = [...judgements.values()].every((known) => top.every((passage) => known.has(passage)));
  if (basis !== 'open' || needs === 'passages' || better === 'neither' || isWhole) return exactly(value);
  const most = computeMeasure(measure, ranking, topicOf(withAllSupport(measure, ranking, judgements), basis));
  if (risesWithSupport) return atLeast(value, most);
  return Math.abs(most - value) < ROUNDING ? exactly(value) : { value, bound: 'open', most };
}

/** Whether verdicts may change a mean by at least {@link PRINTED}. */
export function mayRise({ low, high }: Bounds): boolean {
  return high - low >= PRINTED;
}

/** Whether verdicts on unjudged passages cannot change a figure. */
export function isSettled({ low, high }: Bounds): boolean {
  return high - low < ROUNDING;
}

/** The judgements that a measure reads, with unjudged passages within its cutoff counted as support. */
function withAllSupport(
  measure: Measure,
  ranking: readonly string[],
  judgements: TopicJudgements,
): TopicJudgements {
  const top = ranking.slice(0, measure.k);
  // Passages below the cutoff are only copied if the measure reads them.
  const isOfTopAlone = definitionOf(measure).risesWithSupport;
  return new Map(
    [...judgements].map(([perspective, passages]) => [
      perspective,
      new Map([
        ...(isOfTopAlone ? [] : passages),
        ...top.map((passage) => [passage, passages.get(passage) ?? 1] as const),
      ]),
    ]),
  );
}
