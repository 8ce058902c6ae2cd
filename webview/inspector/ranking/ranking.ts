/**
 * All passages for the question in the order of the pipeline, as a list of any length that renders only the visible
 * rows.
 */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { keyed } from 'lit/directives/keyed.js';
import { repeat } from 'lit/directives/repeat.js';
import { DECISIONS, type Decision } from '../../../src/features/explain/core/decision.ts';
import type { RankedPassage } from '../../../src/features/explain/core/ranked.ts';
import type { InspectorState } from '../../../src/features/inspector/contract/panel.ts';
import { cut } from '../../components/cut.ts';
import { focusCell, gridMove } from '../../components/grid.ts';
import { dropdown, textField } from '../../components/toolkit.ts';
import { EMPTY_DRAFT, type Context, type Draft } from '../draft.ts';
import { why } from '../missing/why.ts';
import { rankingStrings as strings } from './strings.ts';

type Ranking = NonNullable<InspectorState['ranking']>;

/** The height of a row, as in the style sheet. */
const ROW = 44;
/** The number of visible rows, and of those rendered around them. */
const IN_SIGHT = 8;
const AROUND = 12;
/** The number of rows requested before the first visible one. */
const BEFORE = 50;
const ANY = '\u2063any';

export function ranking(context: Context): TemplateResult | typeof nothing {
  const { state, draft } = context;
  if (!state.results) return nothing;
  const toggled = (event: Event): void => {
    const { open } = event.currentTarget as HTMLDetailsElement;
    if (open === draft.rankingOpen) return;
    const { rankingWords, rankingDecision, rankingTop, rankingCell } = EMPTY_DRAFT;
    const start = { rankingWords, rankingDecision, rankingTop, rankingCell };
    context.actions.edit({ ...start, rankingOpen: open });
    if (open) ask(context, start, 0);
    else context.actions.send({ type: 'end-ranking' });
  };
  return html`<details class="ranking" ?open=${draft.rankingOpen} @toggle=${toggled} data-testid="ranking">
    <summary>${strings.summary()}</summary>
    ${draft.rankingOpen && state.ranking ? [form(context, state.ranking), list(context, state.ranking)] : nothing}
  </details>`;
}

type Selection = Pick<Draft, 'rankingWords' | 'rankingDecision'>;

function ask({ actions }: Context, { rankingWords, rankingDecision }: Selection, from: number): void {
  const decision = rankingDecision === undefined ? {} : { decision: rankingDecision };
  actions.send({ type: 'list-ranking', words: rankingWords, ...decision, from });
}

/** Another selection starts at the top. */
function select(context: Context, change: Partial<Selection>): void {
  const { rankingWords, rankingDecision } = { ...context.draft, ...change };
  const { rankingTop, rankingCell } = EMPTY_DRAFT;
  context.actions.edit({ ...change, rankingTop, rankingCell });
  ask(context, { rankingWords, rankingDecision }, 0);
}

function form(context: Context, { counts, total, selected }: Ranking): TemplateResult {
  const { draft } = context;
  const present = DECISIONS.filter((decision) => counts[decision] > 0 || draft.rankingDecision === decision);
  return html`<div class="fields">
      ${textField({
        label: strings.words(),
        value: draft.rankingWords,
        placeholder: strings.placeholder(),
        testId: 'ranking-words',
        onInput: (rankingWords) => select(context, { rankingWords: rankingWords.slice(0, 1_000) }),
      })}
      ${dropdown({
        label: strings.decision(),
        value: draft.rankingDecision ?? ANY,
        choices: [
          { value: ANY, label: strings.any(total) },
          ...present.map((value) => ({ value, label: strings.choice(value, counts[value]) })),
        ],
        testId: 'ranking-decision',
        onChange: (value) =>
          select(context, { rankingDecision: value === ANY ? undefined : (value as Decision) }),
      })}
    </div>
    <p class="muted" role="status" data-testid="ranking-count">
      ${selected === 0 ? strings.none() : strings.shown(selected, total)}
    </p>`;
}

function list(context: Context, view: Ranking): TemplateResult | typeof nothing {
  const { draft } = context;
  const { selected, words, decision } = view;
  if (selected === 0) return nothing;
  const first = Math.max(0, Math.min(draft.rankingTop, selected - IN_SIGHT) - AROUND);
  const last = Math.min(selected, draft.rankingTop + IN_SIGHT + AROUND);
  const rows = Array.from({ length: last - first }, (_, place) => first + place);
  // The focused row is always rendered, wherever the list is scrolled to.
  if (!rows.includes(draft.rankingCell.row) && draft.rankingCell.row < selected)
    rows.push(draft.rankingCell.row);
  const box = html`<div
    class="ranking-list"
    role="list"
    aria-label=${strings.list()}
    data-testid="ranking-list"
    @scroll=${(event: Event) => onScroll(context, view, event.currentTarget as HTMLElement)}
    @keydown=${(event: KeyboardEvent) => onKeydown(context, view, event)}
  >
    <div role="presentation" .style=${`height: ${selected * ROW}px`}>
      ${repeat(
        rows,
        (place) => place,
        (place) => row(context, view, place),
      )}
    </div>
  </div>`;
  return html`${keyed(JSON.stringify([words, decision, context.state.query]), box)}`;
}

function row(context: Context, { from, passages, selected }: Ranking, place: number): TemplateResult {
  const { draft, actions } = context;
  const passage = passages[place - from];
  const tab = (column: number): string =>
    draft.rankingCell.row === place && draft.rankingCell.column === column ? '0' : '-1';
  const name = passage?.name ?? strings.loading();
  return html`<div
    role="listitem"
    class="ranking-row"
    aria-setsize=${selected}
    aria-posinset=${place + 1}
    .style=${`inset-block-start: ${place * ROW}px`}
    data-testid="ranked-${place}"
  >
    <span class="rank">${passage?.rank ?? ''}</span>
    <div class="grow">
      <button
        class="title"
        dir="auto"
        title=${strings.open(name)}
        tabindex=${tab(0)}
        data-row=${place}
        data-column="0"
        @focus=${() => actions.edit({ rankingCell: { row: place, column: 0 } })}
        @click=${() => passage && actions.send({ type: 'open', passageId: passage.id })}
      >
        ${name}
      </button>
      <p class="muted">${passage ? about(passage) : nothing}</p>
    </div>
    ${passage ? why(context, passage.id, strings.why(name), `ranked-why-${place}`, { tab: tab(1), row: place, column: 1 }) : nothing}
  </div>`;
}

function about(passage: RankedPassage): TemplateResult {
  return html`<span title=${passage.documentId}>${strings.decided(passage)}</span>
    ${cut(passage.documentId)}`;
}

function onScroll(context: Context, { from, passages, selected }: Ranking, box: HTMLElement): void {
  const { draft, actions } = context;
  const top = Math.floor(box.scrollTop / ROW);
  if (Math.abs(top - draft.rankingTop) >= AROUND / 2 || top === 0) actions.edit({ rankingTop: top });
  const end = Math.min(selected, top + IN_SIGHT + AROUND);
  if (top < from || end > from + passages.length) ask(context, draft, Math.max(0, top - BEFORE));
}

function onKeydown(context: Context, { selected }: Ranking, event: KeyboardEvent): void {
  const to = gridMove(event, context.draft.rankingCell, { rows: selected, columns: 2 });
  if (!to) return;
  event.preventDefault();
  const box = event.currentTarget as HTMLElement;
  const top = to.row * ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
  context.actions.edit({ rankingCell: to });
  focusCell(box, to);
}
