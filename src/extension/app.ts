/**
 * The extension once it is used: its features, and what happens when the workspace changes. Loaded by the first view,
 * command or document that needs it (main.ts), so that it does not slow down the start of the editor.
 */
import * as vscode from 'vscode';
import type { AgentSurface } from '../features/agents/host/agent-surface.ts';
import { createAgentHost, createAgents } from '../features/agents/host/create-agents.ts';
import { Building } from '../features/building/host/building.ts';
import type { DraftsPanel } from '../features/building/host/drafts-panel.ts';
import type { Capture } from '../features/capture/host/capture.ts';
import type { CapturedSurface } from '../features/capture/host/captured-surface.ts';
import { createCapture } from '../features/capture/host/create-capture.ts';
import { commandRunner, type RunCommand } from './commands.ts';
import type { ComparePanel } from '../features/compare/host/compare-panel.ts';
import { Compare } from '../features/compare/host/compare.ts';
import type { EngineClient } from './engine-process/engine-client.ts';
import { createInline } from '../features/lens/host/create-inline.ts';
import { createLive } from '../features/live/host/create-live.ts';
import type { Live } from '../features/live/host/live.ts';
import { CodeFaults } from '../features/lens/host/code-faults.ts';
import type { Inline } from '../features/lens/host/inline.ts';
import type { InspectorView } from '../features/inspector/host/inspector-view.ts';
import { SidePanel } from '../features/inspector/host/side-panel.ts';
import { ExtractedDocuments } from './passages/extracted-documents.ts';
import { ModelSetup } from './judging/model-setup.ts';
import { readSetting } from './platform/contributed.ts';
import { messageOf } from '../core/errors.ts';
import { spokenBy } from '../sites/syntax/language.ts';
import { speakEditorLanguage } from './platform/l10n.ts';
import type { RunPanel } from '../features/capture/host/run-panel.ts';
import { PassageMapView, type MapPanel } from '../features/map/host/map.ts';
import { MeaningSetup } from '../features/retrievers/host/meaning-setup.ts';
import { createReview } from '../features/review/host/create-review.ts';
import type { ReviewSurface } from '../features/review/host/review-surface.ts';
import type { Review } from '../features/review/host/review.ts';
import { createServices } from './services/services.ts';
import { createTesting } from '../features/gate/host/create-testing.ts';
import { GateTasks } from '../features/gate/host/gate-tasks.ts';
import type { ReportDocuments } from './platform/report-documents.ts';
import type { TestingSurface } from '../features/gate/host/testing-surface.ts';
import type { Testing } from '../features/gate/host/testing.ts';
import { createValidation } from '../features/validation/host/create-validation.ts';
import { WebCorpus } from '../features/web-corpus/host/web-corpus.ts';
import { openLine } from './workspace/open-line.ts';
import { ConfigDiagnostics } from './workspace/config-diagnostics.ts';
import { CorpusWatcher } from './workspace/corpus-watcher.ts';

export interface App {
  readonly view: InspectorView;
  readonly comparePanel: ComparePanel;
  readonly mapPanel: MapPanel;
  readonly runPanel: RunPanel;
  readonly draftsPanel: DraftsPanel;
  readonly documents: ExtractedDocuments;
  readonly review: Review;
  readonly capture: Capture;
  readonly testing: Testing;
  readonly reports: ReportDocuments;
  readonly gateTasks: GateTasks;
  readonly live: Live;
  /** A task as tasks.json defines it, without its execution. */
  resolveTask(task: vscode.Task): Promise<vscode.Task | undefined>;
  readonly engine: EngineClient;
  /** Figures beside the code, once the workspace has been read. */
  inline(): Promise<Inline>;
  readonly agents: AgentSurface;
  ask(question: string): Promise<void>;
  /** Updates existing indexes with changes made while the window was closed. */
  catchUp(): Promise<void>;
  /** Continues capturing from agents, or restores what an earlier capture changed. */
  restoreCaptured(): Promise<void>;
  resumeCapture(): Promise<void>;
  /** Runs a command of the palette or a menu. Shows failures and never throws. */
  readonly run: RunCommand;
}

/** The views that exist before the app is loaded. */
export interface Surfaces {
  readonly review: ReviewSurface;
  readonly captured: CapturedSurface;
  readonly testing: TestingSurface;
}

