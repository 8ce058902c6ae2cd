/**
 * Extracts text from packed documents in a separate process. A PDF of one megabyte may unpack to a thousand times as
 * much, or keep its parser busy forever, and neither may stop the engine.
 */
import { fork, type ChildProcess } from 'node:child_process';
import * as l10n from '@vscode/l10n';
import { cancelled, throwIfCancelled } from '../../../core/errors.ts';
import { TEXTS_FILE, TEXTS_LANGUAGE } from '../../../shared/translations.ts';
import { entryFile } from '../../concurrency/entry-file.ts';
import { FileSkipped } from '../readers/reader.ts';
import { EXTRACTION_LIMITS, type ExtractionLimits } from './limits.ts';
import type { ExtractAnswer, ExtractedText, ExtractRequest, PackedFormat } from './messages.ts';

/** A corpus may have thousands of documents, so the process stays for a moment after the last of them. */
const IDLE_MS = 10_000;

export class Extraction {
  readonly #limits: ExtractionLimits;
  #child: ChildProcess | undefined;
  #requests = 0;
  /** One document at a time, so that limits apply to each document. */
  #turn: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: ExtractionLimits = EXTRACTION_LIMITS) {
    this.#limits = limits;
  }

  /**
   * @throws FileSkipped for a document that cannot be read, or that exceeds the limit of time or memory;
   *   ParallaxError `cancelled`
   */
  async extract(format: PackedFormat, bytes: Uint8Array, signal?: AbortSignal): Promise<ExtractedText> {
    const turn = this.#turn.then(() => this.#ask(format, bytes, signal));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** The id of the process. `undefined` if it is not running. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Ends the process. The next document starts another. */
  stop(): void {
    clearTimeout(this.#idle);
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #ask(format: PackedFormat, bytes: Uint8Array, signal?: AbortSignal): Promise<ExtractedText> {
    throwIfCancelled(signal);
    clearTimeout(this.#idle);
    const answer = await this.#answer({ id: ++this.#requests, format, bytes }, signal);
    if (answer.full) this.stop();
    else this.#idle = setTimeout(() => this.stop(), IDLE_MS).unref();
    if ('extracted' in answer) return answer.extracted;
    throw new FileSkipped(answer.skipped.reason, answer.skipped.message);
  }

  #answer(request: ExtractRequest, signal: AbortSignal | undefined): Promise<ExtractAnswer> {
    const child = (this.#child ??= this.#start());
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        child.off('message', onMessage).off('exit', onEnd).off('error', onEnd);
      };
      // Whatever the reason, the next document gets a new process.
      const giveUp = (error: Error): void => {
        settle();
        this.stop();
        reject(error);
      };
      const onMessage = (answer: unknown): void => {
        settle();
        resolve(answer as ExtractAnswer);
      };
      const onAbort = (): void => giveUp(cancelled());
      const onEnd = (): void => giveUp(this.#tooMuch('memory'));
      // The timer keeps this process alive, which the child does not.
      const timer = setTimeout(() => giveUp(this.#tooMuch('time')), this.#limits.milliseconds);
      signal?.addEventListener('abort', onAbort, { once: true });
      child.on('message', onMessage).once('exit', onEnd).once('error', onEnd);
      child.send(request);
    });
  }

  #tooMuch(what: 'memory' | 'time'): FileSkipped {
    const { milliseconds, megabytes } = this.#limits;
    return new FileSkipped(
      'too-large',
      what === 'memory'
        ? l10n.t`Reading it takes more than ${megabytes} MB of memory.`
        : l10n.t`Reading it takes more than ${milliseconds / 1000} s.`,
    );
  }

  #start(): ChildProcess {
    const child = fork(
      entryFile(import.meta.url, 'child.ts', 'extraction.mjs'),
      [String(this.#limits.megabytes)],
      {
        execArgv: [],
        serialization: 'advanced',
        env: bareEnvironment(),
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      },
    );
    // Also handles errors of messages that are sent after the process has ended.
    child.on('error', () => undefined);
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    child.unref();
    child.channel?.unref();
    return child;
  }
}

/**
 * The variables needed to start a program, and its language. The others may contain keys, which a parser of foreign
 * documents must not see.
 */
const NEEDED = [
  ...['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR'],
  ...[TEXTS_FILE, TEXTS_LANGUAGE],
];

function bareEnvironment(): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(([name]) => NEEDED.includes(name));
  // The engine runs in the editor's executable, which acts as Node only with this variable.
  return { ...Object.fromEntries(variables), ELECTRON_RUN_AS_NODE: '1' };
}

/** The instance of the whole engine. */
export const extraction = new Extraction();
