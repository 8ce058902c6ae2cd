/** The tables of stored answers. */
import { ANSWER_SOURCES } from '../../core/words.ts';
import type { Database } from '../store/database.ts';
import { createTables } from '../store/tables.ts';

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');

/** A judge's name, model and prompt are stored once per key of a judge. Names of tables carry the schema's version. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS judges_1 (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL CHECK (source IN (${quoted(ANSWER_SOURCES)})),
    name TEXT NOT NULL,
    model TEXT,
    prompt_version TEXT,
    standard TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS answers_1 (
    judge INTEGER NOT NULL REFERENCES judges_1(id),
    perspective TEXT NOT NULL,
    passage TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('yes', 'no', 'unsure')),
    evidence TEXT NOT NULL,
    rationale TEXT,
    confidence REAL,
    at TEXT NOT NULL,
    unparsable INTEGER NOT NULL,
    cost TEXT,
    details TEXT,
    checksum INTEGER NOT NULL,
    details_checksum INTEGER NOT NULL,
    PRIMARY KEY (judge, perspective, passage)
  ) WITHOUT ROWID`;

/** Creates the tables if they are missing. The database may have other tables. */
export function createAnswerTables(db: Database): void {
  createTables(db, TABLES);
}
