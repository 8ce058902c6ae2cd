/**
 * Activation only registers. Everything behind a view, a command or a document is loaded on first use, so the start of
 * the editor costs almost nothing, and no engine runs before it is needed.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { AGENT_SETTINGS_FILE } from '../features/capture/contract/environment.ts';
import { CAPTURED_FILE } from '../features/capture/contract/kept-file.ts';
import {
  COMMANDS,
  CONTEXT_KEYS,
  DEBUG_CONSENT,
  EXTRACTED_SCHEME,
  REPORT_SCHEME,
  TASK_TYPE,
  TERMINAL_PROFILE,
  VIEWS,
  type CommandId,
} from '../shared/manifest/contributions.ts';
import { registerAgents } from '../features/agents/host/register.ts';
import type { App, Surfaces } from './app.ts';
import { CapturedSurface } from '../features/capture/host/captured-surface.ts';
import type { ReviewState } from '../features/review/contract/panel.ts';
import { ReviewSurface } from '../features/review/host/review-surface.ts';
import type { EngineState } from './engine-process/engine-client.ts';
import { registerInline } from '../features/lens/host/register.ts';
import { speakEditorLanguage } from './platform/l10n.ts';
import type { ListedTest } from '../features/gate/host/listed-test.ts';
import { TestingSurface } from '../features/gate/host/testing-surface.ts';

/** The time at which the bundle began to load; set by its first line (esbuild.mjs). */
declare const loadBegan: number;
const loadMs = performance.now() - loadBegan;

/** The API for other extensions and for tests. */
export interface ParallaxApi {
  engineState(): EngineState;
  /** Asks a question in the Parallax view, which may be hidden. Settles once its answer is judged. */
  ask(question: string): Promise<void>;
  /** The pairs of the Review view, as it words them. */
  reviewList(): Promise<string[]>;
  /** The pair under review, as its panel shows it. */
  reviewed(): ReviewState | undefined;
  /** The retrievals of the Captured view, as it words them. */
  captured(): Promise<string[]>;
  /** The eval sets and queries of the Testing view, with their latest results. */
  tests(): Promise<ListedTest[]>;
  /** The times of the evaluations in the history, newest first. */
  evaluations(): Promise<string[]>;
  /** Time that loading and activation took, in milliseconds, without the editor's work in between. */
  readonly activationMs: number;
}

export function activate(context: vscode.ExtensionContext): ParallaxApi {
  // The editor works between loading and activation; that time does not count.
  const begun = performance.now();
  speakEditorLanguage();
  const log = vscode.window.createOutputChannel('Parallax', { log: true });
  let loaded: App | undefined;
  let loading: Promise<App> | undefined;
  const surfaces: Surfaces = {
    review: new ReviewSurface(async () => (await app()).review),
    captured: new CapturedSurface(),
    testing: new TestingSurface(async () => (await app()).testing),
  };
  const app = (): Promise<App> =>
    (loading ??= import('./app.ts').then(({ createApp }) => (loaded = createApp(context, log, surfaces))));
  if (context.workspaceState.get(CONTEXT_KEYS.anyReview) === true)
    void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.anyReview, true);
  context.subscriptions.push(
    log,
    surfaces.review,
    surfaces.captured,
    surfaces.testing,
    vscode.window.registerWebviewViewProvider(VIEWS.inspector, {
      resolveWebviewView: async (view) => (await app()).view.resolveWebviewView(view),
    }),
    vscode.window.registerWebviewPanelSerializer(VIEWS.compare, {
      deserializeWebviewPanel: async (panel) => (await app()).comparePanel.deserializeWebviewPanel(panel),
    }),
    vscode.window.registerWebviewPanelSerializer(VIEWS.map, {
      deserializeWebviewPanel: async (panel) => (await app()).mapPanel.deserializeWebviewPanel(panel),
    }),
    vscode.window.registerWebviewPanelSerializer(VIEWS.run, {
      deserializeWebviewPanel: async (panel) => (await app()).runPanel.deserializeWebviewPanel(panel),
    }),
    vscode.window.registerWebviewPanelSerializer(VIEWS.reviewedPair, {
      deserializeWebviewPanel: async (panel) => (await app()).review.panel.deserializeWebviewPanel(panel),
    }),
    vscode.window.registerWebviewPanelSerializer(VIEWS.drafts, {
      deserializeWebviewPanel: async (panel) => (await app()).draftsPanel.deserializeWebviewPanel(panel),
    }),
    vscode.window.registerWebviewPanelSerializer(VIEWS.history, {
      deserializeWebviewPanel: async (panel) =>
        (await app()).testing.historyPanel.deserializeWebviewPanel(panel),
    }),
    vscode.workspace.registerTextDocumentContentProvider(EXTRACTED_SCHEME, {
      provideTextDocumentContent: async (uri) => (await app()).documents.provideTextDocumentContent(uri),
    }),
    vscode.workspace.registerTextDocumentContentProvider(REPORT_SCHEME, {
      provideTextDocumentContent: async (uri) => (await app()).reports.provideTextDocumentContent(uri),
    }),
    vscode.tasks.registerTaskProvider(TASK_TYPE, {
      provideTasks: async () => (await app()).gateTasks.provideTasks(),
      resolveTask: async (task) => (await app()).resolveTask(task),
    }),
    vscode.window.registerTerminalProfileProvider(TERMINAL_PROFILE, {
      provideTerminalProfile: async () => new vscode.TerminalProfile(await (await app()).live.terminal()),
    }),
    vscode.debug.registerDebugConfigurationProvider('*', {
      // Debugging does not load the extension before the user has agreed to observe programs.
      resolveDebugConfigurationWithSubstitutedVariables: async (_folder, configuration) =>
        loading || context.workspaceState.get(DEBUG_CONSENT) === true
          ? (await app()).live.debugged(configuration)
          : configuration,
    }),
    onOwnFile(() => void app()),
    registerInline(async () => (await app()).inline()),
    catchUpSoon(context, async () => (await app()).catchUp()),
    restoreCapturedSoon(context, async () => (await app()).restoreCaptured(), log),
    resumeCaptureSoon(context, async () => (await app()).resumeCapture(), log),
    registerAgents(context, async () => (await app()).agents),
    ...Object.values(COMMANDS).map((id) =>
      registerCommand(id, async (target) => (await app()).run(id, target)),
    ),
  );
  const activationMs = loadMs + performance.now() - begun;
  log.info(`Activated in ${activationMs.toFixed(1)} ms.`);
  return {
    engineState: () => loaded?.engine.state ?? 'not started',
    ask: async (question) => (await app()).ask(question),
    reviewList: async () => (await app()).review.list(),
    reviewed: () => loaded?.review.shown,
    captured: async () => (await app()).capture.list(),
    tests: async () => (await app()).testing.list(),
    evaluations: async () => (await app()).testing.evaluations(),
    activationMs,
  };
}

