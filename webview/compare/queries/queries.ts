/** Queries × pipelines: the rank at which each perspective is first supported, and the outcome. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import type { QueryEvaluation } from '../../../src/evaluation/evaluation.ts';
import { judgedAt, placeAt, rankAt } from '../../../src/evaluation/reading.ts';
import { letter } from '../../components/chip.ts';
import { focusCell, gridMove } from '../../components/grid.ts';
import { codicon } from '../../components/icon.ts';
import { rowParts, rowWindow, type RowPart, type RowWindow, type TableWindow } from './row-window.ts';
import { bringIntoSight, section } from '../../components/section.ts';
import { button, dropdown, textField } from '../../components/toolkit.ts';
import { words } from '../../components/words.ts';
import { EMPTY_DRAFT, LIST_TOP, type ComparedContext, type Draft } from '../draft.ts';
import { baselineOf, outcome, ranPipelines, versusBaseline, type RanPipeline } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { compareWords } from '../strings.ts';
import {
  filterCounts,
  QUERY_FILTERS,
  selectedQueries,
  tagsOf,
  type QueryOrder,
  selectionOf,
  type QuerySelection,
} from './query-list.ts';
import { queryWords } from './strings.ts';

export function queries(context: ComparedContext): TemplateResult {
  const { set } = context;
  const selection = selectionOf(context);
  const selected = selectedQueries(set, selection);
  return section(
    {
      id: 'queries',
      heading: queryWords.queries(),
      note: queryWords.queriesNote(selected.length, set.queries.length),
    },
    html`${toolbar(context, selection)} ${leadNotice(context)}
    ${selected.length === 0 ? noQueries(context) : table(context, selected)}`,
  );
}

/** Changes the selection and resets the list to its top. */
function select({ actions }: ComparedContext, change: Partial<Draft>): void {
  actions.edit({ ...change, ...LIST_TOP });
}

/** With more pipelines than this, the columns are as narrow as possible. */
const MANY_PIPELINES = 8;

/** The rendered rows contain about as many cells as can be laid out without delay; visible rows are always rendered. */
const MAX_CELLS = 600;
const MAX_ROWS = 200;
/** The number of cells rendered per frame. */
const CELLS_AT_ONCE = 160;
/** The number of columns of a wide table that are rendered before the visible ones are known. */
const FIRST_COLUMNS = 16;

const ANY_TAG = '\u2063any';

function toolbar(context: ComparedContext, selection: QuerySelection): TemplateResult {
  const { set, draft } = context;
  const counts = filterCounts(set, selection);
  const tags = tagsOf(set);
  return html`<div class="toolbar">
    <div class="segmented" role="group" aria-label=${queryWords.filters()}>
      ${QUERY_FILTERS.map(
        (filter) =>
          html`<button
            aria-pressed=${draft.filter === filter}
            title=${queryWords.filterHint(filter)}
            data-testid="filter-${filter}"
            @click=${() => select(context, { filter })}
          >
            ${queryWords.filter(filter)} <span class="count">${compareWords.count(counts[filter])}</span>
          </button>`,
      )}
    </div>
    ${textField({
      label: queryWords.filterWords(),
      value: draft.words,
      placeholder: queryWords.filterWordsPlaceholder(),
      testId: 'filter-words',
      onInput: (typed) => select(context, { words: typed }),
    })}
    ${
      tags.length === 0
        ? nothing
        : dropdown({
            label: queryWords.tag(),
            value: selection.tag ?? ANY_TAG,
            choices: [
              { value: ANY_TAG, label: queryWords.anyTag() },
              ...tags.map((tag) => ({ value: tag, label: tag })),
            ],
            testId: 'filter-tag',
            onChange: (tag) => select(context, { tag: tag === ANY_TAG ? undefined : tag }),
          })
    }
    ${dropdown({
      label: queryWords.order(),
      value: draft.order,
      choices: Object.entries(queryWords.orders()).map(([value, label]) => ({ value, label })),
      testId: 'query-order',
      onChange: (order) => select(context, { order: order as QueryOrder }),
    })}
  </div>`;
}

/** The figure whose queries are shown, with a button to show all queries. */
function leadNotice(context: ComparedContext): TemplateResult | typeof nothing {
  const { draft, set } = context;
  if (!draft.lead) return nothing;
  return html`<p class="lead" data-testid="lead">
    <span>${queryWords.lead(draft.lead, set.pipelines[baselineOf(set) ?? 0]?.name ?? '')}</span>
    <button class="link" data-testid="end-lead" @click=${() => select(context, { lead: undefined })}>
      ${queryWords.endLead()}
    </button>
  </p>`;
}

function noQueries(context: ComparedContext): TemplateResult {
  const { filter, words: typed, tag } = EMPTY_DRAFT;
  return html`<div class="no-queries" data-testid="no-queries">
    <p class="muted">${queryWords.noQueries()}</p>
    ${button({
      label: queryWords.showAllQueries(),
      testId: 'show-all-queries',
      onClick: () => select(context, { filter, words: typed, tag, lead: undefined }),
    })}
  </div>`;
}

