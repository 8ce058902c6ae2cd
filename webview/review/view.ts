/** Renders the whole panel from the newest state: the decision first, then the passage, then what others say. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { ReviewPair, ReviewState, ReviewStep } from '../../src/features/review/contract/panel.ts';
import { DECIDED_VERDICTS, VERDICTS } from '../../src/core/words.ts';
import { segments, type Segment } from '../components/evidence.ts';
import { frame, welcome } from '../components/frame.ts';
import { button } from '../components/toolkit.ts';
import { verdictOfKey } from '../components/verdict-keys.ts';
import type { Actions, Context, Draft } from './draft.ts';
import { KEYS, strings } from './strings.ts';

/** `state` is `undefined` until the extension host has answered. */
export function view(state: ReviewState | undefined, draft: Draft, actions: Actions): TemplateResult {
  const context = state && { state, actions };
  return frame(
    strings.title(),
    draft,
    context && (state.pair ? pairView(context, state.pair) : end(context)),
  );
}

/** Focuses the pair, so that its keys work. */
export function focusPair(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('.review')?.focus();
}

function pairView(context: Context, pair: ReviewPair): TemplateResult {
  return html`<article
    class="review"
    tabindex="-1"
    data-testid="pair"
    @keydown=${(event: KeyboardEvent) => onKeydown(context, event)}
  >
    <header class="decision">
      <p class="muted">${strings.asked()}</p>
      <h2 dir="auto" data-testid="perspective">${pair.perspective}</h2>
      ${buttons(context)}
    </header>
    <p class="muted" dir="auto">${strings.question(pair.question)}</p>
    ${pair.note === undefined ? nothing : html`<p data-testid="note">${strings.yourNote(pair.note)}</p>`}
    ${passage(context, pair)} ${people(pair)} ${pair.opinions.map(opinion)}
    <ul class="facts muted">
      ${pair.facts.map((fact) => html`<li dir="auto">${fact}</li>`)}
    </ul>
  </article>`;
}

function buttons({ state, actions }: Context): TemplateResult {
  const run = (step: ReviewStep) => (): void => actions.send({ type: 'step', step });
  const withKey = (step: keyof typeof KEYS, label: string): TemplateResult =>
    html`<button aria-keyshortcuts=${KEYS[step]} data-testid="review-${step}" @click=${run(step)}>
      ${label} <kbd aria-hidden="true">${KEYS[step]}</kbd>
    </button>`;
  return html`<div class="review-buttons">
    <div class="segmented" role="group" aria-label=${strings.asked()}>
      ${VERDICTS.map((verdict) => withKey(verdict, strings.verdict(verdict)))}
    </div>
    <div class="segmented">${withKey('skip', strings.skip())} ${withKey('undo', strings.undo())}</div>
    <button class="link" data-testid="review-note" @click=${run('note')}>${strings.note()}</button>
    <span class="muted" data-testid="left">${strings.left(state.left)}</span>
  </div>`;
}

function passage({ actions }: Context, { place, text, evidence }: ReviewPair): TemplateResult {
  const spans = evidence.map(({ side, ...span }) => ({
    ...span,
    perspective: DECIDED_VERDICTS.indexOf(side),
  }));
  const quoted = DECIDED_VERDICTS.filter((side) => evidence.some((each) => each.side === side));
  return html`<section class="review-passage" aria-label=${place}>
    <p class="muted">
      <span dir="auto" data-testid="place">${place}</span>
      <button class="link" data-testid="open" @click=${() => actions.send({ type: 'open' })}>
        ${strings.open()}
      </button>
    </p>
    ${
      quoted.length === 0
        ? nothing
        : html`<p class="legend muted">
            ${quoted.map((side) => html`<mark data-side=${side}>${strings.legend(side)}</mark>`)}
          </p>`
    }
    <p class="reading" dir="auto" data-testid="passage">${segments(text, spans).map(marked)}</p>
  </section>`;
}

/** "yes" is a solid line below, "no" a dotted one above, so that both are visible on text that both quote. */
function marked({ text, perspectives }: Segment): TemplateResult | string {
  return perspectives.reduceRight<TemplateResult | string>(
    (inner, side) => html`<mark data-side=${DECIDED_VERDICTS[side]!}>${inner}</mark>`,
    text,
  );
}

function people({ answers }: ReviewPair): TemplateResult | typeof nothing {
  if (answers.length === 0) return nothing;
  return html`<section>
    <h3>${strings.people()}</h3>
    ${answers.map(
      ({ person, verdict, note }) =>
        html`<p dir="auto">
          <b>${strings.verdict(verdict)}</b> ${person}${note === undefined ? nothing : `: ${note}`}
        </p>`,
    )}
  </section>`;
}

function opinion({ title, sides }: ReviewPair['opinions'][number]): TemplateResult {
  return html`<section>
    <h3>${title}</h3>
    ${sides.map(
      ({ who, side, argument }) =>
        html`<p dir="auto"><b>${strings.verdict(side)}</b> ${who}: ${argument || strings.noArgument()}</p>`,
    )}
  </section>`;
}

function end({ state, actions }: Context): TemplateResult {
  const { answered, waiting } = state;
  return html`<div
    class="review"
    tabindex="-1"
    @keydown=${(event: KeyboardEvent) => onKeydown({ state, actions }, event)}
  >
    ${welcome('checklist', strings.nothing(), 'review-end', [
      answered > 0 ? html`<p>${strings.answered(answered)}</p>` : nothing,
      waiting > 0 ? html`<p>${strings.waiting(waiting)}</p>` : nothing,
      button({
        label: strings.begin(),
        testId: 'review-begin',
        onClick: () => actions.send({ type: 'step', step: 'next' }),
      }),
    ])}
  </div>`;
}

function onKeydown({ state, actions }: Context, event: KeyboardEvent): void {
  const step = stepOfKey(state, event);
  if (step === undefined) return;
  event.preventDefault();
  actions.send({ type: 'step', step });
}

function stepOfKey({ pair }: ReviewState, event: KeyboardEvent): ReviewStep | undefined {
  const verdict = verdictOfKey(event);
  if (verdict) return pair && verdict;
  if (event.ctrlKey || event.altKey || event.metaKey) return undefined;
  const key = event.key.toUpperCase();
  if (key === KEYS.undo) return 'undo';
  return pair && key === KEYS.skip ? 'skip' : undefined;
}
