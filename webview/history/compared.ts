/** Compares two runs query by query and explains why their figures differ. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { ref } from 'lit/directives/ref.js';
import type { EvaluationSummary } from '../../src/shared/evaluation.ts';
import type { ComparedRuns, Question } from '../../src/features/history/contract/panel.ts';
import { differenceLine } from '../components/difference.ts';
import { atLeastText, shareText, signedPoints } from '../components/figures.ts';
import { focusCell, gridMove } from '../components/grid.ts';
import { codicon } from '../components/icon.ts';
import { bringIntoSight, section } from '../components/section.ts';
import { dropdown, iconButton } from '../components/toolkit.ts';
import { words } from '../components/words.ts';
import { comparisonKey, pairKey, type PipelineComparison, type ShownContext } from './draft.ts';
import { strings } from './strings.ts';

type Changed = PipelineComparison['changed'][number];

export function compared(context: ShownContext): TemplateResult | typeof nothing {
  const { state, runs, actions } = context;
  const comparedRuns = state.compared;
  const [then, now] = [comparedRuns?.then, comparedRuns?.now].map((id) => runs.find((run) => run.id === id));
  if (!comparedRuns || !then || !now) return nothing;
  const { comparisons, notes } = comparedRuns.comparison;
  const shown = shownComparison(context, comparisons);
  const isAwaited = context.draft.awaited === pairKey(comparedRuns.then, comparedRuns.now);
  return html`<div ${ref(isAwaited ? whenDrawn : undefined)}>
    ${section(
      {
        id: 'compared',
        heading: strings.compared(),
        note: strings.comparedNote(then, now),
        aside: html`<div class="export">
          <button
            class="link"
            data-testid="copy-comparison"
            @click=${() => {
              actions.send({ type: 'copy-comparison' });
              actions.announce(strings.copied());
            }}
          >
            ${strings.copyMarkdown()}
          </button>
          ${iconButton({
            label: strings.closeComparison(),
            icon: 'close',
            testId: 'close-comparison',
            onClick: () => actions.send({ type: 'close-comparison' }),
          })}
        </div>`,
      },
      html`${notes.map((note) => html`<p class="notice">${codicon('warning')}<span>${note}</span></p>`)}
      ${
        shown
          ? html`${comparisonPicker(context, comparisons, shown)} ${reasons(shown, then, now)}
            ${differences(shown)} ${queries(context, comparedRuns, shown)}`
          : html`<p class="muted">${strings.nothingShared()}</p>`
      }`,
    )}
  </div>`;
}

/** Scrolls only once for each comparison, so that a user who reads on is not moved back. */
function whenDrawn(element: Element | undefined): void {
  if (element) queueMicrotask(() => bringIntoSight('compared'));
}

/** The chosen comparison, else the one for the eval set and the pipeline in view. */
function shownComparison(
  { draft, shown }: ShownContext,
  comparisons: readonly PipelineComparison[],
): PipelineComparison | undefined {
  return (
    comparisons.find((each) => comparisonKey(each) === draft.compared) ??
    comparisons.find(
      ({ dataset, pipeline }) => dataset === shown.dataset && shown.chosen.includes(pipeline),
    ) ??
    comparisons[0]
  );
}

function comparisonPicker(
  { actions }: ShownContext,
  comparisons: readonly PipelineComparison[],
  shown: PipelineComparison,
): TemplateResult | typeof nothing {
  if (comparisons.length < 2) return nothing;
  return html`<div class="toolbar">
    ${dropdown({
      label: strings.whichComparison(),
      value: comparisonKey(shown),
      choices: comparisons.map((each) => ({
        value: comparisonKey(each),
        label: strings.pipelineOn(each.pipeline, each.dataset),
      })),
      testId: 'comparison-picker',
      onChange: (key) => actions.edit({ compared: key, queryRow: 0 }),
    })}
  </div>`;
}

/** The changed parts with their details. */
function reasons(shown: PipelineComparison, then: EvaluationSummary, now: EvaluationSummary): TemplateResult {
  const changes = shown.differences[0]?.attribution.changes ?? [];
  const [before, after] = [then, now].map(({ rows }) =>
    rows.find((row) => row.dataset === shown.dataset && row.pipeline === shown.pipeline),
  );
  const entries = changes.map(
    (change) => [change, strings.reason(change, { then, now, before, after })] as const,
  );
  return html`<dl class="reasons" data-testid="reasons">
    <dt class=${entries.length === 0 ? 'sr-only' : ''}>${strings.changedSince()}</dt>
    ${entries.length === 0 ? html`<dd class="muted">${strings.nothingKnown()}</dd>` : nothing}
    ${entries.map(
      ([change, reason]) =>
        html`<dd><span class="badge">${strings.change(change)}</span> ${reason}</dd>
          ${change === 'pipeline' ? fieldChanges(shown) : nothing}`,
    )}
  </dl>`;
}

function fieldChanges({ configuration }: PipelineComparison): TemplateResult[] {
  return configuration.map(
    ({ field, then, now }) =>
      html`<dd class="field-change"><code>${field}</code> ${strings.fromTo(then, now)}</dd>`,
  );
}

