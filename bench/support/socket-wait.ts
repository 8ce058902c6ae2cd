/**
 * How much of the time of a question this process spends itself. At most: all in which it does not merely wait, that is, with
 * an idle event loop, for the next part of the answer to what went out. That counts what is done in the background while the
 * server works, too. At least: until all that is asked went out, and from the last part of the answer on.
 */
import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

export class SocketWait {
  /** Milliseconds. */
  #waited = 0;
  /** The loop's idle time when something was last sent or received. */
  #mark = idleTime();
  #begun = 0;
  /** When all was asked. */
  #sent = 0;
  /** When something came in last. */
  #received = 0;

  /** Looks at all sockets of the process, of which one at a time should be asked something. */
  constructor() {
    const before = (note: () => void) => ({
      apply: (method: (...given: never[]) => boolean, socket: unknown, given: never[]): boolean => {
        note();
        return Reflect.apply(method, socket, given);
      },
    });
    Socket.prototype.push = new Proxy(
      Socket.prototype.push,
      before(() => this.#onReceived()),
    );
    Socket.prototype.write = new Proxy(
      Socket.prototype.write,
      before(() => this.#onSent()),
    );
  }

  begin(): void {
    this.#waited = 0;
    this.#begun = performance.now();
  }

  /** @returns milliseconds since {@link begin} */
  end(): Spent {
    const now = performance.now();
    const all = now - this.#begun;
    return {
      all,
      atLeast: this.#sent - this.#begun + now - this.#received,
      atMost: all - this.#waited,
    };
  }

  #onSent(): void {
    this.#mark = idleTime();
    this.#sent = performance.now();
    // What comes in before belongs to what was asked before.
    this.#received = this.#sent;
  }

  #onReceived(): void {
    const idle = idleTime();
    this.#waited += idle - this.#mark;
    this.#mark = idle;
    this.#received = performance.now();
  }
}

/** Milliseconds. */
export interface Spent {
  readonly all: number;
  /** Of them by this process. */
  readonly atLeast: number;
  readonly atMost: number;
}

const idleTime = (): number => performance.eventLoopUtilization().idle;
