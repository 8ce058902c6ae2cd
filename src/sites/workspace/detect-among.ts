/**
 * Detects calls in a workspace file like the editor, for callers that can wait until its other files have been read.
 */
import type { Detection, DetectOptions, SiteDetector } from '../detector.ts';
import type { Neighbours } from './neighbours.ts';

/** Answers of other files can raise further questions; after this many rounds, open ones stay open. */
const MOST_ROUNDS = 3;

/** @param program a file; notebooks import other files, but cannot be imported */
export async function detectAmong(
  detector: SiteDetector,
  neighbours: Neighbours,
  { file, text, languageId }: { readonly file: string; readonly text: string; readonly languageId: string },
  options: Omit<DetectOptions, 'file' | 'others' | 'previous'> = {},
): Promise<Detection> {
  const others = await neighbours.around(file, text, languageId);
  let found = await detector.detect(text, languageId, { ...options, file, others });
  for (let round = 1, answered = 0; round < MOST_ROUNDS && found.asked.length > answered; round++) {
    answered = found.asked.length;
    const more = await neighbours.around(file, text, languageId, found.asked);
    found = await detector.detect(text, languageId, { ...options, file, others: more, previous: found });
  }
  return found;
}
