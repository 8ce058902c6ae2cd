/**
 * Finds calls in a thread of its own, which is begun with the first text and ended where one text holds it for too long.
 * Nothing is done in the extension host but to hand texts over.
 */
import { Worker } from 'node:worker_threads';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { LibraryRules } from '../../core/call-sites/schema.ts';
import type { DetectOptions, Detection, ExportOptions, SiteDetector } from '../../sites/detector.ts';
import { builtInRules } from '../../sites/rules/library.ts';
import type { Cell } from '../../sites/source.ts';
import type { AskedParameter, Callers } from '../../sites/workspace/asked-callers.ts';
import type { Asking } from '../../sites/workspace/asking.ts';
import type { Exports } from '../../sites/workspace/exported.ts';
import type { OtherFiles } from '../../sites/workspace/other-files.ts';
import type { Found, FromThread, Kept, Request, ThreadBeginnings, ToThread } from './messages.ts';

/** The longest texts that are looked at take a fifth of a second; rules of a workspace's own may take for ever. */
const GIVE_UP_MS = 15_000;
/** A thread that was ended so often is not begun again. */
const MOST_FAILURES = 3;

export interface SiteThreadOptions extends ThreadBeginnings {
  /** The thread's own program: `thread.ts` beside this file, or what was built from it. */
  readonly program: string;
  /** Milliseconds without an answer. */
  readonly giveUpAfter?: number;
}

export class SiteThread implements SiteDetector {
  readonly #options: SiteThreadOptions;
  #thread: Thread | undefined;
  #failures = 0;
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

  async exports(text: string, languageId: string, { rules }: ExportOptions = {}): Promise<Exports> {
    const thread = this.#begun();
    const file = { text, languageId };
    const { exports } = await thread.ask({ kind: 'exports', file, rules: thread.rules(rules) });
    return exports;
  }

  async callers(
    text: string,
    languageId: string,
    asked: readonly AskedParameter[],
    { file, asker, files }: Asking,
  ): Promise<readonly Callers[]> {
    const thread = this.#begun();
    const { callers } = await thread.ask({
      kind: 'callers',
      text: { text, languageId },
      asked,
      file,
      asker,
      files: thread.files(files),
    });
    return callers;
  }

  release(detection: Detection): void {
    this.#thread?.release(detection);
  }

  /** What ended it may have been a rule of a workspace, which is another one now. */
  tryAgain(): void {
    this.#failures = 0;
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#thread?.end(l10n.t('it has ended'));
  }

  async #detect(program: Cell | readonly Cell[], options: DetectOptions): Promise<Detection> {
    return this.#begun().detect(program, options);
  }

  #begun(): Thread {
    if (this.#isDisposed || this.#failures >= MOST_FAILURES)
      throw failed(this.#isDisposed ? l10n.t('it has ended') : l10n.t('it was ended too often'));
    this.#thread ??= new Thread(this.#options, (thread) => {
      if (this.#thread === thread) this.#thread = undefined;
      this.#failures++;
    });
    return this.#thread;
  }
}

/** One life of the thread, with what it was told. */
class Thread {
  readonly #worker: Worker;
  readonly #giveUpAfter: number;
  readonly #failed: (thread: Thread) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<Found>>();
  readonly #detections = new WeakMap<Detection, number>();
  readonly #kept = new WeakMap<object, number>();
  readonly #gone = new FinalizationRegistry<number>((id) => this.#tell({ kind: 'drop', id }));
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #end: string | undefined;

  constructor(
    { program, wasmFolder, texts, giveUpAfter = GIVE_UP_MS }: SiteThreadOptions,
    failed: (thread: Thread) => void,
  ) {
    this.#giveUpAfter = giveUpAfter;
    this.#failed = failed;
    const beginnings: ThreadBeginnings = { wasmFolder, texts };
    this.#worker = new Worker(program, { workerData: beginnings });
    this.#worker.on('message', (answer: FromThread) => this.#take(answer));
    this.#worker.on('error', (error) => this.#giveUp(messageOf(error)));
    this.#worker.on('exit', () => this.#giveUp(l10n.t('it has ended')));
    this.#worker.unref();
  }

  async detect(
    program: Cell | readonly Cell[],
    { rules, others, previous, without }: DetectOptions,
  ): Promise<Detection> {
    const before = previous && this.#detections.get(previous);
    if (previous) this.#detections.delete(previous);
    const [id, found] = this.#ask({
      kind: 'detect',
      program,
      rules: this.rules(rules),
      others: others && this.#others(others),
      previous: before,
      without,
    });
    const { detection } = await found;
    this.#detections.set(detection, id);
    return detection;
  }

  ask<R extends Request>(request: R): Promise<Found & { readonly kind: R['kind'] }> {
    return this.#ask(request)[1];
  }

  /** The built-in rules are there as it is. */
  rules(rules: readonly LibraryRules[] | undefined): number | undefined {
    return rules === undefined || rules === builtInRules()
      ? undefined
      : this.#keep(rules, { kind: 'rules', rules });
  }

  files(files: ReadonlySet<string>): number {
    return this.#keep(files, { kind: 'files', files });
  }

  release(detection: Detection): void {
    const id = this.#detections.get(detection);
    this.#detections.delete(detection);
    if (id !== undefined) this.#tell({ kind: 'release', detection: id });
  }

  async end(reason: string): Promise<void> {
    this.#end ??= reason;
    this.#reject(reason);
    await this.#worker.terminate();
  }

  #others(others: OtherFiles): number {
    const { file, language, files, exports, called } = others;
    return this.#keep(others, { kind: 'others', file, language, files: this.files(files), exports, called });
  }

  #keep(object: object, kept: Kept): number {
    let id = this.#kept.get(object);
    if (id === undefined) {
      id = ++this.#last;
      this.#kept.set(object, id);
      this.#gone.register(object, id);
      this.#tell({ kind: 'keep', id, kept });
    }
    return id;
  }

  #ask<R extends Request>(request: R): [number, Promise<Found & { readonly kind: R['kind'] }>] {
    const id = ++this.#last;
    const waiting = Promise.withResolvers<Found>();
    this.#tell({ kind: 'request', id, request });
    this.#waiting.set(id, waiting);
    if (this.#end === undefined) this.#watch();
    else this.#reject(this.#end);
    return [id, waiting.promise as Promise<Found & { readonly kind: R['kind'] }>];
  }

  #tell(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #take(answer: FromThread): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('found' in answer) waiting?.resolve(answer.found);
    else waiting?.reject(new ParallaxError(answer.error.id, answer.error.message));
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watch();
  }

  /** Counts from the last answer, or from the first request of several. */
  #watch(): void {
    if (this.#waiting.size === 0 || this.#timer) return;
    const seconds = Math.round(this.#giveUpAfter / 1000);
    this.#timer = setTimeout(
      () => this.#giveUp(l10n.t`it did not answer within ${seconds} seconds`),
      this.#giveUpAfter,
    );
  }

  #giveUp(reason: string): void {
    if (this.#end !== undefined) return;
    this.#failed(this);
    void this.end(reason);
  }

  #reject(reason: string): void {
    clearTimeout(this.#timer);
    for (const { reject } of this.#waiting.values()) reject(failed(reason));
    this.#waiting.clear();
  }
}

function failed(reason: string): ParallaxError {
  return new ParallaxError(
    'internal',
    l10n.t`The thread that looks for calls in programs failed: ${reason}.`,
  );
}
