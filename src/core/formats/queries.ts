/**
 * Eval sets: queries with the perspectives that a complete answer covers, one JSON object per line. Reads BEIR's
 * `queries.jsonl` (`_id`, `text`, `metadata`), optionally with `perspectives`, BERDS (`question`, `perspectives` as
 * strings), and gold answers as in DPR (`answers`, a list of texts) or SQuAD (`{"text": […]}`). Unknown fields are
 * ignored.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';
import { type Perspective, type Query, stanceSchema, stanceSourceSchema } from '../model.ts';
import { isRecord } from '../text/json.ts';
import { issueClause } from '../schema-issue.ts';
import { goldAnswersSchema, goldPerspective, isOfGold } from './gold-perspective.ts';
import { linesOf, LinesReading, parseJsonOnce, type Line } from './lines.ts';

const statement = z
  .string()
  .refine((text) => text.trim() !== '', { error: () => l10n.t('must not be empty') });
const identifier = z
  .union([z.string().min(1), z.number()], { error: () => l10n.t('expected an id') })
  .transform(String);
const tags = z.array(z.string());

/** An expected document needs no statement, as its id is shown instead. */
function withText(value: unknown): unknown {
  if (typeof value === 'string') return { text: value };
  return isRecord(value) && value['document'] != null ? { text: value['document'], ...value } : value;
}

const perspectiveRecord = z.preprocess(
  withText,
  z.object({
    id: identifier.nullish(),
    text: statement,
    stance: stanceSchema.nullish(),
    /** Unknown values are ignored. */
    stanceBy: stanceSourceSchema.nullish().catch(undefined),
    group: z.string().nullish(),
    document: z.string().min(1).nullish(),
    within: z.number().int().min(1).nullish(),
  }),
);

/** A line of an eval set. */
export const queryRecord = z
  .object({
    _id: identifier.nullish(),
    id: identifier.nullish(),
    text: statement.nullish(),
    query: statement.nullish(),
    question: statement.nullish(),
    perspectives: z.array(perspectiveRecord).nullish(),
    answerable: z.boolean().nullish(),
    answers: goldAnswersSchema.nullish(),
    tags: tags.nullish(),
    metadata: z.looseObject({ tags: tags.nullish() }).nullish(),
  })
  .refine((record) => questionOf(record) !== undefined, {
    path: ['text'],
    error: () => l10n.t('missing, and neither "query" nor "question" is there'),
  })
  .refine(({ answerable, perspectives }) => answerable !== false || (perspectives ?? []).length === 0, {
    path: ['answerable'],
    error: () => l10n.t('false, but the question has perspectives that an answer would cover'),
  });

type QueryRecord = Read<typeof queryRecord>;
type PerspectiveRecord = Read<typeof perspectiveRecord>;

export interface ParsedEvalSet {
  readonly queries: readonly Query[];
  readonly warnings: readonly string[];
}

/**
 * Reads an eval set. A query without an id is named after its line (`q12`), a perspective without one after its
 * position (`p1`, `p2`, …). Bad lines and repeated ids are reported and left out.
 *
 * @param name of the eval set, for messages
 * @throws ParallaxError `bad-file` if there is no query, or too many lines are bad.
 */
export function parseEvalSet(text: string, name: string): ParsedEvalSet {
  const reading = new EvalSetReading(name);
  for (const line of linesOf(text)) reading.take(line);
  return reading.end();
}

/** Incremental {@link parseEvalSet}. */
export class EvalSetReading {
  readonly #name: string;
  readonly #queries = new Map<string, Query>();
  readonly #places = new Map<string, number>();
  readonly #repeated: string[] = [];
  #lines: LinesReading | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** The line number of each query, from 1. */
  get places(): ReadonlyMap<string, number> {
    return this.#places;
  }

  /** @throws ParallaxError `bad-file` if too many lines are bad */
  take(line: Line): void {
    this.#linesAfter(line).take(line);
  }

