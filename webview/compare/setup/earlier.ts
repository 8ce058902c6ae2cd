/** Stored comparisons, which can be shown again or deleted. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import type { KeptComparison } from '../../../src/features/compare/contract/panel.ts';
import { popover } from '../../components/popover.ts';
import { iconButton } from '../../components/toolkit.ts';
import type { Context } from '../draft.ts';
import { setupWords } from './strings.ts';

export function earlier(context: Context): TemplateResult | typeof nothing {
  const { state, draft, actions } = context;
  if (state.kept.length === 0) return nothing;
  return popover({
    text: setupWords.earlier(state.kept.length),
    open: draft.popover === 'earlier',
    testId: 'earlier',
    onToggle: (open) => actions.edit({ popover: open ? 'earlier' : undefined }),
    content: () =>
      html`<ul class="kept">
        ${repeat(
          state.kept,
          ({ id }) => id,
          (comparison) => keptItem(context, comparison),
        )}
      </ul>`,
  });
}

function keptItem({ state, actions }: Context, comparison: KeptComparison): TemplateResult {
  const shown = comparison.id === state.shown;
  const open = (): void => {
    actions.send({ type: 'open-kept', id: comparison.id });
    actions.edit({ popover: undefined });
  };
  return html`<li>
    <button class="kept-open grow" aria-current=${shown} data-testid="open-${comparison.id}" @click=${open}>
      <span class="kept-at"
        >${setupWords.moment(comparison.at)}${shown ? html` <span class="badge">${setupWords.shown()}</span>` : nothing}</span
      >
      <span class="second">${setupWords.keptSummary(comparison)}</span>
      <span class="second kept-pipelines">${comparison.pipelines.join(', ')}</span>
    </button>
    ${iconButton({
      label: setupWords.forget(comparison),
      icon: 'trash',
      testId: `forget-${comparison.id}`,
      onClick: () => actions.send({ type: 'forget-kept', id: comparison.id }),
    })}
  </li>`;
}