/** Waits until the editor has started. */
const SETTLE_MS = 1_500;

/**
 * If something is indexed, looks for changes made while the window was closed, even if the panel is never opened. The
 * index lies in the editor's own storage, where `workspaceContains` does not find it, hence the activation event
 * `onStartupFinished`.
 */
function catchUpSoon(
  { workspaceState }: vscode.ExtensionContext,
  catchUp: () => Promise<void>,
): vscode.Disposable {
  if (workspaceState.get(CONTEXT_KEYS.indexed) !== true) return { dispose: () => undefined };
  if (!vscode.workspace.isTrusted) return vscode.workspace.onDidGrantWorkspaceTrust(() => void catchUp());
  const timer = setTimeout(() => void catchUp(), SETTLE_MS);
  return { dispose: () => clearTimeout(timer) };
}

/** Shows the retrievals that an earlier window captured. */
function restoreCapturedSoon(
  { storageUri, globalStorageUri }: vscode.ExtensionContext,
  restore: () => Promise<void>,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const timer = setTimeout(() => {
    const file = path.join((storageUri ?? globalStorageUri).fsPath, CAPTURED_FILE);
    if (vscode.workspace.isTrusted && existsSync(file))
      restore().catch((error: unknown) => log.warn(`What was captured could not be read: ${String(error)}`));
  }, SETTLE_MS);
  return { dispose: () => clearTimeout(timer) };
}

/** Resumes capturing from agents if a window that captured was reloaded or closed. */
function resumeCaptureSoon(
  { globalStorageUri }: vscode.ExtensionContext,
  resume: () => Promise<void>,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const timer = setTimeout(() => {
    if (existsSync(path.join(globalStorageUri.fsPath, AGENT_SETTINGS_FILE)))
      resume().catch((error: unknown) => log.warn(`Capturing of agents did not go on: ${String(error)}`));
  }, SETTLE_MS);
  return { dispose: () => clearTimeout(timer) };
}

/**
 * Loads the extension once a document may be ours: parallax.json, whose mistakes are marked, or a JSON lines file,
 * which may be an eval set whose queries can be run beside their lines.
 */
function onOwnFile(load: () => void): vscode.Disposable {
  const check = ({ fileName, uri }: vscode.TextDocument): void => {
    if (fileName.endsWith('.jsonl') || uri.path.endsWith('/parallax.json')) load();
  };
  vscode.workspace.textDocuments.forEach(check);
  return vscode.workspace.onDidOpenTextDocument(check);
}

/** Commands report failures themselves; an exception here would show the user a stack trace. */
function registerCommand(id: CommandId, run: (target: unknown) => Promise<void>): vscode.Disposable {
  return vscode.commands.registerCommand(id, run);
}
