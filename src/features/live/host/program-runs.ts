/**
 * Observes running programs of the workspace: keeps the last retrieval of each call, and asks such a call again.
 * Independent of the editor.
 */
import { existsSync } from 'node:fs';
import * as l10n from '@vscode/l10n';
import type { ObservedCalls } from '../../agents/tools/live-plan.ts';
import { cancelled, messageOf, ParallaxError } from '../../../core/errors.ts';
import { tooOldText } from '../contract/environment.ts';
import { LIVE_VARIABLE, type LiveMeasure, type SkipReason } from '../contract/protocol.ts';
import type { LiveAnswer, LiveEvent, LiveRetrieval } from '../contract/requests.ts';
import type { Params } from '../../../shared/rpc.ts';
import { requireTrust } from '../../../shared/untrusted.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';

export interface ProgramRunsOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly trusted: () => boolean;
  /** Reads the programs of the workspace from disk. */
  readonly calls: () => Promise<ObservedCalls>;
  readonly actions: {
    /** Called when observing started or stopped, or other calls can be asked again. */
    publish(): void;
    /** Called when a retrieval was captured. */
    captured(): void;
    warn(message: string): void;
    log(message: string): void;
  };
}

/** The newest retrieval of a call whose program still runs. */
export interface LiveCallState {
  readonly retrieval: LiveRetrieval;
  /** Whether the call can be asked for another number of passages. */
  readonly takesK: boolean;
}

interface Observing {
  readonly controller: AbortController;
  /** Path of the plan that programs read from their environment. */
  readonly plan: string;
  /** Whether programs of Node get the hooks. */
  readonly node: boolean;
  /** The texts of the programs in the plan. */
  readonly texts: string;
  readonly ended: Promise<void>;
}

export class ProgramRuns {
  readonly #options: ProgramRunsOptions;
  readonly #newest = new Map<string, LiveRetrieval>();
  /** The last retrieval of each call whose program has ended. */
  readonly #last = new Map<string, LiveRetrieval>();
  readonly #takesK = new Set<string>();
  readonly #listeners = new Set<(event: LiveEvent) => void>();
  /** Messages that were shown already. */
  readonly #warned = new Set<string>();
  /** Oldest first. A running program keeps the plan it was started with, even after edits. */
  #observings: readonly Observing[] = [];
  #starting: Promise<Observing> | undefined;
  #disposed = false;

  constructor(options: ProgramRunsOptions) {
    this.#options = options;
  }

  get observing(): boolean {
    return this.#observings.length > 0;
  }

  /** Path of the newest plan. `undefined` if nothing is observed. */
  get plan(): string | undefined {
    return this.#observings.at(-1)?.plan;
  }

  /** Whether programs of Node that start with the newest plan get the hooks. */
  get observesNode(): boolean {
    return this.#observings.at(-1)?.node ?? false;
  }

