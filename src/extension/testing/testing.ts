/** Evaluation in the editor: the Testing view, and the commands that do the same. */
import * as vscode from 'vscode';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { toMarkdown } from '../../core/reports/markdown.ts';
import { headline } from '../../core/reports/tables.ts';
import { BUILT_IN_PIPELINES, type Pipeline } from '../../core/pipeline.ts';
import type { GateReport } from '../../core/gate/report.ts';
import { COMMANDS, type CommandId } from '../../shared/contributions.ts';
import type { EvalQuery } from '../../shared/eval-query.ts';
import { gateOf, withDefaultBaseline } from '../../shared/evaluation.ts';
import type { CostSettings } from '../compare/figure-judging.ts';
import { confirmFigures } from '../compare/confirm-figures.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import { judgeChoices, type JudgeChoice } from '../inspector/judge-choice.ts';
import { readSetting } from '../platform/contributed.ts';
import { withProgress } from '../validation/validation-dialogs.ts';
import type { WorkspaceFolder } from '../workspace/workspace-folder.ts';
import { EvalSetLanguage } from './eval-set-language.ts';
import { corpusOf, Evaluator, judgeOf } from './evaluator.ts';
import { historyText, comparisonText } from './history-text.ts';
import { isPremise } from './premises.ts';
import type { ReportDocuments } from './report-documents.ts';
import type { ListedTest, TestOutcome } from './listed-test.ts';
import { keyOf, TestResults, type QueryLink } from './test-results.ts';
import { TestTree } from './test-tree.ts';
import type { RunOptions, TestingContent, TestingSurface } from './testing-surface.ts';
import { unreachedText } from './unreached-text.ts';

export interface TestingParts {
  readonly surface: TestingSurface;
  readonly engine: Pick<EngineClient, 'request'>;
  readonly workspace: WorkspaceFolder;
  readonly costSettings: () => CostSettings;
  readonly documents: ReportDocuments;
  /** Shows a query in the side panel, on a corpus and under a pipeline. */
  readonly inspect: (corpus: string, query: string, pipeline: Pipeline) => Promise<void>;
  /** A model may have judged. */
  readonly onJudged: () => void;
  /** The workspace has been read. */
  readonly ready: Promise<void>;
  readonly log: (message: string) => void;
}

/** A checkout or a build writes many files: wait until it is quiet. */
const QUIET_MS = 1_000;

/** Of so many evaluations, the newest ones, the history says what changed since the one before. */
const EXPLAINED = 20;

export class Testing implements TestingContent, vscode.Disposable {
  readonly #parts: TestingParts;
  readonly #tree: TestTree;
  readonly #evaluator: Evaluator;
  readonly #language: EvalSetLanguage;
  readonly #subscriptions: vscode.Disposable[];
  readonly #continuous = new Set<vscode.TestRunRequest>();
  readonly #outcomes = new Map<string, TestOutcome>();
  #timer: NodeJS.Timeout | undefined;
  #saved = false;
  /** Runs by themselves, one after the other. */
  #automatic: Promise<void> = Promise.resolve();

