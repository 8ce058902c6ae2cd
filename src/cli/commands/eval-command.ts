/** `parallax eval`: scores pipelines on queries with judgements. */
import { circularAmong } from '../../core/metrics/circular.ts';
import { holmCorrected, measureDifferences, type PairedDifference } from '../../core/metrics/differences.ts';
import {
  definitionOf,
  measureName,
  measuresAt,
  namesShown,
  type Measure,
} from '../../core/metrics/measures.ts';
import type { Shortfalls } from '../../core/external/shortfall.ts';
import type { CorrectedFigure, Correction } from '../../core/metrics/correction.ts';
import { correctionText } from '../../core/metrics/corrected-text.ts';
import { isNoResult, unreadableText } from '../../core/judging/unreadable.ts';
import type { Basis } from '../../core/metrics/judgements.ts';
import type { NamedPipeline, Pipeline } from '../../core/pipeline.ts';
import { mean } from '../../core/statistics/mean.ts';
import type { ExperimentReport, JudgingReport, PipelineExperiment } from '../../shared/experiment.ts';
import { DATASET_COLUMN, DATASET_OPTIONS, DATASETS_HELP, forEachDataset, type Dataset } from '../datasets.ts';
import {
  CORRECTED_OPTION,
  describeJudging,
  judgementSources,
  judgingOptions,
  judgingExitCode,
  unreadableOf,
  readJudging,
  type Judging,
} from '../figure-judging.ts';
import {
  isNothingJudged,
  NOTHING_JUDGED,
  withKnownFigures,
  withComparableFigures,
} from '../known-figures.ts';
import { readPipelines } from '../options/pipeline-option.ts';
import { readConfigFromHere } from '../options/read-config.ts';
import { WRITE_QRELS_OPTION, writeQrels } from '../options/write-qrels.ts';
import { queryErrorsExitCode, runExperiment, scoresOf } from '../run-experiment.ts';
import {
  formatTable,
  parseCutoffs,
  percent,
  pointsOf,
  UsageError,
  writeJson,
  type Io,
} from '../presentation/terminal.ts';
import { describeStandIns } from '../presentation/stand-ins.ts';
import { command } from './command.ts';

/** Per pipeline and data set in `--json`. */
interface PipelineReport extends NamedPipeline {
  /** Absent where there is only one. */
  readonly dataset?: string;
  /** Whether all perspectives of the queries count (given, open) or those of the qrels' pool, as in ndeval. */
  readonly basis: Basis;
  /** The judge that both made the ranking and scores it. */
  readonly circular?: string;
  readonly metrics: Readonly<Record<string, number>>;
  /** Share of the retrieved passages that were judged for the query, per cutoff. */
  readonly judged: Readonly<Record<string, number>>;
  readonly queries: readonly { readonly id: string; readonly metrics: Readonly<Record<string, number>> }[];
  /** With --corrected: means as they would be had people judged all, in [0, 1], and what they rest on. */
  readonly corrected?: Correction & { readonly note: string };
  /** Queries that could not be asked: they found nothing, and count as such; absent where there are none. */
  readonly queryErrors?: PipelineExperiment['queryErrors'];
  /** A store returned fewer candidates than it was asked for: for how many queries, and how few at worst. */
  readonly short?: Shortfalls;
}

/** One measure of one pipeline beside the same of the baseline. */
interface ComparisonReport extends Omit<PairedDifference, 'low' | 'high' | 'p'> {
  /** Absent where one of the two is circular: nothing is certified then. */
  readonly p?: number;
  readonly dataset?: string;
  readonly pipeline: string;
  readonly baseline: string;
  readonly metric: string;
  readonly ci: readonly [low: number, high: number];
  /** The difference as a share of the baseline's mean, as in BERDS, Table 5; absent where that is 0. */
  readonly relative?: number;
}

interface MacroAverage {
  readonly pipeline: string;
  /** Absent where it is over all data sets. */
  readonly corpus?: string;
  readonly metrics: Readonly<Record<string, number>>;
}

interface EvalReport {
  readonly pipelines: readonly PipelineReport[];
  readonly comparisons: readonly ComparisonReport[];
  /** With several data sets. */
  readonly macro?: readonly MacroAverage[];
  /** So much of what the judge answered could not be read that there are no figures: how much, and why. */
  readonly noResult?: string;
  /** With a judge: per data set, what was judged first. */
  readonly judging?: readonly (JudgingReport & { readonly dataset?: string })[];
}

