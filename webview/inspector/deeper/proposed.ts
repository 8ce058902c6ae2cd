/** Perspectives that a model proposes, each with the passages behind it. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { InspectorState } from '../../../src/features/inspector/contract/panel.ts';
import { button } from '../../components/toolkit.ts';
import { MAX_PERSPECTIVES, type Context } from '../draft.ts';
import { strings } from '../strings.ts';
import { deeperStrings } from './strings.ts';

type Proposed = NonNullable<InspectorState['proposed']>;

/** A list with check boxes, because nothing is judged or replaced before the user accepts it. */
export function proposed(context: Context): TemplateResult | typeof nothing {
  const { state, draft, actions } = context;
  if (!state.proposed) return nothing;
  const { items, by, from } = state.proposed;
  const statements = items.map(({ text }) => text).filter((text) => !draft.untaken.includes(text));
  return html`<div class="proposed" data-testid="proposed">
    <p class="muted">
      ${items.length === 0 ? strings.nothingProposed(by) : deeperStrings.proposedBy(by, from)}
    </p>
    ${items.map((item, index) => row(context, item, from, index))}
    <div class="buttons">
      ${
        items.length === 0
          ? nothing
          : button({
              label: strings.takeProposed(statements.length),
              primary: true,
              testId: 'take-proposed',
              disabled: statements.length === 0,
              onClick: () => take(context, statements),
            })
      }
      ${button({
        label: strings.dismissProposed(),
        testId: 'dismiss-proposed',
        onClick: () => actions.send({ type: 'dismiss-proposed' }),
      })}
    </div>
  </div>`;
}

/** The most passages named for a perspective; often many say the same. */
const NAMED_PASSAGES = 3;

function row(
  { draft, actions }: Context,
  { text, passages }: Proposed['items'][number],
  from: Proposed['from'],
  index: number,
): TemplateResult {
  const tick = (checked: boolean): void =>
    actions.edit({
      untaken: checked ? draft.untaken.filter((each) => each !== text) : [...draft.untaken, text],
    });
  return html`<label
      ><input
        type="checkbox"
        data-testid="proposed-${index}"
        .checked=${!draft.untaken.includes(text)}
        @change=${(event: Event) => tick((event.target as HTMLInputElement).checked)}
      /><span dir="auto">${text}</span></label
    >
    ${
      from === 'question'
        ? nothing
        : html`<p class="muted proposed-from">
            ${
              passages.length === 0
                ? deeperStrings.expected()
                : [
                    deeperStrings.foundIn(),
                    ...passages
                      .slice(0, NAMED_PASSAGES)
                      .map(
                        ({ passageId, title }) =>
                          html` <button
                            class="link"
                            dir="auto"
                            title=${deeperStrings.open(title)}
                            @click=${() => actions.send({ type: 'open', passageId })}
                          >
                            ${title}
                          </button>`,
                      ),
                    passages.length > NAMED_PASSAGES
                      ? ` ${deeperStrings.moreFoundIn(passages.length - NAMED_PASSAGES)}`
                      : '',
                  ]
            }
          </p>`
    }`;
}

/** Adds proposals to the perspectives of the question. */
function take({ state, actions }: Context, statements: readonly string[]): void {
  const texts = [...state.perspectives.map(({ text }) => text), ...statements];
  actions.send({ type: 'set-perspectives', texts: texts.slice(0, MAX_PERSPECTIVES) });
  actions.edit({ untaken: [] });
}
