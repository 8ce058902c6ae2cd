/** Copies models' answers from a damaged database, as far as its pages can be read. */
import { ParallaxError } from '../../core/errors.ts';
import { DamagedDatabase, type Database, type SqlValue } from '../store/database.ts';

/** Tables of paid answers, judges before their answers, with the columns that order them. */
const TABLES = {
  judges_1: ['id'],
  answers_1: ['judge', 'perspective', 'passage'],
  replies_1: ['key'],
  generations_1: ['key', 'query'],
} as const;
type Table = keyof typeof TABLES;

/**
 * Copied rows keep their checksums, which are checked when an answer is requested. A damaged row then counts as no
 * answer.
 *
 * @param damaged a database that can at least be opened
 * @param database with the same tables, empty
 * @returns the number of copied answers and replies
 */
export function salvageAnswers(damaged: Database, database: Database): number {
  let count = 0;
  for (const table of Object.keys(TABLES) as Table[]) {
    const columns = columnsOf(database, table);
    if (columns.length === 0) continue;
    const marks = columns.map(() => '?').join(', ');
    const insert = database.prepare(
      `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${marks})`,
    );
    database.transaction(() => {
      for (const row of readableRows(damaged, table, columns))
        if (inserted(() => insert.run(...row).changes) && table !== 'judges_1') count++;
    });
  }
  return count;
}

function columnsOf(database: Database, table: Table): string[] {
  return database
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name));
}

/** Reads from both ends until a page cannot be read, so only rows between two damaged pages are lost. */
function* readableRows(database: Database, table: Table, columns: readonly string[]): Generator<SqlValue[]> {
  for (const direction of ['ASC', 'DESC']) {
    const order = TABLES[table].map((column) => `${column} ${direction}`).join(', ');
    try {
      for (const row of database.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).iterate())
        yield columns.map((column) => row[column] ?? null);
      return;
    } catch (error) {
      // The other end may be readable.
      if (!(error instanceof DamagedDatabase)) throw error;
    }
  }
}

/** A row that fits no column is damaged. */
function inserted(insert: () => number): boolean {
  try {
    return insert() > 0;
  } catch (error) {
    // The disk caused the error, not the row.
    if (ParallaxError.is(error)) throw error;
    return false;
  }
}
