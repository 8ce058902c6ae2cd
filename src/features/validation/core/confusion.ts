/** Compares a judge with a reference: counts, and the figures derived from them. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import type { DecidedVerdict } from '../../../core/model.ts';
import { VERDICTS } from '../../../core/words.ts';
import { beyondChance, countSchema, figureSchema, meanOf, ratio } from './figure.ts';

export const ANSWERS = [...VERDICTS, 'unparsed', 'escalated'] as const;
/**
 * How a judge's answer counts:
 *
 * - `yes`, `no`: right or wrong.
 * - `unsure`: no verdict although one was required. Wrong for any reference, never treated as "no".
 * - `unparsed`: no verdict could be read from the answer. Counts like `unsure`.
 * - `escalated`: the judge passed the pair to people, as intended. Left out of the figures on non-escalated pairs, and
 *   decided by {@link decidedByReference} in those on all pairs.
 */
export type Answer = (typeof ANSWERS)[number];

/** Numbers of pairs: reference verdict → answer. Without pairs on which the reference is unsure. */
export type Confusion = Readonly<Record<DecidedVerdict, Readonly<Record<Answer, number>>>>;

export interface ScoredPair {
  readonly reference: DecidedVerdict;
  readonly answer: Answer;
}

export function countPairs(pairs: Iterable<ScoredPair>): Confusion {
  const counts = { yes: noAnswers(), no: noAnswers() };
  for (const { reference, answer } of pairs) counts[reference][answer]++;
  return counts;
}

function noAnswers(): Record<Answer, number> {
  return { yes: 0, no: 0, unsure: 0, unparsed: 0, escalated: 0 };
}

/** The number of pairs with this answer, or of all pairs. */
export function countOf({ yes, no }: Confusion, answer?: Answer): number {
  const answers: readonly Answer[] = answer === undefined ? ANSWERS : [answer];
  return answers.reduce((sum, each) => sum + yes[each] + no[each], 0);
}

/** Shares from 0 to 1, and κ from −1 to 1. */
export const figuresSchema = z.object({
  /** The number of pairs behind the figures. */
  pairs: countSchema,
  accuracy: figureSchema,
  /** Mean of the recall of both classes (DREAM 3.2). */
  balancedAccuracy: figureSchema,
  /** F1 of "yes". */
  f1: figureSchema,
  /** Mean of the F1 of "yes" and of "no". */
  macroF1: figureSchema,
  /** Precision of "yes". */
  precision: figureSchema,
  recall: z.object({ yes: figureSchema, no: figureSchema }),
  /** Cohen's κ between judge and reference. "Unsure" and unparsed answers never agree. */
  kappa: figureSchema,
  /** Share of "yes" among the judge's answers. */
  positiveShare: figureSchema,
  /** Share of "yes" in the reference, on the same pairs. */
  referencePositiveShare: figureSchema,
});
export type Figures = Read<typeof figuresSchema>;

/** The figures on the pairs that the judge decided itself (DREAM Table 1: non-escalated cases). */
export function figuresOf({ yes, no }: Confusion): Figures {
  const isYes = decided(yes);
  const isNo = decided(no);
  const pairs = isYes + isNo;
  const saidYes = yes.yes + no.yes;
  const saidNo = yes.no + no.no;
  const recall = { yes: ratio(yes.yes, isYes), no: ratio(no.no, isNo) };
  const f1 = ratio(2 * yes.yes, saidYes + isYes);
  return {
    pairs,
    accuracy: ratio(yes.yes + no.no, pairs),
    balancedAccuracy: meanOf([recall.yes, recall.no]),
    f1,
    macroF1: meanOf([f1, ratio(2 * no.no, saidNo + isNo)]),
    precision: ratio(yes.yes, saidYes),
    recall,
    kappa:
      pairs === 0
        ? null
        : beyondChance((yes.yes + no.no) / pairs, (saidYes * isYes + saidNo * isNo) / pairs ** 2),
    positiveShare: ratio(saidYes, pairs),
    referencePositiveShare: ratio(isYes, pairs),
  };
}

function decided({ yes, no, unsure, unparsed }: Confusion['yes']): number {
  return yes + no + unsure + unparsed;
}

/**
 * The counts with every escalated pair decided by a person, for the figures on all cases (DREAM Table 2, where workers
 * decide and experts are the reference). Here the reference itself decides, so escalated pairs are never wrong. This is
 * an upper bound on the benefit of escalating to people.
 */
export function decidedByReference({ yes, no }: Confusion): Confusion {
  return {
    yes: { ...yes, yes: yes.yes + yes.escalated, escalated: 0 },
    no: { ...no, no: no.no + no.escalated, escalated: 0 },
  };
}
