/**
 * Stores what pipelines retrieved, so that a comparison repeats no search. Every search is stored as soon as it is
 * done, so a cancelled comparison continues where it stopped.
 */
import { crc32 } from 'node:zlib';
import type { Database, SqlValue, Statement } from '../store/database.ts';
import { createTables } from '../store/tables.ts';
import type { Certainty } from '../../core/external/certainty.ts';
import type { Shortfall } from '../../core/external/shortfall.ts';
import type { SearchKind } from '../../core/pipeline.ts';
import type { Slot } from '../types.ts';

export interface FoundPassages {
  /** Best first. */
  readonly slots: readonly Slot[];
  /** Of each slot, as the last step of the pipeline gives it. */
  readonly scores: readonly number[];
  readonly search: SearchKind;
  /** How long the search took when it ran. */
  readonly milliseconds: number;
  /** Set if a store returned fewer candidates than requested. */
  readonly short?: Shortfall | undefined;
  /** How certain a projection is over what a store returned. Results of a store are not cached here. */
  readonly certainty?: Certainty | undefined;
}

/** Row ids ascend, so the oldest rows have the smallest ids. The name carries the version of the schema. */
const TABLE = `CREATE TABLE IF NOT EXISTS searches_5 (
  id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, slots BLOB NOT NULL, scores BLOB NOT NULL,
  search TEXT NOT NULL CHECK (search IN ('exact', 'int8', 'approximate')), milliseconds REAL NOT NULL,
  returned INTEGER, asked INTEGER, checksum INTEGER NOT NULL)`;

/** About 120 MB at 100 passages each. Twelve pipelines on 500 queries, asked in three ways, take a fifth of it. */
const CAPACITY = 100_000;

export class SearchCache {
  readonly #get: Statement;
  readonly #put: Statement;
  readonly #forgetOldest: Statement;

  /** Creates its table if it is missing. The database may have other tables. */
  constructor(db: Database, capacity = CAPACITY) {
    createTables(db, TABLE);
    this.#get = db.prepare(
      'SELECT slots, scores, search, milliseconds, returned, asked, checksum FROM searches_5 WHERE key = ?',
    );
    this.#put = db.prepare(
      'INSERT OR REPLACE INTO searches_5 (key, slots, scores, search, milliseconds, returned, asked, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#forgetOldest = db.prepare(
      `DELETE FROM searches_5 WHERE id <= (SELECT max(id) FROM searches_5) - ${capacity}`,
    );
  }

  /**
   * @param key a hash of everything that the outcome depends on
   * @returns `undefined` if it is missing or damaged; the caller then searches
   */
  get(key: Uint8Array): FoundPassages | undefined {
    const row = this.#get.get(key);
    if (!row) return undefined;
    const { slots, scores, search, milliseconds, returned, asked, checksum } = row;
    if (
      !(slots instanceof Uint8Array && scores instanceof Uint8Array) ||
      checksumOf(key, [slots, scores], [search, milliseconds, returned, asked]) !== checksum
    )
      return undefined;
    return {
      slots: [...new Uint32Array(copied(slots))],
      scores: [...new Float64Array(copied(scores))],
      search: search as SearchKind,
      milliseconds: Number(milliseconds),
      ...(asked === null ? {} : { short: { returned: Number(returned), asked: Number(asked) } }),
    };
  }

  put(key: Uint8Array, { slots, scores, search, milliseconds, short }: FoundPassages): void {
    const found = [
      new Uint8Array(Uint32Array.from(slots).buffer),
      new Uint8Array(Float64Array.from(scores).buffer),
    ] as const;
    const beside = [search, milliseconds, short?.returned ?? null, short?.asked ?? null];
    this.#put.run(key, ...found, ...beside, checksumOf(key, found, beside));
    this.#forgetOldest.run();
  }
}

/** The bytes may start at an offset that a typed array does not allow. */
function copied({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBufferLike {
  return buffer.slice(byteOffset, byteOffset + byteLength);
}

/** A checksum of what was found, and of its key. */
function checksumOf(
  key: Uint8Array,
  found: readonly Uint8Array[],
  beside: readonly (SqlValue | undefined)[],
): number {
  return crc32(
    JSON.stringify(beside),
    found.reduce((sum, bytes) => crc32(bytes, sum), crc32(key)),
  );
}
