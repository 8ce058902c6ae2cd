/** Vectors of an endpoint, stored by the text that was sent, because they were paid for. */
import * as l10n from '@vscode/l10n';
import { inContext, messageOf, ParallaxError } from '../../core/errors.ts';
import type { KeptVectors } from '../embedders/openai-embedder.ts';
import type { Database, Statement } from '../store/database.ts';
import { createTables } from '../store/tables.ts';
import { textHash } from '../text-sums.ts';

/** The name carries the version of the schema. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS vectors_1 (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID`;

/** The largest difference of a stored vector's squared length from 1. A larger one shows that it is damaged. */
const TOLERANCE = 1e-3;

export class VectorCache implements KeptVectors {
  readonly #db: Database;
  readonly #get: Statement;
  readonly #put: Statement;

  /** Creates its table if it is missing. The database may have other tables. */
  constructor(db: Database) {
    createTables(db, TABLE);
    this.#db = db;
    this.#get = db.prepare('SELECT vector FROM vectors_1 WHERE key = ?');
    this.#put = db.prepare('INSERT OR REPLACE INTO vectors_1 (key, vector) VALUES (?, ?)');
  }

  get(model: string, text: string): Float32Array | undefined {
    const stored = this.#get.get(keyOf(model, text))?.['vector'];
    if (!(stored instanceof Uint8Array) || stored.byteLength % Float32Array.BYTES_PER_ELEMENT !== 0)
      return undefined;
    const vector = new Float32Array(Uint8Array.from(stored).buffer);
    const length = vector.reduce((sum, value) => sum + value * value, 0);
    return Math.abs(length - 1) <= TOLERANCE ? vector : undefined;
  }

  put(model: string, vectors: readonly (readonly [text: string, vector: Float32Array])[]): void {
    try {
      this.#db.transaction(() => {
        for (const [text, { buffer, byteOffset, byteLength }] of vectors)
          this.#put.run(keyOf(model, text), new Uint8Array(buffer, byteOffset, byteLength));
      });
    } catch (error) {
      if (ParallaxError.is(error))
        throw inContext((sentence) => l10n.t`Vectors cannot be stored: ${sentence}`, error);
      throw new ParallaxError('store-unusable', l10n.t`Vectors cannot be stored: ${messageOf(error)}.`, {
        cause: error,
      });
    }
  }
}

const keyOf = (model: string, text: string): string => textHash(`${model}\n${text}`);