interface DatasetResult extends Pick<EvalReport, 'pipelines' | 'comparisons'> {
  readonly dataset: Pick<Dataset, 'name' | 'corpus' | 'qrelsFile'>;
  readonly experiment: ExperimentReport;
  readonly judging?: JudgingReport;
}

export const evalCommand = command({
  usage: 'parallax eval --corpus <file|folder> --queries <file> --qrels <file> --pipeline <json|name> …',
  options: {
    ...DATASET_OPTIONS,
    pipeline: {
      type: 'string',
      multiple: true,
      help: 'a pipeline as JSON, or its name: bm25, dense, hybrid, or one of parallax.json; may be repeated',
    },
    'compare-to': {
      type: 'string',
      help: 'name of the pipeline that the others are compared to (default: the first)',
    },
    k: { type: 'string', default: '5,10', help: 'cutoffs, separated by commas (default 5,10)' },
    ...judgingOptions('figures'),
    corrected: CORRECTED_OPTION,
    'write-qrels': WRITE_QRELS_OPTION,
  },
  column: DATASET_COLUMN,
  notes: `${DATASETS_HELP}
Differences are to one pipeline on the same queries: 95% intervals of a paired bootstrap; p of a two-sided
paired randomisation test, Holm-corrected over the pipelines compared, for each measure and data set.
Macro-averages count each data set once; where all queries are asked of all corpora, there is one per corpus.
With --judge and --scope figures, only measures that rest on the judged pairs alone are worked out.
The exit code is 3 when the budget was spent before all was judged, and 1 when pairs have no answer or queries
could not be asked, which count as finding nothing, or when nothing is judged at all.
`,
  async run({ values }, io) {
    const config = await readConfigFromHere(values.config);
    const pipelines = readPipelines(values.pipeline, config);
    const baseline = readBaseline(values['compare-to'], pipelines);
    const cutoffs = parseCutoffs(values.k);
    const judging = readJudging(values, config, 'figures');
    const request = { pipelines, baseline, cutoffs, judging, lines: values['write-qrels'] !== undefined };
    const results = await forEachDataset(
      values,
      judging?.config ?? config,
      io,
      (dataset) => evaluate(dataset, request, io),
      { judged: judging !== undefined },
    );
    const report = reportOf(results);
    if (values.json !== '-') io.stdout(describe(results, report, cutoffs));
    if (values.json !== undefined) await writeJson(values.json, report, io);
    const judged = results.map(({ dataset: { name }, experiment: { lines = [] } }) => ({ name, lines }));
    await writeQrels(values['write-qrels'], judged, io);
    const code = judgingExitCode(report.judging ?? [], values.store !== undefined, io);
    const experiments = results.map(({ experiment }) => experiment);
    if (code !== 0 || experiments.every(isNothingJudged)) return code || 1;
    return queryErrorsExitCode(experiments);
  },
});

function readBaseline(name: string | undefined, pipelines: readonly NamedPipeline[]): string {
  const names = pipelines.map((each) => each.name);
  if (name !== undefined && !names.includes(name))
    throw new UsageError(`--compare-to: there is no pipeline "${name}" here; known are ${names.join(', ')}.`);
  return name ?? names[0]!;
}

/** The same for all data sets. */
interface Wanted {
  readonly pipelines: readonly NamedPipeline[];
  /** Name of the pipeline that the others are compared to. */
  readonly baseline: string;
  readonly cutoffs: readonly number[];
  readonly judging: Judging | undefined;
  /** Whether all that is judged is to be written down. */
  readonly lines: boolean;
}

async function evaluate(
  dataset: Dataset,
  { pipelines, baseline, cutoffs, judging, lines }: Wanted,
  io: Io,
): Promise<DatasetResult> {
  const measures = measuresFor(judging, cutoffs).map(measureName);
  const wanted = {
    pipelines,
    k: Math.max(...cutoffs),
    cutoffs,
    measures,
    judging,
    lines,
    compareTo: baseline,
  };
  const experiment = withKnownFigures(await runExperiment(dataset, wanted, io));
  return {
    dataset,
    experiment,
    pipelines: experiment.pipelines.map((own) => pipelineReport(own, experiment.basis, cutoffs)),
    // What was judged before the budget ended favours whichever pipeline was looked at first.
    comparisons: experiment.judging?.stopped ? [] : compare(experiment, baseline),
    ...(experiment.judging ? { judging: experiment.judging } : {}),
  };
}

