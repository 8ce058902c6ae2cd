/** The titles that judges see if they are asked about one pair at a time. */
import type { JudgePair } from './judge.ts';

/**
 * The title of the record of a passage, as BERDS shows it beside the text. `undefined` for passages of other
 * documents, whose titles are headings or file names.
 */
export function recordTitle({
  title = '',
  text,
  recordLine,
  verbatim,
  path = '',
}: JudgePair['passage']): string | undefined {
  // The lines of records in an array are not known.
  const isRecord = recordLine !== undefined || (verbatim === false && /\.json$/iu.test(path));
  const shown = title.trim();
  // A record without text has its title as text.
  return isRecord && shown !== text.trim() ? shown || undefined : undefined;
}
