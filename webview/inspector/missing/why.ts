/** A button that explains the rank of a passage, for any part of the panel. */
import { ifDefined } from 'lit/directives/if-defined.js';
import { html, type TemplateResult } from 'lit/html.js';
import type { Context } from '../draft.ts';
import { missingStrings as strings } from './strings.ts';

export const MISSING_HEADING = 'missing-heading';

/**
 * @param label its whole name
 * @param cell its place in a list with arrow key navigation
 */
export function why(
  { actions }: Pick<Context, 'actions'>,
  passageId: string,
  label: string,
  testId: string,
  cell?: { readonly tab: string; readonly row: number; readonly column: number },
): TemplateResult {
  return html`<button
    class="link"
    tabindex=${ifDefined(cell?.tab)}
    data-row=${ifDefined(cell?.row)}
    data-column=${ifDefined(cell?.column)}
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
