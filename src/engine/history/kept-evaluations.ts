/** The history: every evaluation, with what it takes to compare any two of them. It survives restarts. */
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { historyEntrySchema, type HistoryEntry } from '../../core/history/entry.ts';
import { evaluationSummarySchema, type EvaluationSummary } from '../../shared/evaluation.ts';
import type { Database, Row } from '../store/database.ts';

/** Raise when an entry gets another form: older ones are then no longer listed. */
const FORM = 1;

const TABLE = `CREATE TABLE IF NOT EXISTS evaluations_1 (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, form INTEGER NOT NULL, summary TEXT NOT NULL,
  content BLOB NOT NULL, checksum TEXT NOT NULL)`;

/** One pipeline on 178 queries takes about 20 kB; continuous runs add one after every change. */
const CAPACITY = 1_000;

export class KeptEvaluations {
  readonly #db: Database;
  readonly #log: (message: string) => void;
  readonly #capacity: number;
  /** Ids of those that cannot be read, each logged once. */
  readonly #unreadable = new Set<string>();

  /** Creates its table where it is missing; the database may hold others. */
  constructor(db: Database, log: (message: string) => void, capacity = CAPACITY) {
    db.exec(TABLE);
    this.#db = db;
    this.#log = log;
    this.#capacity = capacity;
  }

  /** Keeps an entry, and forgets the oldest beyond the capacity. */
  add(entry: HistoryEntry): void {
    const content = deflateRawSync(JSON.stringify(entry));
    const summary = JSON.stringify(summaryOf(entry));
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

  /** Newest first; those that cannot be read are left out and logged. */
  list(): EvaluationSummary[] {
    return this.#db
      .prepare('SELECT id, form, summary FROM evaluations_1 ORDER BY number DESC')
      .all()
      .flatMap((row) => {
        try {
          return readSummary(row);
        } catch (error) {
          this.#report(String(row['id']), messageOf(error));
          return [];
        }
      });
  }

  /** @throws ParallaxError `not-found` for one that is not there or cannot be read */
  get(id: string): HistoryEntry {
    const row = this.#db
      .prepare('SELECT content, checksum FROM evaluations_1 WHERE id = ? AND form = ?')
      .get(id, FORM);
    if (!row) throw new ParallaxError('not-found', 'This evaluation is no longer in the history.');
    try {
      return readContent(row);
    } catch (error) {
      this.#report(id, messageOf(error));
      throw new ParallaxError('not-found', 'This evaluation can no longer be read.', { cause: error });
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
    throw new ParallaxError('bad-file', `It was written by another version (form ${String(form)}).`);
  return evaluationSummarySchema.parse(JSON.parse(String(summary)));
}

function readContent({ content, checksum }: Row): HistoryEntry {
  if (!(content instanceof Uint8Array) || checksumOf(content) !== checksum)
    throw new ParallaxError('bad-file', 'It is damaged.');
  return historyEntrySchema.parse(JSON.parse(inflateRawSync(content).toString('utf8')));
}

function summaryOf({ datasets, ...head }: HistoryEntry): EvaluationSummary {
  return {
    ...head,
    rows: datasets.flatMap(({ name, corpus, judgements, pipelines }) =>
      pipelines.map((pipeline) => ({
        dataset: name,
        pipeline: pipeline.name,
        queries: pipeline.queries.length,
        metrics: pipeline.metrics,
        corpus: corpus.fingerprint,
        passages: corpus.passages,
        pairs: judgements.pairs,
        judged: judgements.judged,
      })),
    ),
  };
}

const checksumOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
