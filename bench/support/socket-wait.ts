/**
 * This process's share of the time of a question. At most: all time except waiting, with an idle event loop, for the
 * next part of the answer. That includes background work while the server is busy. At least: the time until the whole
 * request is sent, and from the last part of the answer on.
 */
import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

export class SocketWait {
  /** Milliseconds. */
  #waited = 0;
  /** The loop's idle time when something was last sent or received. */
  #mark = idleTime();
  #begun = 0;
  /** When the whole request was sent. */
  #sent = 0;
  /** When data last arrived. */
  #received = 0;

  /** Watches all sockets of the process, of which only one at a time should be in use. */
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
    // Data that arrives earlier belongs to an earlier request.
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
  /** The milliseconds spent by this process. */
  readonly atLeast: number;
  readonly atMost: number;
}

const idleTime = (): number => performance.eventLoopUtilization().idle;
