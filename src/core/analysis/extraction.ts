/** Agreement of a phrase that a model extracted from a query with the annotated one. */
import { fold, words } from '../text/words.ts';

/** Both in [0, 1], with 1 for the same words. */
export interface ExtractionAgreement {
  /** Harmonic mean of precision and recall over words with repeats, as in question answering. */
  readonly tokenF1: number;
  /** Words in common over words in either, without repeats. PIR prints it as QA-F1. */
  readonly intersectionOverUnion: number;
}

/**
 * Compares with the annotated phrase that agrees best, word by word, ignoring case and punctuation. Two phrases without
 * words agree; a phrase without words and one with words do not.
 *
 * Source: PIR, appendix A.8 (QA-F1); Rajpurkar et al. 2016 (token F1).
 *
 * @param annotated at least one
 */
export function extractionAgreement(extracted: string, annotated: readonly string[]): ExtractionAgreement {
  const extractedWords = words(fold(extracted));
  const golds = annotated.map((text) => words(fold(text)));
  const best = (measure: (a: string[], b: string[]) => number): number =>
    Math.max(...golds.map((gold) => measure(extractedWords, gold)));
  return { tokenF1: best(tokenF1), intersectionOverUnion: best(intersectionOverUnion) };
}

function tokenF1(a: string[], b: string[]): number {
  if (a.length + b.length === 0) return 1;
  const left = [...b];
  const common = a.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
  return (2 * common) / (a.length + b.length);
}

function intersectionOverUnion(a: string[], b: string[]): number {
  const union = new Set([...a, ...b]);
  if (union.size === 0) return 1;
  return [...union].filter((word) => a.includes(word) && b.includes(word)).length / union.size;
}
