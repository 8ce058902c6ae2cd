/**
 * The engine's end of the connection: validates requests, runs them on an {@link Engine}, reports progress, and
 * converts errors to what the other end can show.
 */
import * as l10n from '@vscode/l10n';
import {
  createMessageConnection,
  ResponseError,
  type CancellationToken,
  type MessageConnection,
  type MessageReader,
  type MessageWriter,
} from 'vscode-jsonrpc/node';
import { messageOf, ParallaxError, throwIfCancelled } from '../core/errors.ts';
import { describeIssue } from '../core/schema-issue.ts';
import {
  ENGINE_PREFIX,
  engineMethods,
  HOST_PREFIX,
  hostMethods,
  LOG_NOTE,
  PROGRESS_NOTE,
  wireErrorSchema,
  type EngineMethod,
  type Params,
  type ProgressNote,
  type Result,
} from '../shared/rpc.ts';
import { Allowance } from '../shared/requests/spending.ts';
import { handle, type Engine } from './engine.ts';
import type { HostCalls } from './host-calls.ts';
import type { RequestContext } from './requests/request.ts';

/** JSON-RPC code for errors that carry one of our ids. */
const PARALLAX_ERROR = -32_000;

/** A request as it is sent. */
interface Envelope {
  readonly params: unknown;
  readonly progress?: number;
  /** The requests that may be sent to models. `undefined` for any number. */
  readonly allowance?: Pick<Allowance, 'of' | 'left'>;
}

/** Serves until the connection closes. */
export function serve(
  reader: MessageReader,
  writer: MessageWriter,
  createEngine: (host: HostCalls, log: (message: string) => void) => Engine,
): MessageConnection {
  const connection = createMessageConnection(reader, writer);
  const engine = createEngine(hostCalls(connection), (message) => log(connection, 'info', message));
  for (const method of Object.keys(engineMethods) as EngineMethod[]) register(connection, engine, method);
  connection.onClose(() => void engine.close());
  connection.listen();
  return connection;
}

function register<M extends EngineMethod>(connection: MessageConnection, engine: Engine, method: M): void {
  const answer = async (
    envelope: Envelope,
    token: CancellationToken,
  ): Promise<Result<M> | ResponseError<unknown>> => {
    const parsed = engineMethods[method].params.safeParse(envelope.params);
    if (!parsed.success)
      return new ResponseError(PARALLAX_ERROR, 'Invalid request.', {
        id: 'bad-argument',
        message: `${method}: ${describeIssue(parsed.error, envelope.params)}`,
      });
    const context = requestContext(connection, token, envelope);
    try {
      throwIfCancelled(context.signal);
      return await handle(engine, method, parsed.data as Params<M>, context);
    } catch (error) {
      return wireError(connection, method, error);
    }
  };
  // The type of the answer was checked against the method, and does not matter here.
  connection.onRequest<unknown, unknown>(ENGINE_PREFIX + method, answer);
}

function requestContext(
  connection: MessageConnection,
  token: CancellationToken,
  { progress, allowance }: Envelope,
): RequestContext {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  const report = (note: ProgressNote): void => {
    if (progress !== undefined) void connection.sendNotification(PROGRESS_NOTE, { token: progress, note });
  };
  if (!allowance) return { signal: controller.signal, report };
  const left = new Allowance(allowance);
  const onRequest = (): void => {
    left.take();
    report({ type: 'request' });
  };
  return { signal: controller.signal, report, onRequest };
}

function wireError(connection: MessageConnection, method: string, error: unknown): ResponseError<unknown> {
  if (ParallaxError.is(error)) {
    if (error.id !== 'cancelled') log(connection, 'warn', `${method}: ${error.message}`);
    const { id, message, corpus } = error;
    return new ResponseError(PARALLAX_ERROR, message, { id, message, corpus });
  }
  // The stack goes into the log, and the user gets a message.
  log(
    connection,
    'error',
    `${method}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  const message = l10n.t`Parallax ran into an unexpected problem (${messageOf(error)}). The log has the details.`;
  return new ResponseError(PARALLAX_ERROR, message, { id: 'internal', message });
}

function log(connection: MessageConnection, level: 'info' | 'warn' | 'error', message: string): void {
  void connection.sendNotification(LOG_NOTE, { level, message });
}

function hostCalls(connection: MessageConnection): HostCalls {
  return {
    async complete(request, signal) {
      throwIfCancelled(signal);
      const { token, dispose } = tokenOf(signal);
      try {
        const answer: unknown = await connection.sendRequest(`${HOST_PREFIX}complete`, request, token);
        return hostMethods.complete.result.parse(answer);
      } catch (error) {
        throwIfCancelled(signal);
        throw fromWire(error);
      } finally {
        dispose();
      }
    },
  };
}

function fromWire(error: unknown): ParallaxError {
  const data = error instanceof ResponseError ? wireErrorSchema.safeParse(error.data) : undefined;
  if (data?.success) return new ParallaxError(data.data.id, data.data.message, { cause: error });
  const message = l10n.t`The editor's language model did not answer: ${messageOf(error)}`;
  return new ParallaxError('model-unreachable', message, { cause: error });
}

function tokenOf(signal: AbortSignal | undefined): { token: CancellationToken; dispose(): void } {
  const listeners = new Set<(event: unknown) => unknown>();
  const fire = (): void => listeners.forEach((listener) => void listener(undefined));
  signal?.addEventListener('abort', fire, { once: true });
  return {
    token: {
      get isCancellationRequested() {
        return signal?.aborted ?? false;
      },
      onCancellationRequested: (listener) => {
        listeners.add(listener);
        return { dispose: () => listeners.delete(listener) };
      },
    },
    dispose: () => signal?.removeEventListener('abort', fire),
  };
}
