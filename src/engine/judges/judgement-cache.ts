/**
 * Answers that were given once, by content: judge, passage text, perspective text. What was paid for is
 * stored before anybody sees it, survives the end of the process, and is shared by all windows.
 */
import { messageOf, ParallaxError } from '../../core/errors.ts';
import {
  JUDGEMENT_SOURCES,
  type Judgement,
  type JudgementSource,
  type Span,
  type Verdict,
} from '../../core/model.ts';
import type { Database, Row, SqlValue, Statement } from '../store/database.ts';

/** The names carry the version of the schema. All answers about one perspective lie side by side. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS judges_1 (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS answers_1 (
    judge INTEGER NOT NULL REFERENCES judges_1(id),
    perspective TEXT NOT NULL,
    passage TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('yes', 'no', 'unsure')),
    evidence TEXT NOT NULL,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    rationale TEXT,
    confidence REAL,
    model TEXT,
    prompt_version TEXT,
    standard TEXT NOT NULL,
    at TEXT NOT NULL,
    unparsable INTEGER NOT NULL,
    PRIMARY KEY (judge, perspective, passage)
  ) WITHOUT ROWID`;

const COLUMNS =
  'verdict, evidence, source, name, rationale, confidence, model, prompt_version, standard, at, unparsable';

/** The first answer stands, so that two windows show the same; only one that could not be read is replaced. */
const PUT = `
  INSERT INTO answers_1 (judge, perspective, passage, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    verdict = excluded.verdict, evidence = excluded.evidence, source = excluded.source, name = excluded.name,
    rationale = excluded.rationale, confidence = excluded.confidence, model = excluded.model,
    prompt_version = excluded.prompt_version, standard = excluded.standard, at = excluded.at,
    unparsable = excluded.unparsable
  WHERE unparsable = 1`;

export interface CachedAnswer {
  readonly judgement: Judgement;
  /** "Unsure" only because the judge's answer could not be read. */
  readonly unparsable: boolean;
}

/** The hashes are those of `textHash`. */
export interface AnswerKey {
  readonly passageHash: string;
  readonly perspectiveHash: string;
}

export class JudgementCache {
  readonly #db: Database;
  readonly #get: Statement;
  readonly #put: Statement;
  readonly #ofPerspective: Statement;
  readonly #judgeIds = new Map<string, number>();

  /** Creates its tables where they are missing; the database may hold others. */
  constructor(db: Database) {
    db.exec(TABLES);
    this.#db = db;
    this.#get = db.prepare(
      `SELECT ${COLUMNS} FROM answers_1 WHERE judge = ? AND perspective = ? AND passage = ?`,
    );
    this.#put = db.prepare(PUT);
    this.#ofPerspective = db.prepare(
      `SELECT passage, ${COLUMNS} FROM answers_1 WHERE judge = ? AND perspective = ?`,
    );
  }

  /** @param judgeKey {@link Judge.key} */
  get(judgeKey: string, { passageHash, perspectiveHash }: AnswerKey): CachedAnswer | undefined {
    const row = this.#get.get(this.#judgeId(judgeKey), perspectiveHash, passageHash);
    return row && answerOf(row);
  }

  /**
   * Stores an answer durably.
   *
   * @returns the answer that stands: this one, or one that another window stored before
   * @throws ParallaxError `store-unusable` when it cannot be stored
   */
  put(judgeKey: string, key: AnswerKey, answer: CachedAnswer): CachedAnswer {
    try {
      const judgeId = this.#judgeId(judgeKey);
      const { changes } = this.#put.run(judgeId, key.perspectiveHash, key.passageHash, ...valuesOf(answer));
      return changes > 0 ? answer : (this.get(judgeKey, key) ?? answer);
    } catch (error) {
      throw new ParallaxError('store-unusable', `Judgements cannot be stored: ${messageOf(error)}.`, {
        cause: error,
      });
    }
  }

  /** Everything this judge has answered about a perspective, whatever the passage: passage hash → answer. */
  ofPerspective(judgeKey: string, perspectiveHash: string): ReadonlyMap<string, CachedAnswer> {
    const answers = new Map<string, CachedAnswer>();
    for (const row of this.#ofPerspective.all(this.#judgeId(judgeKey), perspectiveHash)) {
      const answer = answerOf(row);
      if (answer) answers.set(String(row['passage']), answer);
    }
    return answers;
  }

  #judgeId(key: string): number {
    const known = this.#judgeIds.get(key);
    if (known !== undefined) return known;
    this.#db.prepare('INSERT INTO judges_1 (key) VALUES (?) ON CONFLICT DO NOTHING').run(key);
    const id = Number(this.#db.prepare('SELECT id FROM judges_1 WHERE key = ?').get(key)?.['id']);
    this.#judgeIds.set(key, id);
    return id;
  }
}

function valuesOf({ judgement, unparsable }: CachedAnswer): SqlValue[] {
  return [
    judgement.verdict,
    judgement.evidence.map(({ start, end }) => `${start}-${end}`).join(' '),
    judgement.source,
    judgement.judge,
    judgement.rationale ?? null,
    judgement.confidence ?? null,
    judgement.model ?? null,
    judgement.promptVersion ?? null,
    judgement.standard,
    judgement.at,
    unparsable ? 1 : 0,
  ];
}

/** Nothing for a row that no version of this file writes: the pair counts as never asked. */
function answerOf(row: Row): CachedAnswer | undefined {
  const source = JUDGEMENT_SOURCES.find((known): known is JudgementSource => known === row['source']);
  if (!source) return undefined;
  return {
    judgement: {
      verdict: row['verdict'] as Verdict,
      evidence: spansOf(String(row['evidence'])),
      source,
      judge: String(row['name']),
      rationale: textOf(row['rationale']),
      confidence: typeof row['confidence'] === 'number' ? row['confidence'] : undefined,
      model: textOf(row['model']),
      promptVersion: textOf(row['prompt_version']),
      standard: String(row['standard']),
      at: String(row['at']),
    },
    unparsable: row['unparsable'] === 1,
  };
}

function spansOf(text: string): Span[] {
  return [...text.matchAll(/(\d+)-(\d+)/g)].map(([, start, end]) => ({
    start: Number(start),
    end: Number(end),
  }));
}

function textOf(value: SqlValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