function measuresFor(judging: Judging | undefined, cutoffs: readonly number[]): Measure[] {
  const all = measuresAt(cutoffs);
  return judging?.scope === 'figures'
    ? all.filter((measure) => definitionOf(measure).exactWithHeadline)
    : all;
}

function pipelineReport(
  { name, pipeline, metrics, queries, queryErrors, short, circular, correction }: PipelineExperiment,
  basis: Basis,
  cutoffs: readonly number[],
): PipelineReport {
  return {
    name,
    pipeline,
    basis,
    ...(circular === undefined ? {} : { circular }),
    metrics,
    judged: Object.fromEntries(cutoffs.map((k) => [`@${k}`, metrics[`Judged@${k}`] ?? 0])),
    queries,
    ...(correction ? { corrected: { ...correction, note: correctionText(correction) } } : {}),
    ...(queryErrors.length > 0 ? { queryErrors } : {}),
    ...(short ? { short } : {}),
  };
}

function compare({ pipelines, basis }: ExperimentReport, baseline: string): ComparisonReport[] {
  const first = pipelines.find(({ name }) => name === baseline)!;
  const others = pipelines.filter((own) => own !== first);
  const isTested = (own: PipelineExperiment): boolean => circularAmong(own, first) === undefined;
  const differencesOf = (own: PipelineExperiment) => {
    const [base, other] = withComparableFigures(first, own, basis);
    return measureDifferences(scoresOf(base), scoresOf(other));
  };
  const tested = others.filter(isTested);
  const corrected = holmCorrected(tested.map(differencesOf));
  return others.flatMap((own) => {
    const place = tested.indexOf(own);
    return Object.entries(corrected[place] ?? differencesOf(own)).map(
      ([metric, { difference, low, high, p, ...tally }]) => ({
        pipeline: own.name,
        baseline,
        metric,
        difference,
        ci: [low, high] as const,
        ...relativeTo(first.metrics[metric]!, difference),
        ...(place < 0 ? {} : { p }),
        ...tally,
      }),
    );
  });
}

function relativeTo(baseline: number, difference: number): { readonly relative?: number } {
  return baseline === 0 ? {} : { relative: difference / baseline };
}

function reportOf(results: readonly DatasetResult[]): EvalReport {
  const report = figuresOf(results);
  const noResult = (report.judging ?? []).map(unreadableOf).find(isNoResult);
  if (!noResult) return report;
  return { noResult: unreadableText(noResult)!, pipelines: [], comparisons: [], judging: report.judging! };
}

function figuresOf(results: readonly DatasetResult[]): EvalReport {
  const [only, another] = results;
  if (!another) {
    const { pipelines, comparisons, judging } = only!;
    return { pipelines, comparisons, ...(judging ? { judging: [judging] } : {}) };
  }
  const judged = results.flatMap(({ dataset: { name }, judging }) =>
    judging ? [{ dataset: name, ...judging }] : [],
  );
  return {
    pipelines: results.flatMap(({ dataset: { name }, pipelines }) =>
      pipelines.map((each) => ({ dataset: name, ...each })),
    ),
    comparisons: results.flatMap(({ dataset: { name }, comparisons }) =>
      comparisons.map((each) => ({ dataset: name, ...each })),
    ),
    macro: macroAverages(results),
    ...(judged.length > 0 ? { judging: judged } : {}),
  };
}

/** Corpora are not averaged where each has several data sets (BERDS, tables 3 and 5). */
function macroAverages(results: readonly DatasetResult[]): MacroAverage[] {
  const byCorpus = [...Map.groupBy(results, ({ dataset }) => dataset.corpus)];
  const isCrossed = byCorpus.length > 1 && byCorpus.some(([, own]) => own.length > 1);
  return isCrossed
    ? byCorpus.flatMap(([corpus, own]) => averagesOf(own).map((each) => ({ corpus, ...each })))
    : averagesOf(results);
}

