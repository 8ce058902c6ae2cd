/**
 * Whether the passages that an answer cites support the perspectives it represents, and how evenly it treats the
 * perspectives. Computed from citations and judgements of passages, without further requests.
 */
import type { Span, Verdict } from '../../../../core/model.ts';
import { sentencesOf } from '../../../../core/split/sentences.ts';
import { citedPassages, withoutCitations } from './answer-parse.ts';

/** An answer, with what is known of the n passages that it was given. */
export interface CitingAnswer {
  readonly text: string;
  /** n. */
  readonly passages: number;
  readonly perspectives: readonly {
    readonly verdict: Verdict;
    /** Places in the answer that represent the perspective. */
    readonly evidence: readonly Span[];
    /** [n]: whether a passage supports the perspective. `undefined` if that is not judged. */
    readonly supports: readonly (boolean | undefined)[];
  }[];
}

interface CitingSentence extends Span {
  readonly words: number;
  /** Places of passages, from 0. */
  readonly cited: number[];
}

/**
 * Share of the represented perspectives whose sentences cite a passage that supports them, in [0, 1].
 *
 * @returns `undefined` without passages, if none is represented, and if unjudged passages or evidence that was not found leave it open
 */
export function attributedShare({ text, passages, perspectives }: CitingAnswer): number | undefined {
  const sentences = citingSentences(text, passages);
  const represented = perspectives.filter(({ verdict }) => verdict === 'yes');
  let attributed = 0;
  for (const { evidence, supports } of represented) {
    const own = sentences.filter((sentence) => evidence.some((span) => overlaps(span, sentence)));
    if (own.length === 0) return undefined;
    const verdicts = own.flatMap(({ cited }) => cited.map((place) => supports[place]));
    if (verdicts.includes(true)) attributed++;
    else if (verdicts.includes(undefined)) return undefined;
  }
  return passages === 0 || represented.length === 0 ? undefined : attributed / represented.length;
}

/**
 * How evenly the words of the sentences whose citations support perspectives are divided among all perspectives: their
 * entropy as a share of the highest. 1 if each perspective has as many words, 0 if one has all.
 *
 * @returns `undefined` for a single perspective, without such sentences, and if a cited passage is unjudged
 */
export function balance({ text, passages, perspectives }: CitingAnswer): number | undefined {
  const words = perspectives.map(() => 0);
  for (const sentence of citingSentences(text, passages)) {
    const verdicts = perspectives.map(({ supports }) => sentence.cited.map((place) => supports[place]));
    if (verdicts.some((own) => own.includes(undefined) && !own.includes(true))) return undefined;
    const supported = verdicts.flatMap((own, perspective) => (own.includes(true) ? [perspective] : []));
    for (const perspective of supported) words[perspective]! += sentence.words / supported.length;
  }
  const all = words.reduce((sum, own) => sum + own, 0);
  if (perspectives.length < 2 || all === 0) return undefined;
  const entropy = words.reduce((sum, own) => (own === 0 ? sum : sum - (own / all) * Math.log(own / all)), 0);
  return Math.min(1, entropy / Math.log(perspectives.length));
}

const READABLE = /[\p{L}\p{N}]/u;
/** Citations after the full stop of the sentence before. */
const LEADING = /^(?:\s*\[\d{1,4}(?:\s*[,;]\s*\d{1,4})*\])+/;

function citingSentences(text: string, passages: number): CitingSentence[] {
  const sentences: CitingSentence[] = [];
  const citedIn = (part: string): number[] => citedPassages(part, passages).map((number) => number - 1);
  for (const { start, end } of sentencesOf(text)) {
    const sentence = text.slice(start, end);
    const before = sentences.at(-1);
    const leading = (before && LEADING.exec(sentence)?.[0]) ?? '';
    before?.cited.push(...citedIn(leading));
    const own = sentence.slice(leading.length);
    const words = withoutCitations(own, passages)
      .split(/\s+/)
      .filter((word) => READABLE.test(word)).length;
    if (words > 0) sentences.push({ start: start + leading.length, end, words, cited: citedIn(own) });
  }
  return sentences;
}

function overlaps(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end;
}
