/** The question: a growing text box with suggestions (an ARIA combobox with a list) and the history on ↑. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { live } from 'lit/directives/live.js';
import { codicon } from '../components/icon.ts';
import { iconButton } from '../components/toolkit.ts';
import { isRunning, type Context } from './draft.ts';
import { words } from '../components/words.ts';
import { strings } from './strings.ts';
import { suggestions, type Suggestion } from './suggestions.ts';

const LIST = 'query-suggestions';
const optionId = (index: number): string => `query-suggestion-${index}`;

/** The text in the query box: the draft, else the asked question. */
function typed({ state, draft }: Context): string {
  return draft.query ?? state.query;
}

/**
 * A native text area, because that of the control library is in a shadow root, where it cannot refer to a list of
 * suggestions outside.
 */
export function queryBox(context: Context): TemplateResult {
  const { state, draft } = context;
  const offered = draft.suggestionsOpen ? suggestions(state, typed(context)) : [];
  const open = offered.length > 0;
  return html`<search class="query">
    <div class="query-box">
      <textarea
        id="query"
        data-testid="query"
        role="combobox"
        aria-label=${strings.query()}
        aria-describedby="query-help"
        aria-autocomplete="list"
        aria-controls=${LIST}
        aria-expanded=${open}
        aria-activedescendant=${open && draft.activeSuggestion >= 0 ? optionId(draft.activeSuggestion) : nothing}
        placeholder=${strings.queryPlaceholder()}
        rows="1"
        maxlength="10000"
        dir="auto"
        spellcheck="false"
        .value=${live(typed(context))}
        @input=${(event: Event) => onInput(context, event.currentTarget as HTMLTextAreaElement)}
        @keydown=${(event: KeyboardEvent) => onKeydown(context, offered, event)}
        @blur=${() => close(context)}
      ></textarea>
      ${searchButton(context)}
    </div>
    <p id="query-help" hidden>${strings.queryHelp()}</p>
    <div class="popup" ?hidden=${!open}>
      <ul id=${LIST} role="listbox" aria-label=${strings.suggestions()}>
        ${offered.map((suggestion, index) => option(context, suggestion, index))}
      </ul>
      ${clearHistory(context, offered)}
    </div>
  </search>`;
}

function searchButton(context: Context): TemplateResult {
  const { state, actions } = context;
  const running = state.tasks.find((task) => task.kind === 'search');
  if (running)
    return iconButton({
      label: words.cancel(running.title),
      icon: 'stop-circle',
      testId: 'cancel-search',
      onClick: () => actions.send({ type: 'cancel', kind: 'search' }),
    });
  return iconButton({
    label: strings.search(),
    icon: 'search',
    testId: 'search',
    disabled: typed(context).trim() === '',
    onClick: () => search(context, typed(context)),
  });
}

function option(context: Context, suggestion: Suggestion, index: number): TemplateResult {
  const { text, evalSet } = suggestion;
  return html`<li
    id=${optionId(index)}
    role="option"
    aria-selected=${context.draft.activeSuggestion === index}
    @mousedown=${(event: MouseEvent) => event.preventDefault()}
    @click=${() => search(context, text)}
  >
    ${codicon(evalSet === undefined ? 'history' : 'beaker')}
    <span class="option-text" dir="auto">${text}</span>
    <span class=${evalSet === undefined ? 'sr-only' : 'option-origin'}
      >${evalSet ?? strings.fromHistory()}</span
    >
  </li>`;
}

function clearHistory({ actions }: Context, offered: readonly Suggestion[]): TemplateResult | typeof nothing {
  if (offered.every(({ evalSet }) => evalSet !== undefined)) return nothing;
  // Not in the tab order, like the list, because it exists only while the cursor is in the text.
  return html`<button
    class="link popup-action"
    data-testid="clear-history"
    tabindex="-1"
    @mousedown=${(event: MouseEvent) => event.preventDefault()}
    @click=${() => actions.send({ type: 'clear-history' })}
  >
    ${strings.clearHistory()}
  </button>`;
}

/** Asks a typed or chosen question. */
export function search({ actions, state }: Context, query: string): void {
  const text = query.trim();
  if (text === '') return;
  const typedText = text === state.query ? undefined : text;
  actions.edit({ query: typedText, suggestionsOpen: false, activeSuggestion: -1, historyAt: -1 });
  actions.send({ type: 'search', query: text });
}

/** Focuses the query box and selects its text. */
export function focusQuery(): void {
  const box = document.getElementById('query');
  if (!(box instanceof HTMLTextAreaElement)) return;
  box.focus();
  box.select();
}

function onInput({ actions }: Context, box: HTMLTextAreaElement): void {
  actions.edit({
    query: box.value,
    suggestionsOpen: box.value.trim() !== '',
    activeSuggestion: -1,
    historyAt: -1,
  });
}

function close({ actions, draft }: Context): void {
  if (draft.suggestionsOpen) actions.edit({ suggestionsOpen: false, activeSuggestion: -1 });
}

function onKeydown(context: Context, offered: readonly Suggestion[], event: KeyboardEvent): void {
  // Keys of an input method that is composing text.
  if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const box = event.currentTarget as HTMLTextAreaElement;
  if (handleKey(context, offered, event.key, box)) event.preventDefault();
}

/** @returns whether the key was handled */
function handleKey(
  context: Context,
  offered: readonly Suggestion[],
  key: string,
  box: HTMLTextAreaElement,
): boolean {
  const { draft, actions } = context;
  const open = offered.length > 0;
  switch (key) {
    case 'Enter':
      search(context, offered[draft.activeSuggestion]?.text ?? box.value);
      return true;
    case 'Escape':
      if (open) close(context);
      return open;
    case 'ArrowDown':
      if (open) return moveSuggestion(context, offered.length, 1);
      if (draft.historyAt >= 0) return walkHistory(context, draft.historyAt - 1, box);
      if (box.selectionStart < box.value.length) return false;
      actions.edit({ suggestionsOpen: true, activeSuggestion: -1 });
      return true;
    case 'ArrowUp':
      if (open) return moveSuggestion(context, offered.length, -1);
      if (box.selectionEnd > 0) return false;
      return walkHistory(context, draft.historyAt + 1, box);
    default:
      return false;
  }
}

/** Position −1, between the last and the first suggestion, is the text itself. */
function moveSuggestion({ draft, actions }: Context, length: number, by: 1 | -1): true {
  const positions = length + 1;
  const position = (draft.activeSuggestion + 1 + by + positions) % positions;
  actions.edit({ activeSuggestion: position - 1 });
  document.getElementById(optionId(position - 1))?.scrollIntoView({ block: 'nearest' });
  return true;
}

function walkHistory(context: Context, to: number, box: HTMLTextAreaElement): boolean {
  const { state, draft, actions } = context;
  const beforeHistory = draft.historyAt < 0 ? typed(context) : draft.beforeHistory;
  // The shown question is usually the newest of the history, so stepping to it would change nothing.
  const past = state.history.filter((query) => query !== beforeHistory);
  if (to >= past.length) return false;
  actions.edit({
    historyAt: to,
    beforeHistory,
    query: to < 0 ? beforeHistory : past[to],
    suggestionsOpen: false,
  });
  box.setSelectionRange(0, 0);
  return true;
}

/** The progress bar at the top of the panel during a search. */
export function searchProgress({ state }: Context): TemplateResult {
  return html`<div
    class="search-progress"
    data-testid=${isRunning(state, 'search') ? 'task-search' : nothing}
  >
    ${isRunning(state, 'search') ? html`<progress aria-label=${strings.searching()}></progress>` : nothing}
  </div>`;
}
