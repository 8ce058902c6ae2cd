/** The measure and the smallest value by which retrieval counts as successful for a query. */
import * as z from 'zod';
import type { Read } from '../read.ts';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import { definitionOf, measureName, parseMeasure } from './measures.ts';

export const retrievalSuccessSchema = z.object({
  /** With its cutoff: `nDCG@5`. */
  measure: z.string(),
  /** The smallest value that is a success. 1 for a measure that is 0 or 1. */
  least: z.number(),
});
/** The retrieval measure for RAGAlign. */
export type RetrievalSuccess = Read<typeof retrievalSuccessSchema>;

/** DREAM's name for Success. */
const HIT = /^Hit(?=@)/u;

/**
 * @param name a measure that ignores ranks below k; `Hit@k` is `Success@k`
 * @param least `undefined` for a measure that is 0 or 1
 * @param k the number of passages an answer is written from
 * @throws ParallaxError `bad-argument` if the measure does not express success or looks deeper than k, or if the
 *   threshold is missing, superfluous or out of range
 */
export function retrievalSuccess(name: string, least: number | undefined, k: number): RetrievalSuccess {
  const parsed = parseMeasure(name.trim().replace(HIT, 'Success'));
  const measure = measureName(parsed);
  const { better, isYesOrNo, range } = definitionOf(parsed);
  if (better !== 'more')
    throw new ParallaxError('bad-argument', l10n.t`${measure} does not say whether retrieval succeeded.`);
  if (parsed.k === undefined || parsed.k > k)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Answers are written from ${k} passages, and ${measure} looks deeper; name a measure with a cutoff up to @${k}.`,
    );
  if (isYesOrNo) {
    if (least === undefined || least === 1) return { measure, least: 1 };
    throw new ParallaxError(
      'bad-argument',
      l10n.t`${measure} is yes or no for a question and takes no threshold.`,
    );
  }
  const [, most] = range;
  if (least === undefined)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`${measure} is not yes or no for a question: give the value from which retrieval counts as successful.`,
    );
  if (!(least > 0 && least <= most))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`A threshold of ${measure} is above 0 and at most ${most}, not ${least}.`,
    );
  return { measure, least };
}

/** `nDCG@5 ≥ 0.5`, or `Success@5` for a measure that is 0 or 1. */
export function successName({ measure, least }: RetrievalSuccess): string {
  return definitionOf(parseMeasure(measure)).isYesOrNo ? measure : `${measure} ≥ ${least}`;
}
