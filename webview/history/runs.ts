/** The runs, newest first: their figures, the basis of these, and the changes since the previous run. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import type { SummaryRow } from '../../src/shared/evaluation.ts';
import { differenceLine, type Difference } from '../components/difference.ts';
import { intervalText } from '../components/figures.ts';
import { circularBadge } from '../components/circular-badge.ts';
import { failedQuestions } from '../components/failed-searches.ts';
import { focusCell, gridMove } from '../components/grid.ts';
import { isMarked } from '../../src/core/metrics/circular.ts';
import { correctedFigureText, correctionText } from '../../src/core/metrics/corrected-text.ts';
import { ENOUGH_JUDGED } from '../../src/core/metrics/judgements.ts';
import { codicon } from '../components/icon.ts';
import { bringIntoSight, section } from '../components/section.ts';
import { button } from '../components/toolkit.ts';
import { words } from '../components/words.ts';
import { pairKey, type ShownContext } from './draft.ts';
import { changesOf, lacksOf, type ShownRun } from './shown.ts';
import { strings } from './strings.ts';

const PAGE = 50;

export function runs(context: ShownContext): TemplateResult {
  const { shown, draft, actions } = context;
  const { dataset } = shown;
  const listed = shown.runs.slice(0, draft.pages * PAGE);
  const left = shown.runs.length - listed.length;
  return section(
    { id: 'runs', heading: strings.runs(), note: strings.runsNote(), aside: copyAndOpen(context) },
    html`${picks(context)}
      <div class="table-scroll tall">
        <table
          class="runs"
          data-testid="runs"
          @keydown=${(event: KeyboardEvent) => onKeydown(context, listed, event)}
        >
          <caption class="sr-only">
            ${strings.runsCaption(dataset)}
          </caption>
          ${tableHead(context)}
          ${repeat(
            listed,
            ({ run }) => run.id,
            (run, row) => runRows(context, run, row),
          )}
        </table>
      </div>
      ${
        left > 0
          ? button({
              label: strings.showMore(Math.min(left, PAGE)),
              testId: 'show-more',
              onClick: () => actions.edit({ pages: draft.pages + 1 }),
            })
          : nothing
      }`,
  );
}

/** Focuses the run of a clicked point of the timeline. */
export function bringRunIntoSight({ draft, actions, shown }: ShownContext, row: number): void {
  const pages = Math.max(draft.pages, Math.ceil((row + 1) / PAGE));
  actions.edit({ row, pages });
  const id = shown.runs[row]?.run.id;
  document.getElementById(`run-${id}`)?.focus();
}

function copyAndOpen({ shown, draft, actions }: ShownContext): TemplateResult {
  const { dataset } = shown;
  const evalSet = shown.runs[0]?.rows[0]?.evalSet;
  const pipeline = shown.pipelines.find((name) => name === draft.pipeline);
  return html`<div class="export">
    <button
      class="link"
      data-testid="copy-runs"
      @click=${() => {
        actions.send({ type: 'copy-runs', dataset, ...(pipeline === undefined ? {} : { pipeline }) });
        actions.announce(strings.copied());
      }}
    >
      ${strings.copyMarkdown()}
    </button>
    ${
      evalSet === undefined
        ? nothing
        : html`<button
            class="link"
            data-testid="open-eval-set"
            @click=${() => actions.send({ type: 'open-eval-set', evalSet })}
          >
            ${strings.openEvalSet()}
          </button>`
    }
  </div>`;
}

/** Actions on the selected runs. */
function picks(context: ShownContext): TemplateResult {
  const { state, draft, actions, runs: all } = context;
  const picked = all.filter(({ id }) => draft.picked.includes(id));
  const [one, other] = picked;
  if (!one) return html`<p class="muted picks" data-testid="picks">${strings.pickHelp()}</p>`;
  const lacks = other ? undefined : lacksOf(one, state.demands);
  return html`<div class="picks" data-testid="picks">
    <span class="muted">${other ? strings.bothPicked(other.at, one.at) : strings.onePicked(one.at)}</span>
    ${
      other
        ? button({
            label: strings.compare(),
            icon: 'arrow-both',
            testId: 'compare',
            onClick: () => compare(context, other.id, one.id),
          })
        : button({
            label: strings.accept(),
            icon: 'check',
            testId: 'accept',
            disabled: lacks !== undefined || state.task !== undefined,
            onClick: () => actions.send({ type: 'accept', id: one.id }),
          })
    }
    <button class="link" data-testid="unpick" @click=${() => actions.edit({ picked: [] })}>
      ${strings.unpick()}
    </button>
    ${lacks ? html`<span class="muted" data-testid="lacks">${strings.lacks(lacks, one, state.demands)}</span>` : nothing}
  </div>`;
}

