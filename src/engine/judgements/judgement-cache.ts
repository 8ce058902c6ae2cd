/**
 * Answers stored by content: judge, passage text, perspective text. A paid answer is stored before it is shown,
 * survives the end of the process, and is shared by all windows.
 */
import * as l10n from '@vscode/l10n';
import { inContext, messageOf, ParallaxError } from '../../core/errors.ts';
import type { Judgement } from '../../core/model.ts';
import { ReplyCache } from '../models/reply-cache.ts';
import type { Database, Row, SqlValue, Statement } from '../store/database.ts';
import {
  answerOf,
  COLUMNS,
  columnsOf,
  provenanceOf,
  withoutTitle,
  type AnswerKey,
  type CachedAnswer,
  type KnownJudge,
} from './answer-rows.ts';
import type { Claims } from './claims.ts';
import { ANSWER_SOURCES } from '../../core/words.ts';
import { createTables } from '../store/tables.ts';

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');

/** A judge's name, model and prompt are stored once per key of a judge. Names of tables carry the schema's version. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS judges_1 (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL CHECK (source IN (${quoted(ANSWER_SOURCES)})),
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
    cost TEXT,
    details TEXT,
    checksum INTEGER NOT NULL,
    details_checksum INTEGER NOT NULL,
    PRIMARY KEY (judge, perspective, passage)
  ) WITHOUT ROWID`;

/** Creates the tables if they are missing. The database may have other tables. */
function createAnswerTables(db: Database): void {
  createTables(db, TABLES);
}

/**
 * One statement for many keys, since a lookup for each would spend half its time on locks, and one text for all
 * results, since rows are returned value by value. A number with 17 digits is read back exactly. The casts are for
 * damaged rows with values that JSON cannot represent, which would fail the whole statement.
 */
const lookUp = (passage: string): string => `
  SELECT json_group_array(json_array(
    asked.key, CAST(verdict AS TEXT), CAST(evidence AS TEXT), CAST(rationale AS TEXT),
    iif(confidence IS NULL, NULL, printf('%!.17g', confidence)), CAST(at AS TEXT), CAST(unparsable AS INTEGER),
    CAST(cost AS TEXT), CAST(details AS TEXT), CAST(checksum AS INTEGER), CAST(details_checksum AS INTEGER),
    CAST(passage AS TEXT)
  )) AS found
  FROM json_each(?) AS asked CROSS JOIN answers_1
  WHERE judge = ? AND perspective = asked.value ->> 0 AND ${passage}`;

const GET = lookUp('passage = asked.value ->> 1');

/** With any title: the separator between a passage's hash and the title sorts before a comma. */
const GET_TITLED = lookUp("passage >= asked.value ->> 1 AND passage < (asked.value ->> 1) || ','");

/** Keeps the first answer, so that two windows show the same. Replaces it only if it could not be read. */
const PUT = `
  INSERT INTO answers_1 (judge, perspective, passage, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    verdict = excluded.verdict, evidence = excluded.evidence, rationale = excluded.rationale,
    confidence = excluded.confidence, at = excluded.at, unparsable = excluded.unparsable,
    cost = excluded.cost, details = excluded.details, checksum = excluded.checksum,
    details_checksum = excluded.details_checksum
  WHERE unparsable = 1`;

/** For a damaged answer, which is asked for again and must leave nothing behind. */
const DELETE = 'DELETE FROM answers_1 WHERE judge = ? AND perspective = ? AND passage = ?';

const COUNT = `
  SELECT count(*) AS answered, count(CASE WHEN json_valid(details) THEN details ->> 'escalated' END) AS escalated
  FROM answers_1 WHERE judge = ? AND unparsable = 0`;

