/** Where a document is that the user misses among the passages, and what would bring it in. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Explanation } from '../../../src/core/explain/explanation.ts';
import { armText, causeText, changeText, termText } from '../../../src/core/explain/wording.ts';
import { button, iconButton, textField } from '../../components/toolkit.ts';
import { isRunning, type Context } from '../draft.ts';
import { missingStrings as strings } from './strings.ts';

/** A long text is a quotation; its beginning tells which. */
const MOST_SHOWN = 120;

/** Below the passages: a field for the document, and the answer. */
export function missing(context: Context): TemplateResult | typeof nothing {
  const { state, draft, actions } = context;
  if (!state.results) return nothing;
  const document = draft.missing.trim();
  const ask = (): void => {
    if (document !== '') actions.send({ type: 'explain', document });
  };
  return html`<section class="likeness-section" aria-labelledby="missing-heading" data-testid="missing">
    <h2 id="missing-heading" tabindex="-1">${strings.heading()}</h2>
    <div class="missing-form" @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && ask()}>
      ${textField({
        label: strings.label(),
        value: draft.missing,
        placeholder: strings.placeholder(),
        onInput: (text) => actions.edit({ missing: text }),
        testId: 'missing-document',
      })}
      ${button({
        label: strings.find(),
        onClick: ask,
        disabled: document === '' || isRunning(state, 'explain'),
        testId: 'missing-find',
      })}
    </div>
    ${answer(context)}
  </section>`;
}

function answer({ state, actions }: Context): TemplateResult | typeof nothing {
  const { missing: shown } = state;
  if (!shown?.explanation) return nothing;
  const { explanation } = shown;
  const name = explanation.passage?.name ?? cut(shown.document);
  return html`<div class="explanation" role="status" data-testid="explanation">
    <header>
      <bdi class="grow"><b>${name}</b></bdi>
      ${iconButton({
        label: strings.close(),
        icon: 'close',
        onClick: () => actions.send({ type: 'end-explanation' }),
        testId: 'end-explanation',
      })}
    </header>
    <p data-testid="cause">${causeText(explanation)}</p>
    ${change(explanation, () => actions.send({ type: 'adopt-change' }))} ${evidence(explanation)}
  </div>`;
}

function change(explanation: Explanation, adopt: () => void): TemplateResult | typeof nothing {
  const text = changeText(explanation);
  if (text === '') return nothing;
  return html`<p data-testid="change">${text}</p>
    ${
      explanation.change
        ? button({ label: strings.tryChange(), onClick: adopt, testId: 'adopt-change' })
        : nothing
    }`;
}

/** Folded, because the cause and the change are all that most people need. */
function evidence({
  arms,
  terms,
  lengths,
  parts = [],
  documents = [],
}: Explanation): TemplateResult | typeof nothing {
  if (arms.length + parts.length + documents.length === 0) return nothing;
  return html`<details data-testid="explanation-evidence">
    <summary>${strings.evidence()}</summary>
    ${documents.length > 1 ? html`<p>${strings.inDocuments(documents.length)}</p>` : nothing}
    ${parts.map((part) => html`<p class="muted">${cut(part.text)}</p>`)}
    <ul class="facts">
      ${arms.map((arm) => html`<li>${armText(arm)}</li>`)}
    </ul>
    ${
      terms.length === 0
        ? nothing
        : html`<p>${strings.words()}</p>
            <ul class="facts">
              ${terms.map((term) => html`<li>${termText(term)}</li>`)}
            </ul>`
    }
    ${
      lengths
        ? html`<p class="muted">${strings.lengths(lengths.passage, Math.round(lengths.mean))}</p>`
        : nothing
    }
  </details>`;
}

const cut = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
