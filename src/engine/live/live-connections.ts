/**
 * Where running programs report: a server on this machine alone that hears JSON lines from who shows the token of the run.
 * Nothing that a program sends, or leaves out, ends the engine.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { describeIssue } from '../../core/schema-issue.ts';
import {
  LIVE_LIMITS,
  programMessageSchema,
  type ParallaxMessage,
  type ProgramMessage,
} from '../../shared/live/protocol.ts';

export type Hello = Extract<ProgramMessage, { readonly type: 'hello' }>;

/** What comes from one process. */
export interface ProcessListener {
  readonly heard: (message: Exclude<ProgramMessage, Hello>) => void;
  readonly ended: () => void;
}

export interface LiveConnectionsOptions {
  readonly token: string;
  /** A process has shown the token. @param tell sends it a message; does nothing once the process has ended */
  readonly begun: (hello: Hello, tell: (message: ParallaxMessage) => void) => ProcessListener;
  /** A line could not be read, in a sentence. */
  readonly unreadable: (message: string) => void;
}

/** A program may have many workers. */
const MOST_CONNECTIONS = 512;
/** Milliseconds within which the first line has to come. */
const HELLO_MS = 10_000;

export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

export class LiveConnections {
  readonly #options: LiveConnectionsOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(options: LiveConnectionsOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#take(socket));
    // One that cannot be accepted: the others go on.
    this.#server.on('error', (error) => options.unreadable(messageOf(error)));
  }

  /** @throws ParallaxError `bad-argument` if no port is to be had */
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

  /** Waits until the processes that are connected have sent everything, but not for long. */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    const timer = setTimeout(() => this.#destroy(), graceMs);
    await closed;
    clearTimeout(timer);
  }

  #destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(socket: Socket): void {
    // A program that is killed leaves a connection that is reset: that is its end, and no error.
    socket.on('error', () => undefined);
    if (this.#sockets.size >= MOST_CONNECTIONS) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    const timer = setTimeout(() => socket.destroy(), HELLO_MS);
    let process: ProcessListener | undefined;
    const lines = new Lines();
    socket.on('data', (bytes: Buffer) => {
      for (const line of lines.add(bytes)) {
        if (!socket.destroyed) process = this.#line(line, socket, process);
        clearTimeout(timer);
      }
      if (!lines.isTooLong) return;
      this.#options.unreadable(
        l10n.t('A running program sent a line that is too long; it is not heard any more.'),
      );
      socket.destroy();
    });
    socket.once('close', () => {
      clearTimeout(timer);
      this.#sockets.delete(socket);
      process?.ended();
    });
  }

  #line(line: string, socket: Socket, process: ProcessListener | undefined): ProcessListener | undefined {
    const message = readMessage(line, this.#options.unreadable);
    if (process === undefined) {
      if (message?.type === 'hello' && isSame(message.token, this.#options.token))
        return this.#options.begun(message, (told) => tell(socket, told));
      socket.destroy();
    } else if (message && message.type !== 'hello') process.heard(message);
    return process;
  }
}

/**
 * @param unreadable called with a sentence for a line that is no message
 * @returns nothing then
 */
export function readMessage(line: string, unreadable: (message: string) => void): ProgramMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    unreadable(l10n.t('A running program sent a line that is no JSON.'));
    return undefined;
  }
  const read = programMessageSchema.safeParse(value);
  if (read.success) return read.data;
  unreadable(
    l10n.t`A running program sent something that Parallax does not read: ${describeIssue(read.error, value)}`,
  );
  return undefined;
}

function tell(socket: Socket, message: ParallaxMessage): void {
  if (!socket.destroyed && socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** @returns whether a token is the one of this run; the time it takes says nothing about it */
export function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Lines of a stream of bytes. */
class Lines {
  readonly #decoder = new StringDecoder('utf8');
  #parts: string[] = [];
  #length = 0;

  get isTooLong(): boolean {
    return this.#length > LIVE_LIMITS.line;
  }

  add(bytes: Buffer): string[] {
    const [first = '', ...others] = this.#decoder.write(bytes).split('\n');
    this.#parts.push(first);
    this.#length += first.length;
    if (others.length === 0) return [];
    const lines = [this.#parts.join(''), ...others.slice(0, -1)];
    this.#parts = [others.at(-1)!];
    this.#length = others.at(-1)!.length;
    return lines.filter((line) => line.trim() !== '');
  }
}