function compare({ state, actions }: ShownContext, then: string, now: string): void {
  if (state.compared?.then === then && state.compared.now === now) return bringIntoSight('compared');
  actions.edit({ awaited: pairKey(then, now) });
  actions.send({ type: 'compare', ids: [then, now] });
}

/** Details of the chosen metric stay beside it, because narrow panels hide the other metrics. */
function tableHead({ shown }: ShownContext): TemplateResult {
  return html`<thead>
    <tr>
      <th scope="col" class="name">${strings.when()}</th>
      <th scope="col" class="text">${strings.pipeline()}</th>
      <th scope="col" class="chosen">${shown.metric}</th>
      <th scope="col" class="text">${strings.since(shown.metric)}</th>
      <th scope="col" title=${strings.judgedHint()}>${strings.judged()}</th>
      ${othersOf(shown).map((metric) => html`<th scope="col">${metric}</th>`)}
    </tr>
  </thead>`;
}

function othersOf({ metric, metrics }: ShownContext['shown']): string[] {
  return metrics.filter((name) => name !== metric);
}

function runRows(context: ShownContext, shownRun: ShownRun, place: number): TemplateResult {
  const { rows, run } = shownRun;
  return html`<tbody
    data-testid="run-${run.id}"
    class=${context.draft.picked.includes(run.id) ? 'picked' : ''}
  >
    ${rows.map(
      (row, index) =>
        html`<tr>
            ${index === 0 ? runHead(context, shownRun, place) : nothing} ${figures(context, row)}
          </tr>
          ${failuresRow(row)} ${doubtRow(context, row)}`,
    )}
  </tbody>`;
}

/** Below the figures that it explains. */
function failuresRow({ pipeline, queryErrors, queries }: SummaryRow): TemplateResult | typeof nothing {
  if (!queryErrors) return nothing;
  return html`<tr>
    <td class="text" colspan="100">${failedQuestions(pipeline, queryErrors, queries)}</td>
  </tr>`;
}

const isDoubted = ({ circular, correction }: SummaryRow): boolean =>
  circular !== undefined || correction !== undefined;

/** The figures corrected for the judge's errors, as far as human labels allow. */
function doubtRow({ shown: { metric } }: ShownContext, row: SummaryRow): TemplateResult | typeof nothing {
  if (!isDoubted(row)) return nothing;
  const { circular, correction, figures: counted } = row;
  const corrected = correction?.figures[metric];
  const sentences = [
    ...(correction && corrected && counted[metric]
      ? [correctedFigureText(counted[metric].value, corrected, correction)]
      : []),
    ...(correction ? [correctionText(correction)] : []),
  ].join(' ');
  return html`<tr data-testid="doubt-${row.pipeline}">
    <td class="text muted" colspan="100">
      ${isMarked(row, metric) ? circularBadge(circular, `circular-${row.pipeline}`) : nothing} ${sentences}
    </td>
  </tr>`;
}

