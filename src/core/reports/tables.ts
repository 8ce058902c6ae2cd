/** The content of all human-readable reports, before each format adds its syntax. */
import { judgedPairsText } from '../facts.ts';
import { counted, counts } from '../counted.ts';
import { exactly } from '../measured.ts';
import {
  failedQueries,
  gapsOf,
  type CheckOutcome,
  type DatasetReport,
  type GateCheck,
  type GateReport,
  type LostView,
  type QueryReport,
} from '../../features/gate/core/report.ts';
import { isKnownFigure } from '../metrics/measures.ts';
import { withoutFullStop } from '../text/trim.ts';
import {
  checkTitle,
  checkValue,
  figureText,
  missedBy,
  percent,
  points,
  pValue,
} from '../../features/gate/core/wording.ts';

export interface Rows {
  readonly header: readonly string[];
  /** Each has the length of the header. */
  readonly rows: readonly (readonly string[])[];
  /** The number of leading columns with names. The others contain numbers. */
  readonly names: number;
}

export interface Table extends Rows {
  readonly title: string;
}

export interface FailedQuery {
  readonly title: string;
  readonly text: string;
  /** `eval/questions.jsonl:12`. */
  readonly place: string;
  /** Sentences on the missed check and each lost perspective. */
  readonly details: readonly string[];
}

/** Words, so that colour is not the only difference. */
export const OUTCOMES: Readonly<Record<CheckOutcome, string>> = {
  passed: 'passed',
  missed: 'FAILED',
  undecided: 'undecided',
};

/** The first sentence of every report. */
export function headline(report: GateReport): string {
  const { outcome, checks, error } = report;
  if (error !== undefined) return `Not evaluated: ${error}`;
  const gaps = gapsOf(report);
  if (gaps.length > 0) return `Not evaluated: what was to be evaluated is not whole. ${gaps[0]!}`;
  const number = (kind: CheckOutcome): number => checks.filter((check) => check.outcome === kind).length;
  const all = counted('{0} [0:check|checks]', checks.length);
  const undecided = number('undecided');
  const open = undecided > 0 ? `; ${undecided} undecided` : '';
  if (checks.length === 0)
    return 'Nothing was checked: there are no thresholds, no expected documents, and no baseline to compare with.';
  switch (outcome) {
    case 'passed':
      return `Passed: ${all}.`;
    case 'missed':
      return `Failed: ${number('missed')} of ${all}${open}.`;
    case 'undecided':
    case 'not-evaluated':
      return `Undecided: ${undecided} of ${all}.`;
  }
}

/** Date, commit, and what the report is compared with. */
export function circumstances({ at, commit, k, judge, baseline }: GateReport): string {
  const then = baseline
    ? `, baseline ${baseline.file} of ${baseline.at}${baseline.commit === undefined ? '' : ` (${shortCommit(baseline.commit)})`}`
    : '';
  return `k = ${k}, judge ${judge}, ${at}${commit === undefined ? '' : ` on ${shortCommit(commit)}`}${then}.`;
}

const shortCommit = (commit: string): string => commit.slice(0, 10);

/** Sentences that describe each eval set and the sources of its judgements. */
export function groundsOf({ datasets }: GateReport): string[] {
  return datasets.map(
    ({ name, evalSet, corpus, queries, judgements }) =>
      `${name}: ${counts.questions(queries)} of ${evalSet} on ${corpus.name} ` +
      `(${counts.passages(corpus.passages)}); ${judgedPairsText(judgements.judged, judgements.pairs, judgements.by)}.`,
  );
}

export const UNJUDGED =
  'Figures in percent. Unjudged passages count as not supporting: a figure with ≥ can rise, and a check that depends on them is undecided.';

/** Shown instead of a figure without judgements. */
export const UNKNOWN = '–';

/** Whether the value of a check is meaningful. */
export function isKnownCheck(
  { dataset, pipeline, metric, lost, max }: GateCheck,
  datasets: readonly DatasetReport[],
): boolean {
  const report = datasets
    .find(({ name }) => name === dataset)
    ?.pipelines.find(({ name }) => name === pipeline);
  const needsNoJudgement = lost !== undefined || max !== undefined;
  return needsNoJudgement || report === undefined || isKnownFigure(report.metrics, metric);
}

