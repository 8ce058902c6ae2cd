/** Measures of several pipelines on one data set, with what tells them from the baseline. */
import {
  circularAmong,
  untested,
  type MaybeCircular,
  type MaybeTested,
} from '../../core/metrics/circular.ts';
import { exactly, meanOf, type Measured } from '../../core/measured.ts';
import { holmCorrected, measureDifferences, type PairedDifference } from '../../core/metrics/differences.ts';
import type { RunEvaluation } from '../../core/metrics/evaluate.ts';
import type { MeasuredRun } from '../../core/metrics/unjudged.ts';
import type {
  DatasetEvaluation,
  MeasureDifference,
  PipelineEvaluation,
} from '../../evaluation/evaluation.ts';
import type { Pace } from '../concurrency/pace.ts';

type Measures = PipelineEvaluation['measures'];

export interface ScoredRun extends MaybeCircular {
  readonly scores: RunEvaluation;
  readonly measured: MeasuredRun;
  /** Whether all of the top k has a verdict for every perspective of a query. */
  readonly isJudged: (query: string) => boolean;
}

/**
 * The baseline is the first pipeline that ran. A difference is over the queries that are fully judged under both: a value that
 * is exact because it is 1 already would select by the outcome. The p-values of a measure are Holm-corrected over all others
 * that have a difference; a circular ranking has none.
 *
 * @param scores one per pipeline, undefined for one that could not be run
 * @param names of the measures to show
 * @returns one per pipeline; empty for one that could not be run
 * @throws ParallaxError `cancelled`
 */
export async function measureViews(
  scores: readonly (ScoredRun | undefined)[],
  names: readonly string[],
  pace: Pace,
): Promise<Measures[]> {
  const ran = scores.filter((own) => own !== undefined);
  const [baseline, ...others] = ran;
  const raw: Record<string, PairedDifference>[] = [];
  for (const other of others) {
    raw.push(exactDifferences(baseline!, other));
    await pace.rest();
  }
  const tested = new Map(withTests(baseline, others, raw));
  return scores.map((own) => (own ? measuresOf(own, names, tested.get(own)) : {}));
}

type Differences = Readonly<Record<string, MaybeTested>>;

/** A test says how surprising a gain is; a judge's own ranking gains in its eyes without any. */
function withTests(
  baseline: ScoredRun | undefined,
  others: readonly ScoredRun[],
  raw: readonly Record<string, PairedDifference>[],
): (readonly [ScoredRun, Differences])[] {
  const isTested = (own: ScoredRun): boolean => circularAmong(own, baseline!) === undefined;
  const corrected = holmCorrected(raw.filter((_, place) => isTested(others[place]!)));
  let next = 0;
  return others.map((own, place) => [own, isTested(own) ? corrected[next++]! : withoutTests(raw[place]!)]);
}

function withoutTests(found: Readonly<Record<string, PairedDifference>>): Differences {
  return Object.fromEntries(Object.entries(found).map(([name, own]) => [name, untested(own)]));
}

/** Measures that no verdict changes are compared on all queries, the others on those that are fully judged. */
function exactDifferences(baseline: ScoredRun, other: ScoredRun): Record<string, PairedDifference> {
  const queries = [...baseline.scores.perTopic.keys()];
  const isExact = (name: string): boolean =>
    [baseline, other].every(({ measured }) =>
      queries.every((query) => (measured.perQuery.get(query)?.[name]?.bound ?? 'exact') === 'exact'),
    );
  const names = Object.keys(baseline.scores.mean);
  const judged = queries.filter((query) => baseline.isJudged(query) && other.isJudged(query));
  const between = (those: readonly string[], on: readonly string[]): Record<string, PairedDifference> => {
    if (those.length === 0 || on.length === 0) return {};
    const only = new Set(on);
    return measureDifferences(
      restricted(baseline.scores, those, only),
      restricted(other.scores, those, only),
    );
  };
  return {
    ...between(names.filter(isExact), queries),
    ...between(
      names.filter((name) => !isExact(name)),
      judged,
    ),
  };
}

function restricted(
  { mean, perTopic, vectors }: RunEvaluation,
  names: readonly string[],
  queries: ReadonlySet<string>,
): Parameters<typeof measureDifferences>[0] {
  return {
    mean: Object.fromEntries(names.map((name) => [name, mean[name]!])),
    perTopic: new Map([...perTopic].filter(([query]) => queries.has(query))),
    vectors,
  };
}

function measuresOf(
  { measured: { means } }: ScoredRun,
  names: readonly string[],
  differences: Differences | undefined,
): Measures {
  return Object.fromEntries(
    names.map((name) => {
      const difference = differences?.[name];
      return [
        name,
        {
          ...(means[name] ?? exactly(0)),
          ...(difference ? { difference: differenceView(difference) } : {}),
        },
      ];
    }),
  );
}

function differenceView({ difference, low, high, p, wins, losses, ties }: MaybeTested): MeasureDifference {
  return { value: difference, low, high, ...(p === undefined ? {} : { p }), wins, losses, ties };
}

/**
 * Mean over data sets, each counting once, whatever its number of queries (BERDS, Table 3).
 *
 * @returns per pipeline; empty for one that could not be run on every data set, whose mean would be over
 *   others than the rest's. Undefined for a single data set
 */
export function macroAverages(
  datasets: readonly DatasetEvaluation[],
  names: readonly string[],
): Record<string, Measured>[] | undefined {
  const [first] = datasets;
  if (!first || datasets.length === 1) return undefined;
  return first.pipelines.map((_, place) => {
    const results = datasets.map(({ pipelines }) => pipelines[place]!);
    if (results.some(({ error }) => error !== undefined)) return {};
    return Object.fromEntries(
      names.map((name) => [name, meanOf(results.map(({ measures }) => measures[name]!))]),
    );
  });
}
