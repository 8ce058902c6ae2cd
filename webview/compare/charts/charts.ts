/** The charts of a data set: shows one of those that it has figures for. */
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { chartFrame } from '../../charts/chart-frame.ts';
import { section } from '../../components/section.ts';
import { dropdown } from '../../components/toolkit.ts';
import { saveChart, type ComparedContext } from '../draft.ts';
import type { ChartControl, CompareChart } from './compare-chart.ts';
import { COVERAGE_CURVES } from './coverage-curves.ts';
import { GROUP_HEAT } from './group-heat.ts';
import { MEASURE_SCATTER } from './measure-scatter.ts';
import { OUTCOME_MAP } from './outcome-map.ts';
import { PERSPECTIVE_RECALL } from './perspective-recall.ts';
import { SYCOPHANCY } from './sycophancy.ts';

/** In the order of the list. */
const CHARTS: readonly CompareChart[] = [
  COVERAGE_CURVES,
  MEASURE_SCATTER,
  OUTCOME_MAP,
  SYCOPHANCY,
  GROUP_HEAT,
  PERSPECTIVE_RECALL,
];

export function charts(context: ComparedContext): TemplateResult | typeof nothing {
  const { draft, actions } = context;
  const available = CHARTS.filter((one) => one.isThere?.(context) ?? one.chart(context) !== undefined);
  const one = available.find(({ name }) => name === draft.chart) ?? available[0];
  const chart = one?.chart(context);
  if (!one || !chart) return nothing;
  const { onPick } = one;
  return section(
    { id: 'charts', heading: l10n.t('Charts'), note: one.note(context) },
    html`<div class="toolbar">
        <div class="segmented" role="group" aria-label=${l10n.t('Which chart')}>
          ${available.map(
            ({ name, label, note }) =>
              html`<button
                aria-pressed=${name === one.name}
                title=${note(context)}
                data-testid="chart-choice-${name}"
                @click=${() => actions.edit({ chart: name })}
              >
                ${label()}
              </button>`,
          )}
        </div>
        ${one.controls?.(context).map(control) ?? nothing}
      </div>
      ${chartFrame(saveChart(context), chart, onPick && ((pick) => onPick(context, pick)))}`,
  );
}

function control(options: ChartControl): TemplateResult {
  if (options.type === 'dropdown') return dropdown(options);
  return html`<label class="check-field"
    ><input
      type="checkbox"
      data-testid=${options.testId}
      .checked=${options.checked}
      @change=${(event: Event) => options.onChange((event.currentTarget as HTMLInputElement).checked)}
    />
    ${options.label}</label
  >`;
}
