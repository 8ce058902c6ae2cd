/** The surroundings of a passage in its document: they help to understand it, and are not judged. */
import { sentencesOf } from '../../split/sentences.ts';

export interface PassageContext {
  /** Of its document; empty or absent where it has none. */
  readonly title?: string | undefined;
  /** Headings above it, `A › B`. */
  readonly section?: string | undefined;
  /** The sentence right before it, and the one right after it. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Longer parts are cut at the end that is farther from the passage, in UTF-16 code units. */
const MAX_PART = 200;

/** The last sentence of a text, or its end where that is long; nothing of a text without one. */
export function lastSentence(text: string): string | undefined {
  const last = [...sentencesOf(text)].at(-1);
  return last && text.slice(Math.max(last.start, last.end - MAX_PART), last.end);
}

/** The first sentence of a text, or its beginning where that is long; nothing of a text without one. */
export function firstSentence(text: string): string | undefined {
  for (const { start, end } of sentencesOf(text)) return text.slice(start, Math.min(end, start + MAX_PART));
  return undefined;
}
