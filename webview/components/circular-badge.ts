/** The mark of figures of a ranking that the judge made which scores it. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { codicon } from './icon.ts';
import { words } from './words.ts';

/** @param judge nothing is drawn where there is none */
export function circularBadge(judge: string | undefined, testId: string): TemplateResult | typeof nothing {
  if (judge === undefined) return nothing;
  return html` <span class="badge" title=${words.circularHint(judge)} data-testid=${testId}
    >${codicon('warning')} ${words.circular()}</span
  >`;
}
