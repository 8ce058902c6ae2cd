/** One row per pipeline: its measures with their differences to the baseline, and what they rest on. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import type { Comparison, FromCompare } from '../../src/shared/compare.ts';
import { basis } from '../components/basis.ts';
import { codicon } from '../components/icon.ts';
import { words } from '../components/words.ts';
import { differenceLine } from './difference.ts';
import type { ComparedContext } from './draft.ts';
import { BASELINE, tally, type RanPipeline } from './outcomes.ts';
import { section } from './section.ts';
import { strings } from './strings.ts';
import { nextSort, sorted, type Direction } from './table-order.ts';

/** Below this share of judged passages, differences may be holes. */
const ENOUGH_JUDGED = 0.8;

interface Column {
  readonly key: string;
  readonly label: string;
  readonly definition: string;
  /** In which direction a first click sorts: what is best comes first. */
  readonly first: Direction;
  value(row: RanPipeline): number | string | undefined;
  cell(row: RanPipeline): TemplateResult;
}

export function overview(context: ComparedContext): TemplateResult {
  const { comparison } = context;
  return section(
    { id: 'overview', heading: strings.overview(), note: strings.ranOn(comparison), aside: exports(context) },
    html`<div class="basis" data-testid="basis">
        ${comparison.sources.length === 0 ? html`<p class="muted">${strings.noSources()}</p>` : basis(comparison.sources)}
        ${judgedWarning(comparison)}
        ${comparison.pipelines.length === 1 ? html`<p class="muted">${strings.onlyOne()}</p>` : nothing}
      </div>
      ${table(context)}`,
  );
}

function exports({ actions }: ComparedContext): TemplateResult {
  const formats = Object.entries(strings.exportFormats()) as [
    Extract<FromCompare, { type: 'export' }>['format'],
    string,
  ][];
  return html`<div class="export" role="group" aria-label=${strings.exportAs()} data-testid="export">
    <span class="muted" aria-hidden="true">${strings.exportAs()}</span>
    ${formats.map(
      ([format, label]) =>
        html`<button
          class="link"
          data-testid="export-${format}"
          @click=${() => actions.send({ type: 'export', format })}
        >
          ${label}
        </button>`,
    )}
  </div>`;
}

/** Said above the table too, since a figure that may be wrong is worse than one that is missing. */
function judgedWarning({ pipelines }: Comparison): TemplateResult | typeof nothing {
  const ran = pipelines.filter(({ error }) => error === undefined);
  const low = ran.filter(({ judged }) => judged < ENOUGH_JUDGED);
  if (low.length === 0) return nothing;
  const names = low.map(({ name }) => name).join(', ');
  return html`<p class="notice" data-testid="low-judged">
    ${codicon('warning')}<span>${strings.lowJudged(names, low.length === ran.length)}</span>
  </p>`;
}

function table(context: ComparedContext): TemplateResult {
  const { comparison } = context;
  const columns = columnsOf(comparison);
  return html`<div class="table-scroll">
      <table class="overview" data-testid="compare-table">
        <caption class="sr-only">
          ${strings.overviewCaption(comparison.pipelines[BASELINE]?.name ?? '')}
        </caption>
        <thead>
          <tr>
            ${columns.map((column) => columnHead(context, column))}
          </tr>
        </thead>
        <tbody>
          ${repeat(
            orderedRows(context, columns),
            ({ name }) => name,
            (row) => (row.error === undefined ? figuresRow(row, columns) : errorRow(row, columns.length)),
          )}
        </tbody>
      </table>
    </div>
    ${definitions(columns, comparison.pipelines.length > 1)}`;
}

/** The tooltips of the column heads once more, for those who do not point. */
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
          ? html`<dt>${strings.differences()}</dt>
              <dd>${strings.differencesDefinition()}</dd>`
          : nothing
      }
    </dl>
  </details>`;
}

/** Pipelines that could not be run come last once the table is sorted. */
function orderedRows({ comparison, draft }: ComparedContext, columns: readonly Column[]): RanPipeline[] {
  const rows = comparison.pipelines.map((pipeline, index) => ({ ...pipeline, index }));
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
      title=${`${definition}\n\n${strings.sortBy(label, next?.direction)}`}
      @click=${() => actions.edit({ sort: next })}
    >
      ${label}<span class="sort-mark" aria-hidden="true"
        >${current === undefined ? '' : current === 'ascending' ? '↑' : '↓'}</span
      >
    </button>
  </th>`;
}

function figuresRow(row: RanPipeline, columns: readonly Column[]): TemplateResult {
  const [, ...figures] = columns;
  return html`<tr data-testid="row-${row.name}">
    ${nameCell(row)} ${figures.map((column) => column.cell(row))}
  </tr>`;
}

