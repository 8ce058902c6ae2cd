/** Questions to offer while the user types: from the history or from eval sets. Pure. */
import type { InspectorState } from '../../src/features/inspector/contract/panel.ts';

export interface Suggestion {
  readonly text: string;
  /** Name of the eval set. `undefined` for a question from the history. */
  readonly evalSet?: string | undefined;
}

const MAX_SUGGESTIONS = 8;

/**
 * Questions that contain every word of `typed`, ignoring case; all of them if nothing is typed. The history comes
 * first. A question appears once, and not if it equals `typed`.
 */
export function suggestions(
  state: Pick<InspectorState, 'history' | 'evalQueries'>,
  typed: string,
): Suggestion[] {
  const words = typed.toLowerCase().split(/\s+/u).filter(Boolean);
  const offered = new Map<string, Suggestion>();
  for (const text of state.history) offered.set(text, { text });
  for (const { text, evalSet } of state.evalQueries)
    if (!offered.has(text)) offered.set(text, { text, evalSet });
  offered.delete(typed.trim());
  const matches = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  return [...offered.values()].filter(({ text }) => matches(text)).slice(0, MAX_SUGGESTIONS);
}
