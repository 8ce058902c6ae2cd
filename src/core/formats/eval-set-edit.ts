/** Writes the stance of a perspective into its eval set without changing the rest. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { Perspective, Stance, StanceSource } from '../model.ts';
import { findValue, setMembers, type TextEdit } from './json-edit.ts';
import { locatePerspective } from './queries.ts';

export interface StanceChange {
  /** `undefined` removes the stance. */
  readonly stance: Stance | undefined;
  readonly by: StanceSource;
}

/**
 * The edit that gives a perspective its stance. Only `stance` and `stanceBy` of this perspective change; every other
 * character of the file stays. A perspective that is a plain string (BERDS) becomes an object with that text.
 *
 * @param text of the file
 * @param perspective as read from the file
 * @throws ParallaxError `not-found` if the file no longer has this perspective with this text
 */
export function stanceEdit(
  text: string,
  queryId: string,
  perspective: Pick<Perspective, 'id' | 'text'>,
  { stance, by }: StanceChange,
): TextEdit {
  const location = locatePerspective(text, queryId, perspective.id);
  const place = location && findValue(location.line.text, ['perspectives', location.index]);
  if (!location || !place || location.text !== perspective.text)
    throw new ParallaxError(
      'not-found',
      l10n.t`The eval set no longer has the perspective "${perspective.text}" of the question ${queryId}. Ask again, then set its stance.`,
    );
  const { line } = location;
  const raw = line.text.slice(place.start, place.end);
  const isBare = raw.startsWith('"');
  const object = isBare ? `{"text": ${raw}}` : raw;
  const members = { stance, stanceBy: stance && by };
  const changed = isBare && stance === undefined ? raw : setMembers(object, 0, members).text;
  const start = lineStart(text, line.number) + place.start;
  return { start, end: start + raw.length, text: changed };
}

/** @param number of the line, from 1 */
function lineStart(text: string, number: number): number {
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let line = 1; line < number; line++) start = text.indexOf('\n', start) + 1;
  return start;
}
