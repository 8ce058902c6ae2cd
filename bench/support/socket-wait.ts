/**
 * How long this process does nothing but wait for a server: its event loop is idle, what was asked went out, and the next
 * part of an answer has not come in. All else is its own time, be it work or waiting for a thread of its own.
 */
import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

export class SocketWait {
  /** Milliseconds, over all sockets. */
  #waited = 0;
  /** The loop's idle time when something was last sent or received. */
  #mark = idleTime();

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
      before(() => this.#received()),
    );
    Socket.prototype.write = new Proxy(
      Socket.prototype.write,
      before(() => (this.#mark = idleTime())),
    );
  }

  /** Milliseconds since the beginning. */
  get waited(): number {
    return this.#waited;
  }

  #received(): void {
    const idle = idleTime();
    this.#waited += idle - this.#mark;
    this.#mark = idle;
  }
}

const idleTime = (): number => performance.eventLoopUtilization().idle;
