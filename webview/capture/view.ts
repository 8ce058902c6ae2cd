/** Renders the whole panel from the newest state and the draft. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { perspectiveMark } from '../../src/features/inspector/contract/panel.ts';
import type { RunState } from '../../src/features/capture/contract/panel.ts';
import { errorAlert, frame, welcome } from '../components/frame.ts';
import { lost, whatIfs } from './again.ts';
import type { Actions, Context, Draft, RunContext } from './draft.ts';
import { lanes } from './lanes.ts';
import { strings } from './strings.ts';

/** `state` is `undefined` until the extension host has answered. */
export function view(state: RunState | undefined, draft: Draft, actions: Actions): TemplateResult {
  return frame(strings.title(), draft, state && panel({ state, draft, actions }));
}

function panel(context: Context): TemplateResult {
  const { state, actions } = context;
  const { picture } = state;
  const error = errorAlert(state.error, actions);
  if (!picture)
    return state.error
      ? html`<div class="top">${error}</div>`
      : welcome('search', strings.nothingTitle(), 'no-run', [html`<p>${strings.nothing()}</p>`]);
  const signs = picture.perspectives.map(({ id, text }, place) => ({ id, text, ...perspectiveMark(place) }));
  const run: RunContext = { ...context, picture, signs };
  return html`<div class="top">
      <p class="run-question" dir="auto">${picture.question}</p>
      <p class="muted">
        ${strings.summary(picture)} ${signs.length > 0 ? strings.judged(picture) : nothing}
        <button
          class="link"
          data-testid="inspect"
          @click=${() => actions.send({ type: 'inspect', query: picture.question })}
        >
          ${strings.inspect()}
        </button>
      </p>
      ${signs.length === 0 ? html`<p data-testid="no-perspectives">${strings.noPerspectives()}</p>` : nothing}
      ${error}
    </div>
    <div class="results">
      ${lanes(run)} ${signs.length > 0 ? html`${lost(run)} ${whatIfs(run)}` : nothing}
    </div>`;
}
