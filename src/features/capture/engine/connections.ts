/**
 * Limits the connections of the span receiver, and closes idle ones. A client that has not shown the token yet is a
 * stranger: it has little time, and gives way to others.
 */
import type { Duplex } from 'node:stream';
import { REQUEST_TIMEOUT_MS } from './span-requests.ts';

/** Each program has one or two. */
const MAX_CONNECTIONS = 256;
/** Between two requests of a client with the token. Exporters send every few seconds, and reconnect by themselves. */
const IDLE_MS = 5 * 60_000;

export class Connections {
  /** The oldest first. */
  readonly #open = new Set<Connection>();

  /**
   * Accepts a connection, which closes itself if no request comes in time. If there are too many, the oldest stranger
   * is closed; if there is no stranger, the new connection is destroyed.
   */
  take(socket: Duplex): Connection {
    const connection = new Connection(socket);
    if (this.#open.size >= MAX_CONNECTIONS) this.#oldestStranger(connection).close();
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

  /** Frees its place at once, not only after it has closed. */
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

  /** Called for a request with the token. Requests have their own time limits. */
  begins(): void {
    this.#isStranger = false;
    this.#requests++;
    clearTimeout(this.#timer);
  }

  /** Called when a request was answered or given up. */
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
