/** Renders the whole panel from the newest state and the draft. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import type { DraftsState, DraftView } from '../../src/features/building/contract/panel.ts';
import { remedyTitle } from '../../src/shared/remedies.ts';
import { errorAlert, frame, welcome } from '../components/frame.ts';
import { codicon, type Codicon } from '../components/icon.ts';
import { button } from '../components/toolkit.ts';
import { card } from './card.ts';
import type { Actions, Context, Draft } from './draft.ts';
import { strings } from './strings.ts';

const ICONS: Readonly<Record<DraftView['review'], Codicon>> = {
  proposed: 'question',
  accepted: 'check',
  rejected: 'close',
  filtered: 'circle-slash',
};

/** `state` is `undefined` until the extension host has answered. */
export function view(state: DraftsState | undefined, draft: Draft, actions: Actions): TemplateResult {
  return frame(strings.title(), draft, state && panel({ state, draft, actions }));
}

/** The number of pending drafts. */
export function waitingOf({ drafts }: DraftsState): number {
  return drafts.filter(({ review }) => review === 'proposed').length;
}

function panel(context: Context): TemplateResult {
  const { state, actions } = context;
  if (state.drafts.length === 0)
    return welcome('checklist', strings.none(), 'drafts-welcome', [
      html`<p>${strings.noneHint()}</p>`,
      button({
        label: remedyTitle('build-eval-set'),
        primary: true,
        testId: 'build-eval-set',
        onClick: () => actions.send({ type: 'remedy', remedy: 'build-eval-set' }),
      }),
      errorAlert(state.error, actions),
    ]);
  return html`<div class="top">${counts(context)} ${errorAlert(state.error, actions)}</div>
    <div class="drafts-body">
      ${state.current ? card({ ...context, current: state.current }) : done()} ${list(context)}
    </div>`;
}

function counts({ state, actions }: Context): TemplateResult {
  const of = { proposed: 0, accepted: 0, rejected: 0, filtered: 0 };
  for (const { review } of state.drafts) of[review]++;
  return html`<div class="draft-counts">
    <p class="grow">
      <b data-testid="drafts-left">${strings.left(of.proposed)}</b>
      <span class="muted" data-testid="drafts-tally">${strings.tally(of)}</span>
      ${state.unreadable > 0 ? html`<span class="muted">· ${strings.unreadable(state.unreadable)}</span>` : nothing}
      <button class="link" data-testid="open-drafts" @click=${() => actions.send({ type: 'open-file' })}>
        ${strings.openFile()}
      </button>
    </p>
    ${button({
      label: strings.addAccepted(),
      primary: of.proposed === 0 && of.accepted > 0,
      disabled: of.accepted === 0,
      testId: 'add-accepted',
      onClick: () => actions.send({ type: 'add-accepted' }),
    })}
  </div>`;
}

function done(): TemplateResult {
  return html`<section class="draft-card" data-testid="drafts-done"><p>${strings.done()}</p></section>`;
}

function list({ state, actions }: Context): TemplateResult {
  return html`<nav aria-labelledby="all-drafts">
    <h2 id="all-drafts">${strings.all()}</h2>
    <ol class="draft-list">
      ${repeat(
        state.drafts,
        ({ id }) => id,
        ({ id, text, review }) =>
          html`<li>
            <button
              class="draft-row"
              data-testid="row-${id}"
              aria-current=${id === state.current?.id}
              @click=${() => actions.send({ type: 'show', id })}
            >
              <span title=${strings.review(review)}>${codicon(ICONS[review])}</span>
              <span class="sr-only">${strings.review(review)}: </span><span dir="auto">${text}</span>
            </button>
          </li>`,
      )}
    </ol>
  </nav>`;
}
