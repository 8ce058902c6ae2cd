/**
 * One row per pipeline: its measures with their differences to the baseline, and what they are based on. Several data
 * sets have a group of rows each, below the average over them.
 */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import type { DatasetEvaluation } from '../../../src/evaluation/evaluation.ts';
import { isAnyCorrected } from '../../../src/core/metrics/circular.ts';
import { circularBadge } from '../../components/circular-badge.ts';
import { codicon } from '../../components/icon.ts';
import { words } from '../../components/words.ts';
import type { ComparedContext } from '../draft.ts';
import { baselineOf } from '../outcomes.ts';
import { setOf } from '../shown-set.ts';
import { compareWords } from '../strings.ts';
import { shownColumns } from './column-choice.ts';
import { averageColumns, type Column, type OverviewRow } from './overview-columns.ts';
import { overviewWords } from './strings.ts';
import { nextSort, sorted } from './table-order.ts';

/** Rows under a common heading. */
interface RowGroup {
  /** `undefined` if there is only one data set. */
  readonly heading: { readonly name: string; readonly note: string; readonly open: boolean } | undefined;
  readonly testId: (pipeline: string) => string;
  readonly rows: readonly OverviewRow[];
  readonly columns: readonly Column[];
}

/** With more rows than this, only the average and the data set in detail are unfolded by default. */
const MANY_ROWS = 16;

export function overviewTable(context: ComparedContext): TemplateResult {
  const { comparison } = context;
  const columns = shownColumns(context);
  const name = comparison.pipelines[baselineOf(comparison.datasets[0]!) ?? 0]?.name ?? '';
  return html`<div class="table-scroll">
      <table class="overview" data-testid="compare-table">
        <caption class="sr-only">
          ${overviewWords.overviewCaption(name)}
        </caption>
        <thead>
          <tr>
            ${columns.map((column) => columnHead(context, column))}
          </tr>
        </thead>
        ${groupsOf(context, columns).map((group) => groupBody(context, group))}
      </table>
    </div>
    ${definitions(columns, comparison.pipelines.length > 1)}`;
}

function groupsOf(context: ComparedContext, columns: readonly Column[]): RowGroup[] {
  const { comparison } = context;
  const { datasets } = comparison;
  const several = datasets.length > 1;
  const groups = datasets.map((dataset): RowGroup => ({
    heading: several ? headingOf(context, dataset) : undefined,
    testId: (pipeline) => (several ? `row-${dataset.name}-${pipeline}` : `row-${pipeline}`),
    rows: rowsOf(context, dataset),
    columns,
  }));
  return several ? [...averageGroup(context, columns), ...groups] : groups;
}

function headingOf(context: ComparedContext, dataset: DatasetEvaluation): RowGroup['heading'] {
  const { comparison, set, draft } = context;
  const many = comparison.datasets.length * comparison.pipelines.length > MANY_ROWS;
  const open = !many || dataset.name === set.name;
  return {
    name: dataset.name,
    note: overviewWords.ranOnSet(dataset),
    open: open !== draft.toggled.includes(dataset.name),
  };
}

function rowsOf({ comparison }: ComparedContext, dataset: DatasetEvaluation): OverviewRow[] {
  const set = setOf(comparison, dataset);
  return set.pipelines.map((pipeline, index) => ({
    ...pipeline,
    label: set.labels[index] ?? pipeline.name,
    index,
    set,
    baseline: index === baselineOf(set),
  }));
}

/** The average over the data sets with equal weights. It has no intervals, so its differences have none either. */
function averageGroup(context: ComparedContext, columns: readonly Column[]): RowGroup[] {
  const { comparison } = context;
  const { macro, datasets } = comparison;
  const [first] = datasets;
  if (!macro || !first) return [];
  return [
    {
      heading: {
        name: overviewWords.average(datasets.length),
        note: overviewWords.averageNote(),
        open: !context.draft.toggled.includes(AVERAGE),
      },
      testId: (pipeline) => `row-average-${pipeline}`,
      rows: rowsOf(context, first).map((row) => {
        const failed = datasets.find(({ pipelines }) => pipelines[row.index]?.error !== undefined);
        return { ...row, error: failed && overviewWords.averageFailed(failed.name) };
      }),
      columns: averageColumns(comparison, columns),
    },
  ];
}

/** The key of the average among the folded groups; data sets are named after files, so no name collides. */
const AVERAGE = '\u2063average';

