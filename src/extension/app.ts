/**
 * The extension once it is used: who exists, and who listens to whom. Loaded by the first view, command or
 * document that needs it (main.ts), so that the start of the editor does not pay for it.
 */
import path from 'node:path';
import * as vscode from 'vscode';
import { AgentTools } from '../agents/agent-tools.ts';
import { COMMANDS, CONTEXT_KEYS } from '../shared/contributions.ts';
import { AgentSurface } from './agents/agent-surface.ts';
import { EditorAgentHost } from './agents/editor-agent-host.ts';
import { Building } from './building/building.ts';
import { Capture } from './capture/capture.ts';
import type { CapturedSurface } from './capture/captured-surface.ts';
import { CompareController } from './compare/compare-controller.ts';
import { confirmFigures } from './compare/confirm-figures.ts';
import { comparePanelIn, type ComparePanel } from './compare/compare-panel.ts';
import type { CostSettings } from './compare/figure-judging.ts';
import { watchEngine } from './compare/watch-engine.ts';
import { EngineClient } from './engine-process/engine-client.ts';
import { EngineConfiguration } from './engine-process/engine-configuration.ts';
import { Inline } from './inline/inline.ts';
import { InspectorController } from './inspector/inspector-controller.ts';
import { chooseJudge, judgeChoices } from './inspector/judge-choice.ts';
import type { InspectedWorkspace, Memory } from './inspector/panel-context.ts';
import { InspectorView } from './inspector/inspector-view.ts';
import { CorpusWatcher } from './workspace/corpus-watcher.ts';
import { completeWithEditorModel } from './models/editor-models.ts';
import { ApiKeys } from './models/api-keys.ts';
import { EvidenceDecorations } from './passages/evidence-decorations.ts';
import { ExtractedDocuments } from './passages/extracted-documents.ts';
import { openPassage } from './passages/open-passage.ts';
import type { ReviewSurface } from './review/review-surface.ts';
import { Review } from './review/review.ts';
import { GateTasks } from './testing/gate-tasks.ts';
import { ReportDocuments } from './testing/report-documents.ts';
import { Testing } from './testing/testing.ts';
import type { TestingSurface } from './testing/testing-surface.ts';
import { ValidationController } from './validation/validation-controller.ts';
import {
  chooseCorpus,
  chooseJudges,
  chooseLabels,
  confirmValidation,
  readLabels,
  withProgress,
} from './validation/validation-dialogs.ts';
import { ValidationDocuments } from './validation/validation-documents.ts';
import { readSetting, setContext } from './platform/contributed.ts';
import { speakEditorLanguage } from './platform/l10n.ts';
import { WebCorpus } from './web/web-corpus.ts';
import { ConfigDiagnostics } from './workspace/config-diagnostics.ts';
import { saveStance } from './workspace/eval-set-file.ts';
import { WorkspaceFolder } from './workspace/workspace-folder.ts';
import { commandRunner, type RunCommand } from './commands.ts';
import { confirmCalls, runErrorAction, saveAs, showSkippedFiles, userName } from './platform/dialogs.ts';

export interface App {
  readonly view: InspectorView;
  readonly comparePanel: ComparePanel;
  readonly documents: ExtractedDocuments;
  readonly validationDocuments: ValidationDocuments;
  readonly review: Review;
  readonly capture: Capture;
  readonly testing: Testing;
  readonly reportDocuments: ReportDocuments;
  readonly gateTasks: GateTasks;
  readonly engine: EngineClient;
  /** Figures beside the code, once the workspace has been read. */
  inline(): Promise<Inline>;
  readonly agents: AgentSurface;
  ask(question: string): Promise<void>;
  /** Runs a command of the palette or a menu; failures are shown, never thrown. */
  readonly run: RunCommand;
}

