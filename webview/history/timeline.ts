/** How a metric went from run to run. */
import { html, type TemplateResult } from 'lit/html.js';
import { chartFrame } from '../charts/chart-frame.ts';
import { section } from '../components/section.ts';
import type { ShownContext } from './draft.ts';
import { bringRunIntoSight } from './runs.ts';
import { strings } from './strings.ts';
import { timelineChart } from './timeline-chart.ts';

export function timeline(context: ShownContext): TemplateResult {
  const { shown, actions } = context;
  const { dataset, metric, runs } = shown;
  return section(
    { id: 'timeline', heading: metric, note: strings.timelineNote(dataset, runs.length) },
    html`${chartFrame(
      (file) => actions.send({ type: 'save-chart', ...file }),
      timelineChart(shown),
      ({ column }) => bringRunIntoSight(context, runs.length - 1 - column),
    )}`,
  );
}
