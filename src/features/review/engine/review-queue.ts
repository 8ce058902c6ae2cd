/**
 * Pairs of passage and perspective that wait for people, durable and shared by all windows. Whether a pair is done is
 * not stored but follows from the labels, so labels that come by git count, and withdrawing a label returns its pair.
 */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { messageOf } from '../../../core/errors.ts';
import { normalizePerspective } from '../../../core/formats/labels.ts';
import { inReviewOrder, isMoreUrgent, REVIEW_REASONS, type ReviewReason } from '../core/queue.ts';
import { sealed, unsealed } from '../../../engine/store/checksums.ts';
import type { Database, Row, Statement } from '../../../engine/store/database.ts';
import { createTables } from '../../../engine/store/tables.ts';
import { textHash } from '../../../engine/text-sums.ts';

/** The name carries the version of the schema. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS review_1 (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, reason TEXT NOT NULL,
    place REAL NOT NULL, skipped TEXT, content TEXT NOT NULL)`;

/** More than people will ever label. Each takes about a kilobyte. */
const CAPACITY = 5_000;

const contentSchema = z.object({
  corpus: z.string(),
  query: z.object({ id: z.string().optional(), text: z.string() }),
  perspective: z.object({
    id: z.string(),
    text: z.string(),
    stance: z.enum(['support', 'oppose']).optional(),
  }),
  passage: z.object({
    id: z.string(),
    hash: z.string(),
    documentId: z.string(),
    /** Name of the passage, file and section. Missing in older queues. */
    name: z.string().optional(),
    text: z.string(),
    lines: z.object({ first: z.number().int(), last: z.number().int() }).optional(),
  }),
  /** Id of the support standard that people should apply. */
  standard: z.string(),
  /** Keys of the judges whose answers led to it. */
  judges: z.array(z.string()),
  people: z.number().int().min(1),
  /** Answers before this time (ISO 8601) do not count. */
  since: z.string().optional(),
  /** The probability in (0, 1] with which its query was drawn. Missing if it was not drawn. */
  chance: z.number().gt(0).max(1).optional(),
  /** The right answer of an attention check. */
  expected: z.enum(['yes', 'no']).optional(),
});
type Content = Read<typeof contentSchema>;

export interface NewReviewItem extends Content {
  readonly reason: ReviewReason;
  /** See `Queued`. 0 if the order does not matter. */
  readonly place?: number | undefined;
}

export interface ReviewItem extends Content {
  readonly id: string;
  readonly number: number;
  readonly reason: ReviewReason;
  readonly place: number;
  readonly skipped?: string | undefined;
}

export class ReviewQueue {
  readonly #db: Database;
  readonly #log: (message: string) => void;
  readonly #capacity: number;
  readonly #insert: Statement;
  readonly #get: Statement;
  readonly #replace: Statement;

  /** Creates its table if it is missing. The database may have other tables. */
  constructor(db: Database, log: (message: string) => void, capacity = CAPACITY) {
    createTables(db, TABLE);
    this.#db = db;
    this.#log = log;
    this.#capacity = capacity;
    this.#insert = db.prepare(
      'INSERT INTO review_1 (id, reason, place, content) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#get = db.prepare('SELECT * FROM review_1 WHERE id = ?');
    this.#replace = db.prepare('UPDATE review_1 SET reason = ?, place = ?, content = ? WHERE id = ?');
  }

  /**
   * Adds items. An existing one keeps its place, unless the new reason is more urgent. It may need more people, and
   * involve more judges.
   *
   * @param isDone items to remove if the queue is full; after them, the least urgent items are removed, or the new
   *   ones are not added
   * @returns how many are new, and how many of them were not added
   */
  add(
    items: readonly NewReviewItem[],
    isDone: (item: ReviewItem) => boolean,
  ): { added: number; leftOut: number } {
    return this.#db.transaction(() => {
      const fresh = new Set(items.filter((item) => this.#put(item)).map(idOf));
      const dropped = this.#trim(isDone);
      const leftOut = dropped.filter((id) => fresh.has(id)).length;
      return { added: fresh.size - leftOut, leftOut };
    });
  }

  /** In the order of review. A damaged item is left out and deleted. */
  all(): ReviewItem[] {
    return this.#db
      .prepare('SELECT * FROM review_1')
      .all()
      .flatMap((row) => this.#read(row) ?? [])
      .sort(inReviewOrder);
  }

  get(id: string): ReviewItem | undefined {
    const row = this.#get.get(id);
    return row && this.#read(row);
  }

  /** @param at ISO 8601 */
  skip(id: string, at: string): void {
    this.#db.prepare('UPDATE review_1 SET skipped = ? WHERE id = ?').run(at, id);
  }

  /** Ignores those that do not exist. */
  remove(ids: readonly string[]): void {
    const statement = this.#db.prepare('DELETE FROM review_1 WHERE id = ?');
    this.#db.transaction(() => ids.forEach((id) => statement.run(id)));
  }

  /** @returns whether it is new */
  #put(item: NewReviewItem): boolean {
    const { reason, place = 0, ...content } = item;
    const id = idOf(item);
    if (this.#insert.run(id, reason, place, sealed(JSON.stringify(content))).changes > 0) return true;
    const known = this.get(id);
    if (!known) return false;
    const better = isMoreUrgent(reason, known.reason) ? item : known;
    const merged: Content = {
      ...contentSchema.parse(better),
      people: Math.max(known.people, item.people),
      judges: [...new Set([...known.judges, ...item.judges])],
      // Its query counts as drawn, whatever else adds the pair.
      chance: item.chance ?? known.chance,
    };
    this.#replace.run(better.reason, better.place ?? 0, sealed(JSON.stringify(merged)), id);
    return false;
  }

  /** @returns the ids of the removed items */
  #trim(isDone: (item: ReviewItem) => boolean): string[] {
    const count = Number(this.#db.prepare('SELECT count(*) AS n FROM review_1').get()?.['n']);
    if (count <= this.#capacity) return [];
    const items = this.all();
    const [done, open] = [items.filter(isDone), items.filter((item) => !isDone(item))];
    const dropped = [...open, ...done].slice(this.#capacity).map(({ id }) => id);
    const statement = this.#db.prepare('DELETE FROM review_1 WHERE id = ?');
    for (const id of dropped) statement.run(id);
    return dropped;
  }

  #read(row: Row): ReviewItem | undefined {
    const { number, id, reason, place, skipped } = row;
    try {
      return {
        ...contentSchema.parse(JSON.parse(unsealed(String(row['content'])) ?? 'null')),
        id: String(id),
        number: Number(number),
        reason: z.enum(REVIEW_REASONS).parse(reason),
        place: Number(place),
        ...(typeof skipped === 'string' ? { skipped } : {}),
      };
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
      this.#log(`A pair in the review queue cannot be read and is dropped: ${messageOf(error)}`);
      this.#db.prepare('DELETE FROM review_1 WHERE id = ?').run(String(id));
      return undefined;
    }
  }
}

/**
 * The same for the same question about the same text. An attention check is a separate question, since its answer is
 * no label of the pair.
 */
function idOf({ corpus, query, perspective, passage, standard, expected }: NewReviewItem): string {
  const isCheck = expected !== undefined;
  const about = [corpus, query.text, normalizePerspective(perspective.text), passage.hash, standard, isCheck];
  return textHash(JSON.stringify(about));
}
