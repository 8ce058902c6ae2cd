/**
 * The only file that knows which SQLite there is: `node:sqlite`, which the Node of every supported
 * editor carries, so that no native database ships. Seven calls; `better-sqlite3` offers the same.
 */
import { createRequire } from 'node:module';
import type * as sqlite from 'node:sqlite';
import { ParallaxError, messageOf } from '../../core/errors.ts';

export type SqlValue = string | number | bigint | null | Uint8Array;
export type Row = Record<string, SqlValue>;

export interface Statement {
  run(...values: SqlValue[]): { changes: number; lastInsertRowid: number };
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  iterate(...values: SqlValue[]): IterableIterator<Row>;
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Runs `work` in one transaction: all of it is stored, or nothing. Transactions do not nest. */
  transaction<T>(work: () => T): T;
  close(): void;
}

type Sqlite = typeof sqlite;

/** Another window may hold the write lock for the length of one of its transactions. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Opens or creates a database. WAL with `synchronous = NORMAL`: what was committed survives the end of
 * the process at any moment; a power cut can lose the last commits but never damages the file.
 *
 * @param path a file, or `:memory:`
 * @throws ParallaxError `store-unusable` when the file cannot be opened or is not a database
 */
export function openDatabase(path: string): Database {
  const { DatabaseSync } = loadSqlite();
  try {
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON');
    return {
      exec: (sql) => db.exec(sql),
      prepare: (sql) => prepare(db, sql),
      transaction: (work) => transaction(db, work),
      close: () => db.close(),
    };
  } catch (error) {
    throw new ParallaxError('store-unusable', `The index at ${path} cannot be opened: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

/** `require`, because an `import` of a built-in module that is missing would fail the whole bundle. */
function loadSqlite(): Sqlite {
  const warn = process.emitWarning;
  try {
    // Node announces on every start that its SQLite may still change; users can do nothing about it.
    process.emitWarning = () => undefined;
    return createRequire(import.meta.url)('node:sqlite') as Sqlite;
  } catch (error) {
    throw new ParallaxError(
      'native-missing',
      `This Node (${process.version}) has no SQLite. Parallax needs Node 22.13 or newer.`,
      { cause: error },
    );
  } finally {
    process.emitWarning = warn;
  }
}

function prepare(db: InstanceType<Sqlite['DatabaseSync']>, sql: string): Statement {
  const statement = db.prepare(sql);
  return {
    run: (...values) => {
      const { changes, lastInsertRowid } = statement.run(...values);
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
    },
    get: (...values) => statement.get(...values) as Row | undefined,
    all: (...values) => statement.all(...values) as Row[],
    iterate: (...values) => statement.iterate(...values) as IterableIterator<Row>,
  };
}

function transaction<T>(db: InstanceType<Sqlite['DatabaseSync']>, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}
