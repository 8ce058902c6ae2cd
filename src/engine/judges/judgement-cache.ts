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

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');

/** What follows from a judge's key stands once for each judge. The names carry the version of the schema. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS judges_1 (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL CHECK (source IN (${quoted(JUDGEMENT_SOURCES)})),
    name TEXT NOT NULL,
    model TEXT,
    prompt_version TEXT,
    standard TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS answers_1 (
    judge INTEGER NOT NULL REFERENCES judges_1(id),
    perspective TEXT NOT NULL,
    passage TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('yes', 'no', 'unsure')),
    evidence TEXT NOT NULL,
    rationale TEXT,
    confidence REAL,
    at TEXT NOT NULL,
    unparsable INTEGER NOT NULL,
    PRIMARY KEY (judge, perspective, passage)
  ) WITHOUT ROWID`;

const COLUMNS = 'verdict, evidence, rationale, confidence, at, unparsable';

/** One statement for many keys: a lookup of its own for each would spend half its time on locks. */
const GET = `
  SELECT asked.key AS place, ${COLUMNS} FROM json_each(?) AS asked CROSS JOIN answers_1
  WHERE judge = ? AND perspective = asked.value ->> 0 AND passage = asked.value ->> 1`;

/** The first answer stands, so that two windows show the same; only one that could not be read is replaced. */
const PUT = `
  INSERT INTO answers_1 (judge, perspective, passage, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    verdict = excluded.verdict, evidence = excluded.evidence, rationale = excluded.rationale,
    confidence = excluded.confidence, at = excluded.at, unparsable = excluded.unparsable
  WHERE unparsable = 1`;

const PUT_JUDGE = `
  INSERT INTO judges_1 (key, source, name, model, prompt_version, standard) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;

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

type Provenance = Pick<Judgement, 'source' | 'judge' | 'model' | 'promptVersion' | 'standard'>;

interface KnownJudge {
  readonly id: number;
  readonly provenance: Provenance;
}

export class JudgementCache {
  readonly #db: Database;
  readonly #get: Statement;
  readonly #put: Statement;
  readonly #ofPerspective: Statement;
  readonly #judges = new Map<string, KnownJudge>();

  /** Creates its tables where they are missing; the database may hold others. */
  constructor(db: Database) {
    db.exec(TABLES);
    this.#db = db;
    this.#get = db.prepare(GET);
    this.#put = db.prepare(PUT);
    this.#ofPerspective = db.prepare(
      `SELECT passage, ${COLUMNS} FROM answers_1 WHERE judge = ? AND perspective = ?`,
    );
  }

  /** @param judgeKey {@link Judge.key} */
  get(judgeKey: string, key: AnswerKey): CachedAnswer | undefined {
    return this.getMany(judgeKey, [key])[0];
  }

  /** The answer to each key, in their order; about 5 µs each. */
  getMany(judgeKey: string, keys: readonly AnswerKey[]): (CachedAnswer | undefined)[] {
    const answers = new Array<CachedAnswer | undefined>(keys.length).fill(undefined);
    const judge = this.#judge(judgeKey);
    if (!judge) return answers;
    const asked = JSON.stringify(
      keys.map(({ perspectiveHash, passageHash }) => [perspectiveHash, passageHash]),
    );
    for (const row of this.#get.all(asked, judge.id)) answers[Number(row['place'])] = answerOf(row, judge);
    return answers;
  }

  /**
   * Stores an answer durably.
   *
   * @returns the answer that stands: this one, or one that another window stored before
   * @throws ParallaxError `store-unusable` when it cannot be stored
   */
  put(judgeKey: string, key: AnswerKey, answer: CachedAnswer): CachedAnswer {
    try {
      const { id } = this.#judge(judgeKey) ?? this.#addJudge(judgeKey, answer.judgement);
      const { changes } = this.#put.run(id, key.perspectiveHash, key.passageHash, ...valuesOf(answer));
      return changes > 0 ? answer : (this.get(judgeKey, key) ?? answer);
    } catch (error) {
      throw new ParallaxError('store-unusable', `Judgements cannot be stored: ${messageOf(error)}.`, {
        cause: error,
      });
    }
  }

  /** Everything this judge has answered about a perspective, whatever the passage: passage hash → answer. */
  ofPerspective(judgeKey: string, perspectiveHash: string): ReadonlyMap<string, CachedAnswer> {
    const judge = this.#judge(judgeKey);
    const rows = judge ? this.#ofPerspective.all(judge.id, perspectiveHash) : [];
    return new Map(rows.map((row) => [String(row['passage']), answerOf(row, judge!)]));
  }

  #judge(key: string): KnownJudge | undefined {
    const known = this.#judges.get(key);
    if (known) return known;
    const row = this.#db.prepare('SELECT * FROM judges_1 WHERE key = ?').get(key);
    if (!row) return undefined;
    const judge = { id: Number(row['id']), provenance: provenanceOf(row) };
    this.#judges.set(key, judge);
    return judge;
  }

  #addJudge(key: string, { source, judge, model, promptVersion, standard }: Judgement): KnownJudge {
    this.#db.prepare(PUT_JUDGE).run(key, source, judge, model ?? null, promptVersion ?? null, standard);
    return this.#judge(key)!;
  }
}

function provenanceOf(row: Row): Provenance {
  return {
    source: row['source'] as JudgementSource,
    judge: String(row['name']),
    model: textOf(row['model']),
    promptVersion: textOf(row['prompt_version']),
    standard: String(row['standard']),
  };
}

function valuesOf({ judgement, unparsable }: CachedAnswer): SqlValue[] {
  return [
    judgement.verdict,
    judgement.evidence.map(({ start, end }) => `${start}-${end}`).join(' '),
    judgement.rationale ?? null,
    judgement.confidence ?? null,
    judgement.at,
    unparsable ? 1 : 0,
  ];
}

function answerOf(row: Row, { provenance }: KnownJudge): CachedAnswer {
  return {
    judgement: {
      ...provenance,
      verdict: row['verdict'] as Verdict,
      evidence: spansOf(row['evidence'] as string),
      rationale: textOf(row['rationale']),
      confidence: typeof row['confidence'] === 'number' ? row['confidence'] : undefined,
      at: row['at'] as string,
    },
    unparsable: row['unparsable'] === 1,
  };
}

function spansOf(text: string): Span[] {
  if (text === '') return [];
  return text.split(' ').map((span) => {
    const [start, end] = span.split('-').map(Number);
    return { start: start!, end: end! };
  });
}

function textOf(value: SqlValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
