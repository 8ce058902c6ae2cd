/**
 * The lifecycle of a panel: receives states from the extension host, renders the view, and stores the draft. See {@link
 * Panel} for the parts that each panel provides.
 */
import { render, type TemplateResult } from 'lit/html.js';
import { isRecord } from '../../src/core/text/json.ts';
import { announced, type Announcement } from './announcement.ts';
import { outdated } from './frame.ts';
import { registerControls } from './toolkit.ts';

/** The API that the editor provides to a webview. */
export interface VsCodeApi<Outgoing> {
  postMessage(message: Outgoing): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** The common part of all drafts; panels add the user's input and selections. */
export interface PanelDraft {
  /** For screen readers. A new id repeats the same text. */
  readonly announcement: Announcement;
}

/** Actions that the parts of a view can take. */
export interface PanelActions<Draft, Outgoing> {
  /** Sends a message to the extension host. */
  send(message: Outgoing): void;
  /** Changes the draft and renders the panel again, at once. */
  edit(change: Partial<Draft>): void;
  announce(text: string): void;
}

/** One kind of panel: pure functions, except for the effects of the actions. */
export interface Panel<State, Draft extends PanelDraft, Outgoing, Incoming> {
  /** Renders the whole panel. `state` is `undefined` until the extension host has answered. */
  view(state: State | undefined, draft: Draft, actions: PanelActions<Draft, Outgoing>): TemplateResult;
  /** The fields of a draft that survive a reload, and back; `restore` ignores unexpected values. */
  keep(draft: Draft): unknown;
  restore(value: unknown): Draft;
  /** Changes the draft after a new state: clears the draft of an asked question, announces finished work. */
  settled(draft: Draft, previous: State | undefined, next: State): Partial<Draft>;
  /** Handles any other message of the extension host. */
  onOther?(message: Incoming, actions: PanelActions<Draft, Outgoing>): void;
}

/** Starts the panel in the element with the id "root". */
export function mountPanel<State, Draft extends PanelDraft, Outgoing, Incoming>(
  panel: Panel<State, Draft, Outgoing, Incoming>,
  acquireApi: () => VsCodeApi<Outgoing>,
): void {
  registerControls();
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no element with the id "root".');
  startPanel(root, panel, acquireApi());
}

/** Renders the panel into `root` on every change, and asks the extension host for the first state. */
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
    // Removing a focused element fires its blur event during rendering.
    if (drawing) queueMicrotask(draw);
    else draw();
  }

  function draw(): void {
    drawing = true;
    const focused = document.activeElement;
    try {
      render(panel.view(state, draft, actions), root);
    } catch (error) {
      // The host that writes the page also sends its messages, so they only mismatch if files were replaced in between.
      reportError(error);
      render(outdated(), root);
    } finally {
      drawing = false;
    }
    // An element that moves among its siblings loses the focus.
    if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement)
      focused.focus();
  }

  function receive(next: State): void {
    const previous = state;
    state = next;
    edit(panel.settled(draft, previous, next));
  }

  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    // Other scripts of the page may post messages too; those of the host have a type.
    if (!isRecord(data)) return;
    if (data['type'] === 'state') receive(data['state'] as State);
    else panel.onOther?.(data as Incoming, actions);
  });
  edit({});
  actions.send({ type: 'ready' } as Outgoing);
}
