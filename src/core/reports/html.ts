/**
 * A gate's report as one HTML file without scripts and external resources. It follows the reader's colour scheme and
 * can be printed.
 */
import type { GateReport } from '../../features/gate/core/report.ts';
import { escapeHtml } from './escape.ts';
import {
  checksTable,
  circumstances,
  failedQueryViews,
  figuresTable,
  groundsOf,
  headline,
  OUTCOMES,
  reasonsOf,
  UNJUDGED,
  type FailedQuery,
  type Table,
} from './tables.ts';

const STYLE = `
:root { color-scheme: light dark; --rule: #8886; --good: #116329; --bad: #a40e26; --open: #7a4b00; }
@media (prefers-color-scheme: dark) { :root { --good: #56d364; --bad: #ff7b72; --open: #e3b341; } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 75rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; margin-bottom: 0; }
.headline { font-size: 1.15rem; font-weight: 600; }
.passed { color: var(--good); } .missed { color: var(--bad); } .undecided, .not-evaluated { color: var(--open); }
.scroll { overflow-x: auto; margin-block: 1.5rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: start; font-weight: 600; padding-bottom: .4rem; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid var(--rule); text-align: end; vertical-align: top; }
.name { text-align: start; } tbody th { font-weight: inherit; }
p, li { overflow-wrap: anywhere; }
.place { font-family: ui-monospace, monospace; font-size: .85rem; }
@media print {
  :root { color-scheme: light; --good: #116329; --bad: #a40e26; --open: #7a4b00; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .scroll { overflow: visible; } tr, section { break-inside: avoid; } thead { display: table-header-group; }
}
`;

export function toHtml(report: GateReport): string {
  const failed = failedQueryViews(report);
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>Parallax gate: ${report.outcome}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    '<h1>Parallax gate</h1>',
    `<p class="headline ${report.outcome}">${escapeHtml(headline(report))}</p>`,
    paragraph(circumstances(report)),
    list([...groundsOf(report), ...report.notes]),
    ...section('Why', list(reasonsOf(report))),
    ...(report.checks.length > 0 ? [table(checksTable(report))] : []),
    ...(report.datasets.length > 0 ? [table(figuresTable(report)), paragraph(UNJUDGED)] : []),
    ...section('Questions', failed.map(queryBlock).join('\n')),
    '</main>',
    '</body>',
    '</html>',
    '',
  ]
    .filter((block, place, all) => block !== '' || place === all.length - 1)
    .join('\n');
}

const paragraph = (sentence: string): string => `<p>${escapeHtml(sentence)}</p>`;

/** Empty without sentences. */
function list(sentences: readonly string[]): string {
  if (sentences.length === 0) return '';
  return `<ul>${sentences.map((sentence) => `<li>${escapeHtml(sentence)}</li>`).join('')}</ul>`;
}

function section(heading: string, content: string): string[] {
  return content === '' ? [] : [`<h2>${heading}</h2>`, content];
}

function table({ title, header, rows, names }: Table): string {
  const kind = (column: number): string => (column < names ? ' class="name"' : '');
  const head = header
    .map((cell, column) => `<th scope="col"${kind(column)}>${escapeHtml(cell)}</th>`)
    .join('');
  const body = rows.map((cells) => `<tr>${cells.map(tableCell(names)).join('')}</tr>`).join('\n');
  return (
    `<div class="scroll" role="region" aria-label="${title}" tabindex="0">\n<table>\n<caption>${title}</caption>\n` +
    `<thead><tr>${head}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table>\n</div>`
  );
}

const CLASSES = new Map(Object.entries(OUTCOMES).map(([name, word]) => [word, name]));

/** The last column of names is the row header. */
const tableCell =
  (names: number) =>
  (text: string, column: number): string => {
    const outcome = column === 0 ? CLASSES.get(text) : undefined;
    const classes = [...(column < names ? ['name'] : []), ...(outcome === undefined ? [] : [outcome])];
    const attributes = classes.length > 0 ? ` class="${classes.join(' ')}"` : '';
    return column === names - 1
      ? `<th scope="row"${attributes}>${escapeHtml(text)}</th>`
      : `<td${attributes}>${escapeHtml(text)}</td>`;
  };

function queryBlock({ title, text, place, details }: FailedQuery): string {
  return (
    `<section><h3>${escapeHtml(title)}</h3>\n<p>${escapeHtml(text)} ` +
    `<span class="place">${escapeHtml(place)}</span></p>\n${list(details)}</section>`
  );
}