function groupBody(context: ComparedContext, group: RowGroup): TemplateResult {
  const { heading, rows, columns, testId } = group;
  const shown = heading && !heading.open ? [] : ordered(context, rows, columns);
  return html`<tbody>
    ${heading ? groupHead(context, heading) : nothing}
    ${repeat(
      shown,
      ({ name }) => name,
      (row) =>
        row.error === undefined
          ? html`<tr data-testid=${testId(row.name)}>
              ${nameCell(row)} ${columns.slice(1).map((column) => column.cell(context, row))}
            </tr>`
          : errorRow(row, testId(row.name)),
    )}
  </tbody>`;
}

function groupHead(
  { draft, actions, comparison }: ComparedContext,
  { name, note, open }: NonNullable<RowGroup['heading']>,
): TemplateResult {
  const key = comparison.datasets.some((dataset) => dataset.name === name) ? name : AVERAGE;
  const toggled = draft.toggled.includes(key)
    ? draft.toggled.filter((one) => one !== key)
    : [...draft.toggled, key];
  return html`<tr class="group-head">
    <th scope="rowgroup" colspan="100">
      <button
        class="group-toggle"
        aria-expanded=${open}
        data-testid="group-${key === AVERAGE ? 'average' : key}"
        @click=${() => actions.edit({ toggled })}
      >
        ${codicon(open ? 'chevron-down' : 'chevron-right')}<span class="group-name">${name}</span
        ><span class="muted">${note}</span>
      </button>
    </th>
  </tr>`;
}

/** Pipelines that could not be run come last in a sorted table. */
function ordered(
  { draft }: ComparedContext,
  rows: readonly OverviewRow[],
  columns: readonly Column[],
): readonly OverviewRow[] {
  const column = columns.find(({ key }) => key === draft.sort?.column);
  if (!column || !draft.sort) return rows;
  return sorted(
    rows,
    (row) => (row.error === undefined ? column.value(row) : undefined),
    draft.sort.direction,
  );
}

function columnHead({ draft, actions }: ComparedContext, column: Column): TemplateResult {
  const { key, label, definition, first } = column;
  const current = draft.sort?.column === key ? draft.sort.direction : undefined;
  const next = nextSort(draft.sort, key, first);
  return html`<th scope="col" aria-sort=${current ?? 'none'} class=${key === 'name' ? 'name' : ''}>
    <button
      class="sort"
      data-testid="sort-${key}"
      title=${`${definition}\n\n${overviewWords.sortBy(label, next?.direction)}`}
      @click=${() => actions.edit({ sort: next })}
    >
      ${label}<span class="sort-mark" aria-hidden="true"
        >${current === undefined ? '' : current === 'ascending' ? '↑' : '↓'}</span
      >
    </button>
  </th>`;
}

function errorRow(row: OverviewRow, testId: string): TemplateResult {
  return html`<tr class="failed" data-testid=${testId}>
    ${nameCell(row)}
    <td colspan="100">
      <span class="row-error"
        >${codicon('error')}<span>${overviewWords.couldNotRun()} ${row.error}</span></span
      >
    </td>
  </tr>`;
}

function nameCell({ name, label, baseline, circular, correction }: OverviewRow): TemplateResult {
  return html`<th scope="row" class="name">
    <span class="pipeline-name" title=${label}
      >${name}${baseline ? html` <span class="badge">${compareWords.baselineBadge()}</span>` : nothing}${
        // If some figures of the row are corrected, the mark is beside the others.
        isAnyCorrected(correction) ? nothing : circularBadge(circular, `circular-${name}`)
      }</span
    >
    ${label === name ? nothing : html`<span class="muted pipeline-label" title=${label}>${label}</span>`}
  </th>`;
}

/** Repeats the tooltips of the column headers for users without a pointer. */
function definitions(columns: readonly Column[], differences: boolean): TemplateResult {
  return html`<details class="definitions">
    <summary>${words.definitions()}</summary>
    <dl>
      ${columns.slice(1).map(
        ({ label, definition }) =>
          html`<dt>${label}</dt>
            <dd>${definition}</dd>`,
      )}
      ${
        differences
          ? html`<dt>${overviewWords.differences()}</dt>
              <dd>${overviewWords.differencesDefinition()}</dd>`
          : nothing
      }
    </dl>
  </details>`;
}
