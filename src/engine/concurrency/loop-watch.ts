import { Worker } from 'node:worker_threads';

/** Names are cut after this many bytes. */
const MAX_NAME_BYTES = 1024;
/** How often the watcher checks within the allowed time. */
const LOOKS = 10;

/** Indexes of the shared integers. */
const BEAT = 0;
const HELD = 1;
const NAME_BYTES = 2;
const HEADER_BYTES = 12;

/**
 * Runs in a separate thread. It counts its own checks instead of time, because a sleeping laptop blocks nothing, and
 * it writes directly, because every other way leads through the blocked thread.
 */
const WATCHER = `
  const { writeSync } = require('node:fs');
  const { workerData: { shared, lookMs, looks, log } } = require('node:worker_threads');
  const numbers = new Int32Array(shared, 0, ${HEADER_BYTES / 4});
  const nameBytes = new Uint8Array(shared, ${HEADER_BYTES});
  let last = -1;
  let quiet = 0;
  const watch = setInterval(() => {
    const beat = Atomics.load(numbers, ${BEAT});
    quiet = beat === last ? quiet + 1 : 0;
    last = beat;
    if (quiet < looks) return;
    Atomics.store(numbers, ${HELD}, quiet);
    if (quiet > looks) return;
    const name = Buffer.from(nameBytes.slice(0, numbers[${NAME_BYTES}])).toString();
    try {
      writeSync(log, 'Nothing else has been answered for ' + (looks * lookMs) / 1000 + ' s: busy with ' + name + '\\n');
    } catch {
      clearInterval(watch); // Nobody is left to be told.
    }
  }, lookMs);
`;

export interface LoopWatchOptions {
  /** Milliseconds for which work may block the event loop without being named. */
  readonly allowedMs?: number;
  /** The file descriptor to which the name of blocking work is written. */
  readonly log?: number;
}

/**
 * Detects that work blocks the event loop, and logs the name of the document while it does. Uses a thread from the
 * first name on.
 */
export class LoopWatch {
  readonly #lookMs: number;
  readonly #log: number;
  readonly #shared = new SharedArrayBuffer(HEADER_BYTES + MAX_NAME_BYTES);
  readonly #numbers = new Int32Array(this.#shared, 0, HEADER_BYTES / 4);
  readonly #name = new Uint8Array(this.#shared, HEADER_BYTES);
  #watcher: Worker | undefined;
  #heart: NodeJS.Timeout | undefined;

  constructor({ allowedMs = 5_000, log = process.stderr.fd }: LoopWatchOptions = {}) {
    this.#lookMs = allowedMs / LOOKS;
    this.#log = log;
  }

  /** @param name of the document that is processed from now on, until the next name */
  workOn(name: string): void {
    this.#start();
    const { written } = new TextEncoder().encodeInto(plain(name), this.#name);
    Atomics.store(this.#numbers, NAME_BYTES, written);
    Atomics.store(this.#numbers, HELD, 0);
    this.#beat();
  }

  /** How many seconds the loop was blocked without a break since the last name. 0 if no longer than allowed. */
  get heldSeconds(): number {
    return (Atomics.load(this.#numbers, HELD) * this.#lookMs) / 1000;
  }

  async close(): Promise<void> {
    clearInterval(this.#heart);
    await this.#watcher?.terminate();
  }

  #start(): void {
    if (this.#watcher) return;
    this.#watcher = new Worker(WATCHER, {
      eval: true,
      workerData: { shared: this.#shared, lookMs: this.#lookMs, looks: LOOKS, log: this.#log },
    });
    // Everything else works without it.
    this.#watcher.on('error', () => undefined);
    this.#watcher.unref();
    this.#heart = setInterval(() => this.#beat(), this.#lookMs).unref();
  }

  #beat(): void {
    Atomics.add(this.#numbers, BEAT, 1);
  }
}

/** Names of files reach terminals and workflow logs, where they must not act as commands. */
function plain(name: string): string {
  return name.replace(/[^\p{L}\p{N} ._/\\:()+@,=-]/gu, '?');
}
