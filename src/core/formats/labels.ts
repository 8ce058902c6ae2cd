/**
 * Human labels: the lines of `.parallax/judgements.jsonl`. `label-index.ts` answers from them.
 *
 * The file is append-only and merged line by line, so it contains superseded labels, labels of several people, and
 * labels from earlier splits of the corpus. Reading resolves all of that.
 *
 * There are three kinds of lines, distinguished by one field each: a label has a `verdict`, a withdrawal `withdraws` a
 * label, and an attention check has an `expected` answer. The latter two have no `verdict`, so that readers that only
 * support labels report and skip them.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';
import { decidedVerdictSchema, verdictSchema } from '../model.ts';
import { issueClause } from '../schema-issue.ts';
import { LABEL_KINDS } from '../words.ts';
import { withoutTrailing } from '../text/trim.ts';
import { parseJsonOnce, type Line } from './lines.ts';

/** Fields of every line: who, when, and about what. */
const aboutSchema = z.object({
  v: z.literal(1),
  /** The query's id, or the text of a query that was typed. */
  query: z.string(),
  /** The query's text if `query` is an id. Generated ids such as `q1` occur in many eval sets. */
  queryText: z.string().optional(),
  perspective: z.string(),
  perspectiveText: z.string().min(1),
  /** Document id. Without quote and hash the label is about the whole document. */
  document: z.string().min(1),
  /** Evidence as in the text. The label applies to every passage of the document that contains it. */
  quote: z.string().min(1).optional(),
  /** Hash of a passage's text. The label applies to passages with exactly this text in any document. */
  hash: z.string().optional(),
  /**
   * Hash of the document's words, for labels of a whole document. The label is stale once the words change. `undefined`
   * if the words are unknown.
   */
  documentHash: z.string().optional(),
  /** The `type` of the corpus's `split` when a passage was labelled. */
  split: z.string().optional(),
  by: z.object({ kind: z.enum(LABEL_KINDS), name: z.string() }),
  at: z.string(),
  standard: z.string().default('berds-1'),
});

/** A line with an answer. */
export const labelSchema = aboutSchema.extend({
  verdict: verdictSchema,
  note: z.string().optional(),
  /** Whether the person saw the judges' arguments (DREAM, Table 3). `undefined` if unknown. */
  informed: z.boolean().optional(),
  /** The probability in (0, 1] with which the query was drawn for labelling. `undefined` if it was not drawn. */
  chance: z.number().gt(0).max(1).optional(),
});
export type Label = Read<typeof labelSchema>;

/** Withdraws the label or attention check that the same person gave at that time. */
const withdrawalSchema = aboutSchema.extend({ withdraws: z.string() });
export type Withdrawal = Read<typeof withdrawalSchema>;

/** An answer to a question whose answer is known. Never counts as a label of the pair. */
const attentionCheckSchema = aboutSchema.extend({ expected: decidedVerdictSchema, answer: verdictSchema });
export type AttentionCheck = Read<typeof attentionCheckSchema>;

export type LabelLine = Label | Withdrawal | AttentionCheck;

/** A line of a labels file, or a warning about it. */
export function readLabelLine({ number, text }: Line): LabelLine | string {
  const json = parseJsonOnce(text);
  const line = 'problem' in json ? json.problem : parseLabelLine(json.value);
  return typeof line === 'string' ? l10n.t`Line ${number}: ${line}; skipped.` : line;
}

/** Whether a labels file refers to passages, all of them from the time when word splitting was the default. */
export function labelsPassagesOfWords(text: string): boolean {
  return text.includes('"hash":') && !text.includes('"split":"sections"');
}

/** Parses the JSON of a line. Returns a clause about the problem if it is invalid. */
export function parseLabelLine(json: unknown): LabelLine | string {
  const result = schemaOf(json).safeParse(json);
  return result.success ? result.data : issueClause(result.error, json);
}

function schemaOf(json: unknown): z.ZodType<LabelLine> {
  if (typeof json !== 'object' || json === null) return labelSchema;
  if ('withdraws' in json) return withdrawalSchema;
  return 'expected' in json ? attentionCheckSchema : labelSchema;
}

/** Removes withdrawn labels in any order of lines: after a merge a withdrawal may precede its label. */
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
 * Whether a label names a part of a document by its number only, such as `docs/a.md#p8`, as rankings name passages. It
 * is read as a document id, which a record may have. Parts of split documents have no such ids.
 */
export function namesPart({ document, hash, quote }: Pick<Label, 'document' | 'hash' | 'quote'>): boolean {
  return hash === undefined && quote === undefined && /#p\d+$/u.test(document);
}

/** The key of what a person said about a target at a time. A withdrawal has the key of the line it withdraws. */
export function nameOf({ by, document, hash, quote, perspectiveText }: LabelLine, at: string): string {
  return JSON.stringify([by.kind, by.name, at, document, hash, quote, normalizePerspective(perspectiveText)]);
}

/** The line that withdraws a label or an attention check. @param at ISO 8601, now */
export function withdrawalOf(line: Label | AttentionCheck, at: string): Withdrawal {
  return { ...aboutSchema.parse(line), at, withdraws: line.at };
}

/** The line to append, with its line end. */
export function formatLabel(line: LabelLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Perspectives that only differ in case, blanks or final punctuation are the same statement. */
export function normalizePerspective(text: string): string {
  const statement = text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
  return withoutTrailing(statement, /[\s.!?…。]/u);
}

/** The time of a label, in milliseconds. Unreadable times sort before all others. */
export function labelTime({ at }: Pick<Label, 'at'>): number {
  const parsed = Date.parse(at);
  return Number.isNaN(parsed) ? Number.MIN_SAFE_INTEGER : parsed;
}
