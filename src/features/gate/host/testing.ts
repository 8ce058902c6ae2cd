/** Evaluation in the editor: the Testing view, the history, and the corresponding commands. */
import * as vscode from 'vscode';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { headline } from '../../../core/reports/tables.ts';
import type { Pipeline } from '../../../core/pipeline.ts';
import { CONFIG_FILE } from '../../../shared/config.ts';
import { COMMANDS, type CommandId } from '../../../shared/manifest/contributions.ts';
import type { CostSettings } from '../../../extension/judging/cost-settings.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import { on, readSetting, type CommandHandler } from '../../../extension/platform/contributed.ts';
import { saveAs } from '../../../extension/platform/dialogs.ts';
import { applyRemedy } from '../../../extension/platform/remedies.ts';
import type { TaskContext } from '../../../extension/tasks/task-list.ts';
import { withProgress } from '../../../extension/tasks/with-progress.ts';
import { requireUsableConfig } from '../../../extension/workspace/usable-config.ts';
import type { WorkspaceFolder } from '../../../extension/workspace/workspace-folder.ts';
import { Baselines } from './baselines.ts';
import { EvalSetLanguage } from './eval-set-language.ts';
import { checkedSetsText } from './checked-sets-text.ts';
import { corpusOfEvalSet } from '../../../shared/evaluation.ts';
import { Evaluator, noEvalSets } from './evaluator.ts';
import { HistoryController } from './history-controller.ts';
import { historyPanelIn, type HistoryPanel } from './history-panel.ts';
import type { ListedTest } from './listed-test.ts';
import { linkedQuery, queryLink, type QueryLink } from './linked-query.ts';
import { isEvaluationInput } from './evaluation-inputs.ts';
import type { ReportDocuments } from '../../../extension/platform/report-documents.ts';
import { keyOf } from './test-results.ts';
import { TestRuns } from './test-runs.ts';
import { TestTree } from './test-tree.ts';
import type { RunOptions, TestingContent, TestingSurface } from './testing-surface.ts';
import { unreachedText } from './unreached-text.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

export interface TestingParts {
  readonly surface: TestingSurface;
  readonly extensionUri: vscode.Uri;
  readonly engine: Pick<EngineClient, 'request'>;
  readonly workspace: WorkspaceFolder;
  readonly costSettings: () => CostSettings;
  readonly documents: ReportDocuments;
  /** Shows a query of a corpus under a pipeline in the side panel. */
  readonly inspect: (corpus: string, query: string, pipeline: Pipeline) => Promise<void>;
  /** Called when a model may have judged. */
  readonly onJudged: () => void;
  /** Settles once the workspace has been read. */
  readonly ready: Promise<void>;
  /** Settles once the engine has the newest configuration. */
  readonly configured: () => Promise<unknown>;
  readonly log: (message: string) => void;
}

export class Testing implements TestingContent, vscode.Disposable {
  readonly historyPanel: HistoryPanel;
  readonly #parts: TestingParts;
  readonly #tree: TestTree;
  readonly #evaluator: Evaluator;
  readonly #runs: TestRuns;
  readonly #baselines: Baselines;
  readonly #history: HistoryController;
  readonly #language: EvalSetLanguage;
  readonly #subscriptions: vscode.Disposable[];

