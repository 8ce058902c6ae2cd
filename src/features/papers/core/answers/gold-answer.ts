/** Whether an answer contains one of the gold answers of its question. */
import { holdsWords } from '../../../../core/text/words.ts';
import { withoutCitations } from './answer-parse.ts';

/**
 * Whether the words of a gold answer occur in the written answer, in order and without gaps; brackets that cite
 * passages are ignored.
 *
 * Both texts are normalised as for SQuAD (Rajpurkar et al. 2016), word by word as DPR looks for answers in passages
 * (Karpukhin et al. 2020). That an answer may say more than the gold one follows Mallen et al. (2023), whose accuracy
 * on PopQA counts an answer that contains a gold one. Paraphrases do not count.
 *
 * @param passages number of passages that the answer was written from
 */
export function holdsGoldAnswer(answer: string, gold: readonly string[], passages: number): boolean {
  const written = withoutCitations(answer, passages);
  return gold.some((goldAnswer) => holdsWords(written, goldAnswer));
}
