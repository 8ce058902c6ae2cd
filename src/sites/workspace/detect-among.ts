/**
 * Detects calls in a workspace file like the editor, for callers that can wait until its other files have been read.
 */
import type { Detection, DetectOptions, SiteDetector } from '../detector.ts';
import type { Neighbours } from './neighbours.ts';

/** Answers of other files can raise further questions; after this many rounds, open ones stay open. */
const MAX_ROUNDS = 3;

/** @param program a file; notebooks import other files, but cannot be imported */
export async function detectAmong(
  detector: SiteDetector,
  neighbours: Neighbours,
  { file, text, languageId }: { readonly file: string; readonly text: string; readonly languageId: string },
  options: Omit<DetectOptions, 'file' | 'otherFiles' | 'previous'> = {},
): Promise<Detection> {
  const otherFiles = await neighbours.around(file, text, languageId);
  let detection = await detector.detect(text, languageId, { ...options, file, otherFiles });
  for (let round = 1, answered = 0; round < MAX_ROUNDS && detection.questions.length > answered; round++) {
    answered = detection.questions.length;
    const more = await neighbours.around(file, text, languageId, detection.questions);
    detection = await detector.detect(text, languageId, {
      ...options,
      file,
      otherFiles: more,
      previous: detection,
    });
  }
  return detection;
}
