/** Transactions over the connections to a PostgreSQL server, with as few journeys to it as they can have. */
import * as l10n from '@vscode/l10n';
import type { PoolClient } from 'pg';
import type * as z from 'zod';
import { Once } from '../../../concurrency/once.ts';
import type { StoreCalls } from '../store-calls.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresStatements, Statement } from './postgres-statements.ts';

/**
 * Runs a statement in an open transaction, and checks the rows that it gives. With `last`, the end of the transaction is
 * sent at once with the statement, and nothing more may be asked in it.
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

  /** Runs statements in one transaction that cannot write. */
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

  /** Runs statements in one transaction, of which all is written or, where one of them fails, nothing. */
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

  /** A connection whose call was given up is closed, and nothing of that call is written. */
  #transaction<T>(
    work: (client: PoolClient, end: AbortSignal, statements: PostgresStatements) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return this.#calls.run(async (end) => {
      const { pool, statements, begin } = await this.#connection.get();
      const client = await pool.connect();
      begin(client);
      // Nothing was asked over it.
      if (end.aborted) client.release();
      end.throwIfAborted();
      const giveUp = (): void => cutOff(client);
      end.addEventListener('abort', giveUp, { once: true });
      try {
        const result = await work(client, end, statements);
        if (!end.aborted) client.release();
        return result;
      } catch (error) {
        // In a failed transaction, perhaps in the middle of an answer: not worth saving.
        if (!end.aborted) cutOff(client);
        throw error;
      } finally {
        end.removeEventListener('abort', giveUp);
      }
    }, signal);
  }

  /** The first statement is sent before the beginning is answered, and fails where the beginning fails. */
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

/** Statements that are ready in this turn go out as one: each call of the system takes its time, and wakes the server. */
function sendTogether({ connection: { stream } }: PoolClient): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** The client alone would wait for whatever was sent to be answered. */
function cutOff(client: PoolClient): void {
  client.connection.stream.destroy();
  client.release(true);
}

/**
 * Ends a transaction in which nothing was written. Nobody waits for it: whoever comes next is sent behind it, and told where
 * the connection was lost.
 */
function sendEnd(client: PoolClient): void {
  client.query('COMMIT').catch(() => undefined);
}
