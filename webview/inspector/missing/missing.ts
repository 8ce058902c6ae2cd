/** Explains where a document is that the user misses among the passages, and what would retrieve it. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { keyed } from 'lit/directives/keyed.js';
import { ref } from 'lit/directives/ref.js';
import type { Explanation } from '../../../src/features/explain/core/explanation.ts';
import {
  armText,
  causeText,
  changeText,
  otherRankText,
  partTexts,
  poolText,
  programText,
  provisionalText,
  termLines,
} from '../../../src/features/explain/core/wording.ts';
import { priceLines, type ChangePrice } from '../../../src/evaluation/change-price.ts';
import { cut } from '../../components/cut.ts';
import { button, iconButton, textField } from '../../components/toolkit.ts';
import { isRunning, type Context } from '../draft.ts';
import { taskList } from '../frame.ts';
import { ranking } from '../ranking/ranking.ts';
import { rankingStrings } from '../ranking/strings.ts';
import { missingStrings as strings } from './strings.ts';
import { MISSING_HEADING } from './why.ts';

/** A longer text is a quotation, whose beginning identifies it. */
const MAX_SHOWN = 120;
/** A longer text is a quotation, not a title. */
const LONGEST_NAME = 1_000;

/** A box for the document below the passages, and the explanation. */
export function missing(context: Context): TemplateResult | typeof nothing {
  const { state, draft, actions } = context;
  if (!state.results) return nothing;
  const document = draft.missing.trim();
  const ask = (): void => {
    if (document !== '') explain(context, document);
  };
  return html`<section class="missing-section" aria-labelledby=${MISSING_HEADING} data-testid="missing">
    <h2 id=${MISSING_HEADING} tabindex="-1">${strings.heading()}</h2>
    <div class="missing-form" @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && ask()}>
      ${textField({
        label: strings.label(),
        value: draft.missing,
        placeholder: strings.placeholder(),
        onInput: (text) => {
          actions.edit({ missing: text, offersOpen: true });
          actions.send({ type: 'complete-document', text: text.slice(0, LONGEST_NAME) });
        },
        testId: 'missing-document',
      })}
      ${button({
        label: strings.find(),
        onClick: ask,
        disabled: document === '' || isRunning(state, 'explain'),
        testId: 'missing-find',
      })}
    </div>
    ${offers(context)} ${taskList(context, (kind) => kind === 'explain')} ${answer(context)}
    ${ranking(context)}
  </section>`;
}

export function focusMissing(): void {
  const box = document.querySelector<HTMLElement>('[data-testid="missing-document"]');
  box?.scrollIntoView({ block: 'center' });
  box?.focus();
}

/**
 * Focuses the title of the explanation, so that keyboard users continue there, and scrolls to the explanation with the
 * box above it.
 */
export function showExplanation(): void {
  const answer = document.querySelector<HTMLElement>('[data-testid="explanation"]');
  answer?.querySelector<HTMLElement>('button')?.focus({ preventScroll: true });
  answer?.scrollIntoView({ block: 'start' });
}

function explain({ actions }: Context, document: string): void {
  actions.edit({ missing: document, offersOpen: false });
  actions.send({ type: 'explain', document });
}

/** Documents that match the text, if they were offered for its current version. */
function offers(context: Context): TemplateResult | typeof nothing {
  const { offered } = context.state;
  const { missing: typed, offersOpen } = context.draft;
  if (!offersOpen || offered?.text !== typed.trim() || offered.documents.length === 0) return nothing;
  const list = html`<ul class="offers" aria-label=${strings.offers()} data-testid="offered" ${ref(showWhole)}>
    ${offered.documents.map(
      ({ id, title }) =>
        html`<li>
          <button class="link" dir="auto" title=${id} @click=${() => explain(context, id)}>
            ${title === '' ? id : title}
          </button>
          ${title === '' ? nothing : html`<span class="path muted">${cut(id, '')}</span>`}
        </li>`,
    )}
  </ul>`;
  return html`${keyed(typed, list)}`;
}

/** The box is at the end of the panel, so its list would open off screen. */
function showWhole(list: Element | undefined): void {
  if (list) requestAnimationFrame(() => list.scrollIntoView({ block: 'nearest' }));
}

function answer(context: Context): TemplateResult | typeof nothing {
  const { state, actions } = context;
  const { missing: shown } = state;
  if (!shown?.explanation) return nothing;
  const { explanation, price } = shown;
  const { documents = [], parts = [] } = explanation;
  return html`<div class="explanation" role="status" data-testid="explanation">
    <header>
      ${explanation.passage ? title(context, explanation.passage) : html`<bdi class="grow"><b>${quoted(shown.document)}</b></bdi>`}
      ${iconButton({
        label: strings.close(),
        icon: 'close',
        onClick: () => actions.send({ type: 'end-explanation' }),
        testId: 'end-explanation',
      })}
    </header>
    <p data-testid="cause">${[causeText(explanation), provisionalText(explanation)].join(' ').trim()}</p>
    ${
      parts.length > 0
        ? html`<ol class="facts" data-testid="cut-parts">
            ${partTexts(parts).map((text) => html`<li class="muted" dir="auto">${text}</li>`)}
          </ol>`
        : nothing
    }
    ${
      documents.length > 1
        ? html`<p data-testid="in-documents">
            ${strings.inDocuments(documents.length)} ${documents.join(', ')}
          </p>`
        : nothing
    }
    ${programs(context)} ${change(explanation, price)} ${buttons(context, explanation, price)}
    ${otherPassages(context, explanation)} ${evidence(explanation)}
  </div>`;
}

