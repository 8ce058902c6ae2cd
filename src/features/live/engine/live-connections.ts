/**
 * The server for running programs: accepts JSON lines, only from this machine and with the token of the run. Nothing
 * that a program sends, or fails to send, ends the engine.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { JsonShape } from '../../../core/formats/json-shape.ts';
import { StreamLines } from '../../../core/text/stream-lines.ts';
import { describeIssue } from '../../../core/schema-issue.ts';
import {
  LIVE_LIMITS,
  programMessageSchema,
  type ParallaxMessage,
  type ProgramMessage,
} from '../contract/protocol.ts';

export type Hello = Extract<ProgramMessage, { readonly type: 'hello' }>;

/** Receives the messages of one process. */
export interface ProcessListener {
  readonly heard: (message: Exclude<ProgramMessage, Hello>) => void;
  readonly ended: () => void;
}

export interface LiveConnectionsOptions {
  readonly token: string;
  /**
   * Called when a process has shown the token. @param tell sends it a message; does nothing once the process has
   * ended
   */
  readonly begun: (hello: Hello, tell: (message: ParallaxMessage) => void) => ProcessListener;
  /** Called with a message for a line that could not be read. */
  readonly unreadable: (message: string) => void;
}

/** A program may have many workers. */
const MAX_CONNECTIONS = 512;
/** Milliseconds within which the first line has to arrive. */
const HELLO_MS = 10_000;
/** The most characters of the first line, which any program on this machine may send. */
const LONGEST_HELLO = 256 * 1024;
/** The number of unreadable lines after which a process is not read any more. */
export const MAX_UNREADABLE = 20;
/** Bytes that all programs may send within a second, in equal shares. Further ones wait in the programs. */
const MAX_IN_SECOND = 16 * 2 ** 20;
/** Counted for a message beside its bytes, so that 4,000 short ones fill a second. */
const MESSAGE_BYTES = 4096;

export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

export class LiveConnections {
  readonly #options: LiveConnectionsOptions;
  readonly #server: Server;
  /** Oldest first. */
  readonly #sockets = new Map<Socket, LiveConnection>();
  readonly #shares = new Shares();
  #hasRefused = false;

  private constructor(options: LiveConnectionsOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#take(socket));
    // A connection could not be accepted. The others continue.
    this.#server.on('error', (error) => options.unreadable(messageOf(error)));
  }

