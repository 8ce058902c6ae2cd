/** Whether a written answer holds one of the gold answers of its question. */
import { holdsWords } from '../../../core/text/held-words.ts';
import { withoutCitations } from './answer-parse.ts';

/**
 * The words of one gold answer stand in the written answer, in their order and with nothing between them; numbers in
 * brackets that name passages are left out.
 *
 * Both texts are normalised as for SQuAD (Rajpurkar et al. 2016), word by word as DPR looks for answers in passages
 * (Karpukhin et al. 2020); that an answer may say more than the gold one follows Mallen et al. (2023), whose accuracy
 * on PopQA counts an answer that contains a gold one. It is literal: other words for the same thing do not count.
 *
 * @param passages how many the answer was written from
 */
export function holdsGoldAnswer(answer: string, gold: readonly string[], passages: number): boolean {
  const written = withoutCitations(answer, passages);
  return gold.some((own) => holdsWords(written, own));
}
