/** A sentence about what the passages cover, and the next step to learn more. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { InspectorState } from '../../../src/features/inspector/contract/panel.ts';
import { button } from '../../components/toolkit.ts';
import { isRunning, type Context } from '../draft.ts';
import { startLabelling } from '../labelling.ts';
import { strings } from '../strings.ts';

/** "2 of 3 perspectives covered". Claims nothing before there are passages or verdicts. */
export function coverageHeading({ results, perspectives }: InspectorState): TemplateResult | string {
  if (!results || results.items.length === 0 || perspectives.length === 0) return strings.perspectives();
  if (results.metrics.judgedPairs === 0) return strings.notJudged();
  return html`<span data-testid="metric-covered"
    ><span class="value">${strings.coveredValue(results.metrics, perspectives.length)}</span>
    ${strings.perspectivesCovered(perspectives.length)}</span
  >`;
}

/** The judges behind the sentence, their number of verdicts, and the source of the perspectives. */
export function judgedBy(context: Context): TemplateResult | typeof nothing {
  const { results, perspectives } = context.state;
  if (perspectives.length === 0) return nothing;
  const view = results?.metrics;
  const text =
    view === undefined || view.pairs === 0
      ? nothing
      : view.judgedPairs === 0
        ? strings.nothingJudgedYet()
        : strings.judgedBy(view);
  return html`<p class="muted" data-testid="judged-by">${text} ${alternative(context)}</p>`;
}

/** Switches between the user's own perspectives and those of an eval set, if the question has both. */
function alternative({ state, actions }: Context): TemplateResult | typeof nothing {
  if (!state.alternative) return nothing;
  const { source, count } = state.alternative;
  return html`<button
    class="link"
    data-testid="choose-perspectives"
    @click=${() =>
      actions.send({ type: 'choose-perspectives', source: source === 'eval-set' ? 'eval-set' : 'own' })}
  >
    ${strings.useAlternative(source, count)}
  </button>`;
}

/** The button that fills in unjudged pairs: asks a judge if there is one, else starts labelling. */
export function nextStep(context: Context): TemplateResult | typeof nothing {
  const { state, actions } = context;
  const view = state.results?.metrics;
  const unjudged = view === undefined ? 0 : view.pairs - view.judgedPairs;
  if (unjudged === 0) return nothing;
  return html`<div class="buttons">
    ${
      state.judge.canJudge
        ? button({
            label: strings.judgePairs(unjudged),
            icon: 'law',
            testId: 'judge-button',
            disabled: isRunning(state, 'judge'),
            onClick: () => actions.send({ type: 'judge' }),
          })
        : button({
            label: strings.labelPairs(unjudged),
            testId: 'label-button',
            onClick: () => startLabelling(context),
          })
    }
  </div>`;
}
