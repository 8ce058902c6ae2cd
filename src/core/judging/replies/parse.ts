/** Parses a model's answer to a verdict, or a reason why it has none. */
import * as z from 'zod';
import { type Verdict, verdictSchema } from '../../model.ts';
import { jsonObjects, withoutThinking } from './json.ts';

export interface ParsedAnswer {
  readonly verdict: Verdict;
  /** Sentences quoted from the passage, as written by the model. */
  readonly evidence: readonly string[];
  readonly rationale?: string | undefined;
}

export interface Unparsable {
  readonly unparsable: true;
  /** A sentence for users. */
  readonly reason: string;
}

/** `yes`, `no` or `unsure` as models write them. */
export const writtenVerdictSchema = z.union([
  z.boolean().transform((supports): Verdict => (supports ? 'yes' : 'no')),
  z
    .string()
    .transform((word) => word.trim().toLowerCase().replace(/[.!]$/, ''))
    .pipe(verdictSchema),
]);

const quotes = z
  .union([z.string().transform((quote) => [quote]), z.array(z.string())])
  .nullish()
  .catch(undefined)
  .transform((value) =>
    (value ?? []).map((quote) => quote.trim()).filter((quote) => !MEANS_NONE.test(quote)),
  );

/** Spellings that models use instead of null. */
const MEANS_NONE = /^(?:|null|none|n\/a|-)\.?$/i;

const answerSchema = z.object({
  evidence: quotes,
  verdict: writtenVerdictSchema,
  reason: z.string().trim().optional().catch(undefined),
});

/** A bare verdict: the word alone, or followed by punctuation. Does not match "Yes and no". */
const BARE =
  /^[\s*_"'`#]*(?:(?:answer|verdict)[\s*_]*:[\s*_]*)?["'`]?(yes|no|unsure)["'`]?[*_]*(?:\s*$|[.,:;!\n–—]|\s[-–—])/i;

/**
 * Reads the JSON objects of an answer, with or without code fences and other text around them. Without an object with a
 * verdict, reads a bare "yes", "no" or "unsure" at the beginning. Does not guess: contradicting objects are no answer,
 * and neither is a truncated one.
 */
export function parseAnswer(text: string): ParsedAnswer | Unparsable {
  if (text.trim() === '') return unparsable('The model gave an empty answer.');
  const answers = [...jsonObjects(text)].map(readAnswer).filter((answer) => answer !== undefined);
  return agreed(answers) ?? parseBareVerdict(text);
}

/** The answer in an object of an answer's JSON. `undefined` if it has none. */
export function readAnswer(object: unknown): ParsedAnswer | undefined {
  const parsed = answerSchema.safeParse(object);
  if (!parsed.success) return undefined;
  const { verdict, evidence, reason } = parsed.data;
  return { verdict, evidence, rationale: reason || undefined };
}

/** The first of several answers to one question, unless their verdicts differ. `undefined` without answers. */
export function agreed(answers: readonly ParsedAnswer[]): ParsedAnswer | Unparsable | undefined {
  const first = answers[0];
  if (first && answers.some(({ verdict }) => verdict !== first.verdict))
    return unparsable('The model gave several verdicts that contradict each other.');
  return first;
}

function parseBareVerdict(text: string): ParsedAnswer | Unparsable {
  const word = BARE.exec(withoutThinking(text))?.[1];
  if (!word) return unparsable(`The model's answer holds no verdict: ${excerpt(text)}`);
  return { verdict: word.toLowerCase() as Verdict, evidence: [] };
}

export function unparsable(reason: string): Unparsable {
  return { unparsable: true, reason };
}

function excerpt(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ').toWellFormed();
  return line.length <= 120 ? line : `${line.slice(0, 119).toWellFormed()}…`;
}
