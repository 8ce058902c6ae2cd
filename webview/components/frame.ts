/** The frame around every panel: running work, failures, first steps, announcements. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { keyed } from 'lit/directives/keyed.js';
import type { Failure } from '../../src/shared/panels/failure.ts';
import type { Task } from '../../src/shared/panels/task.ts';
import { remedyTitle, type Remedy } from '../../src/shared/remedies.ts';
import type { Announcement } from './announcement.ts';
import { codicon, type Codicon } from './icon.ts';
import { words } from './words.ts';
import { button, iconButton } from './toolkit.ts';

/** The live region for screen readers. Its texts are short and announce only the beginning or the end of something. */
function announcer({ id, text }: Announcement): TemplateResult {
  return html`<div class="sr-only" role="status" aria-live="polite" data-testid="announcer">
    ${keyed(id, html`<p>${text}</p>`)}
  </div>`;
}

/** A running task with a cancel button. */
export function taskProgress(task: Task, cancelTestId: string, onCancel: () => void): TemplateResult {
  return html`<div class="task-head">
      <span class="grow">${task.title}</span>
      ${iconButton({ label: words.cancel(task.title), icon: 'close', testId: cancelTestId, onClick: onCancel })}
    </div>
    ${keyed(
      task.fraction === undefined,
      task.fraction === undefined
        ? html`<progress aria-label=${task.title}></progress>`
        : html`<progress aria-label=${task.title} .value=${task.fraction} max="1"></progress>`,
    )}
    ${task.detail ? html`<p class="muted">${task.detail}</p>` : nothing}`;
}

/** Messages about a failure that every panel can send. */
export interface FailureActions {
  send(
    message: { readonly type: 'remedy'; readonly remedy: Remedy } | { readonly type: 'dismiss-error' },
  ): void;
}

/** The last failure with a button for each remedy. Empty if there is none. */
export function errorAlert(
  failure: Failure | undefined,
  actions: FailureActions,
): TemplateResult | typeof nothing {
  if (!failure) return nothing;
  return html`<div class="alert" role="alert" data-testid="error">
    ${codicon('error')}
    <div class="grow">
      <p>${failure.message}</p>
      ${failure.remedies.map((remedy) => remedyButton(remedy, actions))}
    </div>
    ${iconButton({
      label: words.dismiss(),
      icon: 'close',
      testId: 'dismiss-error',
      onClick: () => actions.send({ type: 'dismiss-error' }),
    })}
  </div>`;
}

function remedyButton(remedy: Remedy, actions: FailureActions): TemplateResult {
  return button({
    label: remedyTitle(remedy),
    testId: `remedy-${remedy}`,
    onClick: () => actions.send({ type: 'remedy', remedy }),
  });
}

/** Explains why `parallax.json` is not used. Empty if it is used. */
export function configAlert(
  problem: string | undefined,
  actions: FailureActions,
): TemplateResult | typeof nothing {
  if (problem === undefined) return nothing;
  return html`<div class="alert" role="alert" data-testid="config-problem">
    ${codicon('error')}
    <div class="grow">
      <p>${words.configProblem()}</p>
      <p class="cause">${problem}</p>
      ${button({
        label: remedyTitle('open-config'),
        testId: 'open-bad-config',
        onClick: () => actions.send({ type: 'remedy', remedy: 'open-config' }),
      })}
    </div>
  </div>`;
}

/** Says that the content below is out of date. */
export function staleNotice(text: string, again: TemplateResult): TemplateResult {
  return html`<div class="notice" data-testid="stale">
    ${codicon('warning')}<span>${text}</span> ${again}
  </div>`;
}

/** Shown instead of a view that would be wrong. */
export function outdated(): TemplateResult {
  return html`<div class="alert" role="alert" data-testid="outdated">
    ${codicon('error')}
    <p class="grow">${words.outdated()}</p>
  </div>`;
}

/** Shown until the extension host has answered. */
export function starting(icon?: Codicon): TemplateResult {
  return html`<p class="muted starting">${icon ? codicon(icon) : nothing} ${words.starting()}</p>`;
}

/** The first steps, shown until there is content. */
export function welcome(
  icon: Codicon,
  title: string,
  testId: string,
  body: readonly (TemplateResult | typeof nothing)[],
): TemplateResult {
  return html`<section class="welcome" data-testid=${testId}>
    <h2>${codicon(icon)}${title}</h2>
    ${body}
  </section>`;
}

/** The whole panel. `content` is `undefined` until the host has answered. */
export function frame(
  title: string,
  draft: { readonly announcement: Announcement },
  content: TemplateResult | undefined,
): TemplateResult {
  return html`<h1 class="sr-only">${title}</h1>
    ${announcer(draft.announcement)} ${content ?? starting()}`;
}

/** Nothing is read before the folder is trusted. */
export function untrusted(actions: FailureActions): TemplateResult {
  return welcome('workspace-untrusted', words.untrustedTitle(), 'untrusted', [
    html`<p>${words.untrusted()}</p>`,
    button({
      label: remedyTitle('manage-trust'),
      primary: true,
      testId: 'trust-button',
      onClick: () => actions.send({ type: 'remedy', remedy: 'manage-trust' }),
    }),
  ]);
}

/** Offers to index a corpus; `text` describes what will be read. */
export function notIndexed(
  name: string,
  text: string,
  indexing: boolean,
  onIndex: () => void,
  choice: TemplateResult | typeof nothing = nothing,
): TemplateResult {
  return welcome('search', words.notIndexedTitle(name), 'not-indexed', [
    html`<p>${text} ${words.staysHere()}</p>`,
    choice,
    button({
      label: words.index(name),
      primary: true,
      testId: 'index-button',
      disabled: indexing,
      onClick: onIndex,
    }),
  ]);
}
