/** A table whose rows are stacked bars, with the same figures as text beside them. */
import { html, svg, type TemplateResult } from 'lit/html.js';

export interface SharePart<Key extends string = string> {
  /** Identifies its colour in compare.css and its pattern. */
  readonly key: Key;
  readonly label: string;
  readonly definition: string;
}

export interface ShareRow {
  readonly testId: string;
  readonly name: string;
  readonly title: string;
  /** One per part, in [0, 1], with a sum of at most 1. */
  readonly shares: readonly number[];
  /** The unsettled share of each part, drawn pale. */
  readonly open?: readonly number[] | undefined;
  /** One cell per part, or one text across all of them. */
  readonly cells: readonly ShareCell[] | string;
}

interface ShareCell {
  readonly text: string;
  readonly title: string;
  /** Shown below it. */
  readonly note?: string | undefined;
  /** The link of the figure, described by `label`. */
  readonly follow?: { readonly label: string; readonly testId: string; readonly onClick: () => void };
}

export interface ShareTableOptions {
  readonly caption: string;
  /** Header of the first column. */
  readonly names: string;
  /** Header of the column with the bars, for screen readers only. */
  readonly bars: string;
  readonly parts: readonly SharePart[];
  readonly rows: readonly ShareRow[];
  /** Rows that do not belong to a pipeline, below a line. */
  readonly totals?: readonly ShareRow[];
}

export function shareTable(options: ShareTableOptions): TemplateResult {
  const { caption, names, bars, parts, rows, totals = [] } = options;
  return html`<div class="table-scroll">
    <table class="shares">
      <caption class="sr-only">
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col" class="name">${names}</th>
          <th scope="col" class="bar"><span class="sr-only">${bars}</span></th>
          ${parts.map(
            ({ key, label, definition }) =>
              html`<th scope="col" title=${definition}>
                <span class="part-head">${swatch(key)}<span>${label}</span></span>
              </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => shareRow(parts, row))}
      </tbody>
      ${
        totals.length > 0
          ? html`<tfoot>
              ${totals.map((row) => shareRow(parts, row))}
            </tfoot>`
          : ''
      }
    </table>
  </div>`;
}

function shareRow(parts: readonly SharePart[], row: ShareRow): TemplateResult {
  const { testId, name, title, shares, open, cells } = row;
  return html`<tr data-testid=${testId}>
    <th scope="row" class="name" title=${title}>${name}</th>
    <td class="bar">${bar(parts, shares, open)}</td>
    ${
      typeof cells === 'string'
        ? html`<td colspan=${parts.length} class="across">${cells}</td>`
        : cells.map(shareCell)
    }
  </tr>`;
}

function shareCell({ text, title, note, follow }: ShareCell): TemplateResult {
  const below = note === undefined ? '' : html`<span class="second">${note}</span>`;
  if (!follow) return html`<td title=${title}>${text}${below}</td>`;
  return html`<td title=${title}>
    <button class="figure" aria-label=${follow.label} data-testid=${follow.testId} @click=${follow.onClick}>
      ${text}
    </button>
    ${below}
  </td>`;
}

function bar(
  parts: readonly SharePart[],
  shares: readonly number[],
  open: readonly number[] = [],
): TemplateResult {
  let from = 0;
  const next = (key: string, share: number, pale: boolean): TemplateResult => {
    const x = from * 100;
    from += share;
    return segment(key, `${x}%`, `${share * 100}%`, pale);
  };
  const segments = parts.map(({ key }, index) => {
    const pale = open[index] ?? 0;
    const settled = next(key, (shares[index] ?? 0) - pale, false);
    return pale > 0 ? [settled, next(key, pale, true)] : settled;
  });
  return html`<svg class="share-bar" aria-hidden="true">
    <rect class="track" width="100%" height="100%"></rect>
    ${segments}
  </svg>`;
}

function swatch(key: string): TemplateResult {
  return html`<svg class="swatch" aria-hidden="true">${segment(key, '0', '100%')}</svg>`;
}

/** A coloured bar with its pattern on top. */
function segment(key: string, x: string, width: string, pale = false): TemplateResult {
  const pattern = PATTERNS[key];
  const fill = pattern === undefined ? 'none' : `url(#pattern-${pattern})`;
  return svg`<rect class="part-${key}${pale ? ' pale' : ''}" x=${x} width=${width} height="100%"></rect>
    <rect class="part-edge" x=${x} width=${width} height="100%" fill=${fill}></rect>` as TemplateResult;
}

/** Parts differ in pattern as well as in colour; those without a pattern are plain. */
const PATTERNS: Readonly<Record<string, 'falling' | 'rising' | 'crossed' | 'dotted'>> = {
  'below-k': 'rising',
  'approximate-miss': 'crossed',
  'not-retrieved': 'falling',
  unjudged: 'dotted',
  both: 'rising',
  onlyOppose: 'falling',
};

/** The pattern definitions that the bars of the page use, rendered once. */
export function patterns(): TemplateResult {
  return html`<svg class="patterns" width="0" height="0" aria-hidden="true">
    <defs>
      ${pattern('rising', svg`<path d="M-1 1 1 -1M0 6 6 0M5 7 7 5"></path>` as TemplateResult)}
      ${pattern('falling', svg`<path d="M-1 5 1 7M0 0 6 6M5 -1 7 1"></path>` as TemplateResult)}
      ${pattern('crossed', svg`<path d="M0 0 6 6M6 0 0 6"></path>` as TemplateResult)}
      ${pattern('dotted', svg`<circle cx="1.5" cy="1.5" r="1"></circle><circle cx="4.5" cy="4.5" r="1"></circle>` as TemplateResult)}
    </defs>
  </svg>`;
}

function pattern(name: string, marks: TemplateResult): TemplateResult {
  return svg`<pattern id="pattern-${name}" width="6" height="6" patternUnits="userSpaceOnUse">${marks}</pattern>` as TemplateResult;
}