const PUT_JUDGE = `
  INSERT INTO judges_1 (key, source, name, model, prompt_version, standard) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;

export class JudgementCache {
  readonly #db: Database;
  readonly #get: Statement;
  readonly #getTitled: Statement;
  readonly #put: Statement;
  readonly #ofPerspective: Statement;
  readonly #judges = new Map<string, KnownJudge>();
  /** Replies behind a judgement, in the same database. */
  readonly replies: ReplyCache;
  /** Claims on requests. `undefined` if no other process uses this database. */
  readonly claims: Claims | undefined;

  /** Creates its tables if they are missing. The database may have other tables. */
  constructor(db: Database, claims?: Claims) {
    this.claims = claims;
    createAnswerTables(db);
    this.replies = new ReplyCache(db);
    this.#db = db;
    this.#get = db.prepare(GET);
    this.#getTitled = db.prepare(GET_TITLED);
    this.#put = db.prepare(PUT);
    this.#ofPerspective = db.prepare(
      `SELECT passage, ${COLUMNS} FROM answers_1 WHERE judge = ? AND perspective = ?`,
    );
  }

  /** @param judgeKey `Judge.key` */
  get(judgeKey: string, key: AnswerKey): CachedAnswer | undefined {
    return this.getMany(judgeKey, [key])[0];
  }

  /** The answer to each key, in the same order. Takes about 5 µs each. */
  getMany(judgeKey: string, keys: readonly AnswerKey[]): (CachedAnswer | undefined)[] {
    return this.#find(this.#get, judgeKey, keys);
  }

  /**
   * As {@link getMany}, for a passage known only by its own hash: the judge may have seen a title beside it. If there
   * are several answers, one with a title counts.
   */
  underAnyTitle(judgeKey: string, keys: readonly AnswerKey[]): (CachedAnswer | undefined)[] {
    return this.#find(this.#getTitled, judgeKey, keys);
  }

  #find(statement: Statement, judgeKey: string, keys: readonly AnswerKey[]): (CachedAnswer | undefined)[] {
    const answers = new Array<CachedAnswer | undefined>(keys.length).fill(undefined);
    const judge = this.#judge(judgeKey);
    if (!judge) return answers;
    const keysJson = JSON.stringify(
      keys.map(({ perspectiveHash, passageHash }) => [perspectiveHash, passageHash]),
    );
    const rows = JSON.parse(String(statement.get(keysJson, judge.id)?.['found'])) as readonly CachedRow[];
    for (const one of rows) {
      const [place] = one;
      const key = { ...keys[place]!, passageHash: String(one.at(-1)) };
      answers[place] = answerOf(rowOf(one), key, judge) ?? answers[place];
    }
    return answers;
  }

  /**
   * Stores an answer durably.
   *
   * @returns the valid answer: this one, or one that another window stored before
   * @throws ParallaxError `store-unusable` if it cannot be stored
   */
  put(judgeKey: string, key: AnswerKey, answer: CachedAnswer): CachedAnswer {
    try {
      return this.#stored(judgeKey, key, answer);
    } catch (error) {
      throw notStored(error);
    }
  }

  /** All answers of this judge about a perspective: the passage's own hash → answer. */
  ofPerspective(judgeKey: string, perspectiveHash: string): ReadonlyMap<string, CachedAnswer> {
    const judge = this.#judge(judgeKey);
    const rows = judge ? this.#ofPerspective.all(judge.id, perspectiveHash) : [];
    return new Map(
      rows.flatMap((row): [string, CachedAnswer][] => {
        const passageHash = String(row['passage']);
        const answer = answerOf(row, { passageHash, perspectiveHash }, judge!);
        return answer ? [[withoutTitle(passageHash), answer]] : [];
      }),
    );
  }

  /**
   * The answer of this judge about a passage with any title, for a perspective under one of its keys.
   *
   * @param perspectiveHashes as in {@link AnswerKey}; the first one with an answer counts
   */
  ofPair(
    judgeKey: string,
    perspectiveHashes: readonly string[],
    passageHash: string,
  ): CachedAnswer | undefined {
    const keys = perspectiveHashes.map((perspectiveHash) => ({ passageHash, perspectiveHash }));
    return this.underAnyTitle(judgeKey, keys).find((answer) => answer !== undefined);
  }

  /** How many pairs this judge answered readably, and how many of them it escalated. Reads all of its answers. */
  counts(judgeKey: string): { readonly answered: number; readonly escalated: number } {
    const judge = this.#judge(judgeKey);
    const row = judge && this.#db.prepare(COUNT).get(judge.id);
    return { answered: Number(row?.['answered'] ?? 0), escalated: Number(row?.['escalated'] ?? 0) };
  }

  #stored(judgeKey: string, key: AnswerKey, answer: CachedAnswer): CachedAnswer {
    const judge = this.#judge(judgeKey) ?? this.#addJudge(judgeKey, answer.judgement);
    const place = [judge.id, key.perspectiveHash, key.passageHash] as const;
    const columns = columnsOf(answer, judge, key);
    const insert = (): boolean => this.#put.run(...place, ...columns).changes > 0;
    if (insert()) return answer;
    const known = this.get(judgeKey, key);
    if (known) return known;
    this.#db.transaction(() => {
      this.#db.prepare(DELETE).run(...place);
      insert();
    });
    return answer;
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

function notStored(cause: unknown): unknown {
  if (ParallaxError.is(cause))
    return inContext((sentence) => l10n.t`Judgements cannot be stored: ${sentence}`, cause);
  return new ParallaxError('store-unusable', l10n.t`Judgements cannot be stored: ${messageOf(cause)}.`, {
    cause,
  });
}

/** A row of {@link GET}. */
type CachedRow = readonly [
  place: number,
  verdict: SqlValue,
  evidence: SqlValue,
  rationale: SqlValue,
  confidence: string | null,
  at: SqlValue,
  unparsable: SqlValue,
  cost: SqlValue,
  details: SqlValue,
  checksum: SqlValue,
  details_checksum: SqlValue,
  passage: string,
];

function rowOf([, verdict, evidence, rationale, digits, ...rest]: CachedRow): Row {
  const [at, unparsable, cost, details, checksum, details_checksum] = rest;
  const answer = { verdict, evidence, rationale, confidence: digits === null ? null : Number(digits), at };
  return { ...answer, unparsable, cost, details, checksum, details_checksum };
}
