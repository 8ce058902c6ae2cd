/** The mark of figures whose ranking was made by the judge that scores it. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { codicon } from './icon.ts';
import { words } from './words.ts';

/** @param judge `undefined` draws nothing */
export function circularBadge(judge: string | undefined, testId: string): TemplateResult | typeof nothing {
  if (judge === undefined) return nothing;
  return html` <span class="badge" title=${words.circularHint(judge)} data-testid=${testId}
    >${codicon('warning')} ${words.circular()}</span
  >`;
}
