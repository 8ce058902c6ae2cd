/** Runs of the history and their comparison as Markdown, to paste into an issue or a review. Pure. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { isMarked } from '../../../core/metrics/circular.ts';
import { attributionSentence, percent, points, pValue } from '../core/wording.ts';
import { escapeMarkdown } from '../../../core/reports/escape.ts';
import { markdownTable } from '../../../core/reports/markdown.ts';
import type { EvaluationSummary, SummaryRow } from '../../../shared/evaluation.ts';
import type { Result } from '../../../shared/rpc.ts';

type Comparison = Result<'compareEvaluations'>;
type PipelineComparison = Comparison['comparisons'][number];

/**
 * The runs of an eval set as a table.
 *
 * @param runs newest first
 * @param pipeline defaults to all
 */
export function runsMarkdown(runs: readonly EvaluationSummary[], dataset: string, pipeline?: string): string {
  const shown = runs.flatMap((run) =>
    run.rows
      .filter((row) => row.dataset === dataset && (pipeline === undefined || row.pipeline === pipeline))
      .map((row) => ({ run, row })),
  );
  const metrics = [...new Set(shown.flatMap(({ row }) => Object.keys(row.figures)))];
  const header = [
    ...[l10n.t('when'), l10n.t('commit'), l10n.t('pipeline'), ...metrics],
    ...[l10n.t('pairs judged'), l10n.t('since the run before')],
  ];
  const rows = shown.map(({ run, row }) => [
    run.accepted ? l10n.t('{0} (baseline)', run.at) : run.at,
    (run.commit ?? '').slice(0, 10),
    metrics.some((metric) => isMarked(row, metric))
      ? l10n.t('{0} (circular: {1} ordered and scored it)', row.pipeline, row.circular!)
      : row.pipeline,
    ...metrics.map((metric) => figureText(row, metric)),
    l10n.t('{0} of {1} ({2})', row.judged, row.pairs, run.judge),
    sinceText(row, metrics[0]),
  ]);
  return blocks([
    `# ${escapeMarkdown(l10n.t('Evaluations of {0}', dataset))}`,
    l10n.t(
      'Figures in percent with 95% intervals of a bootstrap over questions. Unjudged passages count as not supporting.',
    ),
    markdownTable({ header, rows, names: header.length }),
  ]);
}

/** @param mayRise whether further verdicts may raise it */
function atLeast(mean: number, mayRise: boolean): string {
  return mayRise && mean < 1 ? `≥ ${percent(mean)}` : percent(mean);
}

function figureText({ figures, correction, mayRise = [] }: SummaryRow, metric: string): string {
  const figure = figures[metric];
  if (!figure) return '';
  const counted = `${atLeast(figure.value, mayRise.includes(metric))} [${percent(figure.low)}, ${percent(figure.high)}]`;
  const corrected = correction?.figures[metric];
  return corrected
    ? l10n.t(
        '{0}; corrected {1} [{2}, {3}]',
        counted,
        percent(corrected.value),
        percent(corrected.low),
        percent(corrected.high),
      )
    : counted;
}

function sinceText({ since }: SummaryRow, metric: string | undefined): string {
  const difference = since && metric !== undefined ? since.differences[metric] : undefined;
  if (!since || !difference) return '';
  const attribution = { changes: since.changes, noise: difference.low <= 0 && difference.high >= 0 };
  const reasons = attributionSentence(difference.difference, attribution, l10n.t('the run before'));
  return `${points(difference.difference)}. ${reasons}`;
}

/** Compares two runs query by query. */
export function comparisonMarkdown(
  then: EvaluationSummary,
  now: EvaluationSummary,
  { comparisons, notes }: Comparison,
): string {
  const when = ({ at, commit, judge }: EvaluationSummary): string =>
    [at, ...(commit === undefined ? [] : [commit.slice(0, 10)]), l10n.t('judge {0}', judge)].join(', ');
  return blocks([
    `# ${l10n.t('Evaluations compared')}`,
    escapeMarkdown(l10n.t('Then: {0}. Now: {1}.', when(then), when(now))),
    ...(notes.length > 0 ? [notes.map((note) => `- ${escapeMarkdown(note)}`).join('\n')] : []),
    ...(comparisons.length === 0 ? [l10n.t('The two have no question and measure in common.')] : []),
    ...comparisons.flatMap(pipelineBlocks),
  ]);
}

function pipelineBlocks({
  dataset,
  pipeline,
  queries,
  configuration,
  differences,
  changed,
}: PipelineComparison): string[] {
  const rows = differences.map(
    ({ metric, then, now, mayRise, difference, low, high, p, wins, losses, attribution }) => [
      metric,
      atLeast(then, mayRise.then),
      atLeast(now, mayRise.now),
      points(difference),
      `[${points(low)}, ${points(high)}]`,
      p === undefined ? l10n.t('circular') : pValue(p),
      `${wins} / ${losses}`,
      attributionSentence(difference, attribution, l10n.t('then')),
    ],
  );
  const header = [
    ...[l10n.t('measure'), l10n.t('then'), l10n.t('now'), l10n.t('difference'), l10n.t('95% interval'), 'p'],
    ...[l10n.t('won / lost'), l10n.t('why')],
  ];
  return [
    `## ${escapeMarkdown(`${dataset}, ${pipeline}`)}`,
    counted(
      l10n.t(
        'Over the {0} [0:question|questions] that both have; differences in percentage points, p of a paired randomisation test, not corrected.',
      ),
      queries,
    ),
    markdownTable({ header, rows, names: header.length }),
    ...(configuration.length === 0 ? [] : [configurationList(configuration)]),
    ...(changed.length === 0 ? [l10n.t('No question changed.')] : [queryTable(changed)]),
  ];
}

function configurationList(configuration: PipelineComparison['configuration']): string {
  return configuration
    .map(({ field, then, now }) => `- ${escapeMarkdown(`${field}: ${then ?? '–'} → ${now ?? '–'}`)}`)
    .join('\n');
}

function queryTable(changed: PipelineComparison['changed']): string {
  return markdownTable({
    header: [
      l10n.t('question'),
      l10n.t('perspectives lost'),
      l10n.t('perspectives gained'),
      l10n.t('figures'),
    ],
    rows: changed.map(({ id, metrics, gained, lost }) => [
      id,
      lost.join(', '),
      gained.join(', '),
      Object.entries(metrics)
        .map(([metric, [then, now]]) => `${metric} ${percent(then)} → ${percent(now)}`)
        .join('; '),
    ]),
    names: 3,
  });
}

const blocks = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('\n');
