/** Whose judgements the figures of a panel rest on. A heuristic among them is said with a warning. */
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

/** A line, and another where verdicts lack their evidence; nothing where there are no judgements at all. */
export function basis(sources: readonly JudgedBy[]): TemplateResult | typeof nothing {
  if (sources.length === 0) return nothing;
  const heuristic = sources.some((source) => source.heuristic);
  const text = words.restsOn(sources.map(words.sourceCount).join(', '));
  const doubt = evidenceNotFoundText(evidenceNotFoundIn(sources));
  const whole = ofDocumentsText(ofDocumentsIn(sources));
  return html`<p class="muted" title=${heuristic ? words.heuristicHint() : nothing}>
      ${heuristic ? codicon('warning') : nothing}${text}
    </p>
    ${whole === undefined ? nothing : html`<p class="muted">${whole}</p>`}
    ${doubt === undefined ? nothing : html`<p class="muted">${codicon('warning')}${doubt}</p>`}`;
}
