/**
 * Detects calls in a separate thread, which is started with the first text and terminated if one text takes too long.
 * The extension host only passes texts on.
 */
import { Worker } from 'node:worker_threads';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../core/errors.ts';
import type { LibraryRules } from '../core/call-sites/schema.ts';
import type { DetectOptions, Detection, ExportOptions, SiteDetector } from '../sites/detector.ts';
import { builtInRules } from '../sites/rules/library.ts';
import type { Cell } from '../sites/source.ts';
import type { ParameterQuestion, Callers } from '../sites/workspace/parameter-question.ts';
import type { Asking } from '../sites/workspace/module-check.ts';
import type { Exports } from '../sites/workspace/exported.ts';
import type { OtherFiles } from '../sites/workspace/other-files.ts';
import type { Found, FromThread, Kept, Request, ThreadBeginnings, ToThread } from './messages.ts';

/** The longest allowed texts take a fifth of a second; rules of a workspace may run forever. */
const GIVE_UP_MS = 15_000;
/**
 * A text that ended the thread this many times in a row is no longer analysed. A thread that failed to start this many
 * times is no longer started.
 */
const MAX_FAILURES = 3;

export interface SiteThreadOptions extends ThreadBeginnings {
  /** The program of the thread: `thread.ts` beside this file, or its bundle. */
  readonly program: string;
  /** The longest time without an answer, in milliseconds. */
  readonly giveUpAfter?: number;
  readonly log: (message: string) => void;
}

/** A request to the thread, and the file it is about. */
interface Asked<T> {
  readonly ask: (thread: Thread) => Promise<T>;
  readonly file: string | undefined;
  readonly text: string;
}

/** The thread was terminated because of this text. */
class GivenUp extends ParallaxError {}

export class SiteThread implements SiteDetector {
  readonly #options: SiteThreadOptions;
  #thread: Thread | undefined;
  /** The number of threads in a row that ended before they had started. */
  #failures = 0;
  #lastReason = '';
  /** How many times in a row a file ended the thread. */
  readonly #endedBy = new Map<string, number>();
  #isDisposed = false;

  constructor(options: SiteThreadOptions) {
    this.#options = options;
  }

  get isLoaded(): boolean {
    return this.#thread !== undefined;
  }

  detect(text: string, languageId: string, options: DetectOptions = {}): Promise<Detection> {
    return this.#detect({ text, languageId }, options);
  }

  detectNotebook(cells: readonly Cell[], options: DetectOptions = {}): Promise<Detection> {
    return this.#detect(cells, options);
  }

  exports(text: string, languageId: string, { rules, file }: ExportOptions = {}): Promise<Exports> {
    const ask = async (thread: Thread): Promise<Exports> => {
      const program = { text, languageId };
      return (await thread.ask({ kind: 'exports', file: program, rules: thread.rules(rules) })).exports;
    };
    return this.#askOr<Exports>(() => new Map(), { file, text, ask });
  }

  callers(
    text: string,
    languageId: string,
    questions: readonly ParameterQuestion[],
    { file, asker, files }: Asking,
  ): Promise<readonly Callers[]> {
    const program = { text, languageId };
    const ask = async (thread: Thread): Promise<readonly Callers[]> => {
      const known = thread.files(files);
      return (
        await thread.ask({ kind: 'callers', text: program, asked: questions, file, asker, files: known })
      ).callers;
    };
    return this.#askOr(() => questions.map(() => 'set'), { file, text, ask });
  }

  /** Rules of a workspace that may have ended the thread have changed. */
  tryAgain(): void {
    this.#failures = 0;
    this.#endedBy.clear();
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#thread?.end(l10n.t('it has ended'));
  }

  #detect(program: Cell | readonly Cell[], options: DetectOptions): Promise<Detection> {
    const text = ('text' in program ? [program] : program).map((cell) => cell.text).join('\n');
    return this.#ask({ file: options.file, text, ask: (thread) => thread.detect(program, options) });
  }

  /** A file that was given up is treated like one that is too large, because other files may depend on the answer. */
  async #askOr<T>(otherwise: () => T, job: Asked<T>): Promise<T> {
    try {
      return await this.#ask(job);
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error;
      this.#options.log(error.message);
      return otherwise();
    }
  }

  /**
   * Repeats a request in the next thread if it was only waiting when the thread ended.
   *
   * @throws ParallaxError for the file that ended the thread
   */
  async #ask<T>({ ask, file, text }: Asked<T>): Promise<T> {
    const key = file ?? text;
    for (;;) {
      const ended = this.#endedBy.get(key) ?? 0;
      if (ended >= MAX_FAILURES)
        throw givenUp(file, l10n.t('it repeatedly ended the thread that looks for calls'));
      try {
        const answer = await ask(this.#begun());
        this.#endedBy.delete(key);
        return answer;
      } catch (error) {
        if (!(error instanceof ThreadEnded)) throw error;
        if (!error.isOver) continue;
        this.#endedBy.set(key, ended + 1);
        throw givenUp(file, error.message);
      }
    }
  }

  #begun(): Thread {
    if (this.#isDisposed) throw failed(l10n.t('it has ended'));
    if (this.#failures >= MAX_FAILURES) throw failed(this.#lastReason);
    this.#thread ??= new Thread(this.#options, (thread, reason) => {
      if (this.#thread === thread) this.#thread = undefined;
      this.#failures = thread.hasBegun ? 0 : this.#failures + 1;
      this.#lastReason = reason;
    });
    return this.#thread;
  }
}

