/**
 * The life of a panel: states come in from the extension host, the view goes out, and the draft is kept. What a
 * panel shows and says is its own; see {@link Panel}.
 */
import { render, type TemplateResult } from 'lit/html.js';
import { announced, type Announcement } from './announcement.ts';
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
  /** A message arrived that this panel does not understand. */
  readonly outdated: boolean;
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
export interface Panel<State, Draft extends PanelDraft, Outgoing> {
  /** The whole panel. `state` is absent until the extension host has answered for the first time. */
  view(state: State | undefined, draft: Draft, actions: PanelActions<Draft, Outgoing>): TemplateResult;
  /** The part of a draft that a reload keeps, and back; anything unexpected counts as nothing kept. */
  keep(draft: Draft): unknown;
  restore(kept: unknown): Draft;
  /** The state in a message of the type `state`, or `undefined` when it is not one that this panel understands. */
  readState(data: unknown): State | undefined;
  /** Changes to the draft after a new state: a question that was asked stops being a draft, finished work is announced. */
  settled(draft: Draft, previous: State | undefined, next: State): Partial<Draft>;
  /** Anything else that was posted to the page, be it from the host or from another script. */
  onOther?(data: unknown, actions: PanelActions<Draft, Outgoing>): void;
}

/** Starts the panel of this page, in the element with the id "root". */
export function mountPanel<State, Draft extends PanelDraft, Outgoing>(
  panel: Panel<State, Draft, Outgoing>,
  acquireApi: () => VsCodeApi<Outgoing>,
): void {
  registerControls();
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no element with the id "root".');
  startPanel(root, panel, acquireApi());
}

/** Draws the panel into `root` and keeps it up to date; asks the extension host for the first state. */
function startPanel<State, Draft extends PanelDraft, Outgoing>(
  root: HTMLElement,
  panel: Panel<State, Draft, Outgoing>,
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
    } finally {
      drawing = false;
    }
    // An element that changes its place among others loses the focus on the way.
    if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement)
      focused.focus();
  }

  function receive(next: State): void {
    const change = panel.settled(draft, state, next);
    state = next;
    edit({ ...change, outdated: false });
  }

  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const next = panel.readState(data);
    if (next !== undefined) receive(next);
    else if (isState(data)) edit({ outdated: true } as Partial<Draft>);
    else panel.onOther?.(data, actions);
  });
  edit({});
  actions.send({ type: 'ready' } as Outgoing);
}

/** Other scripts of the page may post messages too; those of the host say what they are. */
function isState(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'type' in data && data.type === 'state';
}
