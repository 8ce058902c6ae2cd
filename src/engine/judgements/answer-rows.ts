/** Converts an answer to a row and back. Checksums detect damage: one of the answer, and one of its details. */
import { crc32 } from 'node:zlib';
import type { JudgementSource, Judgement, Span, Verdict } from '../../core/model.ts';
import type { Row, SqlValue } from '../store/database.ts';
import { textHash } from '../text-sums.ts';
import { formatCost, formatDetails, readCost, readDetails, type Provenance } from './judgement-details.ts';

export interface CachedAnswer {
  readonly judgement: Judgement;
  /** Whether it is "unsure" only because the judge's answer could not be read. */
  readonly unparsable: boolean;
}

/** The hashes are those of `textHash`. */
export interface AnswerKey {
  /** A {@link titledHash} if the answer depends on a title, too. */
  readonly passageHash: string;
  readonly perspectiveHash: string;
}

const BEFORE_TITLE = '+';

/** The hash of a passage with the title that a judge saw beside it. */
export function titledHash(passageHash: string, title: string): string {
  return `${passageHash}${BEFORE_TITLE}${textHash(title)}`;
}

export function withoutTitle(passageHash: string): string {
  return passageHash.split(BEFORE_TITLE, 1)[0]!;
}

/** A judge with stored answers. */
export interface KnownJudge {
  readonly id: number;
  readonly provenance: Provenance;
}

/** In the order of {@link columnsOf}. */
export const COLUMNS =
  'verdict, evidence, rationale, confidence, at, unparsable, cost, details, checksum, details_checksum';

export function columnsOf(answer: CachedAnswer, judge: KnownJudge, key: AnswerKey): SqlValue[] {
  const [answered, beside] = [verdictColumns(answer), besideOf(answer, judge)];
  return [...answered, ...beside, checksumOf(judge, key, answered), crc32(JSON.stringify(beside))];
}

function verdictColumns({ judgement, unparsable }: CachedAnswer): SqlValue[] {
  return [
    judgement.verdict,
    judgement.evidence.map(({ start, end }) => `${start}-${end}`).join(' '),
    judgement.rationale ?? null,
    judgement.confidence ?? null,
    judgement.at,
    unparsable ? 1 : 0,
  ];
}

/** Parts that the answer stays valid without. */
function besideOf({ judgement }: CachedAnswer, { provenance }: KnownJudge): SqlValue[] {
  return [formatCost(judgement.cost), formatDetails(judgement, provenance)];
}

/** A checksum of the answer, its judge and its pair. */
function checksumOf(
  { provenance }: KnownJudge,
  { perspectiveHash, passageHash }: AnswerKey,
  answered: readonly (SqlValue | undefined)[],
): number {
  const { source, judge, model, promptVersion, standard } = provenance;
  const by = [source, judge, model, promptVersion, standard];
  return crc32(JSON.stringify([by, perspectiveHash, passageHash, answered]));
}

/** @returns undefined if the row is damaged, which counts as no answer */
export function answerOf(row: Row, key: AnswerKey, judge: KnownJudge): CachedAnswer | undefined {
  const { verdict, evidence, rationale, confidence, at, unparsable, cost, details } = row;
  const answered = [verdict, evidence, rationale, confidence, at, unparsable];
  if (row['checksum'] !== checksumOf(judge, key, answered)) return undefined;
  const isWhole = row['details_checksum'] === crc32(JSON.stringify([cost, details]));
  return soundAnswer(isWhole ? row : { ...row, cost: null, details: null }, judge);
}

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

/** The judge and its settings, from the judge's row. */
export function provenanceOf(row: Row): Provenance {
  return {
    source: row['source'] as JudgementSource,
    judge: String(row['name']),
    model: textOf(row['model']),
    promptVersion: textOf(row['prompt_version']),
    standard: String(row['standard']),
  };
}
