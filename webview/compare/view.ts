/** The whole panel as a function of the newest state and the draft. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { CompareState } from '../../src/shared/compare.ts';
import { errorAlert, frame, staleNotice } from '../components/frame.ts';
import { button } from '../components/toolkit.ts';
import type { Actions, Context, Draft } from './draft.ts';
import { firstUse, ready } from './first-use.ts';
import { groups } from './groups.ts';
import { canRun, head, progress } from './head.ts';
import { leaning, losses } from './losses.ts';
import { overview } from './overview.ts';
import { queries } from './queries.ts';
import { patterns } from './share-table.ts';
import { strings } from './strings.ts';

/** `state` is absent until the extension host has answered for the first time. */
export function view(state: CompareState | undefined, draft: Draft, actions: Actions): TemplateResult {
  return frame(strings.title(), draft, state && panel({ state, draft, actions }));
}

function panel(context: Context): TemplateResult {
  const first = firstUse(context);
  if (first) return html`${error(context)} ${first} ${progress(context)}`;
  return html`<div class="top">${head(context)} ${error(context)} ${progress(context)} ${stale(context)}</div>
    ${context.state.comparison ? results(context) : ready(context)}`;
}

function results(context: Context): TemplateResult | typeof nothing {
  const { comparison } = context.state;
  if (!comparison) return nothing;
  const compared = { ...context, comparison };
  return html`${patterns()}
    <div class="results">
      ${overview(compared)}
      <div class="analyses">${losses(compared)} ${leaning(compared)}</div>
      ${groups(compared)} ${queries(compared)}
    </div>`;
}

function error({ state, actions }: Context): TemplateResult | typeof nothing {
  if (!state.error) return nothing;
  return errorAlert(state.error, () => actions.send({ type: 'dismiss-error' }));
}

function stale({ state, actions }: Context): TemplateResult | typeof nothing {
  if (!state.stale || !state.comparison || state.task) return nothing;
  const again = button({
    label: strings.runAgain(),
    testId: 'run-again',
    disabled: !canRun(state),
    onClick: () => actions.send({ type: 'run' }),
  });
  return staleNotice(strings.stale(), again);
}
