/**
 * The only file that knows which SQLite there is: `node:sqlite`, which the Node of every supported
 * editor carries, so that no native database ships. Seven calls; `better-sqlite3` offers the same.
 */
import { createRequire } from 'node:module';
import type * as sqlite from 'node:sqlite';
import * as l10n from '@vscode/l10n';
import { ParallaxError, messageOf } from '../../core/errors.ts';

export type SqlValue = string | number | bigint | null | Uint8Array;
export type Row = Record<string, SqlValue>;

export const text = (row: Row, column: string): string => String(row[column]);
export const number = (row: Row, column: string): number => Number(row[column]);
export const hex = (value: unknown): string => Buffer.from(value as Uint8Array).toString('hex');

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

/** The file is not as it was written. What can be had anew is best begun anew. */
export class DamagedDatabase extends ParallaxError {
  constructor(path: string, reason: string, options?: { cause?: unknown }) {
    super(
      'store-unusable',
      l10n.t`The index file ${path} is damaged (${reason}). Rebuild the index, or restart Parallax.`,
      options,
    );
  }
}

type Sqlite = typeof sqlite;

/** Another window may hold the write lock for the length of one of its transactions. */
const BUSY_TIMEOUT_MS = 10_000;
const BUSY_RETRY_MS = 20;
/** At most. The indexes of a large store are written all over the place: with too little, each page many times. */
const CACHE_KIB = 64 * 1024;
/** 4 MB at a time, between which other requests are answered. */
const COPIED_PAGES = 1024;
/** 16 MB of log: an index page that changes often is copied into the file once in so many. */
const CHECKPOINT_PAGES = 4096;

/**
 * Opens or creates a database. WAL with `synchronous = NORMAL`: what was committed survives the end of
 * the process at any moment; a power cut can lose the last commits but never damages the file.
 *
 * Later faults of the file are thrown as `store-unusable`, too, by whichever call met them.
 *
 * @param path a file, or `:memory:`
 * @throws ParallaxError `store-unusable` when the file cannot be opened; DamagedDatabase when it is no database
 */
export function openDatabase(path: string): Database {
  const { DatabaseSync } = loadSqlite();
  return explained(path, () => {
    const db = new DatabaseSync(path);
    try {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      patiently(() => db.exec('PRAGMA journal_mode = WAL'));
      db.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON');
      db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    } catch (error) {
      db.close();
      throw error;
    }
    return {
      exec: (sql) => explained(path, () => db.exec(sql)),
      prepare: (sql) => prepare(db, path, sql),
      transaction: (work) => transaction(db, path, work),
      close: () => db.close(),
    };
  });
}

/**
 * Whether the structure of a database is sound, tables and indexes; reads all of it at one go. A changed
 * byte within a text is none of its business.
 *
 * @throws DamagedDatabase
 */
export function checkStructure(db: Database, path: string): void {
  const [first] = db.prepare('PRAGMA integrity_check(1)').all();
  const finding = String(first?.['integrity_check']);
  if (finding !== 'ok') throw new DamagedDatabase(path, finding.split('\n').at(-1)!);
}

/**
 * Makes one database the copy of another, in one transaction that other processes see as a whole.
 *
 * @param from a file that no one writes to
 * @param to a file that other processes may have open
 * @throws ParallaxError `store-unusable`, `native-missing`; DamagedDatabase
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const { DatabaseSync, backup } = loadSqlite();
  const source = explained(from, () => new DatabaseSync(from));
  try {
    await backup(source, to, { rate: COPIED_PAGES });
  } catch (error) {
    throw explain(to, error);
  } finally {
    source.close();
  }
}

/** A lock that all processes see, and that the operating system gives back when its holder dies. */
export interface FileLock {
  /** @returns whether it is ours now */
  take(): boolean;
  /** Gives it back. */
  close(): void;
}

/**
 * SQLite's own write lock, on a file that holds nothing: it works wherever SQLite does.
 *
 * @throws ParallaxError `store-unusable` when there can be no such file
 */
