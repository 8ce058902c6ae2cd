/**
 * Error rates of a judge, from its answers to pairs that people labelled. Stored after a validation and used for
 * queries.
 */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { normalizePerspective } from '../../../core/formats/labels.ts';
import type { Confusion } from './confusion.ts';
import type { JudgeView } from './report.ts';

const count = z.number().int().min(0);
const answers = z.object({ yes: count, no: count });

/** A validation on people's labels, as one line of a file, by perspective. */
export const validationLineSchema = z.object({
  type: z.literal('validation'),
  judge: z.string(),
  /** Key of the judge with its model and prompt, as another prompt errs differently. */
  key: z.string(),
  /** ISO 8601. */
  at: z.string(),
  perspectives: z.array(
    z.object({
      text: z.string(),
      /** Its answers to pairs labelled as support, and to pairs labelled as no support. */
      support: answers,
      none: answers,
    }),
  ),
});
export type ValidationLine = Read<typeof validationLineSchema>;

/** Like `JudgeErrors`, in (0, 1). */
export interface MeasuredErrors {
  readonly yesOfSupport: number;
  readonly yesOfNone: number;
  /** The number of pairs they rest on. */
  readonly labels: number;
  /** Pairs about the query's own perspectives, which do not count for it. */
  readonly leftOut: number;
}

/** The least number of pairs of each kind. With fewer there are no rates. */
export const MIN_OF_EACH = 10;

/** The line to store for a validation. @param at ISO 8601 */
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

/** "Unsure" and unreadable answers are no evidence either way. */
function decided({ yes, no }: Confusion['yes']): ValidationLine['perspectives'][number]['support'] {
  return { yes, no };
}

/**
 * The rates for a query, from the labels of other queries, as its own labels would make them too good. One answer of
 * each kind is added, so that no rate is 0 or 1.
 *
 * @param ownPerspectives texts of the query's perspectives
 * @returns `undefined` if there are too few pairs of either kind
 */
export function errorRates(
  line: ValidationLine,
  ownPerspectives: readonly string[],
): MeasuredErrors | undefined {
  const ownTexts = new Set(ownPerspectives.map(normalizePerspective));
  const isOwn = ({ text }: { readonly text: string }): boolean => ownTexts.has(normalizePerspective(text));
  const otherPerspectives = line.perspectives.filter((each) => !isOwn(each));
  const [support, none] = [
    sumOf(otherPerspectives.map((each) => each.support)),
    sumOf(otherPerspectives.map((each) => each.none)),
  ];
  const [ofSupport, ofNone] = [support.yes + support.no, none.yes + none.no];
  if (ofSupport < MIN_OF_EACH || ofNone < MIN_OF_EACH) return undefined;
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
