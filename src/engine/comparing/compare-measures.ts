/** Measures of several pipelines on one data set, with what tells them from the baseline. */
import {
  circularAmong,
  untested,
  type MaybeCircular,
  type MaybeTested,
} from '../../core/metrics/circular.ts';
import { holmCorrected, measureDifferences, type PairedDifference } from '../../core/metrics/differences.ts';
import type { Basis } from '../../core/metrics/judgements.ts';
import { isKnownDifference } from '../../core/metrics/measures.ts';
import type { RunEvaluation } from '../../core/metrics/evaluate.ts';
import type { Bounds } from '../../core/metrics/unjudged.ts';
import { mean } from '../../core/statistics/mean.ts';
import type { DatasetView, MeasureView, PipelineResultView } from '../../shared/panels/compare.ts';
import type { Pace } from '../concurrency/pace.ts';

type Measures = PipelineResultView['measures'];

export interface ScoredRun extends MaybeCircular {
  readonly scores: RunEvaluation;
  /** The bounds of measures that hang on what is unjudged. */
  readonly open: Readonly<Record<string, Bounds>>;
}

/**
 * The baseline is the first pipeline that ran. Where what nobody has judged is open, and too little is judged of it or of
 * another pipeline, there is no difference between the two. The p-values of a measure are Holm-corrected over all others
 * that ran; where a ranking is circular there is none.
 *
 * @param scores one per pipeline, undefined for one that could not be run
 * @param names of the measures to show
 * @param basis what the judgements say of passages that nobody has judged
 * @returns one per pipeline; empty for one that could not be run
 * @throws ParallaxError `cancelled`
 */
export async function measureViews(
  scores: readonly (ScoredRun | undefined)[],
  names: readonly string[],
  basis: Basis,
  pace: Pace,
): Promise<Measures[]> {
  const ran = scores.filter((own) => own !== undefined);
  const [baseline, ...others] = ran;
  const raw: Record<string, PairedDifference>[] = [];
  for (const other of others) {
    raw.push(measureDifferences(baseline!.scores, other.scores));
    await pace.rest();
  }
  const tested = new Map(withTests(baseline, others, raw));
  const known = (own: ScoredRun): Differences | undefined => {
    const found = tested.get(own);
    return found && basis === 'open' ? knownDifferences(baseline!, own, found) : found;
  };
  return scores.map((own) => (own ? measuresOf(own, names, known(own)) : {}));
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

function knownDifferences(baseline: ScoredRun, own: ScoredRun, found: Differences): Differences {
  const isKnown = (name: string): boolean => isKnownDifference(baseline.scores.mean, own.scores.mean, name);
  return Object.fromEntries(Object.entries(found).filter(([name]) => isKnown(name)));
}

function measuresOf(
  { scores: { mean: values }, open }: ScoredRun,
  names: readonly string[],
  differences: Differences | undefined,
): Measures {
  return Object.fromEntries(
    names.map((name) => {
      const difference = differences?.[name];
      return [
        name,
        {
          value: values[name] ?? 0,
          ...(open[name] ? { ifAllSupport: open[name].high } : {}),
          ...(difference ? { difference: differenceView(difference) } : {}),
        },
      ];
    }),
  );
}

function differenceView({
  difference,
  low,
  high,
  p,
  wins,
  losses,
  ties,
}: MaybeTested): NonNullable<MeasureView['difference']> {
  return { value: difference, low, high, ...(p === undefined ? {} : { p }), wins, losses, ties };
}

/**
 * Mean over data sets, each counting once, whatever its number of queries (BERDS, Table 3).
 *
 * @returns per pipeline; empty for one that could not be run on every data set, whose mean would be over
 *   others than the rest's. Undefined for a single data set
 */
export function macroAverages(
  datasets: readonly DatasetView[],
  names: readonly string[],
): Record<string, number>[] | undefined {
  const [first] = datasets;
  if (!first || datasets.length === 1) return undefined;
  return first.pipelines.map((_, place) => {
    const results = datasets.map(({ pipelines }) => pipelines[place]!);
    if (results.some(({ error }) => error !== undefined)) return {};
    return Object.fromEntries(
      names.map((name) => [name, mean(results.map(({ measures }) => measures[name]!.value))]),
    );
  });
}
