/** The encircled passages: a list to label them, and to write a perspective from them. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import type { Verdict } from '../../src/core/model.ts';
import { VERDICTS } from '../../src/core/words.ts';
import { LOOKED_AT } from '../../src/features/map/contract/passage-map.ts';
import { announced } from '../components/announcement.ts';
import { button, dropdown, textField } from '../components/toolkit.ts';
import { VERDICT_KEYS, verdictOfKey } from '../components/verdict-keys.ts';
import { knownPassages, type DrawnContext, type Passage } from './draft.ts';
import { passageButton, passageFacts } from './passage-list.ts';
import { strings } from './strings.ts';

/** Empty if nothing is encircled. */
export function choosing(context: DrawnContext): TemplateResult | typeof nothing {
  const { draft, actions } = context;
  const { chosen } = draft;
  if (chosen.length === 0) return nothing;
  const listed = listedPassages(context);
  return html`<section class="chosen" aria-labelledby="chosen-heading" data-testid="chosen">
    <header>
      <h2 id="chosen-heading" class="grow">${strings.chosen(chosen.length)}</h2>
      <button class="link" data-testid="clear-chosen" @click=${() => actions.edit({ chosen: [] })}>
        ${strings.clear()}
      </button>
    </header>
    ${chosen.length > LOOKED_AT ? html`<p class="muted">${strings.listed(LOOKED_AT, chosen.length)}</p>` : nothing}
    ${perspectiveChoice(context)} ${newPerspective(context)}
    <ol>
      ${repeat(
        listed,
        ({ slot }) => slot,
        (passage) => row(context, passage),
      )}
    </ol>
  </section>`;
}

/** The passages whose details the host has sent. */
function listedPassages(context: DrawnContext): Passage[] {
  const known = knownPassages(context);
  return context.draft.chosen.slice(0, LOOKED_AT).flatMap((slot) => known.get(slot) ?? []);
}

function perspectiveChoice({ state, draft, actions }: DrawnContext): TemplateResult {
  const { perspectives } = state;
  if (perspectives.length === 0) return html`<p class="muted">${strings.noPerspectives()}</p>`;
  return dropdown({
    label: strings.labelFor(),
    value: String(placeOf(draft.perspective, perspectives.length)),
    choices: perspectives.map(({ letter, text }, place) => ({
      value: String(place),
      label: `${letter} ${text}`,
    })),
    onChange: (value) => actions.edit({ perspective: Number(value) }),
    testId: 'label-for',
  });
}

/** There may be fewer perspectives since one was chosen. */
const placeOf = (chosen: number, count: number): number => Math.min(chosen, count - 1);

function newPerspective({ state, draft, actions }: DrawnContext): TemplateResult {
  const text = draft.text.trim();
  const add = (): void => {
    if (text === '') return;
    actions.send({ type: 'add-perspective', text });
    actions.edit({ text: '', perspective: state.perspectives.length });
  };
  return html`<div
    class="new-perspective"
    @keydown=${({ key, isComposing }: KeyboardEvent) => (key === 'Enter' && !isComposing ? add() : undefined)}
  >
    ${textField({
      label: strings.newPerspective(),
      value: draft.text,
      placeholder: strings.newPlaceholder(),
      onInput: (value) => actions.edit({ text: value }),
      testId: 'new-perspective',
    })}
    ${button({ label: strings.addPerspective(), disabled: text === '', testId: 'add-perspective', onClick: add })}
  </div>`;
}

function row(context: DrawnContext, passage: Passage): TemplateResult {
  const { state, draft } = context;
  const onKey = (event: KeyboardEvent): void => {
    const verdict = verdictOfKey(event);
    if (verdict === undefined || state.perspectives.length === 0) return;
    event.preventDefault();
    label(context, passage, verdict);
    const next = (event.currentTarget as HTMLElement).nextElementSibling;
    next?.querySelector<HTMLElement>('button')?.focus();
  };
  return html`<li class=${draft.on === passage.slot ? 'on' : ''} @keydown=${onKey}>
    ${passageButton(context, passage)} <span class="muted">${passageFacts(context, passage)}</span>
    <p class="passage-text" dir="auto">${passage.text}</p>
    ${state.perspectives.length === 0 ? nothing : verdicts(context, passage)}
  </li>`;
}

function verdicts(context: DrawnContext, passage: Passage): TemplateResult {
  return html`<div class="segmented" role="group" aria-label=${strings.verdicts(passage.title)}>
    ${VERDICTS.map((verdict) => {
      const word = strings.verdict(verdict);
      return html`<button
        aria-keyshortcuts=${VERDICT_KEYS[verdict]}
        title=${strings.verdictKey(word, VERDICT_KEYS[verdict])}
        data-testid="label-${passage.slot}-${verdict}"
        @click=${() => label(context, passage, verdict)}
      >
        ${word}
      </button>`;
    })}
  </div>`;
}

function label({ state, draft, actions }: DrawnContext, { slot, title }: Passage, verdict: Verdict): void {
  const perspective = placeOf(draft.perspective, state.perspectives.length);
  actions.send({ type: 'label', slot, perspective, verdict });
  actions.edit({
    announcement: announced(draft.announcement, strings.labelled(strings.verdict(verdict), title)),
  });
}
