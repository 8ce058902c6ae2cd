import type { CapturedRun } from '../contract/captured.ts';
import { questionKey } from '../../../core/text/question.ts';

/**
 * The questions that were asked, oldest first, each once: of a run with several searches, that of the run.
 *
 * @param runs newest first
 */
export function capturedQuestions(
  runs: readonly CapturedRun[],
): { readonly text: string; readonly perspectives: CapturedRun['perspectives'] }[] {
  const questions = new Map<string, { text: string; perspectives: CapturedRun['perspectives'] }>();
  for (const { question, query, perspectives } of runs.toReversed()) {
    const text = question ?? query;
    const key = questionKey(text);
    const known = questions.get(key)?.perspectives ?? [];
    questions.set(key, { text, perspectives: perspectives.length > 0 ? perspectives : known });
  }
  return [...questions.values()];
}
