/** What is wrong in the programs of the workspace: true without a model, a label or a question. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { codicon } from '../components/icon.ts';
import type { Context } from './draft.ts';
import { strings } from './strings.ts';

/** Empty if nothing is known to be wrong. */
export function codeFaults({ state, actions }: Context): TemplateResult | typeof nothing {
  const { code = [] } = state;
  if (code.length === 0) return nothing;
  return html`<section class="code-faults" aria-label=${strings.inYourCode()} data-testid="code-faults">
    ${code.map(
      ({ file, line, message }, place) =>
        html`<p>
          ${codicon('warning')}
          <span>
            ${message}
            <button
              class="link"
              data-testid="fault-${place}"
              @click=${() => actions.send({ type: 'open-code', file, line })}
            >
              ${file}:${line}
            </button>
          </span>
        </p>`,
    )}
  </section>`;
}