  /** @throws ParallaxError `bad-file` if there is no query */
  end(): ParsedEvalSet {
    const warnings = [...this.#linesAfter().end(), ...this.#repeated];
    return {
      queries: [...this.#queries.values()],
      warnings: warnings.map((warning) => `${this.#name}: ${warning}`),
    };
  }

  /** The first line determines the message if the file cannot be read. */
  #linesAfter(first?: Line): LinesReading {
    const refusal = (): string => notQueries(first?.text ?? '', this.#name);
    return (this.#lines ??= new LinesReading(refusal(), (line) => this.#accept(line)));
  }

  #accept(line: Line): string | undefined {
    const read = readRecord(line);
    if ('problem' in read) return read.problem;
    const { id, record } = read;
    if (this.#queries.has(id)) return l10n.t`_id "${id}" occurs a second time`;
    const perspectives = perspectivesOf(record.perspectives ?? [], (perspective) =>
      this.#repeated.push(
        l10n.t`Line ${line.number}: perspective "${perspective}" occurs a second time; left out.`,
      ),
    );
    this.#queries.set(id, toQuery(record, id, perspectives));
    this.#places.set(id, line.number);
    return undefined;
  }
}

/** Suggests the command that reads tables and files of evaluation tools. */
function notQueries(text: string, name: string): string {
  const refusal = l10n.t`Not a set of queries (${name}, one JSON object per line)`;
  if (text.trimStart().startsWith('{')) return refusal;
  return l10n.t`${refusal}. "parallax convert" makes one of files of ragas, BEIR and others`;
}

function readRecord(line: Line): { readonly id: string; readonly record: QueryRecord } | { problem: string } {
  const json = parseJsonOnce(line.text);
  if ('problem' in json) return json;
  const result = queryRecord.safeParse(json.value);
  if (!result.success) return { problem: issueClause(result.error, json.value) };
  const record = result.data;
  return { id: record._id ?? record.id ?? `q${line.number}`, record };
}

/**
 * The place of a perspective that {@link parseEvalSet} reads.
 *
 * @returns the line and the index in its list of perspectives, from 0, with the text at that place
 */
export function locatePerspective(
  evalSet: string,
  queryId: string,
  perspectiveId: string,
): { readonly line: Line; readonly index: number; readonly text: string } | undefined {
  for (const line of linesOf(evalSet)) {
    const read = readRecord(line);
    if ('problem' in read || read.id !== queryId) continue;
    const records = read.record.perspectives ?? [];
    const index = records.findIndex(({ id }, place) => (id ?? placeName(place)) === perspectiveId);
    return index < 0 ? undefined : { line, index, text: records[index]!.text };
  }
  return undefined;
}

/**
 * The line of each query of an eval set by id, from 1, for links into the file. For repeated ids the first line, which
 * is the one that counts.
 */
export function queryLines(evalSet: string): Map<string, number> {
  const lines = new Map<string, number>();
  for (const line of linesOf(evalSet)) {
    const read = readRecord(line);
    if (!('problem' in read) && !lines.has(read.id)) lines.set(read.id, line.number);
  }
  return lines;
}

/** A perspective without an id is named after its position. */
const placeName = (index: number): string => `p${index + 1}`;

/** Gold answers are the perspective of a query without others. */
function toQuery(record: QueryRecord, id: string, perspectives: readonly Perspective[]): Query {
  const queryTags = record.tags ?? record.metadata?.tags;
  const { answers } = record;
  const text = questionOf(record) ?? '';
  const isGold = perspectives.length === 0 && record.answerable !== false && answers && answers.length > 0;
  return {
    id,
    text,
    perspectives: isGold ? [goldPerspective(text, answers)] : perspectives,
    ...(record.answerable === false ? { answerable: false as const } : {}),
    ...(answers && answers.length > 0 ? { answers } : {}),
    ...(queryTags ? { tags: queryTags } : {}),
  };
}

function questionOf(
  record: Partial<Record<'text' | 'query' | 'question', string | null | undefined>>,
): string | undefined {
  return record.text ?? record.query ?? record.question ?? undefined;
}

function perspectivesOf(
  records: readonly PerspectiveRecord[],
  onRepeat: (id: string) => void,
): Perspective[] {
  const perspectives = new Map<string, Perspective>();
  records.forEach(({ id = null, text, stance, stanceBy, group, document, within }, index) => {
    const perspectiveId = id ?? placeName(index);
    if (perspectives.has(perspectiveId)) return onRepeat(perspectiveId);
    perspectives.set(perspectiveId, {
      id: perspectiveId,
      text,
      ...(stance ? { stance } : {}),
      ...(stance && stanceBy ? { stanceBy } : {}),
      ...(group ? { group } : {}),
      ...(document ? { document } : {}),
      ...(document && within ? { within } : {}),
    });
  });
  return [...perspectives.values()];
}

/** Writes an eval set in the BEIR form with perspectives; {@link parseEvalSet} reads back the same queries. */
export function formatEvalSet(queries: readonly Query[]): string {
  return queries
    .map(({ id, text, perspectives, answerable, answers, tags: queryTags }) =>
      JSON.stringify({
        _id: id,
        text,
        ...(isOfGold({ perspectives }) ? {} : { perspectives }),
        ...(answerable === false ? { answerable } : {}),
        ...(answers ? { answers } : {}),
        ...(queryTags ? { metadata: { tags: queryTags } } : {}),
      }),
    )
    .map((line) => `${line}\n`)
    .join('');
}
