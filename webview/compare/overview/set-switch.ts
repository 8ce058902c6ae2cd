/** Selects the data set shown in detail, if there are several. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { dropdown } from '../../components/toolkit.ts';
import { LIST_TOP, type ComparedContext } from '../draft.ts';
import { overviewWords } from './strings.ts';

/** More names than this do not fit side by side. */
const MAX_BUTTONS = 6;

export function setSwitch(context: ComparedContext): TemplateResult | typeof nothing {
  const { comparison, set } = context;
  const names = comparison.datasets.map(({ name }) => name);
  if (names.length < 2) return nothing;
  return html`<div class="set-switch" data-testid="set-switch">
    ${
      names.length > MAX_BUTTONS
        ? dropdown({
            label: overviewWords.inDetail(),
            value: set.name,
            choices: names.map((name) => ({ value: name, label: name })),
            testId: 'set-choice',
            onChange: (name) => showSet(context, name),
          })
        : html`<span class="muted" id="in-detail">${overviewWords.inDetail()}</span>
            <div class="segmented" role="group" aria-labelledby="in-detail">
              ${names.map(
                (name) =>
                  html`<button
                    aria-pressed=${name === set.name}
                    data-testid="show-set-${name}"
                    @click=${() => showSet(context, name)}
                  >
                    ${name}
                  </button>`,
              )}
            </div>`
    }
  </div>`;
}

function showSet({ actions }: ComparedContext, dataset: string): void {
  actions.edit({ dataset, ...LIST_TOP, moving: undefined });
}