function runHead({ draft, actions }: ShownContext, { run, rows }: ShownRun, place: number): TemplateResult {
  const { id, at, commit, judge, accepted, outcome } = run;
  const below = (row: SummaryRow): number => (row.queryErrors ? 1 : 0) + (isDoubted(row) ? 1 : 0);
  const lines = rows.reduce((sum, row) => sum + 1 + below(row), 0);
  const picked = draft.picked.includes(id);
  // A third selection replaces the first.
  const toggle = (): void =>
    actions.edit({
      picked: picked ? draft.picked.filter((one) => one !== id) : [...draft.picked, id].slice(-2),
      row: place,
    });
  return html`<th scope="rowgroup" class="name" rowspan=${lines}>
    <label class="run-head">
      <input
        type="checkbox"
        id="run-${id}"
        data-row=${place}
        data-column="0"
        data-testid="pick-${id}"
        tabindex=${draft.row === place ? 0 : -1}
        aria-label=${strings.pick(at)}
        .checked=${picked}
        @focus=${() => (draft.row === place ? undefined : actions.edit({ row: place }))}
        @change=${toggle}
      />
      <span class="grow">
        <time datetime=${at}>${strings.moment(at)}</time>
        ${accepted ? html`<span class="badge">${strings.event('baseline')}</span>` : nothing}
        ${outcome === 'passed' ? nothing : html`<span class="badge missed">${strings.outcome(outcome)}</span>`}
        <span class="second"
          >${commit === undefined ? nothing : html`<code title=${commit}>${commit.slice(0, 10)}</code> · `}${strings.judgedBy(judge)}</span
        >
      </span>
    </label>
  </th>`;
}

function figures({ shown }: ShownContext, row: SummaryRow): TemplateResult {
  return html`<td class="text">${row.pipeline}</td>
    <td class="chosen">${figureText(row, shown.metric)}</td>
    <td class="text since">${since(shown, row)}</td>
    ${judgedCell(row)} ${othersOf(shown).map((metric) => html`<td>${figureText(row, metric)}</td>`)}`;
}

function figureText({ figures, mayRise = [] }: SummaryRow, metric: string): TemplateResult | string {
  const figure = figures[metric];
  if (!figure) return words.none();
  return html`<span class="value">${strings.value(figure, mayRise.includes(metric))}</span
    ><span class="second">${intervalText(figure)}</span>`;
}

function judgedCell({ judged, pairs }: SummaryRow): TemplateResult {
  const share = pairs === 0 ? 0 : judged / pairs;
  const low = share < ENOUGH_JUDGED;
  return html`<td class=${low ? 'low' : ''} title=${low ? strings.judgedLow() : nothing}>
    ${low ? codicon('warning') : nothing}${strings.judgedShare(share)}
    <span class="second">${strings.judgedPairs(judged, pairs)}</span>
  </td>`;
}

function since(shown: ShownContext['shown'], row: SummaryRow): TemplateResult {
  if (!row.since) return html`<span class="muted">${strings.firstOfAll()}</span>`;
  const changes = changesOf(row);
  const difference = row.since.differences[shown.metric];
  const nothingKnown =
    difference && difference.difference !== 0 ? strings.nothingKnown() : strings.nothingChanged();
  return html`<span class="changes"
      >${
        changes.length === 0
          ? html`<span class="muted">${nothingKnown}</span>`
          : changes.map(
              (change) => html`<span class="badge">${strings.change(change, row.since?.judge)}</span>`,
            )
      }${difference && changes.length > 0 && isNoise(difference) ? html`<span class="muted">${strings.noise()}</span>` : nothing}</span
    >
    ${difference && difference.difference !== 0 ? differenceLine(lineOf(difference), scaleOf(shown)) : nothing}`;
}

type Since = NonNullable<SummaryRow['since']>['differences'][string];

const isNoise = ({ low, high }: Since): boolean => low <= 0 && high >= 0;

function lineOf({ difference, low, high, p }: Since): Difference {
  return { value: difference, low, high, ...(p === undefined ? {} : { p }) };
}

/** The largest absolute end of an interval in the column, so that its bars are comparable. */
function scaleOf({ runs: all, metric }: ShownContext['shown']): number {
  const differences = all.flatMap(({ rows }) => rows.flatMap((row) => row.since?.differences[metric] ?? []));
  return Math.max(0, ...differences.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)]));
}

/** One check box is in the tab order; arrow keys move between runs. */
function onKeydown(
  { draft, actions }: ShownContext,
  listed: readonly ShownRun[],
  event: KeyboardEvent,
): void {
  const onPick = event.target instanceof Element && event.target.matches('input[data-row]');
  const size = { rows: listed.length, columns: 1 };
  const to = onPick ? gridMove(event, { row: draft.row, column: 0 }, size) : undefined;
  if (!to) return;
  event.preventDefault();
  actions.edit({ row: to.row });
  focusCell(event.currentTarget as HTMLElement, to);
}
