/** The charts of a data set: one at a time, of those that it has figures for. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { dropdown } from '../../components/toolkit.ts';
import { saveChart, type ComparedContext } from '../draft.ts';
import { selectionOf } from '../queries.ts';
import { selectedQueries } from '../query-list.ts';
import { section } from '../../components/section.ts';
import { strings } from '../strings.ts';
import { chartFrame } from '../../charts/chart-frame.ts';
import type { Chart } from '../../charts/chart.ts';
import { CHART_NAMES, type ChartName } from './chart-names.ts';
import { coverageCurves } from './coverage-curves.ts';
import { groupHeat, heatPipelines } from './group-heat.ts';
import { axisChoices, chosenAxes, measureScatter } from './measure-scatter.ts';
import { outcomeMap } from './outcome-map.ts';
import { perspectiveRecallChart } from './perspective-recall.ts';
import { sycophancyChart } from './sides.ts';

export function charts(context: ComparedContext): TemplateResult | typeof nothing {
  const { draft, actions } = context;
  const available = CHART_NAMES.filter((name) => chartOf(context, name) !== undefined);
  const shown = available.find((name) => name === draft.chart) ?? available[0];
  const chart = shown && chartOf(context, shown);
  if (!chart) return nothing;
  return section(
    { id: 'charts', heading: strings.charts(), note: strings.chartNote(shown) },
    html`<div class="toolbar">
        <div class="segmented" role="group" aria-label=${strings.whichChart()}>
          ${available.map(
            (name) =>
              html`<button
                aria-pressed=${name === shown}
                data-testid="chart-choice-${name}"
                @click=${() => actions.edit({ chart: name })}
              >
                ${strings.chart(name)}
              </button>`,
          )}
        </div>
        ${controls(context, shown)}
      </div>
      ${chartFrame(saveChart(context), chart, shown === 'map' ? pickQuery(context, chart) : undefined)}`,
  );
}

function chartOf(context: ComparedContext, name: ChartName): Chart | undefined {
  const { set, draft } = context;
  switch (name) {
    case 'curves':
      return coverageCurves(set);
    case 'scatter':
      return measureScatter(set, draft.axes);
    case 'map':
      return outcomeMap(set, selectedQueries(set, selectionOf(context)));
    case 'sycophancy':
      return sycophancyChart(set);
    case 'heat':
      return groupHeat(set, draft.heatOf);
    case 'recall':
      return perspectiveRecallChart(set);
  }
}

function controls(context: ComparedContext, shown: ChartName): TemplateResult | typeof nothing {
  if (shown === 'scatter') return axisPickers(context);
  if (shown === 'heat') return heatPicker(context);
  return nothing;
}

function axisPickers({ set, draft, actions }: ComparedContext): TemplateResult | typeof nothing {
  const choices = axisChoices(set);
  const axes = chosenAxes(choices, draft.axes);
  if (!axes) return nothing;
  const options = choices.map(({ name, label }) => ({ value: name, label }));
  const perQuery = axes.x.query !== undefined && axes.y.query !== undefined;
  return html`${dropdown({
    label: strings.xAxis(),
    value: axes.x.name,
    choices: options,
    testId: 'scatter-x',
    onChange: (x) => actions.edit({ axes: { ...draft.axes, x } }),
  })}
  ${dropdown({
    label: strings.yAxis(),
    value: axes.y.name,
    choices: options,
    testId: 'scatter-y',
    onChange: (y) => actions.edit({ axes: { ...draft.axes, y } }),
  })}
  ${
    perQuery
      ? html`<label class="check-field"
          ><input
            type="checkbox"
            data-testid="scatter-queries"
            .checked=${draft.axes.queries}
            @change=${(event: Event) =>
              actions.edit({
                axes: { ...draft.axes, queries: (event.currentTarget as HTMLInputElement).checked },
              })}
          />
          ${strings.eachQuery()}</label
        >`
      : nothing
  }`;
}

function heatPicker({ set, draft, actions }: ComparedContext): TemplateResult | typeof nothing {
  const names = heatPipelines(set).map(({ name }) => name);
  if (names.length < 2) return nothing;
  return dropdown({
    label: strings.pipeline(),
    value: names.find((name) => name === draft.heatOf) ?? names[0]!,
    choices: names.map((name) => ({ value: name, label: name })),
    testId: 'heat-pipeline',
    onChange: (heatOf) => actions.edit({ heatOf }),
  });
}

function pickQuery({ set, actions }: ComparedContext, chart: Chart) {
  return ({ row, column }: { readonly row: number; readonly column: number }): void => {
    if (chart.kind !== 'heat') return;
    const [pipeline, queryId] = [chart.rows[row], chart.columns[column]];
    if (pipeline !== undefined && queryId !== undefined)
      actions.send({ type: 'inspect', dataset: set.name, queryId, pipeline });
  };
}