function differences(shown: PipelineComparison): TemplateResult {
  const scale = Math.max(0, ...shown.differences.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)]));
  return html`<div class="table-scroll">
    <table class="differences" data-testid="differences">
      <caption class="sr-only">
        ${strings.differencesCaption(shown.queries)}
      </caption>
      <thead>
        <tr>
          <th scope="col" class="name">${strings.metric()}</th>
          <th scope="col">${strings.then()}</th>
          <th scope="col">${strings.now()}</th>
          <th scope="col">${strings.difference()}</th>
          <th scope="col">${strings.wonLostTied()}</th>
          <th scope="col" class="text">${strings.verdict()}</th>
        </tr>
      </thead>
      <tbody>
        ${shown.differences.map(
          ({ metric, then, now, mayRise, difference, low, high, p, wins, losses, ties, attribution }) =>
            html`<tr data-testid="difference-${metric}">
              <th scope="row" class="name">${metric}</th>
              <td>${figureText(then, mayRise.then)}</td>
              <td>${figureText(now, mayRise.now)}</td>
              <td class="difference-cell">
                ${difference === 0 ? words.none() : differenceLine({ value: difference, low, high, p }, scale)}
              </td>
              <td>${strings.tally(wins, losses, ties)}</td>
              <td class="text">${strings.verdictOf(difference, attribution)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function figureText(mean: number, mayRise: boolean): string {
  return mayRise ? atLeastText(mean) : shareText(mean);
}

function queries(
  context: ShownContext,
  comparedRuns: ComparedRuns,
  shown: PipelineComparison,
): TemplateResult {
  const { changed } = shown;
  const metrics = [...new Set(changed.flatMap((query) => Object.keys(query.metrics)))];
  const ordered = metrics.toSorted(
    (one, other) => Number(other === context.shown.metric) - Number(one === context.shown.metric),
  );
  return html`<h3 class="queries-heading">${strings.queriesChanged(changed.length, shown.queries)}</h3>
    ${
      changed.length === 0
        ? nothing
        : html`<div class="table-scroll tall">
            <table
              class="changed"
              data-testid="changed"
              @keydown=${(event: KeyboardEvent) => onKeydown(context, changed.length, event)}
            >
              <caption class="sr-only">
                ${strings.changedCaption()}
              </caption>
              <thead>
                <tr>
                  <th scope="col" class="name">${strings.query()}</th>
                  <th scope="col" class="text">${strings.lostAndGained()}</th>
                  ${ordered.map((metric) => html`<th scope="col">${metric}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${changed.map((query, row) =>
                  queryRow(
                    context,
                    shown,
                    query,
                    comparedRuns.questions[shown.dataset]?.[query.id],
                    ordered,
                    row,
                  ),
                )}
              </tbody>
            </table>
          </div>`
    }`;
}

function queryRow(
  context: ShownContext,
  shown: PipelineComparison,
  { id, metrics, lost, gained }: Changed,
  question: Question | undefined,
  columns: readonly string[],
  row: number,
): TemplateResult {
  const textOf = (perspective: string): string => question?.perspectives[perspective] ?? perspective;
  const perspective = (one: string, kind: 'gained' | 'lost'): TemplateResult =>
    html`<li class=${kind === 'gained' ? 'better' : 'worse'}>
      <span class="glyph" aria-hidden="true">${kind === 'gained' ? '▲' : '▼'}</span
      ><span class="sr-only">${kind === 'gained' ? strings.gained() : strings.lost()} </span
      ><span dir="auto">${textOf(one)}</span>
    </li>`;
  return html`<tr data-testid="changed-${id}">
    <th scope="row" class="name">${queryName(context, shown, id, question, row)}</th>
    <td class="text">
      <ul class="moved">
        ${lost.map((one) => perspective(one, 'lost'))} ${gained.map((one) => perspective(one, 'gained'))}
      </ul>
    </td>
    ${columns.map((metric) => {
      const pair = metrics[metric];
      if (!pair) return html`<td class="muted">${strings.same()}</td>`;
      const [then, now] = pair;
      return html`<td class=${now > then ? 'better' : 'worse'}>
        <span class="value"
          ><span class="glyph" aria-hidden="true">${now > then ? '▲' : '▼'}</span
          >${signedPoints(now - then)}</span
        >
        <span class="second">${strings.fromTo(shareText(then), shareText(now))}</span>
      </td>`;
    })}
  </tr>`;
}

/** Opens the query in the side panel, if its eval set still contains it. */
function queryName(
  { draft, actions, runs }: ShownContext,
  { dataset, pipeline }: PipelineComparison,
  id: string,
  question: Question | undefined,
  row: number,
): TemplateResult {
  const evalSet = runs.flatMap(({ rows }) => rows).find((each) => each.dataset === dataset)?.evalSet;
  if (!question || evalSet === undefined)
    return html`<span class="query-text">${id}</span><span class="second">${strings.queryGone()}</span>`;
  return html`<button
      class="link query-text"
      data-row=${row}
      data-column="0"
      data-testid="inspect-${id}"
      tabindex=${draft.queryRow === row ? 0 : -1}
      title=${strings.inspect(pipeline)}
      @focus=${() => (draft.queryRow === row ? undefined : actions.edit({ queryRow: row }))}
      @click=${() => actions.send({ type: 'inspect', evalSet, queryId: id, pipeline })}
    >
      <span class="clamped" dir="auto">${question.text}</span>
    </button>
    <span class="second">${id}</span>`;
}

/** One query is in the tab order; arrow keys move between queries. */
function onKeydown({ draft, actions }: ShownContext, rows: number, event: KeyboardEvent): void {
  const onQuery = event.target instanceof Element && event.target.matches('button[data-row]');
  const to = onQuery ? gridMove(event, { row: draft.queryRow, column: 0 }, { rows, columns: 1 }) : undefined;
  if (!to) return;
  event.preventDefault();
  actions.edit({ queryRow: to.row });
  focusCell(event.currentTarget as HTMLElement, to);
}