  constructor(parts: TestingParts) {
    const { surface, workspace, engine } = parts;
    this.#parts = parts;
    const snapshot = (): WorkspaceFolder['snapshot'] => workspace.snapshot;
    this.#tree = new TestTree(
      surface.controller,
      () => snapshot().folder,
      () => snapshot().evalQueries,
    );
    this.#evaluator = new Evaluator(engine, snapshot);
    this.#language = new EvalSetLanguage((uri) =>
      this.#tree.sets.some((set) => set.uri?.toString() === uri.toString()),
    );
    const watcher = vscode.workspace.createFileSystemWatcher('**/*');
    const touched = (uri: vscode.Uri): void => void (this.#isPremise(uri) && this.changed());
    this.#subscriptions = [
      this.#language,
      watcher,
      watcher.onDidChange(touched),
      watcher.onDidCreate(touched),
      watcher.onDidDelete(touched),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (!this.#isPremise(uri) || !readSetting('parallax.testing.runOnSave')) return;
        this.#saved = true;
        this.changed();
      }),
      workspace.onDidChange(() => void this.#updateTree()),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => {
        if (this.#tree.sets.some((set) => set.uri?.toString() === uri.toString())) void this.#updateTree();
      }),
    ];
    void parts.ready.then(() => this.#updateTree());
  }

  readonly handlers = {
    [COMMANDS.evaluateWorkspace]: () => this.#evaluateAll(),
    [COMMANDS.evaluateEvalSet]: () => this.#evaluateCurrent(),
    [COMMANDS.compareWithBaseline]: () => this.#compareWithBaseline(),
    [COMMANDS.acceptBaseline]: () => this.#accept(),
    [COMMANDS.openEvaluatedQuery]: (_, target) => this.#open(target),
    [COMMANDS.showEvaluationHistory]: () => this.#showHistory(),
    [COMMANDS.compareEvaluations]: () => this.#compareEvaluations(),
    [COMMANDS.showUnreached]: () => this.#showUnreached(),
  } satisfies Partial<Record<CommandId, (node: unknown, target: unknown) => unknown>>;

  /** Every item with what came of it last. */
  async list(): Promise<ListedTest[]> {
    await this.refresh();
    for (const set of this.#tree.sets) await this.#tree.updateQueries(set);
    const items = this.#tree.sets.flatMap((set) => [set, ...[...set.children].map(([, child]) => child)]);
    return items.map((item) => ({
      id: keyOf(item),
      ...(item.range ? { line: item.range.start.line } : {}),
      ...this.#outcomes.get(keyOf(item)),
    }));
  }

  async resolve(item: vscode.TestItem | undefined): Promise<void> {
    await (item ? this.#tree.updateQueries(item) : this.#tree.updateSets());
  }

  async refresh(): Promise<void> {
    await this.#parts.workspace.read();
    await this.#tree.updateSets();
  }

  async run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    { ask }: RunOptions,
  ): Promise<void> {
    await this.#run(request, token, ask);
  }

  runContinuously(request: vscode.TestRunRequest, token: vscode.CancellationToken): void {
    this.#continuous.add(request);
    token.onCancellationRequested(() => this.#continuous.delete(request));
  }

  /** What results rest on changed: corpus, pipelines, judgements or the baseline. */
  changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settled(), QUIET_MS);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #settled(): void {
    const { controller } = this.#parts.surface;
    controller.invalidateTestResults();
    const requests = [...this.#continuous];
    if (this.#saved)
      requests.push(new vscode.TestRunRequest(undefined, undefined, this.#parts.surface.profile));
    this.#saved = false;
    for (const request of requests)
      this.#automatic = this.#automatic.then(() => this.#runByItself(request)).catch(this.#logged);
  }

  async #runByItself(request: vscode.TestRunRequest): Promise<void> {
    if (request.continuous && !this.#continuous.has(request)) return;
    // It may be the change of the configuration that it runs for.
    await this.#parts.workspace.read();
    const { include, exclude, profile, continuous } = request;
    await this.#run(new vscode.TestRunRequest(include, exclude, profile, continuous), undefined, false);
  }

  /** @returns nothing when it was cancelled or could not be evaluated; the view says so then */
  async #run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken | undefined,
    ask: boolean,
  ): Promise<GateReport | undefined> {
    const run = this.#parts.surface.controller.createTestRun(request);
    const results = new TestResults(run, this.#tree);
    const controller = new AbortController();
    const cancel = (): void => controller.abort();
    const subscriptions = [token, run.token].map((each) => each?.onCancellationRequested(cancel));
    const chosen = await this.#tree.chosen(request).catch((error: unknown) => {
      run.appendOutput(`${messageOf(error)}\r\n`);
      return [];
    });
    try {
      if (chosen.length === 0) return undefined;
      results.begin(chosen);
      const report = await this.#evaluate(
        chosen.map(({ set }) => set.id),
        controller.signal,
        ask,
      );
      results.report(chosen, report);
      return report;
    } catch (error) {
      if (!ParallaxError.is(error, 'cancelled')) results.fail(chosen, messageOf(error));
      return undefined;
    } finally {
      for (const [key, outcome] of results.outcomes) this.#outcomes.set(key, outcome);
      for (const subscription of subscriptions) subscription?.dispose();
      run.end();
    }
  }

  async #evaluate(evalSets: string[], signal: AbortSignal, ask: boolean): Promise<GateReport> {
    const { requestBudget } = this.#parts.costSettings();
    const { judge } = this;
    // One that costs nothing may be asked at any time.
    const isFree = judge !== undefined && judge.canJudge && !judge.costly;
    if (ask && judge?.costly) await this.#confirm(judge, signal);
    const options = { evalSets, ask: ask || isFree, baseline: 'present' as const, requestBudget };
    try {
      return await this.#evaluator.evaluate(options, { signal });
    } finally {
      if (options.ask) this.#parts.onJudged();
    }
  }

  /** Whose judgements count beside human labels. */
  get judge(): JudgeChoice | undefined {
    const { config } = this.#parts.workspace.snapshot;
    return judgeChoices(config).find(({ name }) => name === judgeOf(config));
  }

  /** @throws ParallaxError `cancelled` when the user does not want to pay for it */
  async #confirm({ label }: JudgeChoice, signal: AbortSignal): Promise<void> {
    const { prices, confirmCallsAbove } = this.#parts.costSettings();
    const { pairs, known, effort } = await this.#evaluator.cost(prices, { signal });
    if (effort.requests.most <= confirmCallsAbove) return;
    if (!(await confirmFigures(pairs - known, 'everything', effort, label)))
      throw new ParallaxError('cancelled', 'Cancelled.');
  }

  /** Queries of eval sets that are open get their items at once, to be run beside their lines. */
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

  async #evaluateAll(): Promise<void> {
    await this.refresh();
    const { sets } = this.#tree;
    if (sets.length === 0)
      throw new ParallaxError(
        'not-found',
        vscode.l10n.t('There is no eval set. Name one in parallax.json, under "evalSets".'),
      );
    await this.#evaluateItems(sets);
  }

  async #evaluateCurrent(): Promise<void> {
    await this.refresh();
    const open = vscode.window.activeTextEditor?.document.uri.toString();
    const set = this.#tree.sets.find(({ uri }) => uri?.toString() === open);
    if (!set)
      throw new ParallaxError(
        'not-found',
        vscode.l10n.t('Open an eval set first that parallax.json names under "evalSets".'),
      );
    await this.#evaluateItems([set]);
  }

  async #evaluateItems(items: vscode.TestItem[]): Promise<void> {
    const request = new vscode.TestRunRequest(items, undefined, this.#parts.surface.profile);
    const report = await this.#run(request, undefined, false);
    const failed = items
      .flatMap((set) => [set, ...[...set.children].map(([, child]) => child)])
      .filter((item) => this.#outcomes.get(keyOf(item))?.outcome !== 'passed').length;
    const show = vscode.l10n.t('Show Results');
    const message = report
      ? failed === 0
        ? headline(report)
        : vscode.l10n.t('{0} {1} tests failed.', headline(report), failed)
      : vscode.l10n.t('The eval sets could not be evaluated.');
    void vscode.window.showInformationMessage(message, show).then((answer) => {
      if (answer === show) void vscode.commands.executeCommand('workbench.panel.testResults.view.focus');
    });
  }

  async #compareWithBaseline(): Promise<void> {
    const options = { ask: false, baseline: 'required' as const, requestBudget: 0 };
    await this.refresh();
    const report = await withProgress(vscode.l10n.t('Comparing with the baseline'), (request) =>
      this.#evaluator.evaluate(options, request),
    );
    await this.#parts.documents.show(vscode.l10n.t('Compared with the baseline'), toMarkdown(report));
  }

  async #accept(): Promise<void> {
    await this.refresh();
    const { config } = this.#parts.workspace.snapshot;
    const { file } = withDefaultBaseline(gateOf(config)).baseline!;
    if (!(await this.#mayReplace(file))) return;
    const accepted = await withProgress(vscode.l10n.t('Accepting as baseline'), (request) =>
      this.#evaluator.accept(request),
    );
    const hint = config.gate?.baseline
      ? ''
      : vscode.l10n.t('Name it in parallax.json, so that "parallax gate" compares with it, too.');
    const message = accepted.isNew
      ? vscode.l10n.t('Accepted as baseline: {0}. {1}', accepted.file, hint)
      : vscode.l10n.t('{0} says the same already. {1}', accepted.file, hint);
    void vscode.window.showInformationMessage(message.trim());
  }

  async #mayReplace(file: string): Promise<boolean> {
    const uri = vscode.Uri.joinPath(this.#parts.workspace.openFolder, file);
    const exists = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (!exists) return true;
    const replace = vscode.l10n.t('Replace');
    const question = vscode.l10n.t('Replace the baseline {0} by what is found now?', file);
    const detail = vscode.l10n.t('From then on, losses are told against the new figures.');
    return (await vscode.window.showWarningMessage(question, { modal: true, detail }, replace)) === replace;
  }

  async #open(target: unknown): Promise<void> {
    const found = this.#linked(target);
    if (!found)
      throw new ParallaxError('not-found', vscode.l10n.t('This query is no longer in its eval set.'));
    const corpus = corpusOf(this.#parts.workspace.snapshot.config, found.query.evalSet);
    await this.#parts.inspect(corpus, found.query.text, found.pipeline);
  }

  /** @param target a link of a message, an item of the view, or a message with its item */
  #linked(target: unknown): { readonly query: EvalQuery; readonly pipeline: Pipeline } | undefined {
    if (typeof target !== 'object' || target === null) return undefined;
    const { config, evalQueries } = this.#parts.workspace.snapshot;
    const item = 'test' in target ? target.test : target;
    const [evalSet, id] = isLink(item)
      ? [item.evalSet, item.query]
      : [(item as vscode.TestItem).parent?.id, (item as vscode.TestItem).id];
    const name = isLink(item) ? item.pipeline : gateOf(config).pipelines[0]!;
    const known: Readonly<Record<string, Pipeline>> = { ...BUILT_IN_PIPELINES, ...config.pipelines };
    const query = evalQueries.find((each) => each.evalSet === evalSet && each.id === id);
    const pipeline = Object.hasOwn(known, name) ? known[name] : undefined;
    return query && pipeline && { query, pipeline };
  }

  async #showHistory(): Promise<void> {
    const evaluations = await this.#evaluator.history();
    const changes = new Map<string, Awaited<ReturnType<Evaluator['compare']>>>();
    for (const [place, { id }] of evaluations.slice(0, EXPLAINED).entries()) {
      const before = evaluations[place + 1];
      if (before) changes.set(id, await this.#evaluator.compare(before.id, id));
    }
    await this.#parts.documents.show(vscode.l10n.t('Evaluations'), historyText(evaluations, changes));
  }

  async #compareEvaluations(): Promise<void> {
    const evaluations = await this.#evaluator.history();
    if (evaluations.length < 2)
      throw new ParallaxError(
        'not-found',
        vscode.l10n.t('The history has fewer than two evaluations. Evaluate the workspace first.'),
      );
    const items = evaluations.map((evaluation) => ({
      label: new Date(evaluation.at).toLocaleString(),
      description: [evaluation.commit?.slice(0, 10), evaluation.outcome].filter(Boolean).join(' · '),
      detail: evaluation.rows.map(({ dataset, pipeline }) => `${dataset}, ${pipeline}`).join('; '),
      evaluation,
    }));
    const now = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Compare which evaluation?'),
    });
    if (!now) return;
    const earlier = items.filter((item) => item !== now);
    const then = await vscode.window.showQuickPick(earlier, { title: vscode.l10n.t('With which one?') });
    if (!then) return;
    const [before, after] = [then.evaluation, now.evaluation].sort((a, b) => (a.at < b.at ? -1 : 1));
    const comparison = await this.#evaluator.compare(before!.id, after!.id);
    const text = comparisonText(before!, after!, comparison);
    await this.#parts.documents.show(vscode.l10n.t('Evaluations compared'), text);
  }

  async #showUnreached(): Promise<void> {
    await this.refresh();
    const found = await withProgress(vscode.l10n.t('Looking for what no query reaches'), (request) =>
      this.#evaluator.unreached(request),
    );
    await this.#parts.documents.show(vscode.l10n.t('What no query reaches'), unreachedText(found));
  }

  #isPremise(uri: vscode.Uri): boolean {
    const { folder, config, evalQueries } = this.#parts.workspace.snapshot;
    if (uri.scheme !== 'file' || !folder || !uri.path.startsWith(`${folder.path}/`)) return false;
    const sets = new Set(evalQueries.map(({ evalSet }) => evalSet));
    return isPremise(uri.path.slice(folder.path.length + 1), config, sets);
  }

  readonly #logged = (error: unknown): void => {
    if (!ParallaxError.is(error, 'cancelled')) this.#parts.log(`Testing: ${messageOf(error)}`);
  };
}

function isLink(target: unknown): target is QueryLink {
  return typeof target === 'object' && target !== null && 'evalSet' in target && 'query' in target;
}