export function createApp(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  surfaces: Surfaces,
): App {
  speakEditorLanguage();
  const services = createServices(context, log);
  const { workspace, configFile, keys, engine, decorations, memory, inspected, ready } = services;

  const sidePanel = new SidePanel(
    services,
    { showKept: (id) => compare.showKept(id) },
    {
      canAskForMore: (site) => live.canAskForMore(site),
      askForMore: (site, question, signal) => live.askForMore(site, question, signal),
      faults: () => codeFaults.faults,
      open: (file, line) => openLine(workspace.openFolder, file, line),
    },
  );
  const compare: Compare = new Compare(services, sidePanel);
  const map = new PassageMapView(services, sidePanel);
  const review = createReview(services, surfaces.review, sidePanel, compare);
  const { capture, runPanel } = createCapture(services, surfaces.captured, sidePanel);
  const inline = createInline(
    services,
    compare,
    { runs: () => capture.runs, judge: (ids) => capture.judge(ids) },
    () => configured,
    () => live,
  );
  const agentHost = createAgentHost(services, compare, inline);
  const live: Live = createLive(
    services,
    agentHost,
    inline,
    () => capture.arrived(),
    async () => {
      const { corpus, queries } = sidePanel.asked;
      // Without perspectives there is no reason to recognise passages.
      if (corpus === '' || queries.length === 0) return;
      await agentHost.prepareCorpus(corpus, {});
      capture.changed();
    },
  );
  const codeFaults = new CodeFaults(agentHost, () => sidePanel.inspector.codeChanged());
  const findFaults = (): void => {
    if (services.trusted())
      void ready
        .then(() => codeFaults.find())
        .catch((error: unknown) => log.warn(`The programs could not be checked: ${messageOf(error)}`));
  };
  findFaults();
  const gateTasks = new GateTasks(context.extensionPath, () => afterReading(() => workspace.snapshot));
  const testing = createTesting(services, surfaces.testing, sidePanel, () => configured);
  const building = new Building({
    services,
    workspace: inspected,
    asked: () => ({ ...sidePanel.inspector.asked, history: sidePanel.inspector.history }),
    requestBudget: () => readSetting('parallax.requestBudget'),
    suggesting: () => ({
      from: readSetting('parallax.suggestPerspectives.from'),
      count: readSetting('parallax.suggestPerspectives.count'),
    }),
    onQueued: () => review.changed(),
  });
  const webCorpus = new WebCorpus({
    engine,
    keys,
    memory,
    folder: workspace,
    configFile,
    workspace: inspected,
    index: async (corpus) => {
      await reconfigure();
      await sidePanel.index(corpus);
    },
  });

  /** Settles once the engine has the newest configuration. */
  let configured: Promise<unknown> = Promise.resolve();
  const reconfigure = async (): Promise<void> => {
    configured = services.configuration.reload(engine);
    await configured;
    await sidePanel.inspector.workspaceChanged();
    await compare.controller.workspaceChanged();
    // Other people's labels arrive with the files of the workspace.
    if (engine.state === 'running') await sidePanel.inspector.labelsChanged();
    inline.workspaceChanged();
    review.changed();
    capture.changed();
  };
  context.subscriptions.push(
    new CorpusWatcher(workspace, sidePanel.inspector.indexing),
    new ConfigDiagnostics(workspace, (message) => log.warn(message)),
    workspace.onDidChange(({ problems }) => {
      for (const problem of problems) log.warn(problem);
      void reconfigure();
    }),
    keys.onDidChange(() => void reconfigure()),
    // Files behind links that lead out of the folder were not read until now.
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      void workspace.read();
      findFaults();
    }),
    vscode.workspace.onDidSaveTextDocument(({ languageId }) => {
      if (spokenBy(languageId)) findFaults();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('parallax') || event.affectsConfiguration('files.exclude'))
        void reconfigure();
    }),
  );

  const afterReading = async <T>(value: () => T): Promise<T> => {
    await ready;
    return value();
  };
  return {
    engine,
    review,
    capture,
    testing,
    reports: services.reports,
    view: sidePanel.view,
    comparePanel: compare.panel,
    mapPanel: map.panel,
    runPanel,
    draftsPanel: building.draftsPanel,
    documents: new ExtractedDocuments(engine),
    gateTasks,
    live,
    resolveTask: async (task) => {
      const { run } = task.definition;
      return typeof run === 'string' ? live.task(task, run) : gateTasks.resolveTask(task);
    },
    agents: createAgents(services, agentHost),
    inline: () => afterReading(() => inline),
    ask: (question) => sidePanel.ask(question),
    catchUp: async () => (await afterReading(() => sidePanel.inspector.indexing)).catchUpUnseen(),
    restoreCaptured: async () => (await afterReading(() => capture)).restore(),
    resumeCapture: async () => (await afterReading(() => capture)).resume(),
    run: commandRunner({
      context,
      sidePanel,
      inline,
      building,
      capture,
      live,
      testing,
      review,
      webCorpus,
      workspace,
      reports: services.reports,
      configFile,
      modelSetup: new ModelSetup({
        engine,
        keys,
        configFile,
        workspace: inspected,
        trusted: () => services.trusted(),
        judge: () => sidePanel.inspector.state().judge.name,
        choose: async (judge) => {
          await reconfigure();
          await sidePanel.inspector.handle({ type: 'set-judge', name: judge });
        },
      }),
      meaningSetup: new MeaningSetup({
        engine,
        keys,
        configFile,
        workspace: inspected,
        trusted: () => services.trusted(),
        present: () => sidePanel.inspector.present,
        reconfigure,
        comparisonOf: (pipelines) => compare.controller.requestOf(pipelines),
        show: ({ id }) => compare.showKept(id),
        use: ({ name, pipeline }) =>
          sidePanel.inspector.handle({ type: 'set-pipeline', pipeline: { ...pipeline, name } }),
      }),
      keys,
      engine,
      decorations,
      log,
      memory,
      ready,
      comparePanel: compare.panel,
      mapPanel: map.panel,
      validation: createValidation(services),
    }),
  };
}
