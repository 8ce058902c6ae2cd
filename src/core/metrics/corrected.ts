/**
 * Figures that rest on a judge, corrected for what it gets wrong by the queries that people have decided: see
 * docs/corrected-figures.md.
 */
import type { Qrels, Run } from '../model.ts';
import {
  correctedMean,
  DIFFERENCES,
  LEAST_DECIDED,
  moreDecided,
  type PredictedUnit,
} from '../statistics/prediction-powered.ts';
import type { Correction } from './correction.ts';
import type { Figure } from './figures.ts';
import type { Basis } from './judgements.ts';
import { definitionOf, measureName, parseMeasure, type Measure } from './measures.ts';
import { boundsOf, isSettled } from './unjudged.ts';

/** Verdicts by who gave them. Each query has all its perspectives, with or without judgements. */
export interface TwoOpinions {
  /** People's verdicts. */
  readonly people: Qrels;
  /** The judge's own verdicts, also on pairs that people labelled. */
  readonly judge: Qrels;
  /** By query id, the chance with which it was drawn for people; absent where somebody picked it. */
  readonly chances: ReadonlyMap<string, number>;
  readonly basis: Basis;
  /** Of a judge that labels have fitted: see {@link Correction}. */
  readonly fitted?: Correction['fitted'];
}

/** Nobody knows how often a judge misses support that was checked on fewer pairs with support. */
export const LEAST_POSITIVES = 10;
/** An interval that reaches no further to either side is narrow enough for most decisions. */
export const WANTED_REACH = 0.05;

/**
 * @param run the ranking of every query; one without finds nothing
 * @param measures those that a few judgements may settle are corrected; the first of them says what is lacking
 */
export function correctionOf(run: Run, measures: readonly Measure[], opinions: TwoOpinions): Correction {
  const found = measures
    .filter((measure) => definitionOf(measure).risesWithSupport)
    .map((measure) => {
      const units = [...opinions.people.keys()].map((id) => unitOf(id, run, measure, opinions));
      return { name: measureName(measure), k: measure.k, units, corrected: correctedMean(units) };
    });
  const labels = labelsOn(run, Math.max(...found.map(({ k }) => k ?? Infinity)), opinions);
  return correctionFrom(found, { ...labels, fitted: opinions.fitted });
}

/**
 * How much better a ranking is than another, without the judge's errors: a figure in [−1, 1], under the measure's name. A
 * query is decided where people decided both.
 *
 * @param now rankings of every query that is compared
 * @param then those that they are compared with; a query without one is not compared
 * @param measure one that a few judgements may settle
 */
export function correctedDifference(
  now: Run,
  then: Run,
  measure: Measure,
  opinions: TwoOpinions,
): Correction {
  const ids = [...then.keys()].filter((id) => opinions.people.has(id));
  const units = ids.map((id) =>
    differenceUnit(unitOf(id, now, measure, opinions), unitOf(id, then, measure, opinions)),
  );
  const { k = Infinity } = measure;
  const corrected = correctedMean(units, DIFFERENCES);
  const found = { name: measureName(measure), k: measure.k, units, corrected };
  const labels = labelsOn(eitherTop(ids, k, now, then), Infinity, opinions);
  return correctionFrom([found], { ...labels, fitted: opinions.fitted });
}

/**
 * A correction with differences of its figures.
 *
 * @param now the ranking of every query, as in {@link correctionOf}
 * @param then the same of the pipeline that it is compared with
 */
export function withCorrectedDifferences(
  correction: Correction,
  now: Run,
  then: Run,
  opinions: TwoOpinions,
): Correction {
  // A query that could not be asked found nothing, as in differences as counted.
  const all: Run = new Map([...opinions.people.keys()].map((id) => [id, then.get(id) ?? []]));
  const found = Object.keys(correction.figures).flatMap((name) => {
    const { figures } = correctedDifference(now, all, parseMeasure(name), opinions);
    return figures[name] ? [[name, figures[name]] as const] : [];
  });
  return { ...correction, differences: Object.fromEntries(found) };
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

/** The passages in the top k of either, each once. */
function eitherTop(ids: readonly string[], k: number, ...runs: readonly Run[]): Run {
  return new Map(
    ids.map((id) => {
      const tops = runs.flatMap((run) => (run.get(id) ?? []).slice(0, k));
      return [id, [...new Map(tops.map((ranked) => [ranked.item, ranked])).values()]];
    }),
  );
}

interface Found {
  readonly name: string;
  readonly k: number | undefined;
  readonly units: readonly PredictedUnit[];
  readonly corrected: Figure | undefined;
}

function correctionFrom(
  found: readonly Found[],
  { labels, positives, fitted }: Pick<Correction, 'labels' | 'positives' | 'fitted'>,
): Correction {
  const first = found[0]?.units ?? [];
  const compared = first.filter(({ truth, isAlone }) => truth !== undefined && !isAlone);
  const [decided, queries] = [compared.length, first.length];
  const lacks = lackOf(
    { positives, decided, queries },
    first.some(({ isAlone }) => isAlone),
  );
  const shown = lacks ? [] : found;
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

function moreWanted(decided: number, units: number, found: Figure | undefined): number {
  return found
    ? moreDecided({ decided, units, half: (found.high - found.low) / 2 }, WANTED_REACH)
    : Math.max(0, Math.min(LEAST_DECIDED, units) - decided);
}

function unitOf(id: string, run: Run, measure: Measure, opinions: TwoOpinions): PredictedUnit {
  const { people, judge, chances, basis } = opinions;
  const ranking = (run.get(id) ?? []).map(({ item }) => item);
  const own = judge.get(id)!;
  const said = boundsOf(measure, ranking, people.get(id)!, basis);
  const answered = boundsOf(measure, ranking, own, basis);
  const isDecided = isSettled(said);
  return {
    predicted: answered.low,
    truth: isDecided ? said.low : undefined,
    chance: chances.get(id),
    isAlone: isDecided && !isSettled(answered),
  };
}

/** The first thing that is missing; where all queries together are too few, no answer of the judge would help. */
function lackOf(
  { positives, decided, queries }: Pick<Correction, 'positives' | 'decided' | 'queries'>,
  isAlone: boolean,
): Correction['lacks'] {
  if (decided < LEAST_DECIDED) return isAlone && queries >= LEAST_DECIDED ? 'unanswered' : 'queries';
  return positives < LEAST_POSITIVES ? 'positives' : undefined;
}

/** People's labels in the top k: their number, and how many say support of a pair that the judge answered as well. */
function labelsOn(
  run: Run,
  k: number,
  { people, judge }: TwoOpinions,
): Pick<Correction, 'labels' | 'positives'> {
  let [labels, positives] = [0, 0];
  for (const [query, perspectives] of people) {
    const top = (run.get(query) ?? []).slice(0, k);
    for (const [perspective, passages] of perspectives)
      for (const { item } of top) {
        if (!passages.has(item)) continue;
        labels++;
        if (passages.get(item)! > 0 && judge.get(query)?.get(perspective)?.has(item)) positives++;
      }
  }
  return { labels, positives };
}
