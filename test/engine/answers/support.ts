/** A model that answers with its passages, and judges by words. */
import type { TestContext } from 'node:test';
import type { AnswerModel } from '../../../src/features/papers/engine/answers/asking.ts';
import type { AnswerModels } from '../../../src/features/papers/engine/answers/write-answers.ts';
import { PaidReplies } from '../../../src/engine/models/paid-replies.ts';
import { ReplyCache } from '../../../src/engine/models/reply-cache.ts';
import { openDatabase, type Database } from '../../../src/engine/store/database.ts';
import type { ChatReply, ChatRequest } from '../../fixtures/model-server.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';
import { modelOn } from '../judges/support.ts';

/** The subject of a request: an answer to be written, or one to be judged. */
export type Part =
  | { readonly kind: 'write'; readonly question: string; readonly passages: readonly string[] | undefined }
  | {
      readonly kind: 'judge';
      readonly question: string;
      readonly answer: string;
      readonly statements: Readonly<Record<string, string>>;
    };

export function partIn({ messages }: Pick<ChatRequest, 'messages'>): Part {
  const { texts, system } = readFenced(messages);
  const { question = '', answer, ...others } = texts;
  if (answer === undefined) {
    const isGrounded = /answer questions from passages/.test(system);
    return { kind: 'write', question, passages: isGrounded ? Object.values(others) : undefined };
  }
  const statements = Object.fromEntries(
    Object.entries(others).map(([label, text]) => [label.replace('statement-', ''), text]),
  );
  return { kind: 'judge', question, answer, statements };
}

/** Repeats its passages, each with its number. Without passages, it gives a common answer. */
export function repeating({ passages }: Extract<Part, { kind: 'write' }>): ChatReply {
  if (!passages) return written('Everybody says tasty.', 'What it costs.');
  return written(passages.map((passage, place) => `${passage} [${place + 1}].`).join(' '));
}

export function written(answer: string, missing: string | null = null): ChatReply {
  return { text: JSON.stringify({ answer, missing }) };
}

/** A statement is represented if its last word is in the answer. */
export function byLastWord({ answer, statements }: Extract<Part, { kind: 'judge' }>): ChatReply {
  const entries = Object.entries(statements).map(([letter, statement]) => {
    const word = statement.replace('.', '').split(' ').at(-1)!;
    return [
      letter,
      { evidence: answer.includes(word) ? answer : null, verdict: answer.includes(word) ? 'yes' : 'no' },
    ];
  });
  return { text: JSON.stringify(Object.fromEntries(entries)) };
}

export function plainModel(request: ChatRequest): ChatReply {
  const part = partIn(request);
  return part.kind === 'write' ? repeating(part) : byLastWord(part);
}

/** Generator and judge on one endpoint. */
export function modelsOn(url: string, database: Database, settings: Partial<AnswerModel> = {}): AnswerModels {
  const model: AnswerModel = {
    name: 'local',
    model: modelOn(url, { maxRetries: 1 }),
    timeoutMs: 2_000,
    concurrency: 4,
    ...settings,
  };
  return { generator: model, judge: model, replies: new PaidReplies(new ReplyCache(database)) };
}

export function memory(t: TestContext): Database {
  const database = openDatabase(':memory:');
  t.after(() => database.close());
  return database;
}
