/** A comparison as a file for other tools and for people. Pure. */
import type { Comparison, PipelineResultView } from '../../shared/compare.ts';

export type ExportFormat = 'json' | 'markdown' | 'csv';

export function exportComparison(
  comparison: Comparison,
  format: ExportFormat,
): { name: string; content: string } {
  switch (format) {
    case 'json':
      return { name: 'comparison.json', content: `${JSON.stringify(comparison, null, 2)}\n` };
    case 'markdown':
      return { name: 'comparison.md', content: toMarkdown(comparison) };
    case 'csv':
      return { name: 'comparison.csv', content: toCsv(comparison) };
  }
}

function toMarkdown(comparison: Comparison): string {
  const { evalSet, corpus, queries, measures, pipelines, k, at } = comparison;
  const header = ['pipeline', ...measures, `judged@${k}`];
  const rows = pipelines.map((pipeline) => [
    pipeline.name,
    ...measures.map((measure) => cell(pipeline, measure)),
    percent(pipeline.judged),
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  return [
    `# ${evalSet} on ${corpus}`,
    '',
    `${queries.length} queries, ${at}. Judgements: ${sourcesOf(comparison)}.`,
    'Differences are percentage points to the first pipeline, with 95% intervals of a paired bootstrap over queries.',
    '',
    line(header),
    line(header.map(() => '---')),
    ...rows.map(line),
    '',
  ].join('\n');
}

/** `59.6% (+2.9 pts, −1.1 to 6.8)`. */
function cell({ measures }: PipelineResultView, measure: string): string {
  const figure = measures[measure];
  if (!figure) return '';
  const { value, difference } = figure;
  if (!difference) return percent(value);
  return `${percent(value)} (${points(difference.value)} pts, ${points(difference.low)} to ${points(difference.high)})`;
}

function sourcesOf({ sources }: Comparison): string {
  if (sources.length === 0) return 'none';
  return sources
    .map(({ source, judge, count, heuristic }) =>
      source === 'human'
        ? `${count} human labels`
        : `${count} by ${judge}${heuristic ? ' (offline heuristic)' : ''}`,
    )
    .join(', ');
}

/** One row per query and pipeline, for spreadsheets. */
function toCsv({ queries, pipelines, k }: Comparison): string {
  const header = [
    'query',
    'text',
    'pipeline',
    `MRecall@${k}`,
    `Precision@${k}`,
    `Judged@${k}`,
    'first_ranks',
  ];
  const rows = queries.flatMap(({ id, text, mrecall, precision, judged, perspectives }) =>
    pipelines.map(({ name }, index) => [
      id,
      text,
      name,
      String(mrecall[index]),
      String(precision[index]),
      String(judged[index]),
      perspectives.map((perspective) => `${perspective.id}:${perspective.ranks[index] ?? ''}`).join(' '),
    ]),
  );
  return [header, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

/** Quoted, and kept from being run as a formula by a spreadsheet. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
const points = (share: number): string => `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)}`;
const escapeMarkdown = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
