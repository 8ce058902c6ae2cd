/**
 * The connections of the receiver of spans: how many there may be, and for how long nothing may come over one. Whoever has
 * not shown the token yet is a stranger: has little time, and gives way to others.
 */
import type { Duplex } from 'node:stream';
import { REQUEST_TIMEOUT_MS } from './span-requests.ts';

/** Each program has one or two. */
const MOST_CONNECTIONS = 256;
/** Between two requests of one that showed the token. Exporters send every few seconds, and connect again by themselves. */
const IDLE_MS = 5 * 60_000;

export class Connections {
  /** The oldest first. */
  readonly #open = new Set<Connection>();

  /**
   * Takes a connection, which is closed by itself where it has no request in time. Where there are too many, the oldest
   * stranger gives way; where there is none, the new one does, and is destroyed.
   */
  take(socket: Duplex): Connection {
    const connection = new Connection(socket);
    if (this.#open.size >= MOST_CONNECTIONS) this.#oldestStranger(connection).close();
    if (socket.destroyed) return connection;
    this.#open.add(connection);
    socket.once('close', () => {
      connection.close();
      this.#open.delete(connection);
    });
    return connection;
  }

  close(): void {
    for (const connection of this.#open) connection.close();
  }

  #oldestStranger(otherwise: Connection): Connection {
    for (const connection of this.#open) if (connection.isStranger) return this.#forgotten(connection);
    return otherwise;
  }

  /** Its place is free at once, and not only when it has closed. */
  #forgotten(connection: Connection): Connection {
    this.#open.delete(connection);
    return connection;
  }
}

export class Connection {
  readonly socket: Duplex;
  #isStranger = true;
  #requests = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Duplex) {
    this.socket = socket;
    this.#closeAfter(REQUEST_TIMEOUT_MS);
  }

  get isStranger(): boolean {
    return this.#isStranger;
  }

  /** A request has shown the token; requests have time limits of their own. */
  begins(): void {
    this.#isStranger = false;
    this.#requests++;
    clearTimeout(this.#timer);
  }

  /** One that has begun is answered, or given up. */
  ends(): void {
    this.#requests--;
    if (this.#requests === 0 && !this.socket.destroyed) this.#closeAfter(IDLE_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.socket.destroy();
  }

  #closeAfter(milliseconds: number): void {
    this.#timer = setTimeout(() => this.close(), milliseconds);
    this.#timer.unref();
  }
}
