/**
 * Captures the retrievals of running programs: starts and stops the receiver, keeps the list of retrievals, and has
 * them judged. Independent of the editor.
 */
import * as l10n from '@vscode/l10n';
import type { ToolsByName } from '../core/own-tools.ts';
import { ParallaxError } from '../../../core/errors.ts';
import type { Perspective, Query } from '../../../core/model.ts';
import { questionKey } from '../../../core/text/question.ts';
import {
  MAX_CAPTURED,
  retrievalGone,
  type CapturedRun,
  type UnusedSpansOfKind,
} from '../contract/captured.ts';
import type { ListenAt } from '../contract/listening.ts';
import { totalEffort } from '../../../shared/judge-effort.ts';
import type { JudgeReport } from '../../../shared/requests/judging.ts';
import type { Params, ProgressNote, Result } from '../../../shared/rpc.ts';
import { requireTrust } from '../../../shared/untrusted.ts';
import type { ConfirmCalls, CostSettings } from '../../../extension/judging/cost-settings.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import { needsNoQuestion, type JudgeChoice } from '../../../extension/judging/judge-choice.ts';
import { judgingProblem } from '../../../extension/platform/unjudged-text.ts';

export interface CaptureOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly trusted: () => boolean;
  /** The corpus and judge in view, and the questions with known perspectives. */
  readonly asked: () => {
    readonly corpus: string;
    readonly judge: JudgeChoice;
    readonly queries: readonly Query[];
  };
  /** A sentence if parallax.json names no corpus in which to recognise passages. */
  readonly missingCorpus: () => string;
  /** Tools whose results have their own format. */
  readonly tools: () => ToolsByName;
  readonly costSettings: () => CostSettings;
  readonly actions: {
    readonly confirmCalls: ConfirmCalls;
    /** Called when the list or the state of capturing has changed. */
    publish(): void;
    /** Statements that an answer to the question must cover. `undefined` if the user gives none. */
    askPerspectives(question: string): Promise<readonly Perspective[] | undefined>;
    /** Shows work with a way to cancel it. */
    progress<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
    warn(message: string): void;
    log(message: string): void;
  };
}

/** Programs send their spans in bursts. */
const SETTLE_MS = 200;

interface Receiving {
  readonly controller: AbortController;
  /** The URL to send spans to. It contains the token, so it is never logged. */
  readonly url: string;
  /** Settles once the port is closed. Never rejects. */
  readonly ended: Promise<void>;
}

export class CaptureController {
  readonly #options: CaptureOptions;
  /** Perspectives that the user typed, by the key of their question. */
  readonly #given = new Map<
    string,
    { readonly text: string; readonly perspectives: readonly Perspective[] }
  >();
  #starting: Promise<Receiving> | undefined;
  #receiving: Receiving | undefined;
  #runs: readonly CapturedRun[] = [];
  #unused: readonly UnusedSpansOfKind[] = [];
  #indexed = true;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;
  /** Counts readings of the list, so that a slow one does not overwrite a newer one. */
  #reading = 0;
  #underWay = 0;
  /** Whether the whole list must be read again, not only new retrievals. */
  #isStale = false;

  constructor(options: CaptureOptions) {
    this.#options = options;
  }

  /** The URL to send spans to, while capturing. */
  get url(): string | undefined {
    return this.#receiving?.url;
  }

  /** Newest first. */
  get runs(): readonly CapturedRun[] {
    return this.#runs;
  }

  /** Received spans that cannot be shown as retrievals, by kind, most frequent first. */
  get unused(): readonly UnusedSpansOfKind[] {
    return this.#unused;
  }