  constructor(parts: TestingParts) {
    const { surface, workspace, engine, costSettings, documents, onJudged, log } = parts;
    this.#parts = parts;
    const snapshot = (): WorkspaceFolder['snapshot'] => workspace.snapshot;
    this.#tree = new TestTree(surface.controller, snapshot);
    const evaluator = new Evaluator(engine, snapshot, () => void this.#history.runsChanged());
    this.#evaluator = evaluator;
    this.#runs = new TestRuns({
      surface,
      tree: this.#tree,
      evaluator,
      workspace,
      costSettings,
      onJudged,
      log,
      readWorkspace: () => this.#readWorkspace(),
    });
    this.#baselines = new Baselines({ evaluator, workspace, documents });
    this.historyPanel = historyPanelIn(parts.extensionUri, {
      onMessage: (message) => void parts.ready.then(() => this.#history.handle(message)),
      onInvalidMessage: (problem) => log(`The history panel sent a message of the wrong shape: ${problem}`),
      // Another window or the command line may have evaluated since.
      onVisible: () => void this.#history.runsChanged(),
    });
    this.#history = this.#historyOf(evaluator);
    this.#language = new EvalSetLanguage((uri) => this.#isEvalSet(uri));
    this.#subscriptions = [this.#runs, this.#language, this.historyPanel, this.#history, ...this.#watch()];
    void parts.ready.then(() => this.#updateTree());
  }

  readonly handlers = {
    [COMMANDS.evaluateWorkspace]: () => this.#evaluateAll(),
    [COMMANDS.evaluateEvalSet]: () => this.#evaluateCurrent(),
    [COMMANDS.compareWithBaseline]: async () => {
      await this.refresh();
      await this.#baselines.compare();
    },
    [COMMANDS.acceptBaseline]: async () => {
      await this.refresh();
      await this.#baselines.accept();
    },
    [COMMANDS.openEvaluatedQuery]: on(queryLink, (link) => this.#open(link)),
    [COMMANDS.showEvaluationHistory]: () => this.historyPanel.show(),
    [COMMANDS.compareEvaluations]: () => this.#compareEvaluations(),
    [COMMANDS.showUnreached]: () => this.#showUnreached(),
    [COMMANDS.checkEvalSets]: () => this.#checkEvalSets(),
  } satisfies Partial<Record<CommandId, CommandHandler>>;

  /** Every item with its latest result. */
  async list(): Promise<ListedTest[]> {
    await this.refresh();
    for (const set of this.#tree.sets) await this.#tree.updateQueries(set);
    const items = this.#tree.files.flatMap((file) => [file, ...[...file.children].map(([, child]) => child)]);
    return items.map((item) => ({
      id: keyOf(item),
      ...(item.description === undefined ? {} : { description: item.description }),
      ...(item.range ? { line: item.range.start.line } : {}),
      ...(item.error === undefined ? {} : { error: textOf(item.error) }),
      ...this.#runs.outcomeOf(item),
    }));
  }

  /** The times of the evaluations in the history, newest first. */
  async evaluations(): Promise<string[]> {
    return (await this.#evaluator.history()).evaluations.map(({ at }) => at);
  }

  async resolve(item: vscode.TestItem | undefined): Promise<void> {
    await (item ? this.#tree.updateQueries(item) : this.#tree.updateSets());
  }

  async refresh(): Promise<void> {
    await this.#readWorkspace();
    await this.#tree.updateSets();
  }

  async run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    { ask }: RunOptions,
  ): Promise<void> {
    await this.#readWorkspace();
    const report = await this.#runs.run(request, { ask, token });
    if (report?.checks.length === 0 && !token.isCancellationRequested)
      this.#tellOutcome(headline(report), true);
  }

  runContinuously(request: vscode.TestRunRequest, token: vscode.CancellationToken): void {
    this.#runs.runContinuously(request, token);
  }

  /** Results may be outdated, because the corpus, pipelines, judgements or the baseline changed. */
  changed(): void {
    this.#runs.changed();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Reads files that were just saved, even if no watcher has reported them yet. */
  async #readWorkspace(): Promise<void> {
    await this.#parts.workspace.read();
    await this.#parts.configured();
  }

  #historyOf(evaluator: Evaluator): HistoryController {
    const { workspace, log } = this.#parts;
    return new HistoryController({
      evaluator,
      workspace: () => workspace.snapshot,
      trusted: () => vscode.workspace.isTrusted,
      actions: {
        post: (message) => this.historyPanel.post(message),
        evaluate: (context) => this.#evaluateAll(context),
        mayReplaceBaseline: () => this.#baselines.mayReplace(),
        accepted: (outcome) => this.#baselines.sayAccepted(outcome),
        inspect: (evalSet, query, pipeline) => this.#open({ evalSet, query, pipeline }),
        openEvalSet: async (path) => {
          await vscode.window.showTextDocument(vscode.Uri.joinPath(workspace.openFolder, path));
        },
        applyRemedy,
        copy: async (text) => vscode.env.clipboard.writeText(text),
        save: saveAs,
        log,
      },
    });
  }

  #watch(): vscode.Disposable[] {
    const { workspace } = this.#parts;
    const watcher = vscode.workspace.createFileSystemWatcher('**/*');
    const touched = (uri: vscode.Uri): void => void (this.#isEvaluationInput(uri) && this.changed());
    return [
      watcher,
      watcher.onDidChange(touched),
      watcher.onDidCreate(touched),
      watcher.onDidDelete(touched),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (this.#isEvaluationInput(uri) && readSetting('parallax.testing.runOnSave')) this.#runs.saved();
      }),
      workspace.onDidChange(() => {
        void this.#updateTree();
        this.#history.workspaceChanged();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#history.runsChanged()),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => {
        if (this.#isEvalSet(uri)) void this.#updateTree();
      }),
    ];
  }

  #isEvalSet(uri: vscode.Uri): boolean {
    // An unusable file also counts, so that its problems are marked in it.
    const { files } = this.#tree;
    return files.some((file) => file.id !== CONFIG_FILE && file.uri?.toString() === uri.toString());
  }

  /** Queries of open eval sets get their items at once, so that they can be run beside their lines. */
  async #updateTree(): Promise<void> {
    try {
      await this.#tree.updateSets();
      this.#language.update();
      const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
      for (const set of this.#tree.sets)
        if (set.children.size === 0 && open.has(set.uri!.toString())) await this.#tree.updateQueries(set);
    } catch (error) {
      this.#logged(error);
    }
  }

  /** @param task the enclosing work, if a caller shows the progress and the result */
  async #evaluateAll(task?: TaskContext): Promise<void> {
    await this.refresh();
    await this.#evaluateItems(this.#requireSets(), task);
  }

  async #evaluateCurrent(): Promise<void> {
    await this.refresh();
    const sets = this.#requireSets();
    const open = vscode.window.activeTextEditor?.document.uri.toString();
    const set = sets.find(({ uri }) => uri?.toString() === open);
    if (!set)
      throw new ParallaxError(
        'not-found',
        vscode.l10n.t('Open an eval set first that parallax.json names under "evalSets".'),
      );
    await this.#evaluateItems([set]);
  }

