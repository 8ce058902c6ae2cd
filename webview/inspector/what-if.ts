/** MMR tried out on the candidates: a slider that reorders them while it is dragged. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { live } from 'lit/directives/live.js';
import { button } from '../components/toolkit.ts';
import type { Context } from './draft.ts';
import { strings } from './strings.ts';

/** Where the slider stands before it is touched: relevance alone, which is the order in view. */
const UNTOUCHED = 1;

/** Nothing where there is nothing to reorder. */
export function whatIf({ state, actions }: Context): TemplateResult | typeof nothing {
  const { results } = state;
  if (!results || results.items.length < 2) return nothing;
  const { whatIf: tried } = results;
  const said = tried ? strings.whatIfValue(tried.lambda) : strings.whatIfOff();
  const send = (event: Event): void =>
    actions.send({ type: 'what-if', lambda: Number((event.target as HTMLInputElement).value) });
  return html`<div class="what-if" data-testid="what-if">
    <label for="what-if-lambda" title=${strings.whatIfHint()}>${strings.whatIf()}</label>
    <span class="muted">${said}</span>
    <input
      id="what-if-lambda"
      type="range"
      min="0"
      max="1"
      step="0.01"
      data-testid="what-if-lambda"
      aria-label=${strings.whatIfLambda()}
      aria-valuetext=${said}
      title=${strings.whatIfHint()}
      .value=${live(String(tried?.lambda ?? UNTOUCHED))}
      @input=${send}
    />
    ${
      tried
        ? html`<div class="what-if-actions">
            ${button({
              label: strings.whatIfAdopt(),
              testId: 'what-if-adopt',
              onClick: () => actions.send({ type: 'adopt-what-if' }),
            })}
            ${button({
              label: strings.whatIfEnd(),
              testId: 'what-if-end',
              onClick: () => actions.send({ type: 'what-if', lambda: null }),
            })}
          </div>`
        : nothing
    }
  </div>`;
}
