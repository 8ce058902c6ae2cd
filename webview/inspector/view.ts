/** The whole panel as a function of the newest state and the draft. */
import { html, type TemplateResult } from 'lit/html.js';
import type { InspectorState } from '../../src/shared/inspector.ts';
import { corpusLine, controls } from './controls.ts';
import type { Actions, Context, Draft } from './draft.ts';
import { announcer, errorAlert, firstUse, noAnswer, outdated, staleNotice, tasks } from './frame.ts';
import { metrics } from './metrics.ts';
import { perspectives } from './perspectives.ts';
import { queryBox, searchProgress } from './query-box.ts';
import { results } from './results.ts';
import { strings } from './strings.ts';

/** `state` is absent until the extension host has answered for the first time. */
export function view(state: InspectorState | undefined, draft: Draft, actions: Actions): TemplateResult {
  return html`<h1 class="sr-only">Parallax</h1>
    ${announcer(draft)}
    ${draft.outdated ? outdated() : state ? panel({ state, draft, actions }) : html`<p class="muted starting">${strings.starting()}</p>`}`;
}

function panel(context: Context): TemplateResult {
  const first = firstUse(context);
  if (first) return html`${errorAlert(context)} ${first} ${tasks(context)}`;
  return html`${searchProgress(context)}
    <div class="top">
      ${queryBox(context)} ${controls(context)} ${corpusLine(context)} ${errorAlert(context)}
      ${tasks(context)} ${staleNotice(context)}
    </div>
    ${noAnswer(context)}
    <div class="answer">
      <div class="summary">${perspectives(context)} ${metrics(context)}</div>
      ${results(context)}
    </div>`;
}
