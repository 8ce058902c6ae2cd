/** The frame around the answer: running work, failures, and first steps. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import { remedyTitle } from '../../src/shared/remedies.ts';
import type { InspectorState } from '../../src/features/inspector/contract/panel.ts';
import {
  configAlert,
  errorAlert,
  notIndexed,
  staleNotice,
  starting,
  taskProgress,
  untrusted,
  welcome,
} from '../components/frame.ts';
import { button } from '../components/toolkit.ts';
import { words } from '../components/words.ts';
import { isRunning, type Context } from './draft.ts';
import { search } from './query-box.ts';
import { strings } from './strings.ts';

const OFFERED_QUESTIONS = 3;

/** Everything under way that is not shown elsewhere: a search above the question, an explanation below the passages. */
export function tasks(context: Context): TemplateResult | typeof nothing {
  const { results } = context.state;
  return taskList(context, (kind) => kind !== 'search' && !(results && kind === 'explain'));
}

export function taskList(
  { state, actions }: Context,
  isWanted: (kind: InspectorState['tasks'][number]['kind']) => boolean,
): TemplateResult | typeof nothing {
  const shown = state.tasks.filter(({ kind }) => isWanted(kind));
  if (shown.length === 0) return nothing;
  return html`<ul class="tasks" aria-label=${words.tasks()}>
    ${repeat(
      shown,
      ({ kind }) => kind,
      (task) =>
        html`<li data-testid="task-${task.kind}">
          ${taskProgress(task, `cancel-${task.kind}`, () => actions.send({ type: 'cancel', kind: task.kind }))}
        </li>`,
    )}
  </ul>`;
}

export function error({ state, actions }: Context): TemplateResult | typeof nothing {
  return errorAlert(state.error, actions);
}

/** While `parallax.json` cannot be read, nothing that depends on it is right. */
export function badConfig({ state, actions }: Context): TemplateResult | typeof nothing {
  return configAlert(state.configProblem, actions);
}

export function stale(context: Context): TemplateResult | typeof nothing {
  const { query, results } = context.state;
  if (!results?.stale) return nothing;
  const again = (): void => search(context, query);
  return staleNotice(
    strings.stale(),
    button({ label: strings.searchAgain(), testId: 'search-again', onClick: again }),
  );
}

/** The step needed before a question can be asked. `undefined` if there is none. */
export function firstUse(context: Context): TemplateResult | undefined {
  const { state, actions } = context;
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
  if (!state.trusted) return untrusted(actions);
  if (corpus.state === 'unknown') return starting('loading');
  // The default corpus is the whole folder, which is probably not what the file was meant to say.
  if (corpus.state === 'not-indexed' && state.configProblem !== undefined) return html``;
  if (corpus.state === 'not-indexed') {
    const choice = choiceOf(context, corpus.survey);
    return notIndexed(
      corpus.name,
      strings.notIndexed(corpus.roots),
      isRunning(state, 'index') || choice.choice?.folders.length === 0,
      () => actions.send({ type: 'index', ...choice, ...othersOf(context, corpus) }),
      html`${storeOffer(context, corpus)} ${chooseCorpus(context, corpus.survey)}
      ${chooseOthers(context, corpus)}`,
    );
  }
  return undefined;
}

/** Suggestions while there is no answer. */
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
    ...modelOffer(context),
  ]);
}

/** Without a model people judge. The alternative is offered before there is anything to judge. */
function modelOffer({ state, actions }: Context): TemplateResult[] {
  if (state.judge.canJudge) return [];
  return [
    html`<p>${strings.modelOffer()}</p>`,
    button({
      label: remedyTitle('set-up-model'),
      testId: 'set-up-model',
      onClick: () => actions.send({ type: 'remedy', remedy: 'set-up-model' }),
    }),
  ];
}

type NotIndexed = Extract<InspectorState['corpus'], { state: 'not-indexed' }>;
type Survey = NonNullable<NotIndexed['survey']>;
type Folder = Survey['folders'][number];

/** A corpus in a store needs no index. */
function storeOffer({ actions }: Context, { store }: NotIndexed): TemplateResult | typeof nothing {
  if (store === undefined) return nothing;
  return html`<p data-testid="store-offer">
    ${strings.storeOffer(store)}
    <button
      class="link"
      data-testid="open-config"
      @click=${() => actions.send({ type: 'remedy', remedy: 'open-config' })}
    >
      ${remedyTitle('open-config')}
    </button>
  </p>`;
}