  /** @throws ParallaxError `bad-argument` if no port is free */
  static async open(options: LiveConnectionsOptions): Promise<LiveConnections> {
    const connections = new LiveConnections(options);
    await new Promise<void>((resolve, reject) => {
      connections.#server.once('error', (error) =>
        reject(
          new ParallaxError(
            'bad-argument',
            l10n.t`Running programs cannot report to this machine: ${messageOf(error)}.`,
          ),
        ),
      );
      connections.#server.listen(0, '127.0.0.1', resolve);
    });
    return connections;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Waits until the connected processes have sent everything, but no longer than `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#shares.lift();
    for (const connection of this.#sockets.values()) connection.resume();
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    const timer = setTimeout(() => this.#destroy(), graceMs);
    await closed;
    clearTimeout(timer);
  }

  #destroy(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  #take(socket: Socket): void {
    // The connection of a killed program is reset, which is its end, and no error.
    socket.on('error', () => undefined);
    if (this.#sockets.size >= MAX_CONNECTIONS) this.#oldestStranger(socket).destroy();
    if (socket.destroyed) return this.#refused();
    const connection = new LiveConnection(socket, this.#shares, this.#options);
    this.#sockets.set(socket, connection);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      connection.ended();
    });
  }

  /** Reported once, since strangers may connect, too. */
  #refused(): void {
    if (this.#hasRefused) return;
    this.#hasRefused = true;
    this.#options.unreadable(
      l10n.t`More than ${MAX_CONNECTIONS} processes run at once; retrievals of the others are not captured.`,
    );
  }

  /** A connection that has shown the token is never closed for another. */
  #oldestStranger(otherwise: Socket): Socket {
    for (const [socket, { isStranger }] of this.#sockets) {
      if (!isStranger) continue;
      // Frees its place at once, not only after it has closed.
      this.#sockets.delete(socket);
      return socket;
    }
    return otherwise;
  }
}

/** Reads the messages of one process, line by line. */
class LiveConnection {
  readonly #socket: Socket;
  readonly #options: LiveConnectionsOptions;
  readonly #shares: Shares;
  readonly #lines = new StreamLines();
  readonly #timer: NodeJS.Timeout;
  #resuming: NodeJS.Timeout | undefined;
  #process: ProcessListener | undefined;
  #unreadable = 0;

  constructor(socket: Socket, shares: Shares, options: LiveConnectionsOptions) {
    this.#socket = socket;
    this.#shares = shares;
    this.#options = options;
    this.#timer = setTimeout(() => socket.destroy(), HELLO_MS);
    socket.on('data', (bytes: Buffer) => this.#hear(bytes));
  }

  get isStranger(): boolean {
    return this.#process === undefined;
  }

  ended(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#resuming);
    this.#process?.ended();
  }

  resume(): void {
    clearTimeout(this.#resuming);
    this.#socket.resume();
  }

  #hear(bytes: Buffer): void {
    const lines = this.#lines.take(bytes).filter((line) => line.trim() !== '');
    for (const line of lines) if (!this.#socket.destroyed) this.#line(line);
    if (this.#socket.destroyed) return;
    // A stranger takes no share of the programs.
    const cost = this.isStranger ? 0 : bytes.length + lines.length * MESSAGE_BYTES;
    const waitMs = cost === 0 ? 0 : this.#shares.take(this, cost);
    if (this.#lines.length > (this.isStranger ? LONGEST_HELLO : LIVE_LIMITS.line))
      this.#giveUp(
        l10n.t('A running program sent a line that is too long; Parallax ignores the rest of what it sends.'),
      );
    else if (waitMs > 0) this.#pause(waitMs);
  }

  #line(line: string): void {
    if (this.#process) this.#message(line, this.#process);
    else this.#begin(line);
  }

  #begin(line: string): void {
    // Reports nothing about a stranger.
    const message = readMessage(line, () => undefined);
    if (message?.type === 'hello' && isSame(message.token, this.#options.token)) {
      clearTimeout(this.#timer);
      this.#process = this.#options.begun(message, (answer) => tell(this.#socket, answer));
    } else this.#socket.destroy();
  }

  #message(line: string, process: ProcessListener): void {
    const cannotRead = (reason: string): void => this.#cannotRead(reason);
    const message = readMessage(line, cannotRead);
    if (message && message.type !== 'hello') hear(message, process, cannotRead);
  }

  #cannotRead(reason: string): void {
    if (++this.#unreadable <= MAX_UNREADABLE) this.#options.unreadable(reason);
    else
      this.#giveUp(
        l10n.t(
          'A running program sent many lines that cannot be read; Parallax ignores the rest of what it sends.',
        ),
      );
  }

  #giveUp(reason: string): void {
    if (!this.isStranger) this.#options.unreadable(reason);
    this.#socket.destroy();
  }

  #pause(milliseconds: number): void {
    this.#socket.pause();
    this.#resuming = setTimeout(() => this.resume(), milliseconds);
  }
}

/** Divides what is read within a second among the connections that send in it. */
class Shares {
  readonly #taken = new Map<LiveConnection, number>();
  #second = 0;
  #most = MAX_IN_SECOND;

  /** @returns milliseconds until the connection may be read again */
  take(connection: LiveConnection, bytes: number): number {
    const now = performance.now() / 1000;
    const second = Math.floor(now);
    if (second !== this.#second) this.#taken.clear();
    this.#second = second;
    const total = (this.#taken.get(connection) ?? 0) + bytes;
    this.#taken.set(connection, total);
    return total > this.#most / this.#taken.size ? Math.ceil((second + 1 - now) * 1000) : 0;
  }

  /** At the end of a run, what has been sent is read without a limit. */
  lift(): void {
    this.#most = Infinity;
  }
}

/**
 * @param unreadable called with a message for an invalid line
 * @returns undefined for an invalid line
 */
export function readMessage(line: string, unreadable: (message: string) => void): ProgramMessage | undefined {
  let value: unknown;
  try {
    shape().check(Buffer.from(line));
    value = JSON.parse(line);
  } catch (error) {
    unreadable(
      ParallaxError.is(error) ? error.message : l10n.t('A running program sent a line that is not JSON.'),
    );
    return undefined;
  }
  const read = programMessageSchema.safeParse(value);
  if (read.success) return read.data;
  unreadable(
    l10n.t`A running program sent something that Parallax cannot read: ${describeIssue(read.error, value)}`,
  );
  return undefined;
}

/** Reports an error of the listener as an unreadable message. */
export function hear(
  message: Exclude<ProgramMessage, Hello>,
  { heard }: ProcessListener,
  unreadable: (message: string) => void,
): void {
  try {
    heard(message);
  } catch (error) {
    unreadable(l10n.t`A running program sent something that Parallax cannot read: ${messageOf(error)}`);
  }
}

/** Hooks write less than these limits. A value that is nested deeper would overflow the reader's stack. */
function shape(): JsonShape {
  const [deepest, mostParts] = [40, 200_000];
  const tooMany = (): string => l10n.t('A running program sent a value with too many parts.');
  return new JsonShape(
    {
      tooDeep: () => l10n.t('A running program sent a value that is nested too deep.'),
      tooMany,
      tooLong: tooMany,
    },
    { deepest, mostParts },
  );
}

function tell(socket: Socket, message: ParallaxMessage): void {
  if (!socket.destroyed && socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** @returns whether a token is that of this run, compared in constant time */
export function isSame(candidate: string, token: string): boolean {
  const [a, b] = [Buffer.from(candidate), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