/** Only measures that all data sets have. */
function averagesOf(results: readonly DatasetResult[]): MacroAverage[] {
  return results[0]!.pipelines.map(({ name, metrics }, place) => {
    const all = results.map(({ pipelines }) => pipelines[place]!.metrics);
    const shared = Object.keys(metrics).filter((metric) => all.every((own) => metric in own));
    return {
      pipeline: name,
      metrics: Object.fromEntries(shared.map((metric) => [metric, mean(all.map((own) => own[metric]!))])),
    };
  });
}

function describe(results: readonly DatasetResult[], report: EvalReport, cutoffs: readonly number[]): string {
  const heads = results.map(describeDataset).join('');
  // Figures that are no result are not shown as if they were one.
  if (report.noResult) return heads;
  if (results.every(({ experiment }) => isNothingJudged(experiment))) return `${heads}${NOTHING_JUDGED}\n`;
  return (
    heads +
    `All figures in percent; unjudged passages count as not supporting,\n` +
    `and Judged@k says how many of the passages in the top k were judged at all.\n` +
    describeBasis(results, report) +
    '\n' +
    describeScores(report, cutoffs) +
    describeStandIns(report.pipelines) +
    describeCorrected(report) +
    describeCircular(report) +
    describeMaxima(report) +
    describeComparisons(report, cutoffs) +
    describeUncompared(results)
  );
}

function describeUncompared(results: readonly DatasetResult[]): string {
  const isUncompared = results.some(({ judging, pipelines }) => judging?.stopped && pipelines.length > 1);
  return isUncompared
    ? '\nDifferences between pipelines are given when all is judged that they rest on.\n'
    : '';
}

/** Names the divisor of measures of perspectives. */
function describeBasis(results: readonly DatasetResult[], { pipelines }: EvalReport): string {
  if (!pipelines.some(({ metrics }) => Object.keys(metrics).some((name) => name.startsWith('StRecall@'))))
    return '';
  const named = (wanted: readonly Basis[]): string => {
    const own = results.filter(({ experiment }) => wanted.includes(experiment.basis));
    const names = own.length === results.length ? [] : own.map(({ dataset }) => dataset.name);
    return names.length === 0 ? '' : ` (${names.join(', ')})`;
  };
  const has = (basis: Basis): boolean => results.some(({ experiment }) => experiment.basis === basis);
  const given = has('given') || has('open');
  return (
    (given
      ? `Every perspective of the queries counts in StRecall, α-nDCG and ERR-IA, also one that nothing supports${named(['given', 'open'])}.\n`
      : '') +
    (has('open') ? `nDCG is against k passages that support${named(['open'])}.\n` : '') +
    (has('pooled')
      ? `Perspectives are those that some passage of the qrels supports, as in ndeval${named(['pooled'])}.\n`
      : '')
  );
}

function describeDataset({ dataset, experiment, judging }: DatasetResult): string {
  const { name } = dataset;
  return (
    `${name === '' ? '' : `${name}: `}${experiment.queries} queries; judgements: ${judgementSources(dataset, judging)}.\n` +
    (judging ? describeJudging(judging) : '')
  );
}

function describeScores({ pipelines, macro = [] }: EvalReport, cutoffs: readonly number[]): string {
  const columns = cutoffs
    .flatMap((k) => namesShown('reports', k))
    .filter((name) => pipelines.some(({ metrics }) => name in metrics));
  const cells = (metrics: PipelineReport['metrics']): string[] =>
    columns.map((column) => (column in metrics ? percent(metrics[column]!) : '–'));
  if (macro.length === 0)
    return formatTable(
      ['pipeline', ...columns],
      pipelines.map(({ name, metrics }) => [name, ...cells(metrics)]),
    );
  return formatTable(
    ['data set', 'pipeline', ...columns],
    [
      ...pipelines.map(({ dataset = '', name, metrics }) => [dataset, name, ...cells(metrics)]),
      ...macro.map(({ corpus, pipeline, metrics }) => [
        corpus === undefined ? 'macro-average' : `macro-average, ${corpus}`,
        pipeline,
        ...cells(metrics),
      ]),
    ],
    2,
  );
}

