/** Runs of the Testing view: on request and automatic. */
import * as vscode from 'vscode';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import type { GateReport } from '../core/report.ts';
import type { CostSettings } from '../../../extension/judging/cost-settings.ts';
import { confirmFigures } from '../../../extension/judging/confirmations.ts';
import type { RequestOptions } from '../../../extension/engine-process/engine-client.ts';
import { judgeChoices, type JudgeChoice } from '../../../extension/judging/judge-choice.ts';
import type { WorkspaceFolder } from '../../../extension/workspace/workspace-folder.ts';
import { judgeOf, type Evaluator } from './evaluator.ts';
import type { TestOutcome } from './listed-test.ts';
import { keyOf, TestResults } from './test-results.ts';
import type { TestTree } from './test-tree.ts';
import type { TestingSurface } from './testing-surface.ts';

export interface TestRunsParts {
  readonly surface: TestingSurface;
  readonly tree: TestTree;
  readonly evaluator: Evaluator;
  readonly workspace: WorkspaceFolder;
  /** Reads the workspace from disk, and sends its configuration to the engine. */
  readonly readWorkspace: () => Promise<void>;
  readonly costSettings: () => CostSettings;
  /** Called when a model may have judged. */
  readonly onJudged: () => void;
  readonly log: (message: string) => void;
}

export interface RunContext extends Pick<RequestOptions, 'onNote'> {
  /** Whether a judge model may be asked. */
  readonly ask: boolean;
  readonly token?: vscode.CancellationToken | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Waits until a checkout or a build has written its files. */
const QUIET_MS = 1_000;

export class TestRuns implements vscode.Disposable {
  readonly #parts: TestRunsParts;
  readonly #continuous = new Set<vscode.TestRunRequest>();
  readonly #outcomes = new Map<string, TestOutcome>();
  #timer: NodeJS.Timeout | undefined;
  #saved = false;
  /** Automatic runs, one after the other. */
  #automatic: Promise<void> = Promise.resolve();

  constructor(parts: TestRunsParts) {
    this.#parts = parts;
  }

  /** The latest result of an item. */
  outcomeOf(item: vscode.TestItem): TestOutcome | undefined {
    return this.#outcomes.get(keyOf(item));
  }

  /** Runs whenever the inputs of the results change, until the token is cancelled. */
  runContinuously(request: vscode.TestRunRequest, token: vscode.CancellationToken): void {
    this.#continuous.add(request);
    token.onCancellationRequested(() => this.#continuous.delete(request));
  }

  /** Results may be outdated, because the corpus, pipelines, judgements or the baseline changed. */
  changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settled(), QUIET_MS);
  }

  /** A file was saved in an editor, which triggers a run. */
  saved(): void {
    this.#saved = true;
    this.changed();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  /** @returns `undefined` if it was cancelled or could not be evaluated, which the view then shows */
  async run(request: vscode.TestRunRequest, context: RunContext): Promise<GateReport | undefined> {
    const { surface, tree } = this.#parts;
    const run = surface.controller.createTestRun(request);
    const results = new TestResults(run, tree);
    const controller = new AbortController();
    const cancel = (): void => controller.abort();
    const subscriptions = [context.token, run.token].map((each) => each?.onCancellationRequested(cancel));
    context.signal?.addEventListener('abort', cancel);
    const chosen = await tree.chosen(request).catch((error: unknown) => {
      run.appendOutput(`${messageOf(error)}\r\n`);
      return [];
    });
    try {
      if (chosen.length === 0) return undefined;
      results.begin(chosen);
      const evalSets = chosen.map(({ set }) => set.id);
      const report = await this.#evaluate(evalSets, { ...context, signal: controller.signal });
      results.report(chosen, report);
      return report;
    } catch (error) {
      if (!ParallaxError.is(error, 'cancelled')) results.fail(chosen, messageOf(error));
      return undefined;
    } finally {
      for (const [key, outcome] of results.outcomes) this.#outcomes.set(key, outcome);
      for (const subscription of subscriptions) subscription?.dispose();
      context.signal?.removeEventListener('abort', cancel);
      run.end();
    }
  }

  #settled(): void {
    const { controller, profile } = this.#parts.surface;
    controller.invalidateTestResults();
    const requests = [...this.#continuous];
    if (this.#saved) requests.push(new vscode.TestRunRequest(undefined, undefined, profile));
    this.#saved = false;
    for (const request of requests)
      this.#automatic = this.#automatic.then(() => this.#runByItself(request)).catch(this.#logged);
  }

  async #runByItself(request: vscode.TestRunRequest): Promise<void> {
    if (request.continuous && !this.#continuous.has(request)) return;
    // A change of the configuration may have triggered the run.
    await this.#parts.readWorkspace();
    const { include, exclude, profile, continuous } = request;
    await this.run(new vscode.TestRunRequest(include, exclude, profile, continuous), { ask: false });
  }

  async #evaluate(
    evalSets: string[],
    { ask, signal, onNote }: RunContext & { readonly signal: AbortSignal },
  ): Promise<GateReport> {
    const { costSettings, evaluator, onJudged } = this.#parts;
    const judge = this.#judge;
    // A free judge may always be asked.
    const isFree = judge !== undefined && judge.canJudge && !judge.needsConfirmation;
    if (ask && judge?.needsConfirmation) await this.#confirm(judge, signal);
    const { requestBudget } = costSettings();
    const options = { evalSets, ask: ask || isFree, baseline: 'present' as const, requestBudget };
    try {
      return await evaluator.evaluate(options, { signal, ...(onNote ? { onNote } : {}) });
    } finally {
      if (options.ask) onJudged();
    }
  }

  /** The judge whose judgements count beside human labels. */
  get #judge(): JudgeChoice | undefined {
    const { config } = this.#parts.workspace.snapshot;
    return judgeChoices(config).find(({ name }) => name === judgeOf(config));
  }

  /** @throws ParallaxError `cancelled` if the user declines the cost */
  async #confirm({ label }: JudgeChoice, signal: AbortSignal): Promise<void> {
    const settings = this.#parts.costSettings();
    const { pairs, known, effort } = await this.#parts.evaluator.cost(settings, { signal });
    if (effort.requests.most <= settings.confirmCallsAbove) return;
    if (!(await confirmFigures(pairs - known, 'everything', effort, label)))
      throw new ParallaxError('cancelled', vscode.l10n.t('Cancelled.'));
  }

  readonly #logged = (error: unknown): void => {
    if (!ParallaxError.is(error, 'cancelled')) this.#parts.log(`Testing: ${messageOf(error)}`);
  };
}
