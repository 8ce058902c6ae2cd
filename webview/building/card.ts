/** A draft: its question, its perspectives with their passages, and the possible decisions. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { DraftView } from '../../src/features/building/contract/panel.ts';
import { letter } from '../components/chip.ts';
import { button } from '../components/toolkit.ts';
import type { CurrentContext } from './draft.ts';
import { form, startEditing } from './form.ts';
import { KEYS, strings } from './strings.ts';

type Passage = DraftView['passages'][number];

export function card(context: CurrentContext): TemplateResult {
  const { current, draft } = context;
  const edited = draft.edited?.id === current.id ? draft.edited : undefined;
  return html`<section
    class="draft-card"
    aria-label=${strings.draft()}
    tabindex="-1"
    data-testid="draft"
    @keydown=${(event: KeyboardEvent) => (edited ? undefined : onKeydown(context, event))}
  >
    ${edited ? form(context, edited) : html`${content(context)} ${buttons(context)}`}
  </section>`;
}

/** Focuses the draft, unless the user is typing. */
export function focusCard(): void {
  if (document.activeElement?.tagName === 'VSCODE-TEXT-AREA') return;
  document.querySelector<HTMLElement>('.draft-card')?.focus();
}

function content({ current }: CurrentContext): TemplateResult {
  const { text, perspectives, passages, review, because } = current;
  const state =
    because === undefined ? strings.review(review) : strings.because(strings.review(review), because);
  const unsupporting = passages.filter(({ supports }) => supports.length === 0);
  return html`<h2 dir="auto" data-testid="draft-question">${text}</h2>
    <p class="muted">${proposedBy(current)}</p>
    ${review === 'proposed' ? nothing : html`<p class="muted" data-testid="draft-review">${state}</p>`}
    ${perspectives.length === 0 ? html`<p>${strings.noPerspectives()}</p>` : nothing}
    <ul class="draft-perspectives">
      ${perspectives.map((perspective) => perspectiveRow(current, perspective))}
    </ul>
    ${
      unsupporting.length === 0
        ? nothing
        : html`<p class="muted">${strings.supportsNone()}</p>
            ${unsupporting.map(passageText)}`
    }`;
}

function proposedBy({ model, reason }: DraftView): string {
  const by = strings.proposedBy(model);
  return reason === undefined ? by : strings.withReason(by, reason);
}

function perspectiveRow(
  { passages }: DraftView,
  perspective: DraftView['perspectives'][number],
): TemplateResult {
  const { id, text, stance, from } = perspective;
  const behind = passages.filter(({ supports }) => supports.includes(id));
  return html`<li data-testid="draft-${id}">
    ${letter(perspective)}
    <div class="grow">
      <p dir="auto">
        ${text}${stance === undefined ? nothing : html` <span class="muted">${strings.stance(stance)}</span>`}
      </p>
      ${from === undefined ? nothing : html`<p class="muted" dir="auto" data-testid="from-${id}">${strings.from(from)}</p>`}
      ${behind.length === 0 && passages.length > 0 ? html`<p class="muted">${strings.noPassage()}</p>` : behind.map(passageText)}
    </div>
  </li>`;
}

function passageText({ name, text }: Passage): TemplateResult {
  return html`<blockquote class="draft-passage">
    <p class="muted draft-name" dir="auto">${name}</p>
    <p class="draft-words" dir="auto">${text}</p>
  </blockquote>`;
}

function buttons(context: CurrentContext): TemplateResult {
  const { state, current, actions } = context;
  return html`<div class="buttons">
    ${button({
      label: strings.accept(),
      primary: true,
      testId: 'accept-draft',
      disabled: current.perspectives.length === 0,
      onClick: () => actions.send({ type: 'review', id: current.id, review: 'accepted' }),
    })}
    ${button({ label: strings.edit(), testId: 'edit-draft', onClick: () => startEditing(context) })}
    ${button({
      label: strings.reject(),
      testId: 'reject-draft',
      onClick: () => actions.send({ type: 'review', id: current.id, review: 'rejected' }),
    })}
    ${button({
      label: strings.rejectWithReason(),
      testId: 'reject-with-reason',
      onClick: () => actions.send({ type: 'reject-with-reason', id: current.id }),
    })}
    ${button({ label: strings.skip(), testId: 'skip-draft', onClick: () => actions.send({ type: 'skip' }) })}
    ${button({
      label: strings.undo(),
      testId: 'undo-draft',
      disabled: !state.canUndo,
      onClick: () => actions.send({ type: 'undo' }),
    })}
  </div>`;
}

function onKeydown(context: CurrentContext, event: KeyboardEvent): void {
  const { current, actions } = context;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const { id, perspectives } = current;
  const work: Readonly<Record<string, () => void>> = {
    [KEYS.accept]: () => {
      if (perspectives.length > 0) actions.send({ type: 'review', id, review: 'accepted' });
    },
    [KEYS.reject]: () => actions.send({ type: 'review', id, review: 'rejected' }),
    [KEYS.reason]: () => actions.send({ type: 'reject-with-reason', id }),
    [KEYS.edit]: () => startEditing(context),
    [KEYS.skip]: () => actions.send({ type: 'skip' }),
    [KEYS.undo]: () => actions.send({ type: 'undo' }),
  };
  const action = work[event.key.toUpperCase()];
  if (!action) return;
  event.preventDefault();
  action();
}
