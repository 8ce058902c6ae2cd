import type { Candidate } from '../../shared/requests/passages.ts';
import type { StoredPassage } from '../types.ts';

/** A passage of the store as it crosses the wire. */
export function passageView(passage: StoredPassage): Omit<Candidate, 'score'> {
  return { ...passage, span: { ...passage.span }, lines: { ...passage.lines } };
}
