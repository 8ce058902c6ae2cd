/** How a judge errs, by its answers to pairs that people labelled: kept after a validation, and read for a query. */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { normalizePerspective } from '../formats/labels.ts';
import type { Confusion } from './confusion.ts';
import type { JudgeView } from './report.ts';

const count = z.number().int().min(0);
const answers = z.object({ yes: count, no: count });

/** A validation on people's labels, as one line of a file: what counts of it, by perspective. */
export const validationLineSchema = z.object({
  type: z.literal('validation'),
  judge: z.string(),
  /** Of the judge with its model and wording: another wording errs in another way. */
  key: z.string(),
  /** ISO 8601. */
  at: z.string(),
  perspectives: z.array(
    z.object({
      text: z.string(),
      /** Its answers where people say that the passage supports, and where they say that it does not. */
      support: answers,
      none: answers,
    }),
  ),
});
export type ValidationLine = Read<typeof validationLineSchema>;

/** As `JudgeErrors`, in (0, 1). */
export interface MeasuredErrors {
  readonly yesOfSupport: number;
  readonly yesOfNone: number;
  /** Pairs that they rest on. */
  readonly labels: number;
  /** Pairs that are about the query's own perspectives, and do not count for it. */
  readonly leftOut: number;
}

/** Rates that rest on fewer pairs of either kind are none. */
export const LEAST_OF_EACH = 10;

/** The line of a validation that is kept. @param at ISO 8601 */
export function validationLine(
  { judge, byPerspective }: Pick<JudgeView, 'judge' | 'byPerspective'>,
  key: string,
  at: string,
): ValidationLine {
  const perspectives = byPerspective.map(({ perspective: text, confusion }) => ({
    text,
    support: decided(confusion.yes),
    none: decided(confusion.no),
  }));
  return { type: 'validation', judge, key, at, perspectives };
}

/** "Unsure" and what cannot be read is no evidence either way. */
function decided({ yes, no }: Confusion['yes']): ValidationLine['perspectives'][number]['support'] {
  return { yes, no };
}

/**
 * The rates for a query, from the labels of all others: what was learnt from its own labels would be too good for it.
 * One more answer of each kind is counted than there was, so that no rate is 0 or 1.
 *
 * @param own texts of the query's perspectives
 * @returns nothing where either kind has too few pairs
 */
export function errorRates(line: ValidationLine, own: readonly string[]): MeasuredErrors | undefined {
  const asked = new Set(own.map(normalizePerspective));
  const isOwn = ({ text }: { readonly text: string }): boolean => asked.has(normalizePerspective(text));
  const others = line.perspectives.filter((each) => !isOwn(each));
  const [support, none] = [sumOf(others.map((each) => each.support)), sumOf(others.map((each) => each.none))];
  const [ofSupport, ofNone] = [support.yes + support.no, none.yes + none.no];
  if (ofSupport < LEAST_OF_EACH || ofNone < LEAST_OF_EACH) return undefined;
  const labels = ofSupport + ofNone;
  return {
    yesOfSupport: (support.yes + 1) / (ofSupport + 2),
    yesOfNone: (none.yes + 1) / (ofNone + 2),
    labels,
    leftOut: pairsOf(line) - labels,
  };
}

function pairsOf({ perspectives }: ValidationLine): number {
  const all = sumOf(perspectives.flatMap(({ support, none }) => [support, none]));
  return all.yes + all.no;
}

function sumOf(counts: readonly { readonly yes: number; readonly no: number }[]): {
  yes: number;
  no: number;
} {
  return counts.reduce<{ yes: number; no: number }>(
    (sum, { yes, no }) => ({ yes: sum.yes + yes, no: sum.no + no }),
    { yes: 0, no: 0 },
  );
}
