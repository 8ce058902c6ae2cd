/** Questions to offer while the user types: asked before, or part of an eval set. Pure. */
import type { InspectorState } from '../../src/shared/panels/inspector.ts';

export interface Suggestion {
  readonly text: string;
  /** Name of the eval set; absent for a question from the history. */
  readonly evalSet?: string | undefined;
}

const AT_MOST = 8;

/**
 * Questions that contain every word of `typed`, whatever the case; all of them while nothing is typed. The history
 * comes first, a question appears once, and one that is typed out already is not offered.
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
  return [...offered.values()].filter(({ text }) => matches(text)).slice(0, AT_MOST);
}
