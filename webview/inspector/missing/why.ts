/** Asks why a passage has its rank, from anywhere in the panel. */
import { html, type TemplateResult } from 'lit/html.js';
import type { Context } from '../draft.ts';
import { missingStrings as strings } from './strings.ts';

export const MISSING_HEADING = 'missing-heading';

/** @param label its whole question */
export function why(
  { actions }: Pick<Context, 'actions'>,
  passageId: string,
  label: string,
  testId: string,
): TemplateResult {
  return html`<button
    class="link"
    data-testid=${testId}
    aria-label=${label}
    title=${label}
    @click=${() => {
      actions.send({ type: 'explain', document: passageId });
      document.getElementById(MISSING_HEADING)?.focus();
    }}
  >
    ${strings.why()}
  </button>`;
}
