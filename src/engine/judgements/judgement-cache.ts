/**
 * Answers that were given once, by content: judge, passage text, perspective text. What was paid for is
 * stored before anybody sees it, survives the end of the process, and is shared by all windows.
 */
import { crc32 } from 'node:zlib';
import * as l10n from '@vscode/l10n';
import { inContext, messageOf, ParallaxError } from '../../core/errors.ts';
import {
  JUDGEMENT_SOURCES,
  type Judgement,
  type JudgementSource,
  type Span,
  type Verdict,
} from '../../core/model.ts';
import type { Database, Row, SqlValue, Statement } from '../store/database.ts';
import { createTables, noteTables } from '../store/tables.ts';
import type { Claims } from './claims.ts';
import { formatCost, formatDetails, readCost, readDetails, type Provenance } from './judgement-details.ts';
import { ReplyCache } from '../models/reply-cache.ts';

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
    cost TEXT,
    details TEXT,
    checksum INTEGER,
    details_checksum INTEGER,
    PRIMARY KEY (judge, perspective, passage)
  ) WITHOUT ROWID`;

const COLUMNS =
  'verdict, evidence, rationale, confidence, at, unparsable, cost, details, checksum, details_checksum';

/**
 * One statement for many keys, since a lookup of its own for each would spend half its time on locks; and one text for
 * all that is found, since rows are handed out value by value. A number with 17 digits is read as what it was. The
 * casts are for damaged rows, in which anything may stand: what JSON cannot hold would fail the whole statement.
 */
const GET = `
  SELECT json_group_array(json_array(
    asked.key, CAST(verdict AS TEXT), CAST(evidence AS TEXT), CAST(rationale AS TEXT),
    iif(confidence IS NULL, NULL, printf('%!.17g', confidence)), CAST(at AS TEXT), CAST(unparsable AS INTEGER),
    CAST(cost AS TEXT), CAST(details AS TEXT), CAST(checksum AS INTEGER), CAST(details_checksum AS INTEGER)
  )) AS found
  FROM json_each(?) AS asked CROSS JOIN answers_1
  WHERE judge = ? AND perspective = asked.value ->> 0 AND passage = asked.value ->> 1`;

/** What {@link GET} finds of one answer. */
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
];

function rowOf(found: Found): Row {
  const [, verdict, evidence, rationale, digits, at, unparsable, cost, details, checksum, details_checksum] =
    found;
  const confidence = digits === null ? null : Number(digits);
  return {
    verdict,
    evidence,
    rationale,
    confidence,
    at,
    unparsable,
    cost,
    details,
    checksum,
    details_checksum,
  };
}

/** The first answer stands, so that two windows show the same; only one that could not be read is replaced. */
const PUT = `
  INSERT INTO answers_1 (judge, perspective, passage, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    verdict = excluded.verdict, evidence = excluded.evidence, rationale = excluded.rationale,
    confidence = excluded.confidence, at = excluded.at, unparsable = excluded.unparsable,
    cost = excluded.cost, details = excluded.details, checksum = excluded.checksum,
    details_checksum = excluded.details_checksum
  WHERE unparsable = 1`;

/** Of an answer that is damaged: it is asked for again, and nothing of it may stay. */
const DELETE = 'DELETE FROM answers_1 WHERE judge = ? AND perspective = ? AND passage = ?';

const COUNT = `
  SELECT count(*) AS answered, count(CASE WHEN json_valid(details) THEN details ->> 'escalated' END) AS escalated
  FROM answers_1 WHERE judge = ? AND unparsable = 0`;

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
  /** Replies on the way to a judgement, in the same database. */
  readonly replies: ReplyCache;
  /** Who is asking what; absent where nobody else has this database. */
  readonly claims: Claims | undefined;

  /** Creates its tables where they are missing; the database may hold others. */
  constructor(db: Database, claims?: Claims) {
    this.claims = claims;
    createTables(db, TABLES);
    addNewColumns(db);
    this.replies = new ReplyCache(db);
    this.#db = db;
    this.#get = db.prepare(GET);
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
    const answers = new Array<CachedAnswer | undefined>(keys.length).fill(undefined);
    const judge = this.#judge(judgeKey);
    if (!judge) return answers;
    const asked = JSON.stringify(
      keys.map(({ perspectiveHash, passageHash }) => [perspectiveHash, passageHash]),
    );
    const found = JSON.parse(String(this.#get.get(asked, judge.id)?.['found'])) as readonly Found[];
    for (const one of found) answers[one[0]] = answerOf(rowOf(one), keys[one[0]]!, judge);
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
      const judge = this.#judge(judgeKey) ?? this.#addJudge(judgeKey, answer.judgement);
      const [said, beside] = [saidBy(answer), besideOf(answer, judge)];
      const checksums = [checksumOf(judge, key, said), crc32(JSON.stringify(beside))];
      const row = [judge.id, key.perspectiveHash, key.passageHash] as const;
      const store = (): boolean => this.#put.run(...row, ...said, ...beside, ...checksums).changes > 0;
      if (store()) return answer;
      const standing = this.get(judgeKey, key);
      if (standing) return standing;
      this.#db.transaction(() => {
        this.#db.prepare(DELETE).run(...row);
        store();
      });
      return answer;
    } catch (error) {
      if (ParallaxError.is(error))
        throw inContext((sentence) => l10n.t`Judgements cannot be stored: ${sentence}`, error);
      throw new ParallaxError('store-unusable', l10n.t`Judgements cannot be stored: ${messageOf(error)}.`, {
        cause: error,
      });
    }
  }

  /** Everything this judge has answered about a perspective, whatever the passage: passage hash → answer. */
  ofPerspective(judgeKey: string, perspectiveHash: string): ReadonlyMap<string, CachedAnswer> {
    const judge = this.#judge(judgeKey);
    const rows = judge ? this.#ofPerspective.all(judge.id, perspectiveHash) : [];
    return new Map(
      rows.flatMap((row): [string, CachedAnswer][] => {
        const passageHash = String(row['passage']);
        const answer = answerOf(row, { passageHash, perspectiveHash }, judge!);
        return answer ? [[passageHash, answer]] : [];
      }),
    );
  }

  /**
   * Everything these judges have answered about any passage, for a perspective under one of its keys.
   *
   * @param perspectiveHashes those of {@link AnswerKey}; of several the first that is answered counts
   */
  ofPair(
    judgeKey: string,
    perspectiveHashes: readonly string[],
    passageHash: string,
  ): CachedAnswer | undefined {
    const keys = perspectiveHashes.map((perspectiveHash) => ({ passageHash, perspectiveHash }));
    return this.getMany(judgeKey, keys).find((answer) => answer !== undefined);
  }

  /** How many pairs this judge answered readably, and how many of them it escalated; reads all of its answers. */
  counts(judgeKey: string): { readonly answered: number; readonly escalated: number } {
    const judge = this.#judge(judgeKey);
    const row = judge && this.#db.prepare(COUNT).get(judge.id);
    return { answered: Number(row?.['answered'] ?? 0), escalated: Number(row?.['escalated'] ?? 0) };
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

const NEW_COLUMNS: Readonly<Record<string, string>> = {
  cost: 'TEXT',
  details: 'TEXT',
  checksum: 'INTEGER',
  details_checksum: 'INTEGER',
};

/** Files of earlier versions hold answers without these columns; they were paid for, too. */
function addNewColumns(db: Database): void {
  const missing = (): string[] => {
    const columns = db.prepare("SELECT name FROM pragma_table_info('answers_1')").all();
    return Object.keys(NEW_COLUMNS).filter((name) => !columns.some((column) => column['name'] === name));
  };
  if (missing().length === 0) return;
  db.transaction(() => {
    // Asked again, because another window may have added them meanwhile.
    for (const name of missing()) db.exec(`ALTER TABLE answers_1 ADD COLUMN ${name} ${NEW_COLUMNS[name]}`);
    noteTables(db);
  });
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

function saidBy({ judgement, unparsable }: CachedAnswer): SqlValue[] {
  return [
    judgement.verdict,
    judgement.evidence.map(({ start, end }) => `${start}-${end}`).join(' '),
    judgement.rationale ?? null,
    judgement.confidence ?? null,
    judgement.at,
    unparsable ? 1 : 0,
  ];
}

/** Parts of an answer that it is still good without. */
function besideOf({ judgement }: CachedAnswer, { provenance }: KnownJudge): SqlValue[] {
  return [formatCost(judgement.cost), formatDetails(judgement, provenance)];
}

/** Of what was said, by whom, and of what. */
function checksumOf(
  { provenance }: KnownJudge,
  { perspectiveHash, passageHash }: AnswerKey,
  said: readonly (SqlValue | undefined)[],
): number {
  const { source, judge, model, promptVersion, standard } = provenance;
  const by = [source, judge, model, promptVersion, standard];
  return crc32(JSON.stringify([by, perspectiveHash, passageHash, said]));
}

/** @returns undefined where the row is damaged: nobody has answered, then */
function answerOf(row: Row, key: AnswerKey, judge: KnownJudge): CachedAnswer | undefined {
  const { verdict, evidence, rationale, confidence, at, unparsable, cost, details } = row;
  const said = [verdict, evidence, rationale, confidence, at, unparsable];
  if (!fits(row['checksum'], checksumOf(judge, key, said))) return undefined;
  const isWhole = fits(row['details_checksum'], crc32(JSON.stringify([cost, details])));
  return soundAnswer(isWhole ? row : { ...row, cost: null, details: null }, judge);
}

/** Answers of earlier versions have no checksums. */
const fits = (stored: SqlValue | undefined, checksum: number): boolean =>
  stored === null || stored === checksum;

function soundAnswer(row: Row, { provenance }: KnownJudge): CachedAnswer {
  const { from, ...details } = readDetails(row['details']);
  const cost = readCost(row['cost']);
  return {
    judgement: {
      ...(from ? { model: undefined, promptVersion: undefined, ...from } : provenance),
      judge: provenance.judge,
      verdict: row['verdict'] as Verdict,
      evidence: spansOf(row['evidence'] as string),
      rationale: textOf(row['rationale']),
      confidence: typeof row['confidence'] === 'number' ? row['confidence'] : undefined,
      at: row['at'] as string,
      ...(cost && { cost }),
      ...details,
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
