/** Questions that people asked, from lists and query logs: which are usable, and which are the same. */
import { analyze } from '../text/analyzer.ts';
import { fold, words } from '../text/words.ts';

/** A question and where it stands. */
export interface Asked {
  readonly text: string;
  /** Line of the file, from 1; absent where that is not known. */
  readonly line?: number | undefined;
}

/** A question that was asked once or several times, in the words of the first time. */
export interface DistinctQuestion extends Asked {
  readonly times: number;
}

/** Longer texts are pasted text, not questions. */
const MAX_QUESTION_LENGTH = 1_000;

/** Why a line of a list or log is no question that could be asked, as the end of a sentence. */
export function questionProblem(text: string): string | undefined {
  if (!/[\p{L}\p{N}]/u.test(text)) return 'holds no words';
  if (text.length > MAX_QUESTION_LENGTH)
    return `is longer than ${MAX_QUESTION_LENGTH} characters, which is no question`;
  return undefined;
}

/** One line, however it was wrapped. */
export function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/**
 * One question out of several that are nearly identical (see {@link questionKey}), in the words in which it was
 * asked first, in the order of first asking. Linear in the number of questions: logs are long.
 */
export function distinctQuestions(asked: readonly Asked[]): DistinctQuestion[] {
  return [...Map.groupBy(asked, ({ text }) => questionKey(text)).values()].map((same) => ({
    ...same[0]!,
    times: same.length,
  }));
}

/** Those asked most often first; among equals the order stays. */
export function mostAskedFirst(questions: readonly DistinctQuestion[]): DistinctQuestion[] {
  return [...questions].sort((a, b) => b.times - a.times);
}

/**
 * The same for questions that differ only in case, punctuation, accents, inflection, or words that carry no
 * meaning (the stop words of English). Negations, and the signs of mathematics, currencies and names such as
 * "C#", do tell questions apart; so does the order of words.
 */
export function questionKey(text: string): string {
  const folded = contractionsUndone(fold(text));
  const terms = analyze(folded, 'english');
  const negations = folded.match(NEGATION)?.length ?? 0;
  const signs = folded.match(SIGN) ?? [];
  // "To be or not to be?" has no other words than those.
  const said = terms.length > 0 ? terms : words(folded);
  return JSON.stringify(said.length > 0 ? [said, negations, signs] : text.trim());
}

const NEGATION = /(?<![\p{L}\p{N}'])(?:not|no)(?![\p{L}\p{N}'])/gu;
const SIGN = /[\p{Sm}\p{Sc}#%]/gu;

/** "isn't" is "is not", "cannot" is "can not". */
function contractionsUndone(folded: string): string {
  return folded
    .replace(/\bcan't\b|\bcannot\b/g, 'can not')
    .replace(/\bwon't\b/g, 'will not')
    .replace(/\bshan't\b/g, 'shall not')
    .replace(/(?<=\p{L})n't(?!\p{L})/gu, ' not');
}
