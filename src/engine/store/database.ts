/**
 * The only file that depends on the SQLite in use: `node:sqlite`, which the Node of every supported editor has, so
 * that the package contains no native database. It uses seven calls, which `better-sqlite3` has, too.
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
  /** Runs `work` in one transaction, which stores everything or nothing. Transactions do not nest. */
  transaction<T>(work: () => T): T;
  close(): void;
}

/** The file is damaged. If its content can be recreated, start with an empty file. */
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
/**
 * The most memory for pages. Writes to the indexes of a large store are scattered, so a smaller cache writes
 * pages repeatedly.
 */
const CACHE_KIB = 64 * 1024;
/** 4 MB at once. Other requests are answered in between. */
const COPIED_PAGES = 1024;
/** 16 MB of log, so that an index page that changes often is copied into the file less often. */
const CHECKPOINT_PAGES = 4096;

/**
 * Opens or creates a database. WAL with `synchronous = NORMAL`: committed data survives the end of the process at any
 * moment; a power cut can lose the last commits but never damages the file.
 *
 * Later errors of the file are thrown as `store-unusable`, too, by the call that meets them.
 *
 * @param path a file, or `:memory:`
 * @throws ParallaxError `store-unusable` if the file cannot be opened; DamagedDatabase if it is no database
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
 * Checks the structure of a database, tables and indexes. Reads all of it at once. Does not detect a changed byte
 * within a text.
 *
 * @throws DamagedDatabase
 */
export function checkStructure(db: Database, path: string): void {
  const [first] = db.prepare('PRAGMA integrity_check(1)').all();
  const finding = String(first?.['integrity_check']);
  if (finding !== 'ok') throw new DamagedDatabase(path, finding.split('\n').at(-1)!);
}

/**
 * Copies one database over another, in one transaction that other processes see as a whole.
 *
 * @param from a file that no process writes to
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

/** A lock between processes, which the operating system releases if its holder dies. */
export interface FileLock {
  /** @returns whether this process now holds it */
  take(): boolean;
  /** Releases it. */
  close(): void;
}

/**
 * SQLite's own write lock, on an empty file. It works wherever SQLite does.
 *
 * @throws ParallaxError `store-unusable` if the file cannot be created
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

/** Retries, because SQLite does not wait while another process begins or ends the log of a database. */
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

/** Runs a call of SQLite. @throws ParallaxError if the file or the disk causes the error, else what was thrown */
function explained<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw explain(path, error);
  }
}

/** The upper bits of a code only add details. */
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
      return unusable(
        l10n.t`Another window has been writing to ${path} for a long time. Try again in a moment.`,
      );
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

/** Damage without a code of SQLite's own: a changed header or schema, bytes instead of a text. */
const SAYS_DAMAGED =
  /^(?:unsupported file format|no such (?:table|column|index)|malformed|table \S+ has no column|foreign key mismatch|JSON cannot hold BLOB)/u;

/** Uses `require`, because a failed `import` of a missing built-in module would fail the whole bundle. */
function loadSqlite(): Sqlite {
  const warn = process.emitWarning;
  try {
    // Node warns on every start that its SQLite is experimental, which users cannot change.
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
    // SQLite has already rolled back if the disk is full or the file is damaged.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
