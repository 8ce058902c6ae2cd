/** Transactions on the connections to a PostgreSQL server, with as few round trips as possible. */
import * as l10n from '@vscode/l10n';
import type { PoolClient } from 'pg';
import type * as z from 'zod';
import { Once } from '../../../concurrency/once.ts';
import type { StoreCalls } from '../store-calls.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresStatements, Statement } from './postgres-statements.ts';

/**
 * Runs a statement in an open transaction, and checks its rows. With `last`, the end of the transaction is sent
 * together with the statement, and no further statement may follow.
 */
export type RunStatement = <T>(rows: z.ZodType<T>, statement: Statement, last?: 'last') => Promise<T>;

type Work<T> = (run: RunStatement, statements: PostgresStatements) => Promise<T>;

export class PostgresTransactions {
  readonly #connection: Once<PostgresConnection>;
  readonly #calls: StoreCalls;

  /** @param connect called with the first transaction */
  constructor(connect: () => Promise<PostgresConnection>, calls: StoreCalls) {
    this.#connection = new Once(connect);
    this.#calls = calls;
  }

  /** Runs statements in one read-only transaction. */
  read<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.#transaction(async (client, end, statements) => {
      let isEnded = false;
      const result = await this.#begin(client, 'READ ONLY', (run) =>
        work((rows, statement, last) => {
          isEnded ||= last !== undefined;
          return run(rows, statement, last);
        }, statements),
      );
      if (!isEnded && !end.aborted) sendEnd(client);
      return result;
    }, signal);
  }

  /** Runs statements in one transaction that writes everything or, if a statement fails, nothing. */
  write<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.#transaction(async (client, _end, statements) => {
      const result = await this.#begin(client, 'READ WRITE', (run) => work(run, statements));
      await client.query('COMMIT');
      return result;
    }, signal);
  }

  async close(): Promise<void> {
    const connection = await this.#connection.ifMade;
    await connection?.pool.end();
  }

  /** The connection of a call that was given up is closed, and nothing of that call is written. */
  #transaction<T>(
    work: (client: PoolClient, end: AbortSignal, statements: PostgresStatements) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return this.#calls.run(async (end) => {
      const { pool, statements, begin } = await this.#connection.get();
      const client = await pool.connect();
      begin(client);
      // Nothing was sent over it.
      if (end.aborted) client.release();
      end.throwIfAborted();
      const giveUp = (): void => cutOff(client);
      end.addEventListener('abort', giveUp, { once: true });
      try {
        const result = await work(client, end, statements);
        if (!end.aborted) client.release();
        return result;
      } catch (error) {
        // In a failed transaction, perhaps in the middle of an answer, so it is not worth reusing.
        if (!end.aborted) cutOff(client);
        throw error;
      } finally {
        end.removeEventListener('abort', giveUp);
      }
    }, signal);
  }

  /** Sends the first statement before the beginning is answered. It fails if the beginning fails. */
  async #begin<T>(
    client: PoolClient,
    access: 'READ ONLY' | 'READ WRITE',
    work: (run: RunStatement) => Promise<T>,
  ): Promise<T> {
    sendTogether(client);
    const begun = client.query(`BEGIN ${access}`);
    begun.catch(() => undefined);
    const [, result] = await Promise.all([
      begun,
      work((rows, statement, last) => this.#checked(client, rows, statement, last)),
    ]);
    return result;
  }

  async #checked<T>(
    client: PoolClient,
    rows: z.ZodType<T>,
    { text, values }: Statement,
    last: 'last' | undefined,
  ): Promise<T> {
    const answer = client.query({ text, values: [...values] });
    if (last) sendEnd(client);
    const parsed = rows.safeParse((await answer).rows);
    if (parsed.success) return parsed.data;
    throw this.#calls.failure(
      l10n.t`${this.#calls.name} answered with rows of an unexpected form.`,
      parsed.error,
    );
  }
}

/** Sends the statements of this turn together, since each system call takes time and wakes the server. */
function sendTogether({ connection: { stream } }: PoolClient): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** The client alone would wait for the answers to everything that was sent. */
function cutOff(client: PoolClient): void {
  client.connection.stream.destroy();
  client.release(true);
}

/**
 * Ends a transaction that wrote nothing, without waiting. The next statement follows it, and reports a lost
 * connection.
 */
function sendEnd(client: PoolClient): void {
  client.query('COMMIT').catch(() => undefined);
}