/** The thread ended before it answered. */
class ThreadEnded extends Error {
  /** Whether the thread was processing this request when it ended. */
  readonly isOver: boolean;
  constructor(reason: string, isOver: boolean) {
    super(reason);
    this.isOver = isOver;
  }
}

/** A running thread with the data that was sent to it. */
class Thread {
  readonly #worker: Worker;
  readonly #giveUpAfter: number;
  readonly #ended: (thread: Thread, reason: string) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<Found>>();
  readonly #detections = new WeakMap<Detection, number>();
  readonly #kept = new WeakMap<object, number>();
  readonly #gone = new FinalizationRegistry<number>((id) => this.#tell({ kind: 'drop', id }));
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #end: string | undefined;
  #hasBegun = false;

  constructor(
    { program, wasmFolder, texts, giveUpAfter = GIVE_UP_MS }: SiteThreadOptions,
    ended: (thread: Thread, reason: string) => void,
  ) {
    this.#giveUpAfter = giveUpAfter;
    this.#ended = ended;
    const beginnings: ThreadBeginnings = { wasmFolder, texts };
    this.#worker = new Worker(program, { workerData: beginnings });
    this.#worker.on('message', (answer: FromThread) => this.#take(answer));
    this.#worker.on('error', (error) => this.#giveUp(messageOf(error)));
    this.#worker.on('exit', () => this.#giveUp(l10n.t('it has ended')));
    this.#worker.unref();
  }

  /** A thread that ends before it has started does not count against a text. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  async detect(
    program: Cell | readonly Cell[],
    { rules, otherFiles, previous, without, live }: DetectOptions,
  ): Promise<Detection> {
    const before = previous && this.#detections.get(previous);
    const [id, answer] = this.#ask({
      kind: 'detect',
      program,
      rules: this.rules(rules),
      others: otherFiles && this.#others(otherFiles),
      previous: before,
      without,
      live,
    });
    const { detection } = await answer;
    this.#detections.set(detection, id);
    this.#gone.register(detection, id);
    return detection;
  }

  ask<R extends Request>(request: R): Promise<Found & { readonly kind: R['kind'] }> {
    return this.#ask(request)[1];
  }

  /** The thread has the built-in rules already. */
  rules(rules: readonly LibraryRules[] | undefined): number | undefined {
    return rules === undefined || rules === builtInRules()
      ? undefined
      : this.#keep(rules, { kind: 'rules', rules });
  }

  files(files: ReadonlySet<string>): number {
    return this.#keep(files, { kind: 'files', files });
  }

  async end(reason: string): Promise<void> {
    this.#end ??= reason;
    this.#reject(reason, false);
    await this.#worker.terminate();
  }

  #others(otherFiles: OtherFiles): number {
    const { file, language, files, exports, called, implementers } = otherFiles;
    return this.#keep(otherFiles, {
      kind: 'others',
      file,
      language,
      files: this.files(files),
      exports,
      called,
      implementers,
    });
  }

  #keep(object: object, entry: Kept): number {
    let id = this.#kept.get(object);
    if (id === undefined) {
      id = ++this.#last;
      this.#kept.set(object, id);
      this.#gone.register(object, id);
      this.#tell({ kind: 'keep', id, kept: entry });
    }
    return id;
  }

  #ask<R extends Request>(request: R): [number, Promise<Found & { readonly kind: R['kind'] }>] {
    const id = ++this.#last;
    const waiting = Promise.withResolvers<Found>();
    this.#tell({ kind: 'request', id, request });
    this.#waiting.set(id, waiting);
    if (this.#end === undefined) this.#watch();
    else this.#reject(this.#end, false);
    return [id, waiting.promise as Promise<Found & { readonly kind: R['kind'] }>];
  }

  #tell(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #take(answer: FromThread): void {
    if ('hasBegun' in answer) this.#hasBegun = true;
    else this.#answered(answer);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watch();
  }

  #answered(answer: Exclude<FromThread, { readonly hasBegun: true }>): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('found' in answer) waiting?.resolve(answer.found);
    else waiting?.reject(new ParallaxError(answer.error.id, answer.error.message));
  }

  /** Measures the time since the last answer, or since the first of several requests. */
  #watch(): void {
    if (this.#waiting.size === 0 || this.#timer) return;
    const seconds = Math.round(this.#giveUpAfter / 1000);
    this.#timer = setTimeout(
      () => this.#giveUp(l10n.t`it did not answer within ${seconds} s`),
      this.#giveUpAfter,
    );
  }

  #giveUp(reason: string): void {
    if (this.#end !== undefined) return;
    this.#ended(this, reason);
    this.#reject(reason, this.#hasBegun);
    void this.end(reason);
  }

  /** The first waiting request is the one being processed. */
  #reject(reason: string, isOverOne: boolean): void {
    clearTimeout(this.#timer);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    waiting.forEach(({ reject }, place) => reject(new ThreadEnded(reason, place === 0 && isOverOne)));
  }
}

function failed(reason: string): ParallaxError {
  return new ParallaxError(
    'internal',
    l10n.t`The thread that looks for calls in programs failed: ${reason}.`,
  );
}

function givenUp(file: string | undefined, reason: string): GivenUp {
  const name = file ?? l10n.t('a program');
  return new GivenUp('internal', l10n.t`Calls are not looked for in ${name}: ${reason}.`);
}
