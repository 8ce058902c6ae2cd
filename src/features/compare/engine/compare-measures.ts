/** Measures of several pipelines on one data set, with their differences from the baseline. */
import {
  circularAmong,
  untested,
  type MaybeCircular,
  type MaybeTested,
} from '../../../core/metrics/circular.ts';
import { exactly, meanOf, type Measured } from '../../../core/measured.ts';
import {
  holmCorrected,
  knownDifferences,
  type KnownScores,
  type PairedDifference,
} from '../../../core/metrics/differences.ts';
import type { RunEvaluation } from '../../../core/metrics/evaluate.ts';
import { openMeasures, type MeasuredRun } from '../../../core/metrics/unjudged.ts';
import type {
  DatasetEvaluation,
  MeasureDifference,
  PipelineEvaluation,
} from '../../../evaluation/evaluation.ts';
import type { Pace } from '../../../engine/concurrency/pace.ts';

type Measures = PipelineEvaluation['measures'];

export interface ScoredRun extends MaybeCircular {
  readonly scores: RunEvaluation;
  readonly measured: MeasuredRun;
  readonly isJudged: KnownScores['isJudged'];
}

/**
 * The baseline is the first pipeline that ran. The p-values of a measure are Holm-corrected over all others that have
 * a difference; a circular ranking has none.
 *
 * @param scores one per pipeline, undefined for one that failed
 * @param names of the measures to show
 * @returns one per pipeline; empty for one that failed
 * @throws ParallaxError `cancelled`
 */
export async function measureViews(
  scores: readonly (ScoredRun | undefined)[],
  names: readonly string[],
  pace: Pace,
): Promise<Measures[]> {
  const ran = scores.filter((run) => run !== undefined);
  const [baseline, ...candidates] = ran;
  const raw: Record<string, PairedDifference>[] = [];
  for (const candidate of candidates) {
    raw.push(knownDifferences(knownOf(baseline!), knownOf(candidate)));
    await pace.rest();
  }
  const tested = new Map(withTests(baseline, candidates, raw));
  return scores.map((run) => (run ? measuresOf(run, names, tested.get(run)) : {}));
}

function knownOf({ scores, measured, isJudged }: ScoredRun): KnownScores {
  return { ...scores, open: openMeasures(measured), isJudged };
}

type Differences = Readonly<Record<string, MaybeTested>>;

/**
 * Leaves out circular rankings: a test measures how surprising a gain is, but a judge's own ranking seems to gain
 * anyway.
 */
function withTests(
  baseline: ScoredRun | undefined,
  candidates: readonly ScoredRun[],
  raw: readonly Record<string, PairedDifference>[],
): (readonly [ScoredRun, Differences])[] {
  const isTested = (run: ScoredRun): boolean => circularAmong(run, baseline!) === undefined;
  const corrected = holmCorrected(raw.filter((_, place) => isTested(candidates[place]!)));
  let next = 0;
  return candidates.map((run, place) => [
    run,
    isTested(run) ? corrected[next++]! : withoutTests(raw[place]!),
  ]);
}

function withoutTests(differences: Readonly<Record<string, PairedDifference>>): Differences {
  return Object.fromEntries(
    Object.entries(differences).map(([name, difference]) => [name, untested(difference)]),
  );
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
 * Mean over data sets, each with the same weight, whatever its number of queries (BERDS, Table 3).
 *
 * @returns per pipeline; empty for one that failed on a data set, whose mean would cover other data sets than the
 *   rest's; undefined for a single data set
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
