/** The text that `parallax eval` prints. */
import { circularText } from '../../core/facts.ts';
import { counts } from '../../core/counted.ts';
import { ofDocumentsText } from '../../core/judging/judgement-tally.ts';
import { aurocText, thresholdText } from '../../core/analysis/unanswerable-text.ts';
import type { Basis } from '../../core/metrics/judgements.ts';
import { alphaNdcgOfOneSided } from '../../core/metrics/diversity-measures.ts';
import { mean } from '../../core/statistics/mean.ts';
import { namesShown } from '../../core/metrics/measures.ts';
import type { RepeatedFigure, RepeatsReport } from '../../core/metrics/repeats.ts';
import type { Figure } from '../../core/metrics/figures.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import { disagreementText } from '../../shared/p-value.ts';
import type { DatasetResult, EvalReport, PipelineReport } from '../eval-report.ts';
import { describeJudging, judgementSources } from '../figure-judging.ts';
import { isNothingJudged } from '../known-figures.ts';
import { describeStandIns } from './stand-ins.ts';
import { formatTable, percent, pointsOf } from './terminal.ts';

/** Only the basis of the run if nothing is judged or too many answers were unreadable. */
export function describeEval(
  results: readonly DatasetResult[],
  report: EvalReport,
  cutoffs: readonly number[],
): string {
  const heads = results.map(describeDataset).join('');
  // Figures without a valid result are not shown.
  if (report.noResult) return heads;
  if (results.every(({ experiment }) => isNothingJudged(experiment))) return heads;
  return (
    heads +
    `All figures in percent; Judged@k says how many of the passages in the top k were judged at all.\n` +
    (report.pipelines.some(({ most }) => most !== undefined)
      ? `Unjudged passages count as not supporting: a figure with ≥ can rise.\n`
      : '') +
    describeBasis(results, report, cutoffs) +
    '\n' +
    describeScores(report, cutoffs) +
    describeFailed(report) +
    describeStandIns(report.pipelines) +
    describeUnanswerable(report) +
    describeCorrected(report) +
    describeRepeats(report, cutoffs) +
    describeCircular(report) +
    describeMaxima(report) +
    describeComparisons(report, cutoffs) +
    describeUncompared(results)
  );
}

function describeFailed({ failed = [] }: EvalReport): string {
  const lines = failed.map(
    ({ dataset, name, error }) => `Not run: ${[dataset, name].filter(Boolean).join(', ')}. ${error}\n`,
  );
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}

function describeUncompared(results: readonly DatasetResult[]): string {
  const several = results.filter(({ pipelines }) => pipelines.length > 1);
  const isOpen = several.some(({ judging }) => judging?.stopped);
  const failed = several.find(({ baseline, pipelines }) => !pipelines.some(({ name }) => name === baseline));
  return (
    (isOpen ? '\nDifferences between pipelines are given when all is judged that they rest on.\n' : '') +
    (failed
      ? `\nNo differences: ${failed.baseline}, which the others are compared to, could not be run. Name another with --compare-to.\n`
      : '')
  );
}

/** Names the divisor of measures of perspectives. */
function describeBasis(
  results: readonly DatasetResult[],
  { pipelines }: EvalReport,
  cutoffs: readonly number[],
): string {
  if (!pipelines.some(({ metrics }) => Object.keys(metrics).some((name) => name.startsWith('StRecall@'))))
    return '';
  const named = (bases: readonly Basis[]): string => {
    const matches = results.filter(({ experiment }) => bases.includes(experiment.basis));
    const names = matches.length === results.length ? [] : matches.map(({ dataset }) => dataset.name);
    return names.length === 0 ? '' : ` (${names.join(', ')})`;
  };
  const has = (basis: Basis): boolean => results.some(({ experiment }) => experiment.basis === basis);
  const isGiven = has('given') || has('open');
  return (
    (isGiven
      ? `Every perspective of the questions counts in StRecall, α-nDCG and ERR-IA, also one that nothing supports${named(['given', 'open'])}.\n`
      : '') +
    (has('open')
      ? `nDCG is against k passages that support${named(['open'])}.\n${oneSidedText(results, cutoffs)}`
      : '') +
    (has('pooled')
      ? `Perspectives are those that some passage of the qrels supports, as in ndeval${named(['pooled'])}.\n`
      : '')
  );
}

/** An interval over a single query would look like a result. */
const ONE_QUERY =
  'One question shows no difference between pipelines, and says nothing of other questions; parallax check --eval-set says how many would do.';