export function checksTable({ checks, datasets }: GateReport): Table {
  return {
    title: 'Checks',
    header: [
      'outcome',
      'eval set',
      'pipeline',
      'check',
      'value',
      'baseline',
      'difference',
      '95% interval',
      'p',
    ],
    rows: checks.map((check) => [
      OUTCOMES[check.outcome],
      check.dataset,
      check.pipeline,
      checkTitle(check),
      isKnownCheck(check, datasets) ? checkValue(check) : UNKNOWN,
      ...baselineCells(check),
    ]),
    names: 4,
  };
}

function baselineCells({ baseline }: GateCheck): string[] {
  if (!baseline) return ['', '', '', ''];
  const { value, paired, counted } = baseline;
  if (!paired) return [percent(value), UNKNOWN, '', ''];
  const { difference, low, high, p } = paired;
  return [percent(value), points(difference), `[${points(low)}, ${points(high)}]`, pCell(p, counted)];
}

/** The p-value, or why there is none. @param counted set for a difference without the judge's errors */
export function pCell(p: number | undefined, counted: number | undefined): string {
  if (p !== undefined) return pValue(p).slice(2);
  return counted === undefined ? 'circular' : 'corrected';
}

export function figuresTable({ datasets }: GateReport): Table {
  const all = datasets.flatMap(({ pipelines }) => pipelines.map(({ metrics }) => Object.keys(metrics)));
  const metrics = [...new Set(all.flat())];
  return {
    title: 'Figures',
    header: ['eval set', 'pipeline', ...metrics],
    rows: datasets.flatMap(({ name, pipelines }) =>
      pipelines.map((pipeline) => [
        name,
        pipeline.name,
        ...metrics.map((metric) => {
          const value = pipeline.metrics[metric];
          if (value === undefined) return '';
          if (!isKnownFigure(pipeline.metrics, metric)) return UNKNOWN;
          return figureText(pipeline.bounds?.[metric] ?? exactly(value));
        }),
      ]),
    ),
    names: 2,
  };
}

/** Why each check was missed or undecided, and why figures differ from the baseline. Without repeats. */
export function reasonsOf(report: GateReport): string[] {
  const checked = report.checks
    .filter(
      ({ outcome, baseline }) =>
        outcome !== 'passed' || (baseline?.paired && baseline.paired.difference !== 0),
    )
    .map(({ dataset, pipeline, reason }) => `${dataset}, ${pipeline}: ${reason}`);
  return [...gapsOf(report), ...new Set(checked)];
}

/** A sentence on the cost of the run's judge. Empty if unknown. */
export function costText({ asked: usage }: GateReport): string[] {
  if (!usage) return [];
  if (usage.requests === 0) return ['The judge was asked nothing in this run.'];
  return [
    `The judge was asked ${counted('{0} [0:time|times] in this run ({1} [1:token|tokens])', usage.requests, usage.tokens)}.`,
  ];
}

/** Perspectives that are unjudged or not found yet are not known to be lost. */
function lossWord({ where, newly, quarantined, unjudged }: LostView): string {
  if (quarantined) return 'Quarantined';
  if (where === 'unjudged' || unjudged !== undefined) return 'Unjudged';
  if (newly) return 'Newly lost';
  return where === 'not-found' ? 'Not found' : 'Lost';
}

export function failedQueryViews(report: GateReport): FailedQuery[] {
  return failedQueries(report).map(({ dataset, pipeline, query }) => ({
    title: `${dataset.name}, ${pipeline.name}: ${query.id}`,
    text: query.text,
    place: placeOf(dataset, query),
    details: [
      `Missed: ${query.missed.map((place) => missedBy(query.metrics, report.checks[place]!)).join('; ')}.`,
      ...lossesOf(query),
    ],
  }));
}

/** `eval/questions.jsonl:12`, or the file if the line is unknown. */
export function placeOf({ file }: DatasetReport, { line }: QueryReport): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** A sentence for each perspective that the top k of a query do not cover. */
export function lossesOf({ lost }: QueryReport): string[] {
  return lost.map(
    (loss) => `${lossWord(loss)}: ${withoutFullStop(loss.text)} (${withoutFullStop(loss.reason)})`,
  );
}