function table(context: ComparedContext, selected: readonly QueryEvaluation[]): TemplateResult {
  const { draft, actions, set } = context;
  const ran = ranPipelines(set);
  const baseline = baselineOf(set);
  const size = { rows: selected.length, columns: ran.length };
  const columns = draft.drawn?.columns ?? { first: 0, last: FIRST_COLUMNS };
  const shown = Math.min(ran.length, columns.last - columns.first);
  const step = Math.max(1, Math.floor(CELLS_AT_ONCE / shown));
  const windowed = {
    rows: selected.length,
    most: Math.min(Math.ceil(MAX_CELLS / shown), MAX_ROWS),
    step,
    drawn: draft.drawn?.rows ?? { first: 0, last: Math.min(step, selected.length) },
    columns,
    begins: draft.drawn === undefined,
    onMove: (drawn: TableWindow) => actions.edit({ drawn }),
  };
  return html`<div class="table-scroll tall" ${rowWindow(windowed)}>
      <table
        class=${ran.length > MANY_PIPELINES ? 'queries many' : 'queries'}
        .style=${columnWidths(set, ran.length)}
        aria-rowcount=${selected.length + 1}
        aria-colcount=${ran.length + 1}
        @keydown=${(event: KeyboardEvent) => onKeydown(context, size, event)}
      >
        <caption class="sr-only">
          ${queryWords.queriesCaption()}
        </caption>
        <colgroup>
          <col />
          <col span=${ran.length} class="outcomes" />
        </colgroup>
        <thead>
          <tr aria-rowindex="1">
            <th scope="col" class="name">${compareWords.query()}</th>
            ${ran.map(
              ({ name, label, index }, column) =>
                html`<th scope="col" title=${label} data-head=${column}>
                  <span class="clamped">${name}</span>
                  ${index === baseline ? html`<span class="second">${compareWords.baselineBadge()}</span>` : nothing}
                </th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${repeat(
            rowParts(selected.length, windowed.drawn, draft.cell.row),
            (part) => ('gap' in part ? part.gap.last : selected[part.row]!.id),
            (part) => rowPart(context, selected, { ran, columns }, part),
          )}
        </tbody>
      </table>
    </div>
    ${legend(set.pipelines.length > 1)}`;
}

/** Widths of the outcome columns, independent of the rendered rows. Two places are stacked. */
function columnWidths({ queries }: ShownSet, columns: number): string {
  const most = queries.reduce((sum, { perspectives }) => Math.max(sum, perspectives.length), 0);
  return `--columns: ${columns}; --places: ${Math.ceil(most / 2)}`;
}

/** All columns, and the rendered ones. */
interface WideTable {
  readonly ran: readonly RanPipeline[];
  readonly columns: RowWindow;
}

function rowPart(
  context: ComparedContext,
  selected: readonly QueryEvaluation[],
  wide: WideTable,
  part: RowPart,
): unknown {
  if ('gap' in part) {
    const { first, last } = part.gap;
    return html`<tr class="gap" data-first=${first} data-rows=${last - first} aria-hidden="true">
      <td .style=${`--rows: ${last - first}`}></td>
    </tr>`;
  }
  const { set, draft } = context;
  const query = selected[part.row]!;
  const column = draft.cell.row === part.row ? draft.cell.column : undefined;
  const { first, last } = wide.columns;
  const needs = [set, query, part.row, column, first, last, draft.expanded.includes(query.id)];
  return guard(needs, () => queryRow(context, query, wide, part.row));
}

function queryRow(
  context: ComparedContext,
  query: QueryEvaluation,
  { ran, columns }: WideTable,
  row: number,
): TemplateResult {
  const { cell: reachable } = context.draft;
  // The focused cell is always rendered, wherever the table is scrolled to.
  const parts = rowParts(ran.length, columns, reachable.row === row ? reachable.column : columns.first);
  return html`<tr data-testid="query-${query.id}" data-first=${row} data-rows="1" aria-rowindex=${row + 2}>
    ${queryHead(context, query)}
    ${repeat(
      parts,
      (part) => ('gap' in part ? -part.gap.last : part.row),
      (part) =>
        'gap' in part
          ? html`<td colspan=${part.gap.last - part.gap.first} aria-hidden="true"></td>`
          : cell(context, query, ran[part.row]!, row, part.row),
    )}
  </tr>`;
}

function queryHead(context: ComparedContext, query: QueryEvaluation): TemplateResult {
  const { draft, actions } = context;
  const { id, text, tags, perspectives } = query;
  const expanded = draft.expanded.includes(id);
  const toggle = (): void =>
    actions.edit({
      expanded: expanded ? draft.expanded.filter((one) => one !== id) : [...draft.expanded, id],
    });
  return html`<th scope="row" class="name">
    <div class="query-head">
      <button
        class="twistie"
        aria-expanded=${expanded}
        aria-label=${expanded ? queryWords.collapseQuery(id) : queryWords.expandQuery(id)}
        data-testid="expand-${id}"
        @click=${toggle}
      >
        ${codicon(expanded ? 'chevron-down' : 'chevron-right')}
      </button>
      <div class="grow">
        <p class=${expanded ? 'query-text' : 'query-text clamped'} dir="auto" title=${text}>${text}</p>
        <p class="muted query-id">
          ${[id, ...tags].join(' · ')} ·
          <button
            class="link"
            id=${movementLinkId(id)}
            aria-label=${queryWords.showMovement(id)}
            title=${queryWords.showMovement(id)}
            data-testid="movement-${id}"
            @click=${() => showMovement(context, id)}
          >
            ${queryWords.movementLink()}
          </button>
        </p>
        ${
          expanded
            ? html`<ul class="query-perspectives">
                ${perspectives.map(
                  (perspective) =>
                    html`<li>
                      ${letter(perspective)}
                      <p dir="auto">
                        ${perspective.text}
                        ${perspective.supportKnown === false ? html`<span class="muted">(${queryWords.supportUnknown()})</span>` : nothing}
                      </p>
                    </li>`,
                )}
              </ul>`
            : nothing
        }
      </div>
    </div>
  </th>`;
}

/** The focus target after the movement is closed. */
export function movementLinkId(queryId: string): string {
  return `movement-of-${queryId}`;
}

function showMovement({ actions, set }: ComparedContext, queryId: string): void {
  actions.send({ type: 'show-movement', dataset: set.name, queryId });
  actions.edit({ moving: { dataset: set.name, queryId } });
  bringIntoSight('movement');
}

function cell(
  context: ComparedContext,
  query: QueryEvaluation,
  pipeline: RanPipeline,
  row: number,
  column: number,
): TemplateResult {
  const { set, draft, actions } = context;
  const { name, index } = pipeline;
  const result = outcome(set, query, index);
  const versus = versusBaseline(set, query, index);
  const places = query.perspectives.map((perspective) => ({
    perspective,
    place: placeAt(perspective, index) ?? 'unjudged',
    rank: rankAt(perspective, index),
  }));
  const parts = [
    queryWords.outcome(result, judgedAt(query, index), set.k),
    ...(versus && versus !== 'tied' ? [queryWords.versus(versus)] : []),
    ...places.map(({ perspective, place, rank }) => queryWords.place(perspective.letter, place, rank)),
  ];
  const reachable = draft.cell.row === row && draft.cell.column === column;
  return html`<td class=${versus ?? ''} aria-colindex=${column + 2}>
    <button
      class="cell"
      data-row=${row}
      data-column=${column}
      data-testid="cell-${query.id}-${name}"
      tabindex=${reachable ? 0 : -1}
      aria-label=${queryWords.cell(parts)}
      title=${queryWords.cellHint([...parts, queryWords.topJudged(judgedAt(query, index))])}
      @focus=${() => (reachable ? undefined : actions.edit({ cell: { row, column } }))}
      @click=${() => actions.send({ type: 'inspect', dataset: set.name, queryId: query.id, pipeline: name })}
    >
      <span class="outcome">${mark(result, versus)}</span
      ><span class="places"
        >${places.map(
          ({ perspective, place, rank }) =>
            html`<span class="place ${place}" data-color=${perspective.color}
              ><b>${perspective.letter}</b>${rank ?? (place === 'unjudged' ? '?' : '')}</span
            >`,
        )}</span
      >
    </button>
  </td>`;
}

function mark(result: number | undefined, versus: ReturnType<typeof versusBaseline>): string {
  if (versus === 'won') return '▲';
  if (versus === 'lost') return '▼';
  if (result === undefined) return '';
  return result === 1 ? '✓' : '–';
}

function onKeydown(
  { draft, actions }: ComparedContext,
  size: { readonly rows: number; readonly columns: number },
  event: KeyboardEvent,
): void {
  const onCell = event.target instanceof Element && event.target.matches('.cell');
  const to = onCell ? gridMove(event, draft.cell, size) : undefined;
  if (!to) return;
  event.preventDefault();
  actions.edit({ cell: to });
  focusCell(event.currentTarget as HTMLElement, to);
}

function legend(withBaseline: boolean): TemplateResult {
  const places = queryWords.marks();
  const outcomes = Object.entries(queryWords.outcomeMarks()).filter(
    ([sign]) => withBaseline || !['▲', '▼'].includes(sign),
  );
  const examples: Record<string, string> = { covered: '2', 'below-k': '14', unjudged: '?' };
  return html`<p class="legend muted">
    <span class="sr-only">${words.legend()}: </span>
    ${places.map(
      ([place, text]) =>
        html`<span
          ><span class="place ${place}" data-color="0" aria-hidden="true"><b>A</b>${examples[place]}</span>
          ${text}</span
        >`,
    )}
    ${outcomes.map(
      ([sign, text]) =>
        html`<span><span class="legend-mark" aria-hidden="true">${sign}</span> ${text}</span>`,
    )}
  </p>`;
}
