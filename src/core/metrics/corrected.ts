/**
 * Figures that rest on a judge, corrected for its errors by means of the queries that people have decided. See
 * docs/corrected-figures.md.
 */
import type { Qrels, Run } from '../model.ts';
import {
  correctedMean,
  DIFFERENCES,
  MIN_DECIDED,
  moreDecided,
  type PredictedUnit,
} from '../statistics/prediction-powered.ts';
import type { Correction } from './correction.ts';
import type { Figure } from './figures.ts';
import type { Basis } from './judgements.ts';
import { definitionOf, measureName, parseMeasure, type Measure } from './measures.ts';
import { boundsOf, isSettled } from './unjudged.ts';

/** Verdicts by source. Each query has all its perspectives, with or without judgements. */
export interface TwoOpinions {
  /** People's verdicts. */
  readonly annotators: Qrels;
  /** The judge's own verdicts, including those on pairs that people labelled. */
  readonly judge: Qrels;
  /**
   * The probability with which each query was drawn for labelling, by query id. Queries chosen by hand have no entry.
   */
  readonly chances: ReadonlyMap<string, number>;
  readonly basis: Basis;
  /** Set if the judge was fitted to labels, see {@link Correction}. */
  readonly fitted?: Correction['fitted'];
}

/** With fewer checked pairs with support, the rate at which a judge misses support cannot be estimated. */
export const MIN_POSITIVES = 10;
/** Half the width of an interval that is narrow enough for most decisions. */
export const WANTED_REACH = 0.05;

/**
 * @param run the ranking of every query; a query without one counts as an empty ranking
 * @param measures only those that rise with support are corrected; the first of them decides what `lacks` reports
 */
export function correctionOf(run: Run, measures: readonly Measure[], opinions: TwoOpinions): Correction {
  const figures = measures
    .filter((measure) => definitionOf(measure).risesWithSupport)
    .map((measure) => {
      const units = [...opinions.annotators.keys()].map((id) => unitOf(id, run, measure, opinions));
      return { name: measureName(measure), k: measure.k, units, corrected: correctedMean(units) };
    });
  const labels = labelsOn(run, Math.max(...figures.map(({ k }) => k ?? Infinity)), opinions);
  return correctionFrom(figures, { ...labels, fitted: opinions.fitted });
}

/**
 * How much better one ranking is than another without the judge's errors: a figure in [−1, 1], under the measure's
 * name. A query is decided if people decided it for both rankings.
 *
 * @param now rankings of every query that is compared
 * @param then the rankings to compare with; queries that are not among them are left out
 * @param measure one that rises with support
 */
export function correctedDifference(
  now: Run,
  then: Run,
  measure: Measure,
  opinions: TwoOpinions,
): Correction {
  const ids = [...then.keys()].filter((id) => opinions.annotators.has(id));
  const units = ids.map((id) =>
    differenceUnit(unitOf(id, now, measure, opinions), unitOf(id, then, measure, opinions)),
  );
  const { k = Infinity } = measure;
  const corrected = correctedMean(units, DIFFERENCES);
  const figure = { name: measureName(measure), k: measure.k, units, corrected };
  const labels = labelsOn(eitherTop(ids, k, now, then), Infinity, opinions);
  return correctionFrom([figure], { ...labels, fitted: opinions.fitted });
}

/**
 * Adds the differences of its figures to a correction.
 *
 * @param now the ranking of every query, as in {@link correctionOf}
 * @param then the rankings of the pipeline to compare with
 */
export function withCorrectedDifferences(
  correction: Correction,
  now: Run,
  then: Run,
  opinions: TwoOpinions,
): Correction {
  // A query that failed counts as an empty ranking, as in differences as counted.
  const all: Run = new Map([...opinions.annotators.keys()].map((id) => [id, then.get(id) ?? []]));
  const entries = Object.keys(correction.figures).flatMap((name) => {
    const { figures } = correctedDifference(now, all, parseMeasure(name), opinions);
    return figures[name] ? [[name, figures[name]] as const] : [];
  });
  return { ...correction, differences: Object.fromEntries(entries) };
}

function differenceUnit(now: PredictedUnit, then: PredictedUnit): PredictedUnit {
  const isDecided = now.truth !== undefined && then.truth !== undefined;
  return {
    predicted: now.predicted - then.predicted,
    truth: isDecided ? now.truth - then.truth : undefined,
    chance: now.chance,
    isAlone: isDecided && (now.isAlone === true || then.isAlone === true),
  };
}

