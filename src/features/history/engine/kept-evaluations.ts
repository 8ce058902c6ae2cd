/** The history: every evaluation, with what a comparison of any two needs. It survives restarts. */
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { historyEntrySchema, type HistoryEntry } from '../core/entry.ts';
import {
  evaluationSummarySchema,
  summaryOf,
  type EntryBefore,
  type EvaluationSummary,
} from '../core/summary.ts';
import { sealed, unsealed } from '../../../engine/store/checksums.ts';
import type { Database, Row } from '../../../engine/store/database.ts';
import { createTables } from '../../../engine/store/tables.ts';

/** Raise it if the form of an entry changes. Older ones are then counted, and no longer listed. */
const FORM = 2;

const TABLE = `CREATE TABLE IF NOT EXISTS evaluations_1 (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, form INTEGER NOT NULL, summary TEXT NOT NULL,
  content BLOB NOT NULL, checksum TEXT NOT NULL)`;

/** One pipeline on 178 queries takes about 20 kB. Continuous runs add one after every change. */
const CAPACITY = 1_000;

/** How many of the newest entries are searched for the last one that evaluated the same. */
const LOOKED_BACK = 50;

export class KeptEvaluations {
  readonly #db: Database;
  readonly #log: (message: string) => void;
  readonly #capacity: number;
  /** Ids of those that cannot be read, each logged once. */
  readonly #unreadable = new Set<string>();

  /** Creates its table if it is missing. The database may have other tables. */
  constructor(db: Database, log: (message: string) => void, capacity = CAPACITY) {
    createTables(db, TABLE);
    this.#db = db;
    this.#log = log;
    this.#capacity = capacity;
  }

  /**
   * Adds an entry, and deletes the oldest beyond the capacity.
   *
   * @param accepted whether it is the baseline
   */
  add(entry: HistoryEntry, accepted = false): void {
    const content = deflateRawSync(JSON.stringify(entry));
    const summary = sealed(JSON.stringify(summaryOf(entry, accepted, this.#before())));
    this.#db.transaction(() => {
      this.#db
        .prepare('INSERT INTO evaluations_1 (id, form, summary, content, checksum) VALUES (?, ?, ?, ?, ?)')
        .run(entry.id, FORM, summary, content, checksumOf(content));
      this.#db
        .prepare(
          `DELETE FROM evaluations_1 WHERE number NOT IN
             (SELECT number FROM evaluations_1 ORDER BY number DESC LIMIT ?)`,
        )
        .run(this.#capacity);
    });
  }

  /** Newest first. Leaves out and logs those that cannot be read. */
  list(): EvaluationSummary[] {
    return this.#summaries(this.#capacity);
  }

  /** The number of entries in another form. */
  get unlisted(): number {
    const row = this.#db.prepare('SELECT count(*) AS others FROM evaluations_1 WHERE form <> ?').get(FORM);
    return Number(row?.['others']);
  }

  #summaries(limit: number): EvaluationSummary[] {
    return this.#db
      .prepare('SELECT id, form, summary FROM evaluations_1 ORDER BY number DESC LIMIT ?')
      .all(limit)
      .flatMap((row) => {
        try {
          return readSummary(row);
        } catch (error) {
          this.#report(String(row['id']), messageOf(error));
          return [];
        }
      });
  }

  /** @throws ParallaxError `not-found` for one that does not exist or cannot be read */
  get(id: string): HistoryEntry {
    const row = this.#db
      .prepare('SELECT content, checksum FROM evaluations_1 WHERE id = ? AND form = ?')
      .get(id, FORM);
    if (!row) throw new ParallaxError('not-found', l10n.t('This evaluation is no longer in the history.'));
    try {
      return readContent(row);
    } catch (error) {
      this.#report(id, messageOf(error));
      throw new ParallaxError('not-found', l10n.t('This evaluation can no longer be read.'), {
        cause: error,
      });
    }
  }

  /** Marks an entry as the baseline, if it exists. */
  markAccepted(id: string): void {
    const summary = this.list().find((each) => each.id === id);
    if (!summary) return;
    this.#db
      .prepare('UPDATE evaluations_1 SET summary = ? WHERE id = ?')
      .run(sealed(JSON.stringify({ ...summary, accepted: true })), id);
  }

  #before(): EntryBefore {
    const newest = this.#summaries(LOOKED_BACK);
    const entries = new Map<string, HistoryEntry | undefined>();
    return (dataset, pipeline) => {
      const evaluation = newest.find(({ rows }) =>
        rows.some((row) => row.dataset === dataset && row.pipeline === pipeline),
      );
      if (!evaluation) return undefined;
      if (!entries.has(evaluation.id)) entries.set(evaluation.id, this.#readable(evaluation.id));
      return entries.get(evaluation.id);
    };
  }

  /** @returns undefined for a damaged entry, which is logged and gives no changes */
  #readable(id: string): HistoryEntry | undefined {
    try {
      return this.get(id);
    } catch (error) {
      if (ParallaxError.is(error, 'not-found')) return undefined;
      throw error;
    }
  }

  #report(id: string, reason: string): void {
    if (this.#unreadable.has(id)) return;
    this.#unreadable.add(id);
    this.#log(`The evaluation ${id} of the history is left out: ${reason}`);
  }
}

function readSummary({ form, summary }: Row): EvaluationSummary {
  if (form !== FORM)
    throw new ParallaxError('bad-file', l10n.t`It was written by another version (form ${String(form)}).`);
  const whole = unsealed(String(summary));
  if (whole === undefined) throw new ParallaxError('bad-file', l10n.t('It is damaged.'));
  return evaluationSummarySchema.parse(JSON.parse(whole));
}

function readContent({ content, checksum }: Row): HistoryEntry {
  if (!(content instanceof Uint8Array) || checksumOf(content) !== checksum)
    throw new ParallaxError('bad-file', l10n.t('It is damaged.'));
  return historyEntrySchema.parse(JSON.parse(inflateRawSync(content).toString('utf8')));
}

const checksumOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
