/** Questions from lists and query logs: which are usable, and which are the same. */
import { analyze } from '../../../core/text/analyzer.ts';
import { fold, words } from '../../../core/text/words.ts';

/** A question and its line. */
export interface Asked {
  readonly text: string;
  /** Line of the file, from 1. `undefined` if unknown. */
  readonly line?: number | undefined;
}

/** A question that was asked once or several times, in its first wording. */
export interface DistinctQuestion extends Asked {
  readonly times: number;
}

/** Longer texts are pasted rather than asked. */
const MAX_QUESTION_LENGTH = 1_000;

/** Why a line of a list or log is not a usable question, as the end of a sentence. */
export function questionProblem(text: string): string | undefined {
  if (!/[\p{L}\p{N}]/u.test(text)) return 'holds no words';
  if (text.length > MAX_QUESTION_LENGTH)
    return `is longer than ${MAX_QUESTION_LENGTH} characters, which is no question`;
  return undefined;
}

/** Replaces line breaks and other white space by single spaces. */
export function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/**
 * One of several nearly identical questions (see {@link questionKey}), in its first wording and in the order of first
 * occurrence. Linear in the number of questions, as logs are long.
 */
export function distinctQuestions(questions: readonly Asked[]): DistinctQuestion[] {
  return [...Map.groupBy(questions, ({ text }) => questionKey(text)).values()].map((same) => ({
    ...same[0]!,
    times: same.length,
  }));
}

/** Sorts by frequency, keeping the order of equally frequent questions. */
export function mostAskedFirst(questions: readonly DistinctQuestion[]): DistinctQuestion[] {
  return [...questions].sort((a, b) => b.times - a.times);
}

/**
 * Equal for questions that differ only in case, punctuation, accents, inflection, or English stop words. Negations,
 * signs of mathematics and currencies, names such as "C#", and word order make a difference.
 */
export function questionKey(text: string): string {
  const folded = contractionsUndone(fold(text));
  const terms = analyze(folded, 'english');
  const negations = folded.match(NEGATION)?.length ?? 0;
  const signs = folded.match(SIGN) ?? [];
  // "To be or not to be?" consists of stop words only.
  const contentWords = terms.length > 0 ? terms : words(folded);
  return JSON.stringify(contentWords.length > 0 ? [contentWords, negations, signs] : text.trim());
}

const NEGATION = /(?<![\p{L}\p{N}'])(?:not|no)(?![\p{L}\p{N}'])/gu;
const SIGN = /[\p{Sm}\p{Sc}#%]/gu;

/** Expands contractions: "isn't" is "is not", "cannot" is "can not". */
function contractionsUndone(folded: string): string {
  return folded
    .replace(/\bcan't\b|\bcannot\b/g, 'can not')
    .replace(/\bwon't\b/g, 'will not')
    .replace(/\bshan't\b/g, 'shall not')
    .replace(/(?<=\p{L})n't(?!\p{L})/gu, ' not');
}
