/** The whole panel as a function of the newest state and the draft. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { HistoryState } from '../../src/shared/panels/history-panel.ts';
import { configAlert, errorAlert, frame, outdated, taskProgress, untrusted } from '../components/frame.ts';
import { compared } from './compared.ts';
import type { Actions, Context, Draft, ShownContext } from './draft.ts';
import { firstRun } from './first-run.ts';
import { head } from './head.ts';
import { runs } from './runs.ts';
import { shownOf } from './shown.ts';
import { strings } from './strings.ts';
import { timeline } from './timeline.ts';

/** `state` is absent until the extension host has answered for the first time. */
export function view(state: HistoryState | undefined, draft: Draft, actions: Actions): TemplateResult {
  // Runs are sent before the state that counts them. Without them it would say that there never was a run.
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
  // Progress arrives many times a second: parts that only depend on these are not rendered again for it.
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

/** Without this note, runs that cannot be shown would look as if they had never existed. */
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

/** The work under way, with a way to stop it. */
function progress({ state, actions }: Context): TemplateResult | typeof nothing {
  if (!state.task) return nothing;
  return html`<div class="tasks" data-testid="history-task">
    ${taskProgress(state.task, 'cancel', () => actions.send({ type: 'cancel' }))}
  </div>`;
}
