/** Renders the whole panel from the newest state and the draft. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { InspectorState } from '../../src/features/inspector/contract/panel.ts';
import { frame } from '../components/frame.ts';
import { codeFaults } from './code-faults.ts';
import { corpusLine, controls } from './controls.ts';
import type { Actions, Context, Draft } from './draft.ts';
import { badConfig, error, firstUse, noAnswer, stale, tasks } from './frame.ts';
import { headline } from './headline.ts';
import { missing } from './missing/missing.ts';
import { perspectives } from './perspectives/perspectives.ts';
import { queryBox, searchProgress } from './query-box.ts';
import { results } from './results.ts';

/** `state` is `undefined` until the extension host has answered. */
export function view(state: InspectorState | undefined, draft: Draft, actions: Actions): TemplateResult {
  return frame('Parallax', draft, state && panel({ state, draft, actions }));
}

function panel(context: Context): TemplateResult {
  const first = firstUse(context);
  // The first step itself explains a refusal in an untrusted workspace.
  const refused = context.state.trusted ? error(context) : nothing;
  if (first) return html`${badConfig(context)} ${refused} ${codeFaults(context)} ${first} ${tasks(context)}`;
  return html`${searchProgress(context)} ${codeFaults(context)}
    <div class="top">
      ${queryBox(context)} ${controls(context)} ${corpusLine(context)} ${badConfig(context)} ${error(context)}
      ${tasks(context)} ${stale(context)}
    </div>
    ${noAnswer(context)}
    <div class="answer">
      <div class="summary">${perspectives(context)} ${headline(context)}</div>
      ${results(context)} ${missing(context)}
    </div>`;
}