/** α-nDCG over open judgements rarely can be 100. */
function oneSidedText(results: readonly DatasetResult[], cutoffs: readonly number[]): string {
  const perspectives = results
    .filter(({ experiment }) => experiment.basis === 'open')
    .flatMap(({ dataset }) => dataset.queries.map((query) => query.perspectives.length))
    .filter((count) => count > 0);
  if (perspectives.length === 0) return '';
  const bounds = cutoffs.map(
    (k) => `${percent(mean(perspectives.map((count) => alphaNdcgOfOneSided(count, k))))} at ${k}`,
  );
  return `α-nDCG is against k passages that support every perspective. If none supports two, it is at most ${bounds.join(' and ')}.\n`;
}

function describeDataset({ dataset, experiment, judging }: DatasetResult): string {
  const { name } = dataset;
  const whole = ofDocumentsText(experiment.ofDocuments);
  return (
    `${name === '' ? '' : `${name}: `}${counts.questions(experiment.queries)}; judgements: ${judgementSources(dataset, judging)}.\n` +
    (experiment.queries === 1 ? `${ONE_QUERY}\n` : '') +
    (whole === undefined ? '' : `${whole}\n`) +
    (judging ? describeJudging(judging) : '')
  );
}

function describeScores({ pipelines, macro = [] }: EvalReport, cutoffs: readonly number[]): string {
  const columns = cutoffs
    .flatMap((k) => namesShown('reports', k))
    .filter((name) => pipelines.some(({ metrics }) => name in metrics));
  const cells = (metrics: PipelineReport['metrics'], most: PipelineReport['most'] = {}): string[] =>
    columns.map((column) =>
      column in metrics ? `${column in most ? '≥ ' : ''}${percent(metrics[column]!)}` : '–',
    );
  if (macro.length === 0)
    return formatTable(
      ['pipeline', ...columns],
      pipelines.map(({ name, metrics, most }) => [name, ...cells(metrics, most)]),
    );
  return formatTable(
    ['data set', 'pipeline', ...columns],
    [
      ...pipelines.map(({ dataset = '', name, metrics, most }) => [dataset, name, ...cells(metrics, most)]),
      ...macro.map(({ corpus, pipeline, metrics, most }) => [
        corpus === undefined ? 'macro-average' : `macro-average, ${corpus}`,
        pipeline,
        ...cells(metrics, most),
      ]),
    ],
    2,
  );
}

/** What is retrieved for questions that the corpus does not answer. */
function describeUnanswerable({ pipelines }: EvalReport): string {
  const rows = pipelines.flatMap(({ dataset, name, unanswerable }) =>
    unanswerable ? [{ name: [dataset, name].filter(Boolean).join(', '), report: unanswerable }] : [],
  );
  const [first] = rows;
  if (!first) return '';
  const { k, questions } = first.report;
  const table = formatTable(
    ['pipeline', `with passages in the top ${k}`, 'AUROC of the score'],
    rows.map(({ name, report }) => [name, percent(report.falseRetrieval), aurocText(report)]),
  );
  const thresholds = rows.map(({ name, report }) => `${name}: ${thresholdText(report)}\n`).join('');
  return `\n${counts.questions(questions)} without an answer:\n${table}${thresholds}`;
}

/** The figures corrected for the judge's errors. */
function describeCorrected({ pipelines }: EvalReport): string {
  const corrected = pipelines.filter((pipeline) => pipeline.corrected !== undefined);
  if (corrected.length === 0) return '';
  const isCompared = corrected.some(
    ({ corrected: correction }) => Object.keys(correction!.differences ?? {}).length > 0,
  );
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
  const [note] = corrected.map(({ corrected: correction }) => correction!.note);
  const notes =
    corrected.length > 1 && corrected.every(({ corrected: correction }) => correction!.note === note)
      ? [`${note}\n`]
      : corrected.map(
          ({ dataset, name, corrected: correction }) =>
            `${[dataset, name].filter(Boolean).join(', ')}: ${correction!.note}\n`,
        );
  return `\n${rows.length === 0 ? '' : formatTable(header, rows, names.length)}${notes.join('')}`;
}

/** How the figures change if the judge is asked again. */
function describeRepeats({ judging = [] }: EvalReport, cutoffs: readonly number[]): string {
  const measures = new Set(cutoffs.flatMap((k) => namesShown('differences', k)));
  return judging
    .flatMap(({ dataset, judge, repeats }) => {
      if (!repeats) return [];
      const { complete, wanted, pairs, contradicted, pipelines } = repeats;
      const title = dataset === undefined ? '' : `${dataset}: `;
      if (complete < 2)
        return `\n${title}${complete} of ${wanted} repeats are complete, and fewer than two show nothing.\n`;
      const rows = pipelines.flatMap(({ name, figures, differences = {} }) => [
        ...repeatRows(name, figures, measures, percent),
        ...repeatRows(`${name}, difference`, differences, measures, pointsOf),
      ]);
      const header = ['pipeline', 'measure', 'in each repeat', 'mean', 'questions that change'];
      return (
        `\n${title}Judged ${complete} times${complete < wanted ? ` of ${wanted}` : ''}; the figures above are of the first time. ` +
        `${judge} contradicts itself on ${contradicted} of ${counts.pairs(pairs)}.\n` +
        `These questions: how far the mean of endless repeats may be from this one. Other questions: how far it may be for\n` +
        `other questions of the kind. Repeats are no further opinions: they show noise, and add no evidence.\n\n` +
        formatTable([...header, 'these questions, 95%', 'other questions, 95%'], rows, 2) +
        pipelines.map(({ name, changes }) => changedQueries(name, changes, measures)).join('')
      );
    })
    .join('');
}