/** Opens the explained passage. */
function title({ actions }: Context, { id, name }: NonNullable<Explanation['passage']>): TemplateResult {
  return html`<button
    class="title grow"
    dir="auto"
    title=${rankingStrings.open(name)}
    data-testid="open-explained"
    @click=${() => actions.send({ type: 'open', passageId: id })}
  >
    ${name}
  </button>`;
}

/** The results of the user's own program for the question. */
function programs({ state, actions }: Context): TemplateResult[] {
  const { explanation, askable = [], pools = {} } = state.missing ?? {};
  return (explanation?.programs ?? []).map((program) => {
    const pool = pools[program.id];
    const canAsk = pool === undefined && program.rank === undefined && askable.includes(program.id);
    return html`<p data-testid="program">${programText(program)}${pool ? ` ${poolText(pool)}` : ''}</p>
      ${
        canAsk
          ? html`<div class="buttons">
              ${button({
                label: strings.askProgram(),
                disabled: isRunning(state, 'explain'),
                testId: 'ask-program',
                onClick: () => actions.send({ type: 'ask-program', id: program.id }),
              })}
            </div>`
          : nothing
      }`;
  });
}

function change(explanation: Explanation, price: ChangePrice | undefined): TemplateResult | typeof nothing {
  const text = changeText(explanation);
  if (text === '') return nothing;
  return html`<p data-testid="change">${text}</p>
    ${price ? priceOf(price) : nothing}`;
}

/** The user may miss another passage of the document than its best ones. */
function otherPassages(
  { actions }: Context,
  { others: passages = [], ranked = 0 }: Explanation,
): TemplateResult | typeof nothing {
  if (passages.length === 0) return nothing;
  return html`<details data-testid="other-passages">
    <summary>${strings.others(passages.length)}</summary>
    <ul class="offers">
      ${passages.map(
        ({ id, name, rank }) =>
          html`<li>
            <button
              class="link"
              dir="auto"
              title=${strings.askAbout(name)}
              @click=${() => actions.send({ type: 'explain', document: id })}
            >
              ${name}
            </button>
            <span class="muted">${otherRankText({ rank, ranked })}</span>
          </li>`,
      )}
    </ul>
  </details>`;
}

/** Actions on the change and on the document. */
function buttons(
  { state, actions }: Context,
  { change: triedChange, passage, splitters, cause }: Explanation,
  price: ChangePrice | undefined,
): TemplateResult {
  const compare = triedChange?.kind === 'k' ? strings.everyK() : strings.compare();
  const action = (
    type:
      | 'adopt-change'
      | 'compare-change'
      | 'save-change'
      | 'expect-document'
      | 'try-splitters'
      | 'hand-over',
    label: string,
    disabled = false,
  ): TemplateResult => button({ label, disabled, testId: type, onClick: () => actions.send({ type }) });
  return html`<div class="buttons">
    ${triedChange && !triedChange.split ? action('adopt-change', strings.tryChange()) : nothing}
    ${splitters === 'untried' ? action('try-splitters', strings.trySplitters(), isRunning(state, 'explain')) : nothing}
    ${price && !triedChange?.split ? action('compare-change', compare, isRunning(state, 'explain')) : nothing}
    ${triedChange ? action('save-change', strings.save()) : nothing}
    ${passage ? action('expect-document', strings.expect()) : nothing}
    ${cause === 'retrieved' ? nothing : action('hand-over', strings.handOver())}
  </div>`;
}

function priceOf(price: ChangePrice): TemplateResult {
  const [basis, ...lines] = priceLines(price);
  return html`<div data-testid="change-price">
    <p class="muted">${basis}</p>
    <ul class="facts">
      ${lines.map((line) => html`<li>${line}</li>`)}
    </ul>
  </div>`;
}

/** Folded, because the cause and the change are all that most people need. */
function evidence({ arms, terms, lengths }: Explanation): TemplateResult | typeof nothing {
  if (arms.length === 0) return nothing;
  return html`<details data-testid="explanation-evidence">
    <summary>${strings.evidence()}</summary>
    <ul class="facts">
      ${arms.map((arm) => html`<li>${armText(arm)}</li>`)}
    </ul>
    ${
      terms.length === 0
        ? nothing
        : html`<p>${strings.words()}</p>
            <ul class="facts">
              ${termLines(terms).map((line) => html`<li>${line}</li>`)}
            </ul>`
    }
    ${
      lengths
        ? html`<p class="muted">${strings.lengths(lengths.passage, Math.round(lengths.mean))}</p>`
        : nothing
    }
  </details>`;
}

const quoted = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