/** The passages in the top k of any run, without duplicates. */
function eitherTop(ids: readonly string[], k: number, ...runs: readonly Run[]): Run {
  return new Map(
    ids.map((id) => {
      const tops = runs.flatMap((run) => (run.get(id) ?? []).slice(0, k));
      return [id, [...new Map(tops.map((ranked) => [ranked.item, ranked])).values()]];
    }),
  );
}

interface MeasuredFigure {
  readonly name: string;
  readonly k: number | undefined;
  readonly units: readonly PredictedUnit[];
  readonly corrected: Figure | undefined;
}

function correctionFrom(
  figures: readonly MeasuredFigure[],
  { labels, positives, hasNegatives, fitted }: Labels & Pick<Correction, 'fitted'>,
): Correction {
  const first = figures[0]?.units ?? [];
  const compared = first.filter(({ truth, isAlone }) => truth !== undefined && !isAlone);
  const [decided, queries] = [compared.length, first.length];
  const lacks = lackOf(
    { labels, positives, hasNegatives, decided, queries },
    first.some(({ isAlone }) => isAlone),
  );
  const shown = lacks ? [] : figures;
  return {
    figures: Object.fromEntries(
      shown.flatMap(({ name, corrected }) => (corrected ? [[name, corrected] as const] : [])),
    ),
    ...(lacks ? { lacks } : {}),
    decided,
    queries,
    labels,
    positives,
    more: moreWanted(decided, queries, shown[0]?.corrected),
    assumesRandom: compared.every(({ chance }) => chance === undefined),
    ...(fitted ? { fitted } : {}),
  };
}

function moreWanted(decided: number, units: number, figure: Figure | undefined): number {
  return figure
    ? moreDecided({ decided, units, half: (figure.high - figure.low) / 2 }, WANTED_REACH)
    : Math.max(0, Math.min(MIN_DECIDED, units) - decided);
}

function unitOf(id: string, run: Run, measure: Measure, opinions: TwoOpinions): PredictedUnit {
  const { annotators, judge, chances, basis } = opinions;
  const ranking = (run.get(id) ?? []).map(({ item }) => item);
  const judgeVerdicts = judge.get(id)!;
  const bounds = boundsOf(measure, ranking, annotators.get(id)!, basis);
  const answered = boundsOf(measure, ranking, judgeVerdicts, basis);
  const isDecided = isSettled(bounds);
  return {
    predicted: answered.low,
    truth: isDecided ? bounds.low : undefined,
    chance: chances.get(id),
    isAlone: isDecided && !isSettled(answered),
  };
}

/**
 * The first requirement that is not met. If there are too few queries in total, answers of the judge would not help.
 */
function lackOf(
  { labels, positives, hasNegatives, decided, queries }: Labels & Pick<Correction, 'decided' | 'queries'>,
  isAlone: boolean,
): Correction['lacks'] {
  if (labels > 0 && !hasNegatives) return 'negatives';
  if (decided < MIN_DECIDED) return isAlone && queries >= MIN_DECIDED ? 'unanswered' : 'queries';
  return positives < MIN_POSITIVES ? 'positives' : undefined;
}

interface Labels extends Pick<Correction, 'labels' | 'positives'> {
  readonly hasNegatives: boolean;
}

/** Counts people's labels in the top k, and positive ones that the judge answered as well. */
function labelsOn(run: Run, k: number, { annotators, judge }: TwoOpinions): Labels {
  let [labels, positives] = [0, 0];
  for (const [query, perspectives] of annotators) {
    const top = (run.get(query) ?? []).slice(0, k);
    for (const [perspective, passages] of perspectives)
      for (const { item } of top) {
        if (!passages.has(item)) continue;
        labels++;
        if (passages.get(item)! > 0 && judge.get(query)?.get(perspective)?.has(item)) positives++;
      }
  }
  return { labels, positives, hasNegatives: hasNegatives(annotators) };
}

function hasNegatives(qrels: Qrels): boolean {
  return [...qrels.values()].some((perspectives) =>
    [...perspectives.values()].some((passages) => [...passages.values()].some((label) => label <= 0)),
  );
}
