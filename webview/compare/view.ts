/** Renders the whole panel from the newest state and the draft. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { Evaluation } from '../../src/evaluation/evaluation.ts';
import type { CompareState } from '../../src/features/compare/contract/panel.ts';
import { configAlert, errorAlert, frame, outdated, staleNotice } from '../components/frame.ts';
import { later } from './later.ts';
import { button } from '../components/toolkit.ts';
import { charts } from './charts/charts.ts';
import { shownComparison, type Actions, type ComparedContext, type Context, type Draft } from './draft.ts';
import { judging } from './judging/judging.ts';
import { pool } from './judging/pool.ts';
import { groups } from './overview/groups.ts';
import { leaning, losses, notShown } from './overview/losses.ts';
import { overview } from './overview/overview.ts';
import { repeats } from './overview/repeats.ts';
import { setSwitch } from './overview/set-switch.ts';
import { unanswerable } from './overview/unanswerable.ts';
import { patterns } from './overview/share-table.ts';
import { movement } from './queries/movement.ts';
import { queries } from './queries/queries.ts';
import { firstUse, ready } from './setup/first-use.ts';
import { canRun, head, progress } from './setup/head.ts';
import { missingNotice } from './setup/set-picker.ts';
import { shownSet } from './shown-set.ts';
import { compareWords } from './strings.ts';

/** `state` is `undefined` until the extension host has answered. */
export function view(state: CompareState | undefined, draft: Draft, actions: Actions): TemplateResult {
  // A comparison is sent before the state that shows it, so a missing one was refused.
  const lacks = state?.shown !== undefined && shownComparison({ state, draft }) === undefined;
  return frame(compareWords.title(), draft, lacks ? outdated() : state && panel({ state, draft, actions }));
}

function panel(context: Context): TemplateResult {
  const first = firstUse(context);
  if (first) return html`${badConfig(context)} ${error(context)} ${first} ${progress(context)}`;
  return html`<div class="top">
      ${head(context)} ${missingNotice(context)} ${badConfig(context)} ${error(context)} ${progress(context)}
      ${stale(context)}
    </div>
    ${results(context) ?? ready(context)}`;
}

function results({ state, draft, actions }: Context): TemplateResult | undefined {
  const comparison = shownComparison({ state, draft });
  const set = comparison && shownSet(comparison, draft.dataset);
  if (!comparison || !set) return undefined;
  const context: ComparedContext = { state, draft, actions, comparison, set };
  // Progress updates arrive many times a second, so parts that depend only on these values are not rendered again.
  const { toggled, sort, columns, popover, lead, filter, order, words, tag, chart, axes, heatOf } = draft;
  const { cell, drawn, expanded, moving, mrecallCurves } = draft;
  const listed = [set, lead, filter, order, words, tag];
  const noResult = state.judging?.report && compareWords.noResult(state.judging.report);
  const part = (make: () => unknown): unknown => (isLarge(comparison) ? later(comparison, make) : make());
  return html`${patterns()}
    <div class="results">
      ${part(() =>
        guard([comparison, set, toggled, sort, columns, popover, noResult], () => overview(context)),
      )}
      ${judging(context)} ${setSwitch(context)}
      ${part(() =>
        guard(
          [set],
          () =>
            html`<div class="analyses">${losses(context)} ${leaning(context)}</div>
              ${repeats(context)} ${groups(context)} ${unanswerable(context)} ${notShown(context)}`,
        ),
      )}
      ${part(() => guard([...listed, chart, axes, heatOf, mrecallCurves], () => charts(context)))}
      ${guard([set, moving, state.movement], () => movement(context))} ${pool(context)}
      ${part(() => guard([...listed, cell, drawn, expanded, moving], () => queries(context)))}
    </div>`;
}

/** In pairs of a pipeline and a query. */
const LARGE = 10_000;

function isLarge({ pipelines, datasets }: Evaluation): boolean {
  return (
    datasets.reduce((sum, { queries: setQueries }) => sum + setQueries.length * pipelines.length, 0) > LARGE
  );
}

function badConfig({ state, actions }: Context): TemplateResult | typeof nothing {
  return configAlert(state.configProblem, actions);
}

function error({ state, actions }: Context): TemplateResult | typeof nothing {
  return errorAlert(state.error, actions);
}

function stale({ state, draft, actions }: Context): TemplateResult | typeof nothing {
  const comparison = shownComparison({ state, draft });
  if (!comparison) return nothing;
  if (state.task) return html`<p class="muted" data-testid="from-before">${compareWords.fromBefore()}</p>`;
  if (!state.stale) return nothing;
  const shown = comparison.datasets[0]?.pipelines.map(({ name }) => name) ?? [];
  // A comparison opened from a call site or an earlier one; another run would show something else.
  const isOther = shown.some((name) => !state.chosen.includes(name));
  const again = button({
    label: isOther ? compareWords.runChosen() : compareWords.runAgain(),
    testId: 'run-again',
    disabled: !canRun(state),
    onClick: () => actions.send({ type: 'run' }),
  });
  return staleNotice(isOther ? compareWords.otherPipelines(shown) : compareWords.stale(), again);
}
