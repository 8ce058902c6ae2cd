/** The surroundings of a passage in its document. They help to understand it and are not judged. */
import { sentencesOf } from '../../split/sentences.ts';

export interface PassageContext {
  /** Title of its document. Empty or `undefined` if it has none. */
  readonly title?: string | undefined;
  /** Headings above it, `A › B`. */
  readonly section?: string | undefined;
  /** The sentences directly before and after it. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Longer parts are cut at the end farther from the passage, in UTF-16 code units. */
const MAX_PART = 200;

/** The last sentence of a text, or the end of it if it is long. `undefined` without sentences. */
export function lastSentence(text: string): string | undefined {
  const last = [...sentencesOf(text)].at(-1);
  return last && text.slice(Math.max(last.start, last.end - MAX_PART), last.end);
}

/** The first sentence of a text, or the beginning of it if it is long. `undefined` without sentences. */
export function firstSentence(text: string): string | undefined {
  for (const { start, end } of sentencesOf(text)) return text.slice(start, Math.min(end, start + MAX_PART));
  return undefined;
}
