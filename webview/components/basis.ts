/** The judges behind a panel's figures, with a warning if a heuristic is among them. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import {
  evidenceNotFoundIn,
  evidenceNotFoundText,
  ofDocumentsIn,
  ofDocumentsText,
} from '../../src/core/judging/judgement-tally.ts';
import type { JudgedBy } from '../../src/core/model.ts';
import { codicon } from './icon.ts';
import { words } from './words.ts';

/** A line, and a second one if verdicts lack evidence. Empty if there are no judgements. */
export function basis(sources: readonly JudgedBy[]): TemplateResult | typeof nothing {
  if (sources.length === 0) return nothing;
  const heuristic = sources.some((source) => source.heuristic);
  const text = words.restsOn(sources);
  const doubt = evidenceNotFoundText(evidenceNotFoundIn(sources));
  const whole = ofDocumentsText(ofDocumentsIn(sources));
  return html`<p class="muted" title=${heuristic ? words.heuristicHint() : nothing}>
      ${heuristic ? codicon('warning') : nothing}${text}
    </p>
    ${whole === undefined ? nothing : html`<p class="muted">${whole}</p>`}
    ${doubt === undefined ? nothing : html`<p class="muted">${codicon('warning')}${doubt}</p>`}`;
}
