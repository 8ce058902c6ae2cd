/** Chooses which part of the history is shown, and starts another run. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { button, dropdown, type Choice } from '../components/toolkit.ts';
import type { Draft, ShownContext } from './draft.ts';
import { strings } from './strings.ts';

/** No pipeline is called so. */
const ALL = '\u2063all';

export function head({ state, draft, actions, shown }: ShownContext): TemplateResult {
  const choose = (change: Partial<Draft>): void => actions.edit({ ...change, pages: 1, row: 0 });
  return html`<section class="setup" aria-label=${strings.choice()}>
    <div class="setup-fields">
      ${dropdown({
        label: strings.evalSet(),
        value: shown.dataset,
        choices: shown.datasets.map(named),
        testId: 'dataset-picker',
        onChange: (dataset) => choose({ dataset }),
      })}
      ${
        shown.pipelines.length > 1
          ? dropdown({
              label: strings.pipeline(),
              value: shown.pipelines.find((name) => name === draft.pipeline) ?? ALL,
              choices: [{ value: ALL, label: strings.allPipelines() }, ...shown.pipelines.map(named)],
              testId: 'pipeline-picker',
              onChange: (name) => choose({ pipeline: name === ALL ? undefined : name }),
            })
          : nothing
      }
      ${dropdown({
        label: strings.metric(),
        value: shown.metric,
        choices: shown.metrics.map(named),
        testId: 'metric-picker',
        onChange: (metric) => actions.edit({ metric }),
      })}
      ${button({
        label: strings.evaluateAgain(),
        icon: 'play',
        primary: true,
        disabled: state.task !== undefined || state.demands.evalSets.length === 0,
        testId: 'evaluate',
        onClick: () => actions.send({ type: 'evaluate' }),
      })}
    </div>
  </section>`;
}

const named = (name: string): Choice => ({ value: name, label: name });
