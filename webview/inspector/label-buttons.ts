/** The three verdicts that a user can give on a pair of a passage and a perspective. */
import { html, type TemplateResult } from 'lit/html.js';
import type { Verdict } from '../../src/core/model.ts';
import { expectedText } from '../../src/features/explain/core/wording.ts';
import { VERDICTS } from '../../src/core/words.ts';
import type { PerspectiveView, ResultView } from '../../src/features/inspector/contract/panel.ts';
import type { Context } from './draft.ts';
import { VERDICT_KEYS } from '../components/verdict-keys.ts';
import { pairsOf } from './passage-text.ts';
import { strings } from './strings.ts';

/** @param say called with the verdict */
export function labelButtons(
  context: Context,
  item: ResultView,
  perspective: PerspectiveView,
  say: (verdict: Verdict) => void,
): TemplateResult {
  if (perspective.document !== undefined)
    return html`<p class="muted" data-testid="expected-${item.rank}-${perspective.id}">
      ${expectedText(perspective.document)}
    </p>`;
  const pair = pairsOf(context, item).find((each) => each.perspective.id === perspective.id);
  const byHuman = pair?.judgement.source === 'human' ? pair.judgement.verdict : undefined;
  return html`<div class="segmented" role="group" aria-label=${strings.yourVerdict(perspective.letter)}>
    ${VERDICTS.map(
      (verdict) =>
        html`<button
          aria-pressed=${byHuman === verdict}
          aria-keyshortcuts=${VERDICT_KEYS[verdict]}
          title=${strings.verdictKey(strings.verdictChoice(verdict), VERDICT_KEYS[verdict])}
          data-testid="label-${item.rank}-${perspective.id}-${verdict}"
          @click=${() => say(verdict)}
        >
          ${strings.verdictChoice(verdict)} <kbd aria-hidden="true">${VERDICT_KEYS[verdict]}</kbd>
        </button>`,
    )}
  </div>`;
}
