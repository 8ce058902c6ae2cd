/**
 * Comparisons that can be opened again after a restart: the figures of each, and the rankings behind them in a row
 * per query, so that one query can be read without the others.
 */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as l10n from '@vscode/l10n';
import type * as z from 'zod';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { evaluationSchema, type Evaluation } from '../../../evaluation/evaluation.ts';
import { keptComparisonSchema, type KeptComparison } from '../contract/panel.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import { sealed, unsealed } from '../../../engine/store/checksums.ts';
import type { Database, Row, SqlValue } from '../../../engine/store/database.ts';
import { createTables } from '../../../engine/store/tables.ts';
import { queryRankingsSchema, type KeptRankings, type QueryRankings } from './kept-rankings.ts';

/** Raise it if the form of comparisons or rankings changes. Older ones are then no longer listed. */
const FORM = 2;

const TABLES = `
  CREATE TABLE IF NOT EXISTS comparisons_1 (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, form INTEGER NOT NULL, summary TEXT NOT NULL,
    content BLOB NOT NULL, checksum TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS comparison_rankings_1 (
    comparison INTEGER NOT NULL REFERENCES comparisons_1(number) ON DELETE CASCADE,
    dataset TEXT NOT NULL, query TEXT NOT NULL, rankings BLOB NOT NULL,
    PRIMARY KEY (comparison, dataset, query)) WITHOUT ROWID`;

/** A comparison of twelve pipelines on 178 queries takes about a megabyte. */
const CAPACITY = 50;

export class KeptComparisons {
  readonly #db: Database;
  readonly #log: (message: string) => void;
  readonly #capacity: number;
  /** Ids of those that cannot be read, each logged once. */
  readonly #unreadable = new Set<string>();

  /** Creates its tables if they are missing. The database may have other tables. */
  constructor(db: Database, log: (message: string) => void, capacity = CAPACITY) {
    createTables(db, TABLES);
    this.#db = db;
    this.#log = log;
    this.#capacity = capacity;
  }

  /**
   * Stores a comparison completely or not at all, and deletes the oldest beyond the capacity.
   *
   * @param rankings per data set of the comparison
   */
  async add(comparison: Evaluation, rankings: readonly KeptRankings[]): Promise<void> {
    const pace = new Pace({});
    const rows: [dataset: string, query: string, rankings: Uint8Array][] = [];
    for (const [index, { name }] of comparison.datasets.entries())
      for (const [query, rankingsOfQuery] of rankings[index] ?? []) {
        rows.push([name, query, pack(rankingsOfQuery)]);
        if (pace.due) await pace.rest();
      }
    const content = pack(comparison);
    this.#db.transaction(() => {
      const { lastInsertRowid: number } = this.#db
        .prepare('INSERT INTO comparisons_1 (id, form, summary, content, checksum) VALUES (?, ?, ?, ?, ?)')
        .run(
          comparison.id,
          FORM,
          sealed(JSON.stringify(summaryOf(comparison))),
          content,
          checksumOf(content),
        );
      const insert = this.#db.prepare(
        'INSERT INTO comparison_rankings_1 (comparison, dataset, query, rankings) VALUES (?, ?, ?, ?)',
      );
      for (const row of rows) insert.run(number, ...row);
      this.#db
        .prepare(
          `DELETE FROM comparisons_1 WHERE number NOT IN
             (SELECT number FROM comparisons_1 ORDER BY number DESC LIMIT ?)`,
        )
        .run(this.#capacity);
    });
  }

  /** Newest first. Leaves out and logs those of another form, and damaged ones. */
  list(): KeptComparison[] {
    return this.#db
      .prepare('SELECT id, form, summary, content, checksum FROM comparisons_1 ORDER BY number DESC')
      .all()
      .flatMap((row) => {
        const summary = readSummary(row);
        if (typeof summary === 'object') return summary;
        this.#report(String(row['id']), summary);
        return [];
      });
  }

  /** @throws ParallaxError `not-found` for one that does not exist or cannot be read */
  get(id: string): Evaluation {
    const row = this.#db.prepare('SELECT content FROM comparisons_1 WHERE id = ? AND form = ?').get(id, FORM);
    if (row) return this.#read(evaluationSchema, row['content'], id);
    throw new ParallaxError('not-found', l10n.t('This comparison is no longer kept. Run it again.'));
  }

  /** @throws ParallaxError `not-found` for a comparison or query that does not exist or cannot be read */
  rankings(id: string, dataset: string, query: string): QueryRankings {
    const row = this.#db
      .prepare(
        `SELECT rankings FROM comparison_rankings_1 JOIN comparisons_1 ON number = comparison
         WHERE id = ? AND form = ? AND dataset = ? AND query = ?`,
      )
      .get(id, FORM, dataset, query);
    if (row) return this.#read(queryRankingsSchema, row['rankings'], id);
    throw new ParallaxError(
      'not-found',
      l10n.t`No kept comparison has the question "${query}" in "${dataset}".`,
    );
  }

  /** Does nothing if it does not exist. */
  forget(id: string): void {
    this.#db.prepare('DELETE FROM comparisons_1 WHERE id = ?').run(id);
  }

  #read<T extends z.ZodType>(schema: T, content: SqlValue | undefined, id: string): z.output<T> {
    try {
      return schema.parse(unpack(content as Uint8Array));
    } catch (error) {
      this.#report(id, messageOf(error));
      throw new ParallaxError('not-found', l10n.t('This comparison can no longer be read. Run it again.'), {
        cause: error,
      });
    }
  }

  #report(id: string, reason: string): void {
    if (this.#unreadable.has(id)) return;
    this.#unreadable.add(id);
    this.#log(`The kept comparison ${id} is left out: ${reason}`);
  }
}

function summaryOf({ id, at, datasets, pipelines, k }: Evaluation): KeptComparison {
  return {
    id,
    at,
    datasets: datasets.map(({ name }) => name),
    pipelines: pipelines.map(({ name }) => name),
    queries: datasets.reduce((sum, { queries }) => sum + queries.length, 0),
    k,
  };
}

/** @returns a message if the row cannot be read */
function readSummary({ form, summary, content, checksum }: Row): KeptComparison | string {
  if (form !== FORM) return `it was written by another version (form ${String(form)}).`;
  const whole = unsealed(String(summary));
  if (whole === undefined || !(content instanceof Uint8Array) || checksumOf(content) !== checksum)
    return 'it is damaged.';
  try {
    return keptComparisonSchema.parse(JSON.parse(whole));
  } catch (error) {
    return messageOf(error);
  }
}

/** gzip adds a checksum, since SQLite does not notice a changed byte within a value. */
const pack = (value: unknown): Uint8Array => gzipSync(JSON.stringify(value));
const unpack = (content: Uint8Array): unknown => JSON.parse(gunzipSync(content).toString('utf8'));
const checksumOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