export function createApp(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  reviewSurface: ReviewSurface,
  capturedSurface: CapturedSurface,
  testingSurface: TestingSurface,
): App {
  speakEditorLanguage();
  const workspace = new WorkspaceFolder();
  const keys = new ApiKeys(context.secrets);
  const decorations = new EvidenceDecorations();
  const configuration = new EngineConfiguration(context, workspace, keys, (message) => log.warn(message));
  const engine = new EngineClient({
    enginePath: path.join(context.extensionPath, 'dist', 'engine.mjs'),
    texts: vscode.l10n.uri?.fsPath,
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
  const costSettings = (): CostSettings => ({
    confirmCallsAbove: readSetting('parallax.confirmCallsAbove'),
    requestBudget: readSetting('parallax.requestBudget'),
    prices: readSetting('parallax.prices'),
  });
  const inspector: InspectorController = new InspectorController({
    engine: watchEngine(engine, () => {
      compare.figuresChanged();
      inline.figuresChanged();
      review.changed();
      capture.changed();
      testing.changed();
    }),
    workspace: inspected,
    trusted: () => vscode.workspace.isTrusted,
    settings: () => ({
      judge: readSetting('parallax.judge'),
      autoJudge: readSetting('parallax.autoJudge'),
      ...costSettings(),
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
      saveStance: (query, perspective, change) =>
        saveStance(workspace.openFolder, query, perspective, change),
      errorAction: (action) => void runErrorAction(action, inspector, log),
      indexedChanged: (indexed) => {
        void setContext(CONTEXT_KEYS.indexed, indexed);
        capture.changed();
        void compare.refreshCorpora();
      },
      log: (message) => log.info(message),
    },
  });
  const compare: CompareController = new CompareController({
    engine: watchEngine(engine, () => {
      inline.figuresChanged();
      review.changed();
      capture.changed();
      testing.changed();
    }),
    workspace: inspected,
    trusted: () => vscode.workspace.isTrusted,
    shownCorpus: () => inspector.corpus,
    judgeSetting: () => readSetting('parallax.judge'),
    memory,
    costSettings,
    actions: {
      post: (message) => comparePanel.post(message),
      confirmFigures,
      judged: () => inspector.labelsChanged(),
      inspect: async (corpus, query, pipeline) => {
        await view.focusQuery(query);
        if (corpus !== inspector.corpus) await inspector.handle({ type: 'set-corpus', name: corpus });
        await inspector.inspect(query, pipeline);
      },
      remedy: async (what) =>
        void (await vscode.commands.executeCommand(
          what === 'open-config' ? COMMANDS.openConfig : 'workbench.trust.manage',
        )),
      indexed: async (corpus) => {
        if (corpus === inspector.corpus) await inspector.refreshStatus();
      },
      save: saveAs,
      log: (message) => log.info(message),
    },
  });
  const comparePanel: ComparePanel = comparePanelIn(context.extensionUri, {
    onMessage: (message) =>
      void ready.then(() => inspector.ensureStatus()).then(() => compare.handle(message)),
    onInvalidMessage: (problem) =>
      log.error(`The compare panel sent a message of the wrong shape: ${problem}`),
  });
  const view = new InspectorView(context.extensionUri, {
    onMessage: (message) => void ready.then(() => inspector.handle(message)),
    onInvalidMessage: (problem) => log.error(`The panel sent a message of the wrong shape: ${problem}`),
  });
  const review: Review = new Review({
    engine,
    surface: reviewSurface,
    panelMarks: decorations,
    userName,
    asked: () => inspector.asked,
    matter: () => inspector.matter,
    comparison: () => compare.state().shown,
    onLabelled: () => {
      void inspector.labelsChanged();
      compare.figuresChanged();
      inline.figuresChanged();
      capture.changed();
    },
    log: (message) => log.info(message),
  });
  const capture: Capture = new Capture({
    engine: watchEngine(engine, () => {
      compare.figuresChanged();
      inline.figuresChanged();
      review.changed();
      testing.changed();
      void inspector.labelsChanged();
    }),
    surface: capturedSurface,
    decorations,
    trusted: () => vscode.workspace.isTrusted,
    asked: () => {
      const { corpus, judge, queries } = inspector.asked;
      const { config } = workspace.snapshot;
      return { corpus, judge: chooseJudge(judgeChoices(config), config, judge), queries };
    },
    costSettings,
    confirmCalls,
    inspect: async (question) => {
      await view.focusQuery(question);
      await inspector.ensureStatus();
      await inspector.search(question);
    },
    onChanged: () => inline.capturedChanged(),
    log: (message) => log.info(message),
  });
  const inline: Inline = new Inline({
    extensionUri: context.extensionUri,
    engine: watchEngine(engine, () => {
      compare.figuresChanged();
      capture.changed();
    }),
    snapshot: () => workspace.snapshot,
    captured: () => capture.runs,
    memory,
    indexed: async (corpus) => {
      if (corpus === inspector.corpus) await inspector.refreshStatus();
      await compare.refreshCorpora();
    },
    showComparison: async (id) => {
      await compare.handle({ type: 'open-kept', id });
      comparePanel.show();
    },
    log: (message) => log.info(message),
  });
  const building = new Building({
    ...{ engine, workspace: inspected, folder: workspace },
    asked: () => inspector.asked,
    requestBudget: () => readSetting('parallax.requestBudget'),
    onQueued: () => review.changed(),
  });
  const validationDocuments = new ValidationDocuments();
  const validation = new ValidationController({
    engine,
    workspace: inspected,
    trusted: () => vscode.workspace.isTrusted,
    judgeSetting: () => readSetting('parallax.judge'),
    costSettings,
    actions: {
      chooseJudges,
      chooseLabels,
      chooseCorpus,
      read: (source) => readLabels(source, workspace.labelsFile),
      confirm: confirmValidation,
      progress: withProgress,
      show: (text, report) => validationDocuments.show(text, report),
    },
  });
  // The workspace is read once the window has settled; whoever asks earlier waits for it.
  const ready = workspace.read().then(
    ({ problems }) => problems.forEach((problem) => log.warn(problem)),
    (error: unknown) => log.error(`The workspace could not be read: ${String(error)}`),
  );
  const figuresChanged = (): void => {
    void inspector.labelsChanged();
    compare.figuresChanged();
    inline.figuresChanged();
    review.changed();
    capture.changed();
  };
  const reportDocuments = new ReportDocuments();
  const testing: Testing = new Testing({
    surface: testingSurface,
    extensionUri: context.extensionUri,
    engine: watchEngine(engine, figuresChanged),
    workspace,
    costSettings,
    documents: reportDocuments,
    inspect: async (corpus, query, pipeline) => {
      await view.focusQuery(query);
      await inspector.ensureStatus();
      if (corpus !== inspector.corpus) await inspector.handle({ type: 'set-corpus', name: corpus });
      await inspector.inspect(query, pipeline);
    },
    onJudged: figuresChanged,
    ready,
    configured: () => configured,
    log: (message) => log.info(message),
  });
  /** The engine knows the newest configuration. */
  let configured: Promise<unknown> = Promise.resolve();
  const reconfigure = async (): Promise<void> => {
    configured = configuration.reload(engine);
    await configured;
    await inspector.workspaceChanged();
    await compare.workspaceChanged();
    // Labels of others come with the files of the workspace.
    if (engine.state === 'running') await inspector.labelsChanged();
    inline.workspaceChanged();
    review.changed();
    capture.changed();
  };
  const webCorpus = new WebCorpus({
    ...{ engine, keys, memory, folder: workspace },
    workspace: inspected,
    index: async (corpus) => {
      await reconfigure();
      await view.focusQuery();
      await inspector.ensureStatus();
      await inspector.handle({ type: 'set-corpus', name: corpus });
      await inspector.index(false);
    },
  });
  context.subscriptions.push(
    workspace,
    decorations,
    { dispose: () => engine.dispose() },
    { dispose: () => inspector.dispose() },
    { dispose: () => compare.dispose() },
    comparePanel,
    inline,
    capture,
    testing,
    review,
    new CorpusWatcher(workspace, inspector),
    new ConfigDiagnostics(workspace, (message) => log.warn(message)),
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
  const agents = new AgentSurface({
    tools: new AgentTools(
      new EditorAgentHost({
        engine: watchEngine(engine, () => {
          void inspector.labelsChanged();
          compare.figuresChanged();
          inline.figuresChanged();
          review.changed();
          capture.changed();
          testing.changed();
        }),
        detector: inline.detector,
        snapshot: async () => {
          await ready;
          return workspace.snapshot;
        },
        rules: inline.rules,
        judgeSetting: () => readSetting('parallax.judge'),
        costSettings,
        stateOf: (known) => inline.stateOf(known),
        indexed: async (corpus) => {
          if (corpus === inspector.corpus) await inspector.refreshStatus();
          await compare.refreshCorpora();
        },
      }),
    ),
    requestBudget: () => costSettings().requestBudget,
    log: (message) => log.info(message),
  });
  const run = commandRunner({
    inspector,
    view,
    comparePanel,
    inline,
    building,
    capture,
    testing,
    review,
    validation,
    webCorpus,
    workspace,
    keys,
    engine,
    decorations,
    log,
    ready,
  });
  const ask = async (question: string): Promise<void> => {
    await ready;
    await inspector.ensureStatus();
    await inspector.search(question);
  };
  return {
    ask,
    view,
    comparePanel,
    documents: new ExtractedDocuments(engine),
    validationDocuments,
    agents,
    review,
    capture,
    testing,
    reportDocuments,
    gateTasks: new GateTasks(context.extensionPath, async () => {
      await ready;
      return workspace.snapshot;
    }),
    engine,
    inline: async () => {
      await ready;
      return inline;
    },
    run,
  };
}
