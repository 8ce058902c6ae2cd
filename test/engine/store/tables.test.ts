import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { DamagedDatabase, openDatabase } from '../../../src/engine/store/database.ts';
import { checkTables, createTables, noteTables } from '../../../src/engine/store/tables.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const WORDS = 'CREATE TABLE IF NOT EXISTS words (word TEXT PRIMARY KEY, number INTEGER NOT NULL)';
const TEXTS = `
  CREATE TABLE IF NOT EXISTS texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS texts_text ON texts(text)`;

function newFile(t: TestContext): string {
  const folder = temporaryFolder(t);
  return path.join(folder, 'tables.sqlite');
}

test('tables that several processes create and change are valid', (t) => {
  const file = newFile(t);
  const [first, second] = [openDatabase(file), openDatabase(file)];
  checkTables(first, file);
  createTables(first, WORDS);
  createTables(second, TEXTS);
  createTables(first, TEXTS);
  createTables(second, WORDS);
  checkTables(first, file);
  first.transaction(() => {
    first.exec('ALTER TABLE words ADD COLUMN seen INTEGER');
    noteTables(first);
  });
  checkTables(second, file);
  second.exec("INSERT INTO words VALUES ('river', 2, 1)");
  checkTables(first, file);
  first.close();
  second.close();
});

test('a changed letter in the definition of a table or an index is damage', (t) => {
  for (const [text, changed] of [
    ['number INTEGER', 'numbes INTEGER'],
    ['texts_text ON', 'texts_tevt ON'],
    ['NOT NULL', 'NOT MULL'],
  ] as const) {
    const file = newFile(t);
    const made = openDatabase(file);
    createTables(made, WORDS);
    createTables(made, TEXTS);
    made.close();
    const bytes = readFileSync(file, 'latin1');
    assert.ok(bytes.includes(text));
    writeFileSync(file, bytes.replace(text, changed), 'latin1');
    assert.throws(
      () => openChecked(file),
      (error) => error instanceof DamagedDatabase,
      text,
    );
  }
});

test('a changed bit in the schema page is damage, or changes nothing', (t) => {
  const file = newFile(t);
  const made = openDatabase(file);
  createTables(made, WORDS);
  createTables(made, TEXTS);
  made.close();
  const sound = readFileSync(file);
  for (let at = 0; at < 4096; at++)
    for (const bit of [0, at % 8]) {
      const changed = Buffer.from(sound);
      changed[at]! ^= 1 << bit;
      writeFileSync(file, changed);
      try {
        openChecked(file);
      } catch (error) {
        assert.ok(error instanceof DamagedDatabase, `bit ${bit} of byte ${at}: ${String(error)}`);
      }
    }
});

function openChecked(file: string): void {
  const db = openDatabase(file);
  try {
    checkTables(db, file);
  } finally {
    db.close();
  }
}