/** Folders with counts and kinds; without check boxes if the corpus has several roots. */
function chooseCorpus(context: Context, survey: Survey | undefined): TemplateResult | typeof nothing {
  if (!survey) return nothing;
  const { draft, actions } = context;
  const withCode = draft.withCode ?? survey.withCode;
  const code = survey.folders.reduce((sum, folder) => sum + folder.code, 0);
  const folders = tickable(survey, withCode);
  if (survey.folders.length === 0)
    return html`<p data-testid="nothing-to-read">${strings.nothingToRead()}</p>
      ${unreadNote(survey)}`;
  return html`<fieldset class="choose-corpus" data-testid="choose-corpus">
    <legend>${strings.wouldBeIndexed()}</legend>
    ${folders.map((folder) => folderRow(context, survey, folder, withCode))}
    ${
      code === 0 || !survey.canChoose
        ? nothing
        : row(
            strings.codeToo(code),
            withCode,
            'with-code',
            (checked) => actions.edit({ withCode: checked }),
            '',
          )
    }
    ${unreadNote(survey)}
  </fieldset>`;
}

/** Folders that contain only code cannot be ticked while code is excluded. */
function tickable(survey: Survey, withCode: boolean): readonly Folder[] {
  return survey.folders.filter((folder) => withCode || folder.prose > 0);
}

/** The most kinds and places that are named. */
const MAX_NAMED = 5;

/** The existing files that are not read, with the reason. */
function unreadNote({ unread: { kinds, ignored } }: Survey): TemplateResult {
  const otherFiles = kinds.slice(MAX_NAMED).reduce((sum, { files }) => sum + files, 0);
  return html`${
    kinds.length === 0
      ? nothing
      : html`<p class="muted" data-testid="unread">
          ${strings.unread(kinds.slice(0, MAX_NAMED), otherFiles)}
        </p>`
  }${
    ignored.length === 0
      ? nothing
      : html`<p class="muted" data-testid="ignored">
          ${strings.ignored(ignored.slice(0, MAX_NAMED), ignored.length - MAX_NAMED)}
        </p>`
  }`;
}

function folderRow(
  { draft, actions }: Context,
  survey: Survey,
  folder: Folder,
  withCode: boolean,
): TemplateResult {
  const { name, kinds, prose, code } = folder;
  const files = strings.filesOf(prose + (withCode ? code : 0), kinds);
  // Files outside of the folders cannot be excluded.
  const onChange =
    survey.canChoose && name !== ''
      ? (checked: boolean) =>
          actions.edit({
            leftOut: checked ? draft.leftOut.filter((each) => each !== name) : [...draft.leftOut, name],
          })
      : undefined;
  return row(
    name || strings.besideFolders(),
    !draft.leftOut.includes(name),
    `folder-${name}`,
    onChange,
    files,
  );
}

/** Further folders of the workspace, each a separate corpus. */
function chooseOthers({ draft, actions }: Context, { others }: NotIndexed): TemplateResult | typeof nothing {
  if (others.length === 0) return nothing;
  return html`<fieldset class="choose-corpus" data-testid="choose-others">
    <legend>${strings.otherCorpora()}</legend>
    ${others.map(({ name, files, kinds }) =>
      row(
        name,
        draft.otherCorpora.includes(name),
        `corpus-${name}`,
        (checked) =>
          actions.edit({
            otherCorpora: checked
              ? [...draft.otherCorpora, name]
              : draft.otherCorpora.filter((each) => each !== name),
          }),
        strings.filesOf(files, kinds),
      ),
    )}
  </fieldset>`;
}

function othersOf({ draft }: Context, { others }: NotIndexed): { others?: string[] } {
  const chosen = others.map(({ name }) => name).filter((name) => draft.otherCorpora.includes(name));
  return chosen.length === 0 ? {} : { others: chosen };
}

function row(
  label: string,
  checked: boolean,
  testId: string,
  onChange: ((checked: boolean) => void) | undefined,
  detail: string,
): TemplateResult {
  return html`<label>
    <input
      type="checkbox"
      data-testid=${testId}
      .checked=${checked}
      ?disabled=${onChange === undefined}
      @change=${(event: Event) => onChange?.((event.target as HTMLInputElement).checked)}
    />
    <bdi class="grow">${label}</bdi><span class="muted">${detail}</span>
  </label>`;
}

/** The ticks to send. Empty if the user changed none. */
function choiceOf(
  { draft }: Context,
  survey: Survey | undefined,
): { choice?: { folders: string[]; code: boolean } } {
  if (!survey) return {};
  const code = draft.withCode ?? survey.withCode;
  if (draft.leftOut.length === 0 && code === survey.withCode) return {};
  const folders = tickable(survey, code).map(({ name }) => name);
  return { choice: { folders: folders.filter((name) => !draft.leftOut.includes(name)), code } };
}
