/**
 * Stores models' replies within work that needs several of them, such as a debate, by model and prompt. An
 * interrupted debate continues where it stopped, and one with more rounds or with an adjudicator reuses the earlier
 * rounds.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { inContext, messageOf, ParallaxError } from '../../core/errors.ts';
import { sealed, unsealed } from '../store/checksums.ts';
import type { Database, Statement } from '../store/database.ts';
import { createTables } from '../store/tables.ts';
import { textHash } from '../text-sums.ts';
import type { ChatAnswer } from './chat-model.ts';

/** The name carries the version of the schema. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS replies_1 (key TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID`;

const count = z.number().min(0);
const replySchema = z.object({
  text: z.string(),
  incomplete: z.string().optional(),
  usage: z.object({ prompt: count, completion: count }).optional(),
  requests: count,
  milliseconds: count,
});

/** A model's answer and its cost. */
export interface PaidReply extends ChatAnswer {
  /** Including repeated ones. */
  readonly requests: number;
  /** From the first request to the answer. */
  readonly milliseconds: number;
}

export class ReplyCache {
  readonly #get: Statement;
  readonly #put: Statement;

  /** Creates its table if it is missing. The database may have other tables. */
  constructor(db: Database) {
    createTables(db, TABLE);
    this.#get = db.prepare('SELECT reply FROM replies_1 WHERE key = ?');
    this.#put = db.prepare('INSERT OR REPLACE INTO replies_1 (key, reply) VALUES (?, ?)');
  }

  /** @param request full identity of the model and its prompt */
  get(request: string): PaidReply | undefined {
    const row = this.#get.get(textHash(request));
    return row && replySchema.safeParse(parsedJson(unsealed(String(row['reply'])) ?? '')).data;
  }

  /**
   * Stores a reply durably, replacing an earlier one to the same request.
   *
   * @throws ParallaxError `store-unusable` if it cannot be stored
   */
  put(request: string, reply: PaidReply): void {
    try {
      this.#put.run(textHash(request), sealed(JSON.stringify(reply)));
    } catch (error) {
      if (ParallaxError.is(error))
        throw inContext((sentence) => l10n.t`Replies cannot be stored: ${sentence}`, error);
      throw new ParallaxError('store-unusable', l10n.t`Replies cannot be stored: ${messageOf(error)}.`, {
        cause: error,
      });
    }
  }
}

/** `undefined` if it is not JSON, in which case the model is asked again. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
