/** The report of `parallax eval`: figures, differences to one pipeline, and averages over data sets. */
import { isNoResult, unreadableText } from '../core/judging/unreadable.ts';
import type { UnanswerableReport } from '../core/analysis/unanswerable.ts';
import type { Certainties } from '../core/external/certainty.ts';
import type { Shortfalls } from '../core/external/shortfall.ts';
import { circularAmong } from '../core/metrics/circular.ts';
import { correctionText } from '../core/metrics/corrected-text.ts';
import type { Correction } from '../core/metrics/correction.ts';
import { holmCorrected, knownDifferences, type PairedDifference } from '../core/metrics/differences.ts';
import type { Basis } from '../core/metrics/judgements.ts';
import type { NamedPipeline } from '../core/pipeline.ts';
import { mean } from '../core/statistics/mean.ts';
import { isLowerBound } from '../core/facts.ts';
import type { ExperimentReport, JudgingReport, PipelineExperiment } from '../shared/experiment.ts';
import type { Dataset } from './datasets.ts';
import { unreadableOf } from './figure-judging.ts';
import { scoresOf } from './run-experiment.ts';

/** For each pipeline and data set, in `--json`. */
export interface PipelineReport extends NamedPipeline {
  /** `undefined` if there is only one. */
  readonly dataset?: string;
  /** Whether all perspectives of the queries count (given, open) or only those of the qrels' pool, as in ndeval. */
  readonly basis: Basis;
  /** The judge that both made the ranking and scores it. */
  readonly circular?: string;
  readonly metrics: Readonly<Record<string, number>>;
  /**
   * For means that further verdicts may change: the value if all unjudged passages supported. `undefined` if there are
   * none.
   */
  readonly most?: Readonly<Record<string, number>>;
  /** Share of the retrieved passages that are judged for the query, per cutoff. */
  readonly judged: Readonly<Record<string, number>>;
  readonly queries: readonly { readonly id: string; readonly metrics: Readonly<Record<string, number>> }[];
  /** With --corrected: estimated means if people had judged everything, in [0, 1], and the basis of the estimate. */
  readonly corrected?: Correction & { readonly note: string };
  /** Results for questions without an answer. `undefined` if the data set has none. */
  readonly unanswerable?: UnanswerableReport;
  /** Failed queries, which count as finding nothing. `undefined` if there are none. */
  readonly queryErrors?: PipelineExperiment['queryErrors'];
  /** If a store returned fewer candidates than requested: for how many queries, and the smallest number. */
  readonly short?: Shortfalls;
  /** For a projection over what a store returned: how many of the first k would be the same for the whole store. */
  readonly certainty?: Certainties;
}

/** A measure of one pipeline compared with the baseline. */
interface ComparisonReport extends Omit<PairedDifference, 'low' | 'high' | 'p'> {
  /** `undefined` if one of the two is circular, which certifies nothing. */
  readonly p?: number;
  readonly dataset?: string;
  readonly pipeline: string;
  readonly baseline: string;
  readonly metric: string;
  readonly ci: readonly [low: number, high: number];
  /** The number of compared queries: for measures that further verdicts may change, those fully judged under both. */
  readonly queries: number;
  /**
   * The difference divided by the baseline's mean, as in BERDS, Table 5. `undefined` if that mean is 0, or not over all
   * queries.
   */
  readonly relative?: number;
}

interface MacroAverage extends Pick<PipelineReport, 'metrics' | 'most'> {
  readonly pipeline: string;
  /** `undefined` if it is over all data sets. */
  readonly corpus?: string;
}

interface FailedReport {
  /** `undefined` if there is only one. */
  readonly dataset?: string;
  readonly name: string;
  readonly error: string;
}