  /** The corpus, judge and questions that retrievals are compared with. */
  get terms(): Params<'captured'> {
    const { corpus, judge } = this.#options.asked();
    return { corpus, judge: judge.name, queries: this.#questions() };
  }

  /** Whether the corpus has an index, which recognising passages needs. */
  get indexed(): boolean {
    return this.#indexed;
  }

  /**
   * Listens for spans until {@link stop}. Keeps an existing receiver.
   *
   * @param listen the address; defaults to any free port of this machine
   * @throws ParallaxError `untrusted`, `not-found` without a corpus, or the engine's error
   */
  async start(listen?: ListenAt): Promise<void> {
    requireTrust(this.#options.trusted());
    if (this.#options.asked().corpus === '')
      throw new ParallaxError('not-found', this.#options.missingCorpus());
    this.#starting ??= this.#receive(listen);
    try {
      this.#receiving = await this.#starting;
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
    this.#options.actions.log(`Capturing retrievals on port ${new URL(this.#receiving.url).port}.`);
    this.#options.actions.publish();
  }

  /** Closes the port. Captured retrievals are kept. */
  async stop(): Promise<void> {
    const [started] = await Promise.allSettled([this.#starting]);
    if (started.status === 'rejected') return;
    started.value?.controller.abort();
    await started.value?.ended;
  }

  /**
   * Adds the spans of a file to the list.
   *
   * @returns the numbers of new retrievals and other spans
   * @throws ParallaxError `untrusted`, or the engine's error
   */
  async import(file: string): Promise<Result<'importSpans'>> {
    requireTrust(this.#options.trusted());
    const report = await this.#options.engine.request('importSpans', {
      file,
      keep: 'newest',
      tools: this.#options.tools(),
    });
    await this.refresh();
    return report;
  }

  /** Deletes all captured retrievals. */
  async clear(): Promise<void> {
    await this.#options.engine.request('forgetCaptured', {});
    this.#reading++;
    this.#show({ indexed: this.#indexed, runs: [], unused: [] });
  }

  /** A retrieval arrived through another request than that of {@link start}. */
  arrived(): void {
    this.#readSoon('newer');
  }

  changed(): void {
    if (this.#runs.length > 0) this.#readSoon('all');
  }

  /** Reads the whole list again. */
  refresh(): Promise<void> {
    return this.#read(undefined);
  }

  /** Whether there is a judge to ask. Otherwise people label. */
  get canJudge(): boolean {
    return this.#options.asked().judge.canJudge;
  }

  /**
   * Asks the judge about the results of retrievals. If a question has no known perspectives, asks the user for them.
   *
   * @throws ParallaxError `not-found` if a retrieval was deleted, `bad-argument` if there is no judge to ask,
   *   `untrusted`, or the engine's error
   */
  async judge(...ids: readonly string[]): Promise<void> {
    const { actions, asked } = this.#options;
    const { judge } = asked();
    if (!judge.canJudge)
      throw new ParallaxError(
        'bad-argument',
        l10n.t`"${judge.name}" has human labels only. Choose another judge, or open the question in the Parallax view and label there.`,
      );
    const runs: CapturedRun[] = [];
    for (const id of ids) {
      const run = await this.#withPerspectives(id);
      if (run) runs.push(run);
    }
    if (runs.length === 0) return;
    const reports = await actions.progress(l10n.t`Judging with ${judge.label}`, (signal) =>
      this.#ask(runs, judge, signal),
    );
    await this.refresh();
    const [problem] = reports.flatMap((report) => judgingProblem(report) ?? []);
    if (problem !== undefined) actions.warn(problem);
  }

  judgingTask({ asked: query, perspectives, passages }: CapturedRun): Params<'judge'> {
    const { corpus, judge } = this.#options.asked();
    return { corpus, judge: judge.name, query, perspectives, slots: passages.map(({ slot }) => slot) };
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    this.#receiving?.controller.abort();
  }

  /** Resolves once spans can be sent. */
  #receive(listen: ListenAt | undefined): Promise<Receiving> {
    const controller = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<Receiving>();
    const onNote = (note: ProgressNote): void => {
      if (note.type === 'capturing') resolve({ controller, url: note.url, ended });
      if (note.type === 'captured') this.#readSoon('newer');
    };
    const request = this.#options.engine.request(
      'capture',
      { ...(listen ? { listen } : {}), keep: 'newest', tools: this.#options.tools() },
      { signal: controller.signal, onNote },
    );
    const ended = request.then(
      () => this.#ended(undefined),
      (error: unknown) => {
        reject(error);
        this.#ended(error);
      },
    );
    return promise;
  }

  #ended(error: unknown): void {
    if (this.#disposed) return;
    const wasReceiving = this.#receiving !== undefined;
    this.#starting = undefined;
    this.#receiving = undefined;
    const { actions } = this.#options;
    if (ParallaxError.is(error) && error.id !== 'cancelled' && wasReceiving) {
      actions.warn(l10n.t('Capturing ended with the engine. What it had captured is kept; start it again.'));
      this.#readSoon('all');
    }
    if (wasReceiving) actions.log('Capturing ended.');
    actions.publish();
  }

  #readSoon(which: 'all' | 'newer'): void {
    this.#isStale ||= which === 'all';
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // If this request overtook a running one, asking only for newer retrievals would lose what the running one finds.
      const isOnlyNewer = !this.#isStale && this.#underWay === 0;
      this.#read(isOnlyNewer ? this.#runs[0]?.id : undefined).catch((error: unknown) =>
        this.#options.actions.log(`What was captured could not be read: ${String(error)}`),
      );
    }, SETTLE_MS);
  }

  /** @param after reads only retrievals newer than this id, and keeps the others */
  async #read(after: string | undefined): Promise<void> {
    const reading = ++this.#reading;
    if (after === undefined) this.#isStale = false;
    this.#underWay++;
    try {
      const { indexed, runs, unused } = await this.#options.engine.request('captured', {
        ...this.terms,
        ...(after === undefined ? {} : { after }),
      });
      if (reading !== this.#reading) return;
      const ids = new Set(runs.map(({ id }) => id));
      const before = after === undefined ? [] : this.#runs.filter(({ id }) => !ids.has(id));
      this.#show({ indexed, runs: [...runs, ...before].slice(0, MAX_CAPTURED), unused });
    } finally {
      this.#underWay--;
    }
  }

