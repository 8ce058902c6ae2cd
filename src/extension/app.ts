/**
 * The extension once it is used: who exists, and who listens to whom. Loaded by the first view, command or
 * document that needs it (main.ts), so that the start of the editor does not pay for it.
 */
import path from 'node:path';
import * as vscode from 'vscode';
import { COMMANDS, CONTEXT_KEYS, type CommandId } from '../shared/contributions.ts';
import { CompareController } from './compare/compare-controller.ts';
import { ComparePanel } from './compare/compare-panel.ts';
import { EngineClient } from './engine-process/engine-client.ts';
import { EngineConfiguration } from './engine-process/engine-configuration.ts';
import {
  InspectorController,
  type InspectedWorkspace,
  type Memory,
} from './inspector/inspector-controller.ts';
import { InspectorView } from './inspector/inspector-view.ts';
import { CorpusWatcher } from './workspace/corpus-watcher.ts';
import { completeWithEditorModel } from './models/editor-models.ts';
import { ApiKeys } from './models/api-keys.ts';
import { EvidenceDecorations } from './passages/evidence-decorations.ts';
import { ExtractedDocuments } from './passages/extracted-documents.ts';
import { openPassage } from './passages/open-passage.ts';
import { readSetting, setContext } from './platform/contributed.ts';
import { WorkspaceFolder } from './workspace/workspace-folder.ts';
import { commandRunner } from './commands.ts';
import { confirmCalls, runErrorAction, saveAs, showSkippedFiles, userName } from './platform/dialogs.ts';

export interface App {
  readonly view: InspectorView;
  readonly comparePanel: ComparePanel;
  readonly documents: ExtractedDocuments;
  readonly engine: EngineClient;
  /** Runs a command of the palette; failures are shown, never thrown. */
  run(command: CommandId): Promise<void>;
}

export function createApp(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): App {
  const workspace = new WorkspaceFolder();
  const keys = new ApiKeys(context.secrets);
  const decorations = new EvidenceDecorations();
  const configuration = new EngineConfiguration(context, workspace, keys);
  const engine = new EngineClient({
    enginePath: path.join(context.extensionPath, 'dist', 'engine.mjs'),
    config: () => configuration.current(),
    complete: completeWithEditorModel,
    log,
  });
  const inspected = (): InspectedWorkspace => ({
    open: workspace.snapshot.folder !== undefined,
    config: workspace.snapshot.config,
    evalQueries: workspace.snapshot.evalQueries,
  });
  const memory: Memory = {
    get: (key) => context.workspaceState.get(key),
    set: (key, value) => void context.workspaceState.update(key, value),
  };
  const inspector: InspectorController = new InspectorController({
    engine,
    workspace: inspected,
    trusted: () => vscode.workspace.isTrusted,
    settings: () => ({
      judge: readSetting('parallax.judge'),
      autoJudge: readSetting('parallax.autoJudge'),
      confirmCallsAbove: readSetting('parallax.confirmCallsAbove'),
      historySize: readSetting('parallax.inspector.historySize'),
    }),
    memory,
    userName,
    actions: {
      publish: (state) => view.post(state),
      open: (corpus, { passage, focus }, evidence) =>
        openPassage(corpus, passage, evidence, focus, decorations),
      openFolder: async () => void (await vscode.commands.executeCommand('vscode.openFolder')),
      showSkipped: (corpus) => showSkippedFiles(engine, corpus),
      confirmCalls,
      errorAction: (action) => void runErrorAction(action, inspector, log),
      indexedChanged: (indexed) => {
        void setContext(CONTEXT_KEYS.indexed, indexed);
        compare.changed();
      },
      log: (message) => log.info(message),
    },
  });
  const compare: CompareController = new CompareController({
    engine,
    workspace: inspected,
    trusted: () => vscode.workspace.isTrusted,
    corpus: () => ({ name: inspector.corpus, indexed: inspector.indexed }),
    judgeSetting: () => readSetting('parallax.judge'),
    memory,
    actions: {
      publish: (state) => comparePanel.post(state),
      inspect: async (query, pipeline) => {
        await view.focusQuery(query);
        await inspector.inspect(query, pipeline);
      },
      remedy: async (what) => {
        if (what === 'index') await inspector.index(false);
        else
          await vscode.commands.executeCommand(
            what === 'open-config' ? COMMANDS.openConfig : 'workbench.trust.manage',
          );
      },
      save: saveAs,
      log: (message) => log.info(message),
    },
  });
  const comparePanel = new ComparePanel(context.extensionUri, {
    onMessage: (message) =>
      void ready.then(() => inspector.ensureStatus()).then(() => compare.handle(message)),
    onInvalidMessage: (problem) =>
      log.error(`The compare panel sent a message of the wrong shape: ${problem}`),
  });
  const view = new InspectorView(context.extensionUri, {
    onMessage: (message) => void ready.then(() => inspector.handle(message)),
    onInvalidMessage: (problem) => log.error(`The panel sent a message of the wrong shape: ${problem}`),
  });
  // The workspace is read once the window has settled; whoever asks earlier waits for it.
  const ready = workspace.read().then(
    ({ problems }) => problems.forEach((problem) => log.warn(problem)),
    (error: unknown) => log.error(`The workspace could not be read: ${String(error)}`),
  );
  const reconfigure = async (): Promise<void> => {
    await configuration.reload(engine);
    await inspector.workspaceChanged();
    compare.changed();
  };
  context.subscriptions.push(
    workspace,
    decorations,
    { dispose: () => engine.dispose() },
    { dispose: () => inspector.dispose() },
    { dispose: () => compare.dispose() },
    comparePanel,
    new CorpusWatcher(workspace, inspector),
    workspace.onDidChange(({ problems }) => {
      for (const problem of problems) log.warn(problem);
      void reconfigure();
    }),
    keys.onDidChange(() => void reconfigure()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void reconfigure()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('parallax') || event.affectsConfiguration('files.exclude'))
        void reconfigure();
    }),
  );
  const run = commandRunner({
    inspector,
    view,
    comparePanel,
    workspace,
    keys,
    engine,
    decorations,
    log,
    ready,
  });
  return { view, comparePanel, documents: new ExtractedDocuments(engine), engine, run };
}