/** The figures with the judge's errors taken out. */
function describeCorrected({ pipelines }: EvalReport): string {
  const corrected = pipelines.filter((own) => own.corrected !== undefined);
  if (corrected.length === 0) return '';
  const isCompared = corrected.some(({ corrected: own }) => Object.keys(own!.differences ?? {}).length > 0);
  const rows = corrected.flatMap(({ dataset, name, metrics, corrected: correction }) =>
    Object.entries(correction!.figures).map(([measure, { value, low, high }]) => [
      ...(dataset === undefined ? [] : [dataset]),
      name,
      measure,
      percent(metrics[measure]!),
      percent(value),
      `[${percent(low)}, ${percent(high)}]`,
      ...(isCompared ? correctedDifferenceCells(correction!.differences?.[measure]) : []),
    ]),
  );
  const names =
    corrected[0]!.dataset === undefined ? ['pipeline', 'measure'] : ['data set', 'pipeline', 'measure'];
  const header = [
    ...names,
    ...['as counted', 'corrected', '95% interval'],
    ...(isCompared ? ['difference, corrected', '95% interval'] : []),
  ];
  const notes = corrected.map(
    ({ dataset, name, corrected: correction }) =>
      `${[dataset, name].filter(Boolean).join(', ')}: ${correction!.note}\n`,
  );
  return `\n${rows.length === 0 ? '' : formatTable(header, rows, names.length)}${notes.join('')}`;
}

/** Empty for the pipeline that others are compared with, and where labels are too few. */
function correctedDifferenceCells(found: CorrectedFigure | undefined): readonly [string, string] {
  return found ? [pointsOf(found.value), `[${pointsOf(found.low)}, ${pointsOf(found.high)}]`] : ['', ''];
}

/** Figures that certify no gain. */
function describeCircular({ pipelines }: EvalReport): string {
  const circular = new Map(
    pipelines.flatMap((own) => (own.circular === undefined ? [] : [[own.name, own] as const])),
  );
  const lines = [...circular].map(
    ([name, { circular: judge, corrected }]) =>
      `${name} is circular: ${judge} both ordered its passages and scored them, so that its errors count as gains.\n` +
      (Object.keys(corrected?.figures ?? {}).length > 0
        ? `  The figure as counted certifies nothing; the corrected one rests on people.\n`
        : `  The figure certifies nothing; score it with people's labels, or with another judge.\n`),
  );
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}

/** Gives the value that `"datasetMaximum": "auto"` came to, so that it can be written into a pipeline. */
function describeMaxima({ pipelines }: EvalReport): string {
  const lines = pipelines.flatMap(({ name, dataset, pipeline }) =>
    maximaOf(pipeline).map(
      (maximum) => `${[dataset, name].filter(Boolean).join(', ')}: MMR with "datasetMaximum": ${maximum}.\n`,
    ),
  );
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}

function maximaOf({ rerank }: Pipeline): (number | 'auto')[] {
  return rerank.flatMap((step) => (step.type === 'mmr' && step.datasetMaximum) || []);
}

function describeComparisons({ comparisons }: EvalReport, cutoffs: readonly number[]): string {
  const shown = new Set(cutoffs.flatMap((k) => namesShown('differences', k)));
  const rows = comparisons
    .filter(({ metric }) => shown.has(metric))
    .map(({ dataset, pipeline, metric, difference, relative, ci: [low, high], p, wins, losses, ties }) => [
      ...(dataset === undefined ? [] : [dataset]),
      pipeline,
      metric,
      pointsOf(difference),
      relative === undefined ? '' : `${pointsOf(relative)}%`,
      `[${pointsOf(low)}, ${pointsOf(high)}]`,
      p === undefined ? 'circular' : p < 0.001 ? '<0.001' : p.toFixed(3),
      ...[wins, losses, ties].map(String),
    ]);
  const [first] = comparisons;
  if (!first || rows.length === 0) return '';
  const names = first.dataset === undefined ? ['pipeline', 'measure'] : ['data set', 'pipeline', 'measure'];
  const header = [...names, 'difference', 'relative', '95% interval', 'p', 'won', 'lost', 'tied'];
  return (
    `\nDifferences to ${first.baseline} in percentage points; p is corrected for the number of pipelines compared;\n` +
    `won, lost and tied are queries.\n\n${formatTable(header, rows, names.length)}`
  );
}