export interface EvalReport {
  readonly pipelines: readonly PipelineReport[];
  /** Pipelines that could not be run on any query, with the reason as a sentence. `undefined` if there are none. */
  readonly failed?: readonly FailedReport[];
  readonly comparisons: readonly ComparisonReport[];
  /** If there are several data sets. */
  readonly macro?: readonly MacroAverage[];
  /** Why too many of the judge's answers were unreadable for any figures. */
  readonly noResult?: string;
  /** With a judge: the preceding judging, per data set. */
  readonly judging?: readonly (JudgingReport & { readonly dataset?: string })[];
}

export interface DatasetResult extends Pick<EvalReport, 'pipelines' | 'comparisons'> {
  /** Name of the pipeline with which the others are compared. */
  readonly baseline: string;
  readonly dataset: Pick<Dataset, 'name' | 'corpus' | 'queries' | 'qrelsFile' | 'labels'>;
  readonly experiment: ExperimentReport;
  readonly judging?: JudgingReport;
}

/** @param baseline name of the pipeline with which the others are compared */
export function resultOf(
  dataset: Dataset,
  experiment: ExperimentReport,
  baseline: string,
  cutoffs: readonly number[],
): DatasetResult {
  return {
    dataset,
    experiment,
    baseline,
    pipelines: experiment.pipelines.map((pipeline) => pipelineReport(pipeline, experiment.basis, cutoffs)),
    // If the budget ran out early, the pipeline judged first would look better.
    comparisons: experiment.judging?.stopped ? [] : compare(experiment, baseline),
    ...(experiment.judging ? { judging: experiment.judging } : {}),
  };
}

function pipelineReport(
  {
    name,
    pipeline,
    metrics,
    queries,
    queryErrors,
    short,
    certainty,
    circular,
    correction,
    open,
    unanswerable,
  }: PipelineExperiment,
  basis: Basis,
  cutoffs: readonly number[],
): PipelineReport {
  return {
    name,
    pipeline,
    basis,
    ...(circular === undefined ? {} : { circular }),
    metrics,
    ...mostOf(metrics, open),
    judged: Object.fromEntries(
      cutoffs.flatMap((k) => {
        const share = metrics[`Judged@${k}`];
        return share === undefined ? [] : [[`@${k}`, share]];
      }),
    ),
    queries,
    ...(correction ? { corrected: { ...correction, note: correctionText(correction) } } : {}),
    ...(unanswerable ? { unanswerable } : {}),
    ...(queryErrors.length > 0 ? { queryErrors } : {}),
    ...(short ? { short } : {}),
    ...(certainty ? { certainty } : {}),
  };
}

function mostOf(
  metrics: Readonly<Record<string, number>>,
  open: PipelineExperiment['open'] = {},
): Pick<PipelineReport, 'most'> {
  const most = Object.entries(open).flatMap(([name, measured]) =>
    name in metrics && isLowerBound(measured) ? [[name, measured.most!] as const] : [],
  );
  return most.length === 0 ? {} : { most: Object.fromEntries(most) };
}

function compare({ pipelines }: ExperimentReport, baseline: string): ComparisonReport[] {
  const first = pipelines.find(({ name }) => name === baseline);
  if (!first) return [];
  const otherPipelines = pipelines.filter((pipeline) => pipeline !== first);
  const isTested = (pipeline: PipelineExperiment): boolean => circularAmong(pipeline, first) === undefined;
  const differencesOf = (pipeline: PipelineExperiment) =>
    knownDifferences(scoresOf(first), scoresOf(pipeline));
  const tested = otherPipelines.filter(isTested);
  const corrected = holmCorrected(tested.map(differencesOf));
  return otherPipelines.flatMap((pipeline) => {
    const place = tested.indexOf(pipeline);
    return Object.entries(corrected[place] ?? differencesOf(pipeline)).map(
      ([metric, { difference, low, high, p, ...tally }]) => {
        const queries = tally.wins + tally.losses + tally.ties;
        const isOfAll = queries === first.queries.length;
        return {
          pipeline: pipeline.name,
          baseline,
          metric,
          difference,
          ci: [low, high] as const,
          ...(isOfAll ? relativeTo(first.metrics[metric]!, difference) : {}),
          ...(place < 0 ? {} : { p }),
          ...tally,
          queries,
        };
      },
    );
  });
}

