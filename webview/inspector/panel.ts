/** The panel's life: states come in, the view goes out, and the draft is kept. */
import { render } from 'lit/html.js';
import type { FromInspectorInput, InspectorState } from '../../src/shared/inspector.ts';
import { isRunning, keep, PAGE, restore, type Actions, type Draft } from './draft.ts';
import { readMessage } from './messages.ts';
import { focusQuery } from './query-box.ts';
import { strings } from './strings.ts';
import { view } from './view.ts';

/** What the editor gives to the script of a webview. */
export interface VsCodeApi {
  postMessage(message: FromInspectorInput): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** Draws the panel into `root` and keeps it up to date; asks the extension host for the first state. */
export function startPanel(root: HTMLElement, api: VsCodeApi): void {
  let state: InspectorState | undefined;
  let draft = restore(api.getState());
  let drawing = false;

  const actions: Actions = {
    send: (message) => api.postMessage(message),
    edit,
    announce: (text) => edit(announced(draft, text)),
  };

  function edit(change: Partial<Draft>): void {
    draft = { ...draft, ...change };
    api.setState(keep(draft));
    // Taking a focused element away fires its blur event in the middle of drawing.
    if (drawing) queueMicrotask(draw);
    else draw();
  }

  function draw(): void {
    drawing = true;
    try {
      render(view(state, draft, actions), root);
    } finally {
      drawing = false;
    }
  }

  function receive(next: InspectorState): void {
    const previous = state;
    state = next;
    edit({ ...settled(draft, previous, next), outdated: false });
  }

  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = readMessage(data);
    if (message?.type === 'state') receive(message.state);
    else if (message?.type === 'focus-query') {
      if (message.query !== undefined) edit({ query: message.query, suggestionsOpen: false, historyAt: -1 });
      focusQuery();
    } else if (isFromHost(data)) edit({ outdated: true });
  });
  edit({});
  actions.send({ type: 'ready' });
}

/** Other scripts of the page may post messages too; those of the host say what they are. */
function isFromHost(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'type' in data && data.type === 'state';
}

/** What a new state changes in the draft: what was asked is no draft any more, and what ended is announced. */
function settled(draft: Draft, previous: InspectorState | undefined, next: InspectorState): Partial<Draft> {
  const asked = draft.query?.trim() === next.query;
  const answered = answerKey(previous) !== answerKey(next) || judgingEnded(previous, next);
  const started = next.tasks.find(
    ({ kind }) => kind !== 'search' && !previous?.tasks.some((task) => task.kind === kind),
  );
  const news = next.results && answered ? answer(next) : started?.title;
  return {
    ...(asked ? { query: undefined, historyAt: -1 } : {}),
    ...(answerKey(previous) === answerKey(next) ? {} : { shown: PAGE, cell: { row: 0, column: 0 } }),
    ...(previous && news ? announced(draft, news) : {}),
  };
}

function announced({ announcement }: Draft, text: string): Partial<Draft> {
  return { announcement: { id: announcement.id + 1, text } };
}

/** Tells one answer from the next; verdicts that arrive later do not make it another one. */
function answerKey(state: InspectorState | undefined): string | undefined {
  if (!state?.results) return undefined;
  const { items, milliseconds } = state.results;
  return JSON.stringify([state.query, milliseconds, items.map(({ passageId }) => passageId)]);
}

function judgingEnded(previous: InspectorState | undefined, next: InspectorState): boolean {
  return previous !== undefined && isRunning(previous, 'judge') && !isRunning(next, 'judge');
}

function answer({ results, perspectives }: InspectorState): string {
  return strings.answered(results?.items.length ?? 0, results?.metrics.covered ?? 0, perspectives.length);
}
