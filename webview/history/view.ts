/** Renders the whole panel from the newest state and the draft. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { HistoryState } from '../../src/features/history/contract/panel.ts';
import {
  configAlert,
  errorAlert,
  frame,
  outdated,
  taskProgress,
  untrusted,
  starting,
  welcome,
} from '../components/frame.ts';
import { compared } from './compared.ts';
import type { Actions, Context, Draft, ShownContext } from './draft.ts';
import { runs, bringRunIntoSight } from './runs.ts';
import { shownOf } from './shown.ts';
import { strings } from './strings.ts';
import { remedyTitle } from '../../src/shared/remedies.ts';
import { button, dropdown, type Choice } from '../components/toolkit.ts';
import { chartFrame } from '../charts/chart-frame.ts';
import { section } from '../components/section.ts';
import { timelineChart } from './timeline-chart.ts';

function timeline(context: ShownContext): TemplateResult {
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

/** No pipeline has this name. */
const ALL = '\u2063all';

function head({ state, draft, actions, shown }: ShownContext): TemplateResult {
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

function firstRun({ state, actions }: Context): TemplateResult | typeof nothing {
  // The alert says what to do; advice on what to write would suggest that the file is empty.
  if (state.configProblem !== undefined) return nothing;
  // The engine has not answered yet; it may be starting.
  if (state.revision === 0 && state.error === undefined) return starting('history');
  if (state.demands.evalSets.length === 0)
    return welcome('beaker', strings.noEvalSetTitle(), 'no-eval-set', [
      html`<p>${strings.noRunYet()}</p>
        <p>${strings.noEvalSet()}</p>`,
      button({
        label: remedyTitle('open-config'),
        icon: 'go-to-file',
        primary: true,
        testId: 'open-config',
        onClick: () => actions.send({ type: 'remedy', remedy: 'open-config' }),
      }),
      button({
        label: remedyTitle('build-eval-set'),
        icon: 'beaker',
        testId: 'build-eval-set',
        onClick: () => actions.send({ type: 'remedy', remedy: 'build-eval-set' }),
      }),
    ]);
  return welcome('history', strings.noRunTitle(), 'no-run', [
    html`<p>${strings.noRunYet()}</p>
      <p>${strings.firstRun(state.demands)}</p>`,
    button({
      label: strings.evaluate(),
      icon: 'play',
      primary: true,
      testId: 'evaluate',
      disabled: state.task !== undefined,
      onClick: () => actions.send({ type: 'evaluate' }),
    }),
  ]);
}

/** `state` is `undefined` until the extension host has answered. */
export function view(state: HistoryState | undefined, draft: Draft, actions: Actions): TemplateResult {
  // Runs are sent before the state that refers to them. Without them the panel would claim that there never was a run.
  const lacks = state !== undefined && state.revision !== 0 && state.revision !== draft.runs?.revision;
  return frame(
    strings.title(),
    draft,
    lacks ? outdated() : state && panel({ state, draft, actions, runs: draft.runs?.runs ?? [] }),
  );
}

function panel(context: Context): TemplateResult {
  const { state, draft, actions } = context;
  if (!state.trusted) return untrusted(actions);
  const shown = shownOf(context.runs, draft);
  if (!shown)
    return html`${badConfig(context)} ${error(context)} ${firstRun(context)} ${unlisted(context)}
    ${progress(context)}`;
  const all: ShownContext = { ...context, shown };
  // Progress updates arrive many times a second, so parts that depend only on these values are not rendered again.
  const { dataset, pipeline, metric, picked, row, pages, queryRow } = draft;
  const listed = [context.runs, dataset, pipeline, metric];
  return html`<div class="top">${head(all)} ${badConfig(context)} ${error(context)} ${progress(context)}</div>
    <div class="results">
      ${guard(listed, () => timeline(all))}
      ${guard([...listed, picked, row, pages, state.demands, state.compared, state.task === undefined], () =>
        runs(all),
      )}
      ${unlisted(context)}
      ${guard([...listed, state.compared, draft.compared, queryRow, draft.awaited], () => compared(all))}
    </div>`;
}

/** Without this note, runs that cannot be shown would seem never to have existed. */
function unlisted({ draft }: Context): TemplateResult | typeof nothing {
  const count = draft.runs?.unlisted ?? 0;
  if (count === 0) return nothing;
  return html`<p class="muted" data-testid="unlisted">${strings.unlisted(count)}</p>`;
}

function badConfig({ state, actions }: Context): TemplateResult | typeof nothing {
  return configAlert(state.configProblem, actions);
}

function error({ state, actions }: Context): TemplateResult | typeof nothing {
  return errorAlert(state.error, actions);
}

/** The running work with a cancel button. */
function progress({ state, actions }: Context): TemplateResult | typeof nothing {
  if (!state.task) return nothing;
  return html`<div class="tasks" data-testid="history-task">
    ${taskProgress(state.task, 'cancel', () => actions.send({ type: 'cancel' }))}
  </div>`;
}
