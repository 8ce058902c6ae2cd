/**
 * The offline heuristic: whether a passage contains the perspective's words within nearby sentences, with the same
 * sign. A last resort, marked as such, that compares words rather than meaning.
 *
 * The two constants were set before any measurement and are not tuned on labelled data.
 */
import type { Span, Verdict } from '../model.ts';
import { sentencesOf } from '../split/sentences.ts';

/** The least share of the perspective's content words that must occur together. */
export const LEXICAL_THRESHOLD = 0.6;
/** The number of consecutive sentences that count as together. */
const LEXICAL_WINDOW = 2;

/** Part of the cache key. Increment if the rules change. */
export const LEXICAL_VERSION = 'lexical-1';

/** Content words of a text, stemmed, without stop words. */
export type Analyze = (text: string) => readonly string[];

export interface LexicalAnswer {
  readonly verdict: Verdict;
  /** Share of the perspective's content words found together, 0 if the sign differs. Not a probability. */
  readonly score: number;
  /** The sentence with most of the words. Only set with "yes". */
  readonly evidence?: Span | undefined;
  readonly rationale: string;
}

interface Window {
  readonly covered: number;
  /** The sentence of the window with the most shared words. */
  readonly sentence: Span;
}

/** @param analyze used for both passage and perspective */
export function judgeLexically(passage: string, perspective: string, analyze: Analyze): LexicalAnswer {
  const contentWords = new Set(analyze(perspective));
  if (contentWords.size === 0)
    return { verdict: 'unsure', score: 0, rationale: 'The perspective has no content words to look for.' };
  const best = bestWindow(passage, contentWords, analyze);
  const together = `${best?.covered ?? 0} of the ${contentWords.size} content words stand together`;
  if (!best || best.covered / contentWords.size < LEXICAL_THRESHOLD)
    return { verdict: 'no', score: (best?.covered ?? 0) / contentWords.size, rationale: `Only ${together}.` };
  if (isNegated(perspective) !== isNegated(passage.slice(best.sentence.start, best.sentence.end)))
    return {
      verdict: 'no',
      score: 0,
      rationale: `${together}, but one text negates and the other does not.`,
    };
  return {
    verdict: 'yes',
    score: best.covered / contentWords.size,
    evidence: best.sentence,
    rationale: `${together}.`,
  };
}

function bestWindow(
  passage: string,
  contentWords: ReadonlySet<string>,
  analyze: Analyze,
): Window | undefined {
  const sentences = [...sentencesOf(passage)].map((span) => ({
    span,
    shared: sharedWords(passage, span, contentWords, analyze),
  }));
  let best: Window | undefined;
  for (let first = 0; first < sentences.length; first++) {
    const window = sentences.slice(first, first + LEXICAL_WINDOW);
    const covered = new Set(window.flatMap(({ shared }) => [...shared])).size;
    if (covered <= (best?.covered ?? 0)) continue;
    const fullest = window.reduce((a, b) => (b.shared.size > a.shared.size ? b : a));
    best = { covered, sentence: fullest.span };
  }
  return best;
}

function sharedWords(
  passage: string,
  { start, end }: Span,
  contentWords: ReadonlySet<string>,
  analyze: Analyze,
): Set<string> {
  return new Set(analyze(passage.slice(start, end)).filter((word) => contentWords.has(word)));
}

const NEGATION =
  /\b(?:not|no|never|neither|nor|none|nothing|nobody|without|cannot|hardly|scarcely|barely|against|wrong|false|fails?|failed|lacks?|lacked|refuse[sd]?|reject(?:s|ed)?|oppose[sd]?|den(?:y|ies|ied))\b|n['’]t\b/gi;

/** An odd number of negating words. Two cancel out, as in "not without". */
function isNegated(text: string): boolean {
  return (text.match(NEGATION)?.length ?? 0) % 2 === 1;
}
