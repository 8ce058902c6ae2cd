/** What stands around the answer: work in progress, failures, and what to do first. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { keyed } from 'lit/directives/keyed.js';
import { repeat } from 'lit/directives/repeat.js';
import { codicon, type Codicon } from '../components/icon.ts';
import { button, iconButton } from '../components/toolkit.ts';
import { isRunning, type Context, type Draft } from './draft.ts';
import { search } from './query-box.ts';
import { strings } from './strings.ts';

const OFFERED_QUESTIONS = 3;

/** Everything under way; a search has its own line at the top. */
export function tasks({ state, actions }: Context): TemplateResult | typeof nothing {
  const shown = state.tasks.filter(({ kind }) => kind !== 'search');
  if (shown.length === 0) return nothing;
  return html`<ul class="tasks" aria-label=${strings.tasks()}>
    ${repeat(
      shown,
      ({ kind }) => kind,
      (task) =>
        html`<li data-testid="task-${task.kind}">
          <div class="task-head">
            <span class="grow">${task.title}</span>
            ${iconButton({
              label: strings.cancel(task),
              icon: 'close',
              testId: `cancel-${task.kind}`,
              onClick: () => actions.send({ type: 'cancel', kind: task.kind }),
            })}
          </div>
          ${keyed(
            task.fraction === undefined,
            task.fraction === undefined
              ? html`<progress aria-label=${task.title}></progress>`
              : html`<progress aria-label=${task.title} .value=${task.fraction} max="1"></progress>`,
          )}
          ${task.detail ? html`<p class="muted">${task.detail}</p>` : nothing}
        </li>`,
    )}
  </ul>`;
}

export function errorAlert({ state, actions }: Context): TemplateResult | typeof nothing {
  if (!state.error) return nothing;
  const { message, action } = state.error;
  return html`<div class="alert" role="alert" data-testid="error">
    ${codicon('error')}
    <div class="grow">
      <p>${message}</p>
      ${
        action
          ? button({
              label: strings.errorAction(action),
              testId: 'error-action',
              onClick: () => actions.send({ type: 'error-action', action }),
            })
          : nothing
      }
    </div>
    ${iconButton({
      label: strings.dismiss(),
      icon: 'close',
      testId: 'dismiss-error',
      onClick: () => actions.send({ type: 'dismiss-error' }),
    })}
  </div>`;
}

/** Says that the answer below belongs to an earlier state of things. */
export function staleNotice(context: Context): TemplateResult | typeof nothing {
  const { query, results } = context.state;
  if (!results?.stale) return nothing;
  return html`<div class="notice" data-testid="stale">
    ${codicon('warning')}<span>${strings.stale()}</span>
    ${button({ label: strings.searchAgain(), testId: 'search-again', onClick: () => search(context, query) })}
  </div>`;
}

/** Shown instead of a view that would be wrong. */
export function outdated(): TemplateResult {
  return html`<div class="alert" role="alert" data-testid="outdated">
    ${codicon('error')}
    <p class="grow">${strings.outdated()}</p>
  </div>`;
}

/** The live region for screen readers: short, and only at the end of something. */
export function announcer({ announcement }: Draft): TemplateResult {
  return html`<div class="sr-only" role="status" aria-live="polite" data-testid="announcer">
    ${keyed(announcement.id, html`<p>${announcement.text}</p>`)}
  </div>`;
}

/** What to do before anything can be asked; `undefined` once questions make sense. */
export function firstUse({ state, actions }: Context): TemplateResult | undefined {
  const { corpus } = state;
  if (corpus.state === 'no-folder')
    return welcome('folder-opened', strings.noFolderTitle(), 'no-folder', [
      html`<p>${strings.noFolder()}</p>`,
      button({
        label: strings.openFolder(),
        primary: true,
        testId: 'open-folder',
        onClick: () => actions.send({ type: 'open-folder' }),
      }),
    ]);
  if (!state.trusted)
    return welcome('workspace-untrusted', strings.untrustedTitle(), 'untrusted', [
      html`<p>${strings.untrusted()}</p>`,
      button({
        label: strings.manageTrust(),
        primary: true,
        testId: 'trust-button',
        onClick: () => actions.send({ type: 'error-action', action: 'trust' }),
      }),
    ]);
  if (corpus.state === 'unknown')
    return html`<p class="muted starting">${codicon('loading')} ${strings.starting()}</p>`;
  if (corpus.state === 'not-indexed')
    return welcome('search', strings.notIndexedTitle(corpus.name), 'not-indexed', [
      html`<p>${strings.notIndexed(corpus.roots)} ${strings.staysHere()}</p>`,
      button({
        label: strings.index(corpus.name),
        primary: true,
        testId: 'index-button',
        disabled: isRunning(state, 'index'),
        onClick: () => actions.send({ type: 'index' }),
      }),
    ]);
  return undefined;
}

/** What to do when there is no answer to show; nothing when there is one. */
export function noAnswer(context: Context): TemplateResult | typeof nothing {
  const { state } = context;
  if (state.results && state.results.items.length === 0)
    return welcome('search-stop', strings.noResultsTitle(), 'no-results', [
      html`<p>${strings.noResults()}</p>`,
    ]);
  if (state.results || state.query !== '') return nothing;
  const questions = state.evalQueries.slice(0, OFFERED_QUESTIONS);
  return welcome('question', strings.askTitle(), 'no-query', [
    html`<p>${strings.ask()}</p>`,
    questions.length === 0
      ? nothing
      : html`<p>${strings.evalQueries()}</p>
          <ul class="questions">
            ${questions.map(
              ({ id, text }) =>
                html`<li>
                  <button
                    class="link"
                    data-testid="question-${id}"
                    dir="auto"
                    @click=${() => search(context, text)}
                  >
                    ${text}
                  </button>
                </li>`,
            )}
          </ul>`,
  ]);
}

function welcome(
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