function errorRow(row: RanPipeline, columns: number): TemplateResult {
  return html`<tr class="failed" data-testid="row-${row.name}">
    ${nameCell(row)}
    <td colspan=${columns - 1}>
      <span class="row-error">${codicon('error')}<span>${strings.couldNotRun()} ${row.error}</span></span>
    </td>
  </tr>`;
}

function nameCell({ name, label, index }: RanPipeline): TemplateResult {
  return html`<th scope="row" class="name">
    <span class="pipeline-name" title=${label}
      >${name}${index === BASELINE ? html` <span class="badge">${strings.baselineBadge()}</span>` : nothing}</span
    >
    ${label === name ? nothing : html`<span class="muted pipeline-label" title=${label}>${label}</span>`}
  </th>`;
}

function columnsOf(comparison: Comparison): Column[] {
  return [
    {
      key: 'name',
      label: strings.pipeline(),
      definition: strings.pipelineDefinition(),
      first: 'ascending',
      value: ({ name }) => name,
      cell: nameCell,
    },
    ...comparison.measures.map((measure) => measureColumn(comparison, measure)),
    ...(comparison.pipelines.length > 1 ? [tallyColumn(comparison)] : []),
    judgedColumn,
    setSizeColumn,
    timeColumn,
  ];
}

function measureColumn({ pipelines }: Comparison, measure: string): Column {
  const ends = pipelines.flatMap(({ measures }) => {
    const difference = measures[measure]?.difference;
    return difference ? [difference.low, difference.high] : [];
  });
  const scale = Math.max(0, ...ends.map(Math.abs));
  // Without a single verdict the figures would be zeros that nobody has earned.
  const viewOf = ({ measures, judged }: RanPipeline): RanPipeline['measures'][string] | undefined =>
    judged > 0 ? measures[measure] : undefined;
  return {
    key: measure,
    label: measure,
    definition: strings.measureDefinition(measure),
    first: 'descending',
    value: (row) => viewOf(row)?.value,
    cell: (row) => {
      const view = viewOf(row);
      if (!view) return html`<td>${words.none()}${second(strings.nothingJudged())}</td>`;
      const { value, difference } = view;
      return html`<td>
        <span class="value">${strings.value(value)}</span
        >${difference ? differenceLine(difference, scale) : nothing}
      </td>`;
    },
  };
}

function tallyColumn(comparison: Comparison): Column {
  return {
    key: 'tally',
    label: strings.wonLostTied(),
    definition: strings.wonLostTiedDefinition(comparison.k),
    first: 'descending',
    value: ({ index }) => {
      const { won, lost } = tally(comparison, index);
      return index === BASELINE ? undefined : won - lost;
    },
    cell: ({ index }) => {
      const counts = tally(comparison, index);
      if (counts.won + counts.lost + counts.tied === 0) return html`<td>${words.none()}</td>`;
      return html`<td title=${strings.countsHint(counts)}>${strings.counts(counts)}</td>`;
    },
  };
}

const judgedColumn: Column = {
  key: 'judged',
  label: strings.judged(),
  definition: strings.judgedDefinition(),
  first: 'descending',
  value: ({ judged }) => judged,
  cell: ({ name, judged }) => {
    const low = judged < ENOUGH_JUDGED;
    return html`<td
      class=${low ? 'low' : ''}
      title=${low ? strings.judgedLow(judged) : strings.judgedDefinition()}
      data-testid="judged-${name}"
    >
      ${low ? codicon('warning') : nothing}${strings.judgedShare(judged)}${low && judged > 0 ? second(strings.mayBeHoles()) : nothing}
    </td>`;
  },
};

const setSizeColumn: Column = {
  key: 'set-size',
  label: strings.setSize(),
  definition: strings.setSizeDefinition(),
  first: 'ascending',
  value: ({ setSize }) => setSize.mean,
  cell: ({ setSize: { mean, coveredShare } }) =>
    mean === undefined
      ? html`<td>${words.none()}${second(strings.setSizeNone())}</td>`
      : html`<td>${strings.setSizeMean(mean)}${second(strings.setSizeOver(coveredShare))}</td>`,
};

const timeColumn: Column = {
  key: 'time',
  label: strings.time(),
  definition: strings.timeDefinition(),
  first: 'ascending',
  value: ({ milliseconds }) => milliseconds,
  cell: ({ milliseconds, search }) =>
    html`<td>${strings.milliseconds(milliseconds)}${second(strings.search(search))}</td>`,
};

/** The second, quieter line of a cell. */
function second(text: string): TemplateResult {
  return html`<span class="second"> ${text}</span>`;
}
