/**
 * Human labels: the lines of `.parallax/judgements.jsonl`. `label-index.ts` answers from them.
 *
 * The file is append-only and merged line by line, so it holds superseded labels, labels of several
 * people, and labels made when passages were split differently. All of that is settled when reading.
 *
 * Lines are of three kinds, told apart by one field each: a label has a `verdict`, a withdrawal `withdraws`
 * a label, an attention check has an answer that was `expected`. The latter two have no `verdict`, so that
 * a reader that knows labels only reports them as bad lines and skips them, and never takes them for labels.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';
import { decidedVerdictSchema, verdictSchema } from '../model.ts';
import { issueClause } from '../schema-issue.ts';
import { LABEL_KINDS } from '../words.ts';
import { withoutTrailing } from '../text/trim.ts';
import { parseJsonOnce, type Line } from './lines.ts';

/** Fields of every line: who spoke when, and about what. */
const aboutSchema = z.object({
  v: z.literal(1),
  /** The query's id, or the text of a query that was typed. */
  query: z.string(),
  /** The query's text, where `query` is an id: generated ids such as `q1` stand in many eval sets. */
  queryText: z.string().optional(),
  perspective: z.string(),
  perspectiveText: z.string().min(1),
  /** Document id; with neither quote nor hash the label speaks of the whole document. */
  document: z.string().min(1),
  /** Evidence as it stands in the text: the label holds for every passage of the document that contains it. */
  quote: z.string().min(1).optional(),
  /** Hash of a passage's text: the label holds for passages with exactly this text, wherever they are. */
  hash: z.string().optional(),
  /**
   * Hash of the words of the document, of a label that speaks of all of it: the label is stale once the document has
   * other words. Absent if it is not known what the document said.
   */
  documentHash: z.string().optional(),
  /** How the corpus was split when a passage was labelled: the `type` of its `split`. */
  split: z.string().optional(),
  by: z.object({ kind: z.enum(LABEL_KINDS), name: z.string() }),
  at: z.string(),
  standard: z.string().default('berds-1'),
});

/** A line with somebody's answer: append-only, so that branches merge line by line. */
export const labelSchema = aboutSchema.extend({
  verdict: verdictSchema,
  note: z.string().optional(),
  /** Whether the person had the arguments of the judges before them (DREAM, Table 3); absent where unknown. */
  informed: z.boolean().optional(),
  /** The chance in (0, 1] with which the query was drawn to be put to people; absent where it was not drawn. */
  chance: z.number().gt(0).max(1).optional(),
});
export type Label = Read<typeof labelSchema>;

/** A line that takes back one label or attention check: the one that the same person gave at that time. */
const withdrawalSchema = aboutSchema.extend({ withdraws: z.string() });
export type Withdrawal = Read<typeof withdrawalSchema>;

/** A line with the answer to a question whose answer is known. It never counts as a label of the pair. */
const attentionCheckSchema = aboutSchema.extend({ expected: decidedVerdictSchema, answer: verdictSchema });
export type AttentionCheck = Read<typeof attentionCheckSchema>;

export type LabelLine = Label | Withdrawal | AttentionCheck;

/** A line of a labels file, or the warning about it. */
export function readLabelLine({ number, text }: Line): LabelLine | string {
  const json = parseJsonOnce(text);
  const line = 'problem' in json ? json.problem : parseLabelLine(json.value);
  return typeof line === 'string' ? l10n.t`Line ${number}: ${line}; skipped.` : line;
}

/**
 * Whether a labels file speaks of passages, and all of them are of a time when every corpus was cut by words unless it
 * said otherwise.
 */
export function labelsPassagesOfWords(text: string): boolean {
  return text.includes('"hash":') && !text.includes('"split":"sections"');
}

/** Parses the JSON of a line, or says what is wrong with it. */
export function parseLabelLine(json: unknown): LabelLine | string {
  const result = schemaOf(json).safeParse(json);
  return result.success ? result.data : issueClause(result.error, json);
}

function schemaOf(json: unknown): z.ZodType<LabelLine> {
  if (typeof json !== 'object' || json === null) return labelSchema;
  if ('withdraws' in json) return withdrawalSchema;
  return 'expected' in json ? attentionCheckSchema : labelSchema;
}

/** Removes withdrawn labels, whatever the order of lines: merging may put a withdrawal before its label. */
export function withoutWithdrawn(lines: readonly LabelLine[]): {
  labels: Label[];
  checks: AttentionCheck[];
} {
  const withdrawn = new Set(
    lines.flatMap((line) => ('withdraws' in line ? nameOf(line, line.withdraws) : [])),
  );
  const standing = lines.filter((line) => !withdrawn.has(nameOf(line, line.at)));
  return {
    labels: standing.filter((line) => 'verdict' in line),
    checks: standing.filter((line) => 'expected' in line),
  };
}

/**
 * Whether a label names a part of a document by its number alone, such as `docs/a.md#p8`, as rankings name passages. It
 * speaks of a document of that name, which a record may have; the parts of a document that is split have no names of
 * their own.
 */
export function namesPart({ document, hash, quote }: Pick<Label, 'document' | 'hash' | 'quote'>): boolean {
  return hash === undefined && quote === undefined && /#p\d+$/u.test(document);
}

/** Names what a person said about a target at a time: a withdrawal has the name of what it takes back. */
export function nameOf({ by, document, hash, quote, perspectiveText }: LabelLine, at: string): string {
  return JSON.stringify([by.kind, by.name, at, document, hash, quote, normalizePerspective(perspectiveText)]);
}

/** The line that takes a label or an attention check back. @param at ISO 8601, now */
export function withdrawalOf(line: Label | AttentionCheck, at: string): Withdrawal {
  return { ...aboutSchema.parse(line), at, withdraws: line.at };
}

/** The line to append, with its line end. */
export function formatLabel(line: LabelLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Perspectives that differ only in case, blanks or final punctuation are the same statement. */
export function normalizePerspective(text: string): string {
  const statement = text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
  return withoutTrailing(statement, /[\s.!?…。]/u);
}

/** When a label was given, in milliseconds; a time that cannot be read counts as before all others. */
export function labelTime({ at }: Pick<Label, 'at'>): number {
  const parsed = Date.parse(at);
  return Number.isNaN(parsed) ? Number.MIN_SAFE_INTEGER : parsed;
}