function relativeTo(baseline: number, difference: number): { readonly relative?: number } {
  return baseline === 0 ? {} : { relative: difference / baseline };
}

/** The report over all data sets; without figures if too many of the judge's answers were unreadable. */
export function reportOf(results: readonly DatasetResult[]): EvalReport {
  const report = figuresOf(results);
  const noResult = (report.judging ?? []).map(unreadableOf).find(isNoResult);
  if (!noResult) return report;
  return { noResult: unreadableText(noResult)!, pipelines: [], comparisons: [], judging: report.judging! };
}

function figuresOf(results: readonly DatasetResult[]): EvalReport {
  const [only, another] = results;
  if (!another) {
    const { pipelines, comparisons, judging, experiment } = only!;
    return {
      pipelines,
      ...failedOf(experiment.failed),
      comparisons,
      ...(judging ? { judging: [judging] } : {}),
    };
  }
  const judged = results.flatMap(({ dataset: { name }, judging }) =>
    judging ? [{ dataset: name, ...judging }] : [],
  );
  return {
    pipelines: results.flatMap(({ dataset: { name }, pipelines }) =>
      pipelines.map((each) => ({ dataset: name, ...each })),
    ),
    ...failedOf(
      results.flatMap(({ dataset: { name }, experiment }) =>
        experiment.failed.map((each) => ({ dataset: name, ...each })),
      ),
    ),
    comparisons: results.flatMap(({ dataset: { name }, comparisons }) =>
      comparisons.map((each) => ({ dataset: name, ...each })),
    ),
    macro: macroAverages(results),
    ...(judged.length > 0 ? { judging: judged } : {}),
  };
}

const failedOf = (failed: readonly FailedReport[]): Pick<EvalReport, 'failed'> =>
  failed.length > 0 ? { failed } : {};

/** Corpora are not averaged if each has several data sets (BERDS, tables 3 and 5). */
function macroAverages(results: readonly DatasetResult[]): MacroAverage[] {
  const byCorpus = [...Map.groupBy(results, ({ dataset }) => dataset.corpus)];
  const isCrossed = byCorpus.length > 1 && byCorpus.some(([, resultsOfCorpus]) => resultsOfCorpus.length > 1);
  return isCrossed
    ? byCorpus.flatMap(([corpus, resultsOfCorpus]) =>
        averagesOf(resultsOfCorpus).map((each) => ({ corpus, ...each })),
      )
    : averagesOf(results);
}

/** Only pipelines and measures that all data sets have. */
function averagesOf(results: readonly DatasetResult[]): MacroAverage[] {
  return results[0]!.pipelines.flatMap(({ name, metrics }) => {
    const all = results.flatMap(({ pipelines }) => pipelines.filter((pipeline) => pipeline.name === name));
    if (all.length < results.length) return [];
    const shared = Object.keys(metrics).filter((metric) =>
      all.every((pipeline) => metric in pipeline.metrics),
    );
    const means = (value: (pipeline: PipelineReport, metric: string) => number, names: readonly string[]) =>
      Object.fromEntries(
        names.map((metric) => [metric, mean(all.map((pipeline) => value(pipeline, metric)))]),
      );
    const open = shared.filter((metric) => all.some(({ most = {} }) => metric in most));
    return [
      {
        pipeline: name,
        metrics: means((pipeline, metric) => pipeline.metrics[metric]!, shared),
        ...(open.length === 0
          ? {}
          : {
              most: means(
                ({ most = {}, ...pipeline }, metric) => most[metric] ?? pipeline.metrics[metric]!,
                open,
              ),
            }),
      },
    ];
  });
}
