/** Runs of the Testing view: those that somebody asks for, and those that go by themselves. */
import * as vscode from 'vscode';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { GateReport } from '../../core/gate/report.ts';
import type { CostSettings } from '../judging/cost-settings.ts';
import { confirmFigures } from '../judging/confirmations.ts';
import type { RequestOptions } from '../engine-process/engine-client.ts';
import { judgeChoices, type JudgeChoice } from '../judging/judge-choice.ts';
import type { WorkspaceFolder } from '../workspace/workspace-folder.ts';
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
  /** As it is on disk now; the engine is told, too. */
  readonly readWorkspace: () => Promise<void>;
  readonly costSettings: () => CostSettings;
  /** A model may have judged. */
  readonly onJudged: () => void;
  readonly log: (message: string) => void;
}

export interface RunContext extends Pick<RequestOptions, 'onNote'> {
  /** A model that judges may be asked. */
  readonly ask: boolean;
  readonly token?: vscode.CancellationToken | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A checkout or a build writes many files: wait until it is quiet. */
const QUIET_MS = 1_000;

export class TestRuns implements vscode.Disposable {
  readonly #parts: TestRunsParts;
  readonly #continuous = new Set<vscode.TestRunRequest>();
  readonly #outcomes = new Map<string, TestOutcome>();
  #timer: NodeJS.Timeout | undefined;
  #saved = false;
  /** Runs by themselves, one after the other. */
  #automatic: Promise<void> = Promise.resolve();

  constructor(parts: TestRunsParts) {
    this.#parts = parts;
  }

  /** The last outcome of an item. */
  outcomeOf(item: vscode.TestItem): TestOutcome | undefined {
    return this.#outcomes.get(keyOf(item));
  }

  /** From now on, until the token is cancelled, whenever what the results rest on changes. */
  runContinuously(request: vscode.TestRunRequest, token: vscode.CancellationToken): void {
    this.#continuous.add(request);
    token.onCancellationRequested(() => this.#continuous.delete(request));
  }

  /** Corpus, pipelines, judgements or the baseline changed, and with them perhaps the results. */
  changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settled(), QUIET_MS);
  }

  /** It was saved in an editor, and is to be run for. */
  saved(): void {
    this.#saved = true;
    this.changed();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  /** @returns nothing when it was cancelled or could not be evaluated; the view says so then */
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
    // It may be the change of the configuration that it runs for.
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
    // One that costs nothing may be asked at any time.
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

  /** Whose judgements count beside human labels. */
  get #judge(): JudgeChoice | undefined {
    const { config } = this.#parts.workspace.snapshot;
    return judgeChoices(config).find(({ name }) => name === judgeOf(config));
  }

  /** @throws ParallaxError `cancelled` when the user does not want to pay for it */
  async #confirm({ label }: JudgeChoice, signal: AbortSignal): Promise<void> {
    const { prices, confirmCallsAbove } = this.#parts.costSettings();
    const { pairs, known, effort } = await this.#parts.evaluator.cost(prices, { signal });
    if (effort.requests.most <= confirmCallsAbove) return;
    if (!(await confirmFigures(pairs - known, 'everything', effort, label)))
      throw new ParallaxError('cancelled', vscode.l10n.t('Cancelled.'));
  }

  readonly #logged = (error: unknown): void => {
    if (!ParallaxError.is(error, 'cancelled')) this.#parts.log(`Testing: ${messageOf(error)}`);
  };
}
