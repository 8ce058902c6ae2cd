/**
 * The life of a panel: states come in from the extension host, the view goes out, and the draft is kept. What a
 * panel shows and says is its own; see {@link Panel}.
 */
import { render, type TemplateResult } from 'lit/html.js';
import { isRecord } from '../../src/core/text/json.ts';
import { announced, type Announcement } from './announcement.ts';
import { outdated } from './frame.ts';
import { registerControls } from './toolkit.ts';

/** The API that the editor gives to the script of a webview. */
export interface VsCodeApi<Outgoing> {
  postMessage(message: Outgoing): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** The part of a draft that every panel has: what the user is typing and looking at is added to it. */
export interface PanelDraft {
  /** For screen readers. A new id makes the same words be read again. */
  readonly announcement: Announcement;
}

/** Actions that the parts of a view can take. */
export interface PanelActions<Draft, Outgoing> {
  /** Says something to the extension host. */
  send(message: Outgoing): void;
  /** Changes the draft and draws the panel again, at once. */
  edit(change: Partial<Draft>): void;
  announce(text: string): void;
}

/** One kind of panel: pure functions, but for what they do through the actions. */
export interface Panel<State, Draft extends PanelDraft, Outgoing, Incoming> {
  /** The whole panel. `state` is absent until the extension host has answered for the first time. */
  view(state: State | undefined, draft: Draft, actions: PanelActions<Draft, Outgoing>): TemplateResult;
  /** The part of a draft that a reload keeps, and back; anything unexpected counts as nothing kept. */
  keep(draft: Draft): unknown;
  restore(kept: unknown): Draft;
  /** Changes to the draft after a new state: a question that was asked stops being a draft, finished work is announced. */
  settled(draft: Draft, previous: State | undefined, next: State): Partial<Draft>;
  /** Any other message of the extension host. */
  onOther?(message: Incoming, actions: PanelActions<Draft, Outgoing>): void;
}

/** Starts the panel of this page, in the element with the id "root". */
export function mountPanel<State, Draft extends PanelDraft, Outgoing, Incoming>(
  panel: Panel<State, Draft, Outgoing, Incoming>,
  acquireApi: () => VsCodeApi<Outgoing>,
): void {
  registerControls();
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no element with the id "root".');
  startPanel(root, panel, acquireApi());
}

/** Draws the panel into `root` and keeps it up to date; asks the extension host for the first state. */
function startPanel<State, Draft extends PanelDraft, Outgoing, Incoming>(
  root: HTMLElement,
  panel: Panel<State, Draft, Outgoing, Incoming>,
  api: VsCodeApi<Outgoing>,
): void {
  let state: State | undefined;
  let draft = panel.restore(api.getState());
  let drawing = false;

  const actions: PanelActions<Draft, Outgoing> = {
    send: (message) => api.postMessage(message),
    edit,
    announce: (text) => edit({ announcement: announced(draft.announcement, text) } as Partial<Draft>),
  };

  function edit(change: Partial<Draft>): void {
    draft = { ...draft, ...change };
    api.setState(panel.keep(draft));
    // Taking a focused element away fires its blur event in the middle of drawing.
    if (drawing) queueMicrotask(draw);
    else draw();
  }

  function draw(): void {
    drawing = true;
    const focused = document.activeElement;
    try {
      render(panel.view(state, draft, actions), root);
    } catch (error) {
      // The host writes the page that it sends messages to: only files replaced under it make two that do not fit.
      reportError(error);
      render(outdated(), root);
    } finally {
      drawing = false;
    }
    // An element that changes its place among others loses the focus on the way.
    if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement)
      focused.focus();
  }

  function receive(next: State): void {
    const previous = state;
    state = next;
    edit(panel.settled(draft, previous, next));
  }

  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    // Other scripts of the page may post messages too; those of the host say what they are.
    if (!isRecord(data)) return;
    if (data['type'] === 'state') receive(data['state'] as State);
    else panel.onOther?.(data as Incoming, actions);
  });
  edit({});
  actions.send({ type: 'ready' } as Outgoing);
}
