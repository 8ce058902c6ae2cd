/** The titles that judges who are asked about one pair at a time see. */
import type { JudgePair } from './judge.ts';

/**
 * The title of the record that a passage is, as BERDS shows it beside the text; undefined for passages of other
 * documents, whose titles are headings or the names of files.
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
  // A record without a text has its title for it.
  return isRecord && shown !== text.trim() ? shown || undefined : undefined;
}
