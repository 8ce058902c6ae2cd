import { Worker } from 'node:worker_threads';

/** Names are cut after this many bytes. */
const MAX_NAME_BYTES = 1024;
/** The watcher looks this often within the time that it allows. */
const LOOKS = 10;

/** Where what is shared stands, as whole numbers. */
const BEAT = 0;
const HELD = 1;
const NAME_BYTES = 2;
const HEADER_BYTES = 12;

/**
 * Runs in a thread of its own. It counts its own looks and not the time, because a laptop that sleeps holds nothing up,
 * and writes by itself, because every other way leads through the thread that is held.
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
  /** Milliseconds for which work may hold the event loop unnamed. */
  readonly allowedMs?: number;
  /** File descriptor that whoever holds the loop is written to. */
  readonly log?: number;
}

/**
 * Notices that work holds the event loop, and on what: the log says so while it lasts. Costs a thread from the first
 * name on.
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

  /** @param name of the document that is worked on from now on, until the next name */
  workOn(name: string): void {
    this.#start();
    const { written } = new TextEncoder().encodeInto(plain(name), this.#name);
    Atomics.store(this.#numbers, NAME_BYTES, written);
    Atomics.store(this.#numbers, HELD, 0);
    this.#beat();
  }

  /** For how many seconds the loop was held at a stretch since the last name; 0 when not for longer than is allowed. */
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
    // Without it everything else goes on.
    this.#watcher.on('error', () => undefined);
    this.#watcher.unref();
    this.#heart = setInterval(() => this.#beat(), this.#lookMs).unref();
  }

  #beat(): void {
    Atomics.add(this.#numbers, BEAT, 1);
  }
}

/** Names of files reach terminals and logs of workflows, which must not read orders in them. */
function plain(name: string): string {
  return name.replace(/[^\p{L}\p{N} ._/\\:()+@,=-]/gu, '?');
}
