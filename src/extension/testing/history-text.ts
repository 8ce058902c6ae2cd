/** The history as a document: charts over time, a table, and what changed from one evaluation to the next. Pure. */
import { attributionSentence, percent, points, pValue } from '../../core/gate/wording.ts';
import { timelines } from '../../core/history/timeline.ts';
import { escapeMarkdown } from '../../core/reports/escape.ts';
import { timelineChart } from '../../core/reports/timeline-chart.ts';
import type { EvaluationSummary } from '../../shared/evaluation.ts';
import type { Result } from '../../shared/rpc.ts';
import { table } from '../platform/markdown-table.ts';

type Comparison = Result<'compareEvaluations'>;

const EARLIER = 'the evaluation before';
/** Shown in the table; the charts show all metrics. */
const COLUMNS = 3;

/**
 * @param evaluations newest first
 * @param changes comparisons of evaluations with the ones before them, by the later one's id
 */
export function historyText(
  evaluations: readonly EvaluationSummary[],
  changes: ReadonlyMap<string, Comparison>,
): string {
  if (evaluations.length === 0)
    return '# Evaluations\n\nNothing was evaluated yet. Run "Parallax: Evaluate Workspace".\n';
  return [
    '# Evaluations',
    'Each point is one evaluation, oldest to the left; figures in percent. Unjudged passages count as not supporting.',
    ...timelines(evaluations.toReversed()).flatMap((timeline) => [
      `## ${escapeMarkdown(timeline.metric)}`,
      `![${escapeMarkdown(`${timeline.metric} over time`)}](${pictureOf(timelineChart(timeline))})`,
    ]),
    '## All evaluations',
    'Two of them are compared query by query by "Parallax: Compare Evaluations…".',
    historyTable(evaluations, changes),
  ]
    .map((block) => `${block}\n`)
    .join('\n');
}

function historyTable(
  evaluations: readonly EvaluationSummary[],
  changes: ReadonlyMap<string, Comparison>,
): string {
  const metrics = [
    ...new Set(evaluations.flatMap(({ rows }) => rows.flatMap((row) => Object.keys(row.metrics)))),
  ];
  const shown = metrics.slice(0, COLUMNS);
  const rows = evaluations.flatMap(({ id, at, commit, judge, rows: own }) =>
    own.map((row) => [
      at,
      escapeMarkdown((commit ?? '').slice(0, 10)),
      escapeMarkdown(row.dataset),
      escapeMarkdown(row.pipeline),
      ...shown.map((metric) => (row.metrics[metric] === undefined ? '' : percent(row.metrics[metric]))),
      `${row.judged} of ${row.pairs} (${escapeMarkdown(judge)})`,
      `${row.passages} (${row.corpus.slice(0, 7)})`,
      escapeMarkdown(changeOf(changes.get(id), row, shown[0])),
    ]),
  );
  const head = ['when', 'commit', 'eval set', 'pipeline', ...shown.map(escapeMarkdown)];
  return table([...head, 'pairs judged', 'passages', 'since the one before'], rows);
}

function changeOf(
  comparison: Comparison | undefined,
  { dataset, pipeline }: EvaluationSummary['rows'][number],
  metric: string | undefined,
): string {
  const own = comparison?.comparisons.find((each) => each.dataset === dataset && each.pipeline === pipeline);
  const found = own?.differences.find((difference) => difference.metric === metric) ?? own?.differences[0];
  if (!found) return '';
  return `${points(found.difference)}. ${attributionSentence(found.difference, found.attribution, EARLIER)}`;
}

/** Two evaluations, query by query. */
export function comparisonText(
  then: EvaluationSummary,
  now: EvaluationSummary,
  { comparisons, notes }: Comparison,
): string {
  const when = ({ at, commit, judge }: EvaluationSummary): string =>
    `${at}${commit === undefined ? '' : ` on ${commit.slice(0, 10)}`}, judge ${judge}`;
  return [
    '# Evaluations compared',
    escapeMarkdown(`Then: ${when(then)}. Now: ${when(now)}.`),
    ...(notes.length > 0 ? [notes.map((note) => `- ${escapeMarkdown(note)}`).join('\n')] : []),
    ...(comparisons.length === 0 ? ['The two have no query and measure in common.'] : []),
    ...comparisons.flatMap(pipelineBlocks),
  ]
    .map((block) => `${block}\n`)
    .join('\n');
}

function pipelineBlocks({
  dataset,
  pipeline,
  queries,
  differences,
  changed,
}: Comparison['comparisons'][number]): string[] {
  const rows = differences.map(
    ({ metric, then, now, difference, low, high, p, wins, losses, attribution }) => [
      escapeMarkdown(metric),
      percent(then),
      percent(now),
      points(difference),
      `[${points(low)}, ${points(high)}]`,
      escapeMarkdown(pValue(p)),
      `${wins} / ${losses}`,
      escapeMarkdown(attributionSentence(difference, attribution, 'then')),
    ],
  );
  const head = ['measure', 'then', 'now', 'difference', '95% interval', 'p', 'won / lost', 'why'];
  return [
    `## ${escapeMarkdown(`${dataset}, ${pipeline}`)}`,
    `Over the ${queries} queries that both have; differences in percentage points, p of a paired randomisation test, not corrected.`,
    table(head, rows),
    ...(changed.length === 0 ? ['No query changed.'] : [queryTable(changed)]),
  ];
}

function queryTable(changed: Comparison['comparisons'][number]['changed']): string {
  const list = (ids: readonly string[]): string => escapeMarkdown(ids.join(', '));
  return table(
    ['query', 'perspectives lost', 'perspectives gained', 'figures'],
    changed.map(({ id, metrics, gained, lost }) => [
      escapeMarkdown(id),
      list(lost),
      list(gained),
      Object.entries(metrics)
        .map(([metric, [then, now]]) => escapeMarkdown(`${metric} ${percent(then)} → ${percent(now)}`))
        .join('; '),
    ]),
  );
}

const pictureOf = (svg: string): string => `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