/** The most queries that are listed for a pipeline. The JSON report has all. */
const MAX_CHANGES = 10;

function changedQueries(
  pipeline: string,
  changes: RepeatsReport['pipelines'][number]['changes'],
  measures: ReadonlySet<string>,
): string {
  const lines = changes.flatMap(({ query, values }) => {
    const entries = Object.entries(values).filter(([measure]) => measures.has(measure));
    const text = entries.map(([measure, each]) => `${measure} ${each.map(percent).join(', ')}`);
    return entries.length === 0 ? [] : [`  ${query}: ${text.join('; ')}\n`];
  });
  if (lines.length === 0) return '';
  const more = lines.length - MAX_CHANGES;
  const rest = more > 0 ? `  and ${more} more, see --json\n` : '';
  return `\nQuestions of ${pipeline} that change:\n${lines.slice(0, MAX_CHANGES).join('')}${rest}`;
}

function repeatRows(
  name: string,
  figures: Readonly<Record<string, RepeatedFigure>>,
  measures: ReadonlySet<string>,
  format: (value: number) => string,
): string[][] {
  return Object.entries(figures)
    .filter(([measure]) => measures.has(measure))
    .map(([measure, { values, mean, changed, theseQueries, otherQueries }]) => [
      name,
      measure,
      values.map(format).join(', '),
      format(mean),
      String(changed),
      ...[theseQueries, otherQueries].map(({ low, high }) => `[${format(low)}, ${format(high)}]`),
    ]);
}

/** Empty for the baseline, and if there are too few labels. */
function correctedDifferenceCells(figure: Figure | undefined): readonly [string, string] {
  return figure ? [pointsOf(figure.value), `[${pointsOf(figure.low)}, ${pointsOf(figure.high)}]`] : ['', ''];
}

/** Explains figures that certify no gain. */
function describeCircular({ pipelines }: EvalReport): string {
  const circular = new Map(
    pipelines.flatMap((pipeline) =>
      pipeline.circular === undefined ? [] : [[pipeline.name, pipeline] as const],
    ),
  );
  const lines = [...circular].map(
    ([name, { circular: judge, corrected }]) =>
      `${name} is circular: ${circularText(judge!)}${
        Object.keys(corrected?.figures ?? {}).length > 0 ? ' Corrected ones rest on people.' : ''
      }\n`,
  );
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}

/** The values that `"datasetMaximum": "auto"` resulted in, to write into a pipeline. */
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
  const shownComparisons = comparisons.filter(({ metric }) => shown.has(metric));
  const rows = shownComparisons.map(
    ({ dataset, pipeline, metric, difference, relative, ci: [low, high], p, wins, losses, ties }) => [
      ...(dataset === undefined ? [] : [dataset]),
      pipeline,
      metric,
      pointsOf(difference),
      relative === undefined ? '' : `${pointsOf(relative)}%`,
      `[${pointsOf(low)}, ${pointsOf(high)}]`,
      p === undefined ? 'circular' : p < 0.001 ? '<0.001' : p.toFixed(3),
      ...[wins, losses, ties].map(String),
    ],
  );
  const [first] = comparisons;
  const fewest = Math.min(...shownComparisons.map(({ queries }) => queries));
  if (!first || rows.length === 0) return '';
  const names = first.dataset === undefined ? ['pipeline', 'measure'] : ['data set', 'pipeline', 'measure'];
  const header = [...names, 'difference', 'relative', '95% interval', 'p', 'won', 'lost', 'tied'];
  const disagreement = disagreementText(shownComparisons.map(({ ci: [low, high], p }) => ({ low, high, p })));
  return (
    `\nDifferences to ${first.baseline} in percentage points; p is corrected for the number of pipelines compared;\n` +
    `won, lost and tied are questions.\n` +
    (shownComparisons.some(({ queries }) => queries > fewest)
      ? `Measures of support are compared on the questions that are fully judged under both, ${fewest} at the fewest.\n`
      : '') +
    `\n${formatTable(header, rows, names.length)}` +
    (disagreement === undefined ? '' : `\n${disagreement}\n`)
  );
}