  #show({ indexed, runs, unused }: Result<'captured'>): void {
    this.#runs = runs;
    this.#unused = unused;
    this.#indexed = indexed;
    this.#options.actions.publish();
  }

  /** Questions with their perspectives: those that the user typed, then those of eval sets. */
  #questions(): Params<'captured'>['queries'] {
    const plain = ({ id, text, stance, group }: Perspective): Perspective => ({
      id,
      text,
      ...(stance === undefined ? {} : { stance }),
      ...(group === undefined ? {} : { group }),
    });
    const known = this.#options
      .asked()
      .queries.map(({ id, text, perspectives }) => ({ id, text, perspectives: perspectives.map(plain) }));
    return [
      ...[...this.#given.values()].map(({ text, perspectives }) => ({
        text,
        perspectives: perspectives.map(plain),
      })),
      ...known,
    ];
  }

  /** @returns `undefined` if the user gives no perspectives */
  async #withPerspectives(id: string): Promise<CapturedRun | undefined> {
    const run = this.#find(id);
    if (run.perspectives.length > 0) return run;
    const perspectives = await this.#options.actions.askPerspectives(run.query);
    if (!perspectives || perspectives.length === 0) return undefined;
    this.#given.set(questionKey(run.query), { text: run.query, perspectives });
    await this.refresh();
    return this.#find(id);
  }

  #find(id: string): CapturedRun {
    const run = this.#runs.find((each) => each.id === id);
    if (run) return run;
    throw retrievalGone();
  }

  /** @returns `undefined` if all pairs are judged or the user declines the cost */
  async #ask(
    runs: readonly CapturedRun[],
    judge: JudgeChoice,
    signal: AbortSignal,
  ): Promise<readonly JudgeReport[]> {
    const { engine, costSettings, actions, trusted } = this.#options;
    requireTrust(trusted() || !judge.needsTrust);
    const { confirmCallsAbove, requestBudget, prices } = costSettings();
    const tasks = runs.map((run) => this.judgingTask(run));
    const costs = await Promise.all(
      tasks.map((task) => engine.request('judgeCost', { ...task, prices }, { signal })),
    );
    const calls = costs.reduce((sum, cost) => sum + cost.calls, 0);
    if (calls === 0) return [];
    const effort = totalEffort(costs.map((cost) => cost.effort));
    const mayAsk =
      needsNoQuestion(judge, effort, confirmCallsAbove) ||
      (await actions.confirmCalls(calls, effort, judge.label));
    if (!mayAsk) return [];
    const reports: JudgeReport[] = [];
    let left = requestBudget > 0 ? requestBudget : Infinity;
    for (const task of tasks) {
      const budget = left < Infinity ? { budget: { requests: Math.max(0, left) } } : {};
      const report = await engine.request('judge', { ...task, ...budget }, { signal });
      left -= report.asked;
      reports.push(report);
    }
    return reports;
  }
}