  callState(site: string): LiveCallState | undefined {
    const retrieval = this.#newest.get(site);
    return retrieval && { retrieval, takesK: this.#takesK.has(site) };
  }

  /** The last retrieval of a call whose program has ended, so that it has to be started again to be asked. */
  endedCall(site: string): LiveRetrieval | undefined {
    return this.#newest.has(site) ? undefined : this.#last.get(site);
  }

  /**
   * Asks the call every question as soon as a program that is started again comes to it.
   *
   * @throws ParallaxError `cancelled`, `not-found` if nothing is observed
   */
  async measureNext(
    measure: LiveMeasure,
    { signal, report }: { readonly signal: AbortSignal; readonly report: (done: number) => void },
  ): Promise<ReadonlyMap<string, LiveAnswer | { readonly error: string }>> {
    const { plan } = this;
    if (plan === undefined) throw new ParallaxError('not-found', l10n.t('Programs are no longer observed.'));
    const { engine } = this.#options;
    const answers = new Map<string, LiveAnswer | { readonly error: string }>();
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const listen = (event: LiveEvent): void => {
      if (event.type === 'answer') answers.set(event.question, event);
      if (event.type === 'failed-answer') answers.set(event.question, { error: event.error ?? event.reason });
      if (event.type === 'answer' || event.type === 'failed-answer') report(answers.size);
      // A program that ends on the way leaves what was answered.
      if (event.type === 'measured' || (event.type === 'process-ended' && answers.size > 0))
        resolve(undefined);
    };
    const cancel = (): void => reject(cancelled());
    signal.addEventListener('abort', cancel, { once: true });
    this.#listeners.add(listen);
    const planned = engine.request('live/measure-next', { plan, measure });
    try {
      await Promise.all([planned, promise]);
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#listeners.delete(listen);
      await Promise.allSettled([planned]);
      await engine.request('live/measure-next', { plan });
    }
    return answers;
  }

  /**
   * Reads the programs, and observes those that are started with the plan. Does not publish; the caller does once it
   * has passed the plan on.
   *
   * @returns path of the plan; the one in force if no program has been edited since
   * @throws ParallaxError `untrusted`, `not-found` without a call that retrieves, or the engine's error
   */
  async start(): Promise<string> {
    requireTrust(this.#options.trusted());
    this.#starting ??= this.#observe();
    try {
      const started = await this.#starting;
      if (!this.#observings.includes(started)) this.#observings = [...this.#observings, started];
      return started.plan;
    } finally {
      this.#starting = undefined;
    }
  }

  /** Stops observing; programs keep running. */
  async stop(): Promise<void> {
    await Promise.allSettled([this.#starting]);
    const observings = this.#observings;
    for (const { controller } of observings) controller.abort();
    await Promise.all(observings.map(({ ended }) => ended));
  }

  /** @throws ParallaxError `retriever-failed` with the program's message, `cancelled` */
  ask(question: Params<'live/ask'>, signal: AbortSignal): Promise<LiveAnswer> {
    return this.#options.engine.request('live/ask', question, { signal });
  }

  dispose(): void {
    this.#disposed = true;
    for (const { controller } of this.#observings) controller.abort();
  }

  async #observe(): Promise<Observing> {
    const { engine, actions, calls } = this.#options;
    const { texts, sites } = await calls();
    if (texts.length === 0) throw nothingToObserve(sites.length);
    // Programs report to one Parallax.
    if (existsSync(process.env[LIVE_VARIABLE] ?? ''))
      this.#warn(
        l10n.t(
          'This editor was started in a terminal that another editor observes. What your programs retrieve is shown here only.',
        ),
      );
    const written = JSON.stringify(texts);
    const present = this.#observings.at(-1);
    if (present?.texts === written) return present;
    for (const { site, k } of texts.flatMap((text) => text.calls))
      if (k) this.#takesK.add(site);
      else this.#takesK.delete(site);
    const controller = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<Observing>();
    const request = engine.request(
      'live/start',
      {
        texts: [...texts],
        sites: Object.fromEntries(sites.map(({ key, file, line }) => [key, { file, line }])),
        keep: 'newest',
      },
      {
        signal: controller.signal,
        onNote: (note) => {
          if (note.type === 'captured') actions.captured();
          if (note.type !== 'live') return;
          if (note.event.type === 'ready') {
            const { plan, node } = note.event;
            resolve({ controller, plan, node, texts: written, ended });
          }
          this.#happened(note.event);
        },
      },
    );
    const ended = request.then(
      () => this.#ended(controller, undefined),
      (error: unknown) => {
        reject(error);
        this.#ended(controller, error);
      },
    );
    return promise;
  }

  #happened(event: LiveEvent): void {
    const { actions } = this.#options;
    for (const listen of this.#listeners) listen(event);
    switch (event.type) {
      case 'retrieval':
        this.#newest.set(event.site, event);
        return actions.publish();
      case 'process-ended':
        for (const [site, retrieval] of this.#newest)
          if (retrieval.process === event.process) {
            this.#newest.delete(site);
            this.#last.set(site, retrieval);
          }
        return actions.publish();
      case 'skipped':
        return this.#warn(skippedText(event.file, event.reason));
      case 'failed-call':
        return actions.log(`A call that retrieves failed in the program: ${event.error}`);
      case 'unreadable':
        return actions.log(event.message);
      case 'process':
        return actions.publish();
      case 'ready':
        if (event.oldNode !== undefined) this.#warn(tooOldText(event.oldNode));
        return undefined;
      case 'instrumented':
      case 'dropped':
      case 'answer':
      case 'failed-answer':
      case 'measured':
        return undefined;
    }
  }

  /** A server that reloads a file repeats its warning. */
  #warn(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#options.actions.warn(message);
  }

  #ended(controller: AbortController, error: unknown): void {
    if (this.#disposed) return;
    const wasObserving = this.observing;
    this.#observings = this.#observings.filter((each) => each.controller !== controller);
    if (!this.observing) {
      this.#newest.clear();
      this.#last.clear();
      this.#warned.clear();
    }
    const { actions } = this.#options;
    if (wasObserving && error !== undefined && !ParallaxError.is(error, 'cancelled'))
      actions.warn(l10n.t`Programs are no longer observed: ${messageOf(error)} Run with Parallax again.`);
    actions.publish();
  }
}

function nothingToObserve(sites: number): ParallaxError {
  return new ParallaxError(
    'not-found',
    sites === 0
      ? l10n.t(
          'No call that retrieves was found in this folder. Put the cursor on yours and choose "This Call Retrieves…" from the light bulb.',
        )
      : l10n.t('The calls that retrieve are written in a form that cannot be observed.'),
  );
}

function skippedText(file: string, reason: SkipReason): string {
  const name = file.split(/[/\\]/u).at(-1) ?? file;
  switch (reason) {
    case 'changed':
      return l10n.t`${name} was changed after the run began, and is not observed. Run with Parallax again.`;
    case 'no-source-map':
      return l10n.t`${name} was compiled without a source map, and is not observed. Switch source maps on.`;
    case 'not-found':
      return l10n.t`The source map of ${name} does not lead to the call, and it is not observed. Switch minifying off.`;
    case 'unknown-form':
    case 'not-compiled':
    case 'not-seen':
    case 'error':
      return l10n.t`${name} runs as it is: its calls cannot be observed.`;
  }
}
