/**
 * Limits the time and memory of a parser for each input. A busy parser cannot be stopped from its own thread, so
 * another one watches it and ends the process with the input.
 */
import { Worker } from 'node:worker_threads';

/** Processor seconds. */
const MAX_SECONDS = 2;
const MAX_MEGABYTES = 500;
/** Until the process is ended. Other work of the machine may delay the parser. */
const LONGEST_SECONDS = 20;
/** The longest input in a report. */
const SHOWN_CHARACTERS = 1 << 20;

/** [which input, busy or not, characters of the input, megabytes at its beginning] */
const [NUMBER, BUSY, LENGTH, MEGABYTES, WORDS] = [0, 1, 2, 3, 4];

const LOOK = `
  const { workerData: { shared, longest, most } } = require('node:worker_threads');
  const { writeSync } = require('node:fs');
  const state = new Int32Array(shared, 0, ${WORDS});
  const input = new Uint16Array(shared, ${WORDS * 4});
  let [number, since] = [-1, 0];
  setInterval(() => {
    if (Atomics.load(state, ${NUMBER}) !== number) {
      number = Atomics.load(state, ${NUMBER});
      since = performance.now();
    }
    if (!Atomics.load(state, ${BUSY})) return;
    const seconds = (performance.now() - since) / 1000;
    const megabytes = process.memoryUsage.rss() / 2 ** 20 - state[${MEGABYTES}];
    if (seconds < longest && megabytes < most) return;
    const text = Array.from(input.subarray(0, state[${LENGTH}]), (unit) => String.fromCharCode(unit)).join('');
    writeSync(2, 'FAULT: ' + seconds.toFixed(1) + ' s, ' + megabytes.toFixed(0) + ' MB more: ' + JSON.stringify(text) + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }, 20);
`;

export class InputWatch {
  readonly #shared = new SharedArrayBuffer(WORDS * 4 + SHOWN_CHARACTERS * 2);
  readonly #state = new Int32Array(this.#shared, 0, WORDS);
  readonly #input = new Uint16Array(this.#shared, WORDS * 4);
  #begun = process.threadCpuUsage();

  constructor() {
    const workerData = { shared: this.#shared, longest: LONGEST_SECONDS, most: MAX_MEGABYTES };
    new Worker(LOOK, { eval: true, workerData }).unref();
  }

  begin(text: string): void {
    const length = Math.min(text.length, SHOWN_CHARACTERS);
    for (let i = 0; i < length; i++) this.#input[i] = text.charCodeAt(i);
    this.#state[LENGTH] = length;
    this.#state[MEGABYTES] = megabytes();
    Atomics.add(this.#state, NUMBER, 1);
    Atomics.store(this.#state, BUSY, 1);
    this.#begun = process.threadCpuUsage();
  }

  /** @throws Error if the input took too much */
  end(): void {
    const { user, system } = process.threadCpuUsage(this.#begun);
    Atomics.store(this.#state, BUSY, 0);
    const seconds = (user + system) / 1e6;
    if (seconds > MAX_SECONDS) throw new Error(`It took ${seconds.toFixed(1)} s.`);
    const more = megabytes() - this.#state[MEGABYTES]!;
    if (more > MAX_MEGABYTES) throw new Error(`It took ${more} MB.`);
  }
}

const megabytes = (): number => Math.ceil(process.memoryUsage.rss() / 2 ** 20);
