/**
 * Answers that were given once, by content: judge, passage text, perspective text. What was paid for is
 * stored before anybody sees it, survives the end of the process, and is shared by all windows.
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
import { createAnswerTables } from './answer-tables.ts';
import type { Claims } from './claims.ts';

/**
 * One statement for many keys, since a lookup of its own for each would spend half its time on locks; and one text for
 * all that is found, since rows are handed out value by value. A number with 17 digits is read as what it was. The
 * casts are for damaged rows, in which anything may stand: what JSON cannot hold would fail the whole statement.
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

/** With whichever title: the sign that a title begins with behind a passage's hash comes before a comma. */
const GET_TITLED = lookUp("passage >= asked.value ->> 1 AND passage < (asked.value ->> 1) || ','");

/** The first answer stands, so that two windows show the same; only one that could not be read is replaced. */
const PUT = `
  INSERT INTO answers_1 (judge, perspective, passage, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    verdict = excluded.verdict, evidence = excluded.evidence, rationale = excluded.rationale,
    confidence = excluded.confidence, at = excluded.at, unparsable = excluded.unparsable,
    cost = excluded.cost, details = excluded.details, checksum = excluded.checksum,
    details_checksum = excluded.details_checksum
  WHERE unparsable = 1`;

/** For an answer that is damaged: it is asked for again, and nothing of it may stay. */
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
  /** Replies on the way to a judgement, in the same database. */
  readonly replies: ReplyCache;
  /** Who is asking what; absent where nobody else has this database. */
  readonly claims: Claims | undefined;

  /** Creates its tables where they are missing; the database may hold others. */
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

  /** The answer to each key, in their order; about 5 µs each. */
  getMany(judgeKey: string, keys: readonly AnswerKey[]): (CachedAnswer | undefined)[] {
    return this.#find(this.#get, judgeKey, keys);
  }

  /**
   * As {@link getMany}, for who knows a passage only by its own hash: the judge may have seen a title beside it. Of
   * several answers one with a title counts.
   */
  underAnyTitle(judgeKey: string, keys: readonly AnswerKey[]): (CachedAnswer | undefined)[] {
    return this.#find(this.#getTitled, judgeKey, keys);
  }

  #find(statement: Statement, judgeKey: string, keys: readonly AnswerKey[]): (CachedAnswer | undefined)[] {
    const answers = new Array<CachedAnswer | undefined>(keys.length).fill(undefined);
    const judge = this.#judge(judgeKey);
    if (!judge) return answers;
    const asked = JSON.stringify(
      keys.map(({ perspectiveHash, passageHash }) => [perspectiveHash, passageHash]),
    );
    const found = JSON.parse(String(statement.get(asked, judge.id)?.['found'])) as readonly Found[];
    for (const one of found) {
      const [place] = one;
      const key = { ...keys[place]!, passageHash: String(one.at(-1)) };
      answers[place] = answerOf(rowOf(one), key, judge) ?? answers[place];
    }
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
      return this.#stored(judgeKey, key, answer);
    } catch (error) {
      throw notStored(error);
    }
  }

  /** Everything this judge has answered about a perspective, whatever the passage: the passage's own hash → answer. */
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
   * The answer of this judge about a passage with whichever title, for a perspective under one of its keys.
   *
   * @param perspectiveHashes those of {@link AnswerKey}; of several the first that is answered counts
   */
  ofPair(
    judgeKey: string,
    perspectiveHashes: readonly string[],
    passageHash: string,
  ): CachedAnswer | undefined {
    const keys = perspectiveHashes.map((perspectiveHash) => ({ passageHash, perspectiveHash }));
    return this.underAnyTitle(judgeKey, keys).find((answer) => answer !== undefined);
  }

  /** How many pairs this judge answered readably, and how many of them it escalated; reads all of its answers. */
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
type Found = readonly [
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

function rowOf([, verdict, evidence, rationale, digits, ...rest]: Found): Row {
  const [at, unparsable, cost, details, checksum, details_checksum] = rest;
  const answer = { verdict, evidence, rationale, confidence: digits === null ? null : Number(digits), at };
  return { ...answer, unparsable, cost, details, checksum, details_checksum };
}