  /** @throws ParallaxError if there is nothing to evaluate */
  #requireSets(): vscode.TestItem[] {
    const { sets } = this.#tree;
    const { configProblem, unusable } = this.#parts.workspace.snapshot;
    requireUsableConfig(configProblem);
    const [bad] = unusable;
    if (sets.length === 0) throw bad ? new ParallaxError('bad-file', bad.problem) : noEvalSets();
    return sets;
  }

  async #evaluateItems(items: vscode.TestItem[], task?: TaskContext): Promise<void> {
    const request = new vscode.TestRunRequest(items, undefined, this.#parts.surface.profile);
    const report = await this.#runs.run(request, { ask: false, ...task });
    if (task?.signal.aborted) return;
    const failed = items
      .flatMap((set) => [set, ...[...set.children].map(([, child]) => child)])
      .filter((item) => this.#runs.outcomeOf(item)?.outcome === 'failed').length;
    const message = report
      ? failed === 0
        ? headline(report)
        : vscode.l10n.t('{0} {1} tests failed.', headline(report), failed)
      : vscode.l10n.t('The eval sets could not be evaluated.');
    this.#tellOutcome(message, report !== undefined && report.checks.length === 0);
  }

  /** @param unchecked whether there were no checks, so that a baseline would turn queries into tests */
  #tellOutcome(message: string, unchecked: boolean): void {
    const show = vscode.l10n.t('Show Results');
    const accept = vscode.l10n.t('Accept as Baseline');
    const actions = unchecked ? [accept, show] : [show];
    void vscode.window.showInformationMessage(withoutLinks(message), ...actions).then((answer) => {
      if (answer === show) void vscode.commands.executeCommand('workbench.panel.testResults.view.focus');
      if (answer === accept) void vscode.commands.executeCommand(COMMANDS.acceptBaseline);
    });
  }

  async #open(link: QueryLink | undefined): Promise<void> {
    const target = link && linkedQuery(link, this.#parts.workspace.snapshot);
    if (!target)
      throw new ParallaxError('not-found', vscode.l10n.t('This question is no longer in its eval set.'));
    const corpus = corpusOfEvalSet(this.#parts.workspace.snapshot.config, target.query.evalSet);
    await this.#parts.inspect(corpus, target.query.text, target.pipeline);
  }

  async #compareEvaluations(): Promise<void> {
    const { evaluations } = await this.#evaluator.history();
    if (evaluations.length < 2)
      throw new ParallaxError(
        'not-found',
        vscode.l10n.t('The history has fewer than two evaluations. Evaluate the workspace first.'),
      );
    const items = evaluations.map((evaluation) => ({
      label: new Date(evaluation.at).toLocaleString(undefined, { hourCycle: 'h23' }),
      description: [evaluation.commit?.slice(0, 10), evaluation.outcome].filter(Boolean).join(' · '),
      detail: evaluation.rows.map(({ dataset, pipeline }) => `${dataset}, ${pipeline}`).join('; '),
      evaluation,
    }));
    const now = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Compare which evaluation?'),
    });
    if (!now) return;
    const earlier = items.filter((item) => item !== now);
    const then = await vscode.window.showQuickPick(earlier, {
      title: vscode.l10n.t('Compare with which evaluation?'),
    });
    if (!then) return;
    this.historyPanel.show();
    await this.#history.handle({ type: 'compare', ids: [then.evaluation.id, now.evaluation.id] });
  }

  async #showUnreached(): Promise<void> {
    await this.refresh();
    const report = await withProgress(vscode.l10n.t('Looking for what no question reaches'), (request) =>
      this.#evaluator.unreached(request),
    );
    await this.#parts.documents.show(vscode.l10n.t('What no question reaches'), unreachedText(report));
  }

  async #checkEvalSets(): Promise<void> {
    await this.refresh();
    const checked = await withProgress(vscode.l10n.t('Checking the eval sets'), (request) =>
      this.#evaluator.checkEvalSets(request),
    );
    await this.#parts.documents.show(vscode.l10n.t('Eval sets, checked'), checkedSetsText(checked));
  }

  #isEvaluationInput(uri: vscode.Uri): boolean {
    const { folder, config, evalQueries, unusable } = this.#parts.workspace.snapshot;
    if (uri.scheme !== 'file' || !folder || !uri.path.startsWith(`${folder.path}/`)) return false;
    const sets = new Set([...evalQueries.map(({ evalSet }) => evalSet), ...unusable.map(({ file }) => file)]);
    return isEvaluationInput(uri.path.slice(folder.path.length + 1), config, sets);
  }

  readonly #logged = (error: unknown): void => {
    if (!ParallaxError.is(error, 'cancelled')) this.#parts.log(`Testing: ${messageOf(error)}`);
  };
}

const textOf = (text: string | vscode.MarkdownString): string =>
  typeof text === 'string' ? text : text.value;