export function openLock(path: string): FileLock {
  const { DatabaseSync } = loadSqlite();
  const db = explained(path, () => new DatabaseSync(path));
  return {
    take: () => {
      try {
        db.exec('BEGIN IMMEDIATE');
        return true;
      } catch (error) {
        if (codeOf(error) === BUSY) return false;
        throw explain(path, error);
      }
    },
    close: () => db.close(),
  };
}

/** Primary result codes of SQLite: sqlite.org/rescode.html. */
const ERROR = 1;
const BUSY = 5;
const READONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

/** SQLite does not wait by itself while another process begins or ends the log of a database. */
function patiently(call: () => void): void {
  const end = performance.now() + BUSY_TIMEOUT_MS;
  for (;;)
    try {
      return call();
    } catch (error) {
      if (codeOf(error) !== BUSY || performance.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_RETRY_MS);
    }
}

/** Runs a call of SQLite. @throws ParallaxError where the file or the disk is to blame, else what was thrown */
function explained<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw explain(path, error);
  }
}

/** The upper bits of a code only say more about the same. */
function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

function explain(path: string, error: unknown): unknown {
  const reason = messageOf(error);
  const cause = { cause: error };
  const unusable = (sentence: string): ParallaxError => new ParallaxError('store-unusable', sentence, cause);
  const code = codeOf(error);
  if (code === undefined) return error;
  switch (code) {
    case BUSY:
      return unusable(l10n.t`Another window has been writing to ${path} for long. Try again in a moment.`);
    case READONLY:
      return unusable(l10n.t`${path} cannot be written. Make its folder writable, then try again.`);
    case ERROR:
      return SAYS_DAMAGED.test(reason) ? new DamagedDatabase(path, reason, cause) : error;
    case CORRUPT:
    case NOT_A_DATABASE:
      return new DamagedDatabase(path, reason, cause);
    case FULL:
      return unusable(l10n.t`There is no room left for ${path}. Free space on that disk, then try again.`);
    case CANNOT_OPEN:
      return unusable(l10n.t`${path} cannot be opened. Check that its folder exists and can be written.`);
    case IO_ERROR:
      return unusable(
        l10n.t`${path} cannot be read or written (${reason}). Check that disk, then try again.`,
      );
    default:
      return error;
  }
}

/** Damage without a code of SQLite's own: a header or schema that is not as it was written, bytes where a text was. */
const SAYS_DAMAGED =
  /^(?:unsupported file format|no such (?:table|column|index)|malformed|table \S+ has no column|foreign key mismatch|JSON cannot hold BLOB)/u;

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
      l10n.t`This Node (${process.version}) has no SQLite. Parallax needs Node 22.13 or newer.`,
      { cause: error },
    );
  } finally {
    process.emitWarning = warn;
  }
}

function prepare(db: InstanceType<Sqlite['DatabaseSync']>, path: string, sql: string): Statement {
  const statement = explained(path, () => db.prepare(sql));
  return {
    run: (...values) =>
      explained(path, () => {
        const { changes, lastInsertRowid } = statement.run(...values);
        return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
      }),
    get: (...values) => explained(path, () => statement.get(...values) as Row | undefined),
    all: (...values) => explained(path, () => statement.all(...values) as Row[]),
    *iterate(...values) {
      const rows = explained(path, () => statement.iterate(...values) as IterableIterator<Row>);
      for (;;) {
        const { done, value } = explained(path, () => rows.next());
        if (done) return;
        yield value;
      }
    },
  };
}

function transaction<T>(db: InstanceType<Sqlite['DatabaseSync']>, path: string, work: () => T): T {
  explained(path, () => db.exec('BEGIN IMMEDIATE'));
  try {
    const result = work();
    explained(path, () => db.exec('COMMIT'));
    return result;
  } catch (error) {
    // SQLite has rolled back by itself where the disk was full or the file damaged.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
