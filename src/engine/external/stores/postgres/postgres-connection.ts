/**
 * Connections to PostgreSQL by its official client that survive anything a server sends: input is counted and checked
 * before the client reads it.
 */
import type { Duplex } from 'node:stream';
import * as l10n from '@vscode/l10n';
import type { ClientBase, ClientConfig, Pool } from 'pg';
import { ParallaxError } from '../../../../core/errors.ts';
import type { PostgresRetriever } from '../../../../core/external/stores/postgres.ts';
import { isLoopback } from '../../../../features/capture/contract/listening.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { BackendMessages, TooManyMessages } from './postgres-messages.ts';
import { PostgresStatements } from './postgres-statements.ts';
import { readTlsFiles } from '../tls-files.ts';

export interface PostgresConnection {
  readonly pool: Pool;
  readonly statements: PostgresStatements;
  /** From here on, input on this connection belongs to the next call. */
  begin(client: ClientBase): void;
}

/** The most bytes of one call. Rows without values take about ten times as much in memory as on the wire. */
const MAX_BYTES = 128 * 2 ** 20;
/** An unused connection is returned to the server. */
const IDLE_MS = 10_000;

/**
 * Opens no connection yet. The pool does at its first request.
 *
 * @param name of the server, at the beginning of a sentence
 */
export async function connectPostgres(
  spec: PostgresRetriever,
  address: PostgresAddress,
  name: string,
): Promise<PostgresConnection> {
  const { Pool: ConnectionPool, Client, escapeIdentifier } = await import('pg');
  const { timeoutMs } = spec;
  const { ssl, password, host, port, database, user, options } = address;
  const credentials = ssl === 'off' ? undefined : await readTlsFiles(address);
  const received = new WeakMap<ClientBase, number>();
  const take = (client: ClientBase, chunk: Buffer): void => {
    const bytes = (received.get(client) ?? 0) + chunk.byteLength;
    received.set(client, bytes);
    if (bytes > MAX_BYTES)
      throw new ParallaxError('too-large', l10n.t`${name} sent more than ${MAX_BYTES >> 20} MB.`);
  };

  class GuardedClient extends Client {
    constructor(config?: ClientConfig) {
      super(config);
      const { connection } = this;
      const guard = (): void => guardStream(connection.stream, name, (chunk) => take(this, chunk));
      // Under TLS, the client continues with another stream.
      if (ssl === 'off') guard();
      else connection.on('sslconnect', guard);
      // Before the client's own listener, which would send the password where others can read it, or to an attacker
      // who asked for it.
      if (ssl === 'off' && !isOnThisMachine(host))
        connection.prependListener('authenticationCleartextPassword', () => {
          throw inPlainText(name);
        });
      // The pool listens only while the client is unused, and its queries fail all the same.
      this.on('error', () => undefined);
    }
  }

  const pool = new ConnectionPool({
    Client: GuardedClient,
    host,
    port,
    ...(database === undefined ? {} : { database }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(options === undefined ? {} : { options }),
    ssl: credentials !== undefined && { rejectUnauthorized: ssl === 'verify', ...credentials },
    // Sends statements without waiting for earlier answers, which saves round trips to a distant server.
    pipeline: true,
    max: spec.connections,
    idleTimeoutMillis: IDLE_MS,
    connectionTimeoutMillis: timeoutMs,
    // The server stops as well after this time.
    statement_timeout: timeoutMs,
    application_name: 'parallax',
  });
  // An idle connection was lost and has left the pool. The next search opens another, or reports why it cannot.
  pool.on('error', () => undefined);
  return {
    pool,
    statements: new PostgresStatements(spec, escapeIdentifier),
    begin: (client) => void received.set(client, 0),
  };
}

/** By its name, or as the folder of a socket. */
const isOnThisMachine = (host: string): boolean => host.startsWith('/') || isLoopback(host);

function inPlainText(name: string): ParallaxError {
  return new ParallaxError(
    'retriever-failed',
    l10n.t`${name} asks for the password in plain text over a connection without encryption, so it was not sent; set "ssl" to "verify", or have the server ask by SCRAM.`,
  );
}

/**
 * The client reads where its exceptions are not caught and would end the engine, so this destroys the stream instead.
 */
function guardStream(stream: Duplex, name: string, take: (chunk: Buffer) => void): void {
  const messages = new BackendMessages();
  const emit = stream.emit.bind(stream);
  stream.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    try {
      const [chunk] = values;
      if (event === 'data' && Buffer.isBuffer(chunk)) {
        take(chunk);
        messages.check(chunk);
      }
      return emit(event, ...values);
    } catch (error) {
      stream.destroy(ParallaxError.is(error) ? error : unexpected(name, error));
      return true;
    }
  };
}

function unexpected(name: string, cause: unknown): ParallaxError {
  if (cause instanceof TooManyMessages)
    return new ParallaxError(
      'too-large',
      l10n.t`${name} sent more messages in one answer than Parallax accepts.`,
      {
        cause,
      },
    );
  return new ParallaxError('retriever-failed', l10n.t`${name} gave an answer of an unexpected form.`, {
    cause,
  });
}
