/**
 * The editor's end of the engine: forks it on first use, restarts it after a crash (with a cap), and rejects requests
 * in flight with a clear error. Independent of the editor, so that it runs in tests.
 */
import { proxyEnvironment, type EditorProxies } from '../../features/web-corpus/core/proxy-environment.ts';
import { fork, type ChildProcess } from 'node:child_process';
import * as l10n from '@vscode/l10n';
import {
  CancellationTokenSource,
  createMessageConnection,
  IPCMessageReader,
  IPCMessageWriter,
  ResponseError,
  type CancellationToken,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import * as z from 'zod';
import { cancelled, messageOf, ParallaxError, throwIfCancelled, type ErrorId } from '../../core/errors.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import type { Allowance } from '../../shared/requests/spending.ts';
import {
  ENGINE_PREFIX,
  engineMethods,
  HOST_PREFIX,
  hostMethods,
  LOG_NOTE,
  logNoteSchema,
  PROGRESS_NOTE,
  progressNoteSchema,
  wireErrorSchema,
  type EngineMethod,
  type HostMethods,
  type Params,
  type ProgressNote,
  type Result,
} from '../../shared/rpc.ts';
import { TEXTS_FILE, TEXTS_LANGUAGE } from '../../shared/translations.ts';

export type EngineState = 'not started' | 'running' | 'failed';

/** After this many crashes within {@link CRASH_WINDOW_MS} the next request fails instead of restarting the engine. */
const MAX_CRASHES = 3;
const CRASH_WINDOW_MS = 5 * 60_000;
/** Time that the engine has to exit before it is killed. */
const GRACE_MS = 2_000;

/** Environment variable with the port on loopback at which a debugger attaches to the engine; set by `.vscode/launch.json`. */
const INSPECT_PORT = 'PARALLAX_ENGINE_INSPECT';

function inspectArguments(): string[] {
  const port = process.env[INSPECT_PORT];
  return port && /^\d{1,5}$/u.test(port) ? [`--inspect=127.0.0.1:${port}`] : [];
}

interface EngineLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface EngineClientOptions {
  /** The engine's bundle. */
  readonly enginePath: string;
  /** File with the texts in the editor's language, and that language. `undefined` for English. */
  readonly texts?: { readonly file: string; readonly language: string } | undefined;
  /** Called before a request is sent; throws if the request is not allowed. */
  readonly admit?: (method: EngineMethod) => void;
  /** The newest configuration, sent to every engine that starts. */
  readonly config: () => Promise<EngineConfig>;
  readonly complete: (
    request: z.output<HostMethods['complete']['params']>,
    signal: AbortSignal,
  ) => Promise<z.output<HostMethods['complete']['result']>>;
  readonly log: EngineLog;
  /** The proxies of the editor's settings. They take precedence over the environment. */
  readonly proxies?: () => EditorProxies;
  readonly onState?: (state: EngineState) => void;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onNote?: ((note: ProgressNote) => void) | undefined;
  /** Limits the requests to models. Defaults to no limit. */
  readonly allowance?: Allowance | undefined;
}

interface Running {
  readonly child: ChildProcess;
  readonly connection: MessageConnection;
  /** Settles once the engine has the newest configuration. */
  configured: Promise<unknown>;
}

/** @throws ParallaxError if the engine never received a configuration */
async function afterConfiguring(running: Running): Promise<void> {
  let configured: Promise<unknown>;
  do {
    configured = running.configured;
    await configured;
  } while (configured !== running.configured);
}

function counting(allowance: Allowance, onNote: RequestOptions['onNote']): (note: ProgressNote) => void {
  return (note) => (note.type === 'request' ? allowance.take() : onNote?.(note));
}

const progressEnvelope = z.object({ token: z.number(), note: progressNoteSchema });

export class EngineClient {
  readonly #options: EngineClientOptions;
  readonly #noteHandlers = new Map<number, (note: ProgressNote) => void>();
  readonly #crashes: number[] = [];
  #nextToken = 1;
  #running: Running | undefined;
  #state: EngineState = 'not started';
  #disposed = false;

  constructor(options: EngineClientOptions) {
    this.#options = options;
  }

  get state(): EngineState {
    return this.#state;
  }

  /** Process id of the running engine. */
  get pid(): number | undefined {
    return this.#running?.child.pid;
  }

  /**
   * Sends a request to the engine, and starts it if it is not running.
   *
   * @throws ParallaxError the error of the engine, `engine-stopped` if it exits before it answers, `cancelled`, or the
   *   error of `admit`
   */
  async request<M extends EngineMethod>(
    method: M,
    params: Params<M>,
    options: RequestOptions = {},
  ): Promise<Result<M>> {
    throwIfCancelled(options.signal);
    this.#options.admit?.(method);
    const running = this.#start();
    await afterConfiguring(running);
    throwIfCancelled(options.signal);
    return this.#send(running.connection, method, params, options);
  }

  /**
   * Sends the newest configuration to a running engine; an engine that starts later reads it anyway. Later requests
   * wait for it, because the engine closes a changed corpus and ends the work on it.
   */
  async reconfigure(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const sent = this.#options
      .config()
      .then((config) => this.#send(running.connection, 'configure', config, {}));
    const former = running.configured;
    // If the engine refuses a configuration, the previous one stays in force.
    running.configured = sent.catch(() => former);
    await sent;
  }

  dispose(): void {
    this.#disposed = true;
    this.stop();
  }

  /** Stops the engine; the next request starts a new one. Rejects requests in flight. */
  stop(): void {
    const running = this.#running;
    this.#crashes.length = 0;
    if (!running) return;
    this.#running = undefined;
    running.connection.dispose();
    this.#setState('not started');
    if (running.child.connected) running.child.disconnect();
    const timer = setTimeout(() => running.child.kill('SIGKILL'), GRACE_MS);
    running.child.once('exit', () => clearTimeout(timer));
  }

  #start(): Running {
    if (this.#running) return this.#running;
    if (this.#disposed) throw new ParallaxError('engine-stopped', l10n.t('Parallax is shutting down.'));
    this.#refuseAfterCrashes();
    const child = fork(this.#options.enginePath, [], {
      execArgv: inspectArguments(),
      serialization: 'advanced',
      env: this.#environment(),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const connection = createMessageConnection(new IPCMessageReader(child), new IPCMessageWriter(child));
    this.#listen(child, connection);
    connection.listen();
    const configured = this.#options
      .config()
      .then((config) => this.#send(connection, 'configure', config, {}));
    // The requests that wait for it see the failure. Without this handler Node would also report an unhandled
    // rejection.
    configured.catch(() => undefined);
    this.#running = { child, connection, configured };
    this.#setState('running');
    return this.#running;
  }

  #environment(): NodeJS.ProcessEnv {
    const { texts, proxies } = this.#options;
    const language = texts ? { [TEXTS_FILE]: texts.file, [TEXTS_LANGUAGE]: texts.language } : {};
    return { ...proxyEnvironment(process.env, proxies?.()), ELECTRON_RUN_AS_NODE: '1', ...language };
  }

  #refuseAfterCrashes(): void {
    const now = Date.now();
    while (this.#crashes[0] !== undefined && now - this.#crashes[0] > CRASH_WINDOW_MS) this.#crashes.shift();
    if (this.#crashes.length < MAX_CRASHES) return;
    this.#crashes.length = 0; // the next attempt is the user's own decision
    this.#setState('failed');
    throw new ParallaxError(
      'engine-stopped',
      l10n.t`The Parallax engine stopped ${MAX_CRASHES} times within a few minutes. See the log, then try again.`,
    );
  }

  #listen(child: ChildProcess, connection: MessageConnection): void {
    const { log } = this.#options;
    child.stdout?.on('data', (data: Buffer) => log.info(data.toString().trimEnd()));
    child.stderr?.on('data', (data: Buffer) => log.warn(data.toString().trimEnd()));
    child.on('error', (error) => log.error(`The engine could not be started or spoken to: ${error.message}`));
    // 'exit' instead of 'close', because 'close' waits for pipes that a grandchild may keep open. Disposing rejects the
    // requests in flight, which would otherwise never settle.
    child.once('exit', (code, signal) => {
      connection.dispose();
      if (this.#running?.child !== child) return;
      this.#running = undefined;
      this.#crashes.push(Date.now());
      log.error(`The engine ended unexpectedly (${signal ?? `exit code ${String(code)}`}).`);
      this.#setState('failed');
    });
    connection.onError(([error]) => log.error(`Engine connection: ${error.message}`));
    connection.onNotification(LOG_NOTE, (note: unknown) => {
      const { level, message } = logNoteSchema.parse(note);
      log[level](message);
    });
    connection.onNotification(PROGRESS_NOTE, (envelope: unknown) => {
      const { token, note } = progressEnvelope.parse(envelope);
      this.#noteHandlers.get(token)?.(note);
    });
    connection.onRequest(`${HOST_PREFIX}complete`, (request: unknown, token: CancellationToken) =>
      this.#complete(request, token),
    );
  }

  async #complete(request: unknown, token: CancellationToken): Promise<unknown> {
    const controller = new AbortController();
    token.onCancellationRequested(() => controller.abort());
    try {
      return await this.#options.complete(hostMethods.complete.params.parse(request), controller.signal);
    } catch (error) {
      const id: ErrorId = ParallaxError.is(error) ? error.id : 'model-unreachable';
      return new ResponseError(-32_000, messageOf(error), { id, message: messageOf(error) });
    }
  }

  async #send<M extends EngineMethod>(
    connection: MessageConnection,
    method: M,
    params: Params<M>,
    { signal, onNote, allowance }: RequestOptions,
  ): Promise<Result<M>> {
    const token = this.#nextToken++;
    const source = new CancellationTokenSource();
    const cancel = (): void => source.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    const handler = allowance ? counting(allowance, onNote) : onNote;
    if (handler) this.#noteHandlers.set(token, handler);
    try {
      const envelope = {
        params,
        ...(handler ? { progress: token } : {}),
        ...(allowance ? { allowance: { of: allowance.of, left: allowance.left } } : {}),
      };
      const answer: unknown = await connection.sendRequest(ENGINE_PREFIX + method, envelope, source.token);
      return engineMethods[method].result.parse(answer) as Result<M>;
    } catch (error) {
      throw this.#explain(error, signal);
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#noteHandlers.delete(token);
    }
  }

  #explain(error: unknown, signal: AbortSignal | undefined): ParallaxError {
    if (signal?.aborted) return cancelled();
    if (error instanceof ResponseError) {
      const data = wireErrorSchema.safeParse(error.data);
      if (data.success) {
        const { id, message, corpus } = data.data;
        return new ParallaxError(id, message, { corpus });
      }
    }
    if (error instanceof z.ZodError)
      return new ParallaxError('internal', l10n.t('The Parallax engine gave an answer of the wrong shape.'), {
        cause: error,
      });
    return new ParallaxError(
      'engine-stopped',
      l10n.t('The Parallax engine stopped before it could answer. Try again.'),
      {
        cause: error,
      },
    );
  }

  #setState(state: EngineState): void {
    this.#state = state;
    this.#options.onState?.(state);
  }
}
