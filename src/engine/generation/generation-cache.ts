/** Texts that models wrote for a query (perspectives, pseudo-documents), stored because they were paid for. */
import * as z from 'zod';
import { sealed, unsealed } from '../store/checksums.ts';
import type { Database } from '../store/database.ts';
import { createTables } from '../store/tables.ts';

const TABLE = `CREATE TABLE IF NOT EXISTS generations_1 (
  key TEXT NOT NULL, query TEXT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (key, query)) WITHOUT ROWID`;

const textsSchema = z.array(z.string());

export class GenerationCache {
  readonly #db: Database;
  readonly #inFlight = new Map<string, Promise<readonly string[]>>();

  constructor(db: Database) {
    createTables(db, TABLE);
    this.#db = db;
  }

  /**
   * @param key identity of the model, the prompt and its parameters
   * @param generate called once for the same key and query, even by concurrent callers
   */
  async get(
    key: string,
    query: string,
    generate: () => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const stored = this.#db
      .prepare('SELECT answer FROM generations_1 WHERE key = ? AND query = ?')
      .get(key, query);
    const answer = stored && readTexts(String(stored['answer']));
    if (answer !== undefined) return answer;
    const flight = JSON.stringify([key, query]);
    const running = this.#inFlight.get(flight) ?? this.#generate(key, query, generate);
    this.#inFlight.set(flight, running);
    try {
      return await running;
    } finally {
      this.#inFlight.delete(flight);
    }
  }

  async #generate(
    key: string,
    query: string,
    generate: () => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const answer = await generate();
    this.#db
      .prepare('INSERT OR REPLACE INTO generations_1 (key, query, answer) VALUES (?, ?, ?)')
      .run(key, query, sealed(JSON.stringify(answer)));
    return answer;
  }
}

/** `undefined` if they are damaged, so that they are generated again. */
function readTexts(stored: string): readonly string[] | undefined {
  try {
    return textsSchema.safeParse(JSON.parse(unsealed(stored) ?? 'null')).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
