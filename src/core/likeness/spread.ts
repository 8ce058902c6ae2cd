/** From how many different places passages come. */

/** How many different values passages have: those shown, and the candidates that they were chosen from. */
export interface Spread {
  readonly top: number;
  readonly candidates: number;
  /** Passages of the top that have no value, and count as none. */
  readonly without: number;
}

/** @param top and candidates: a value for each passage; nothing for one that has none */
export function spreadOf(
  top: readonly (string | undefined)[],
  candidates: readonly (string | undefined)[],
): Spread {
  return {
    top: distinct(top),
    candidates: distinct(candidates),
    without: top.filter((value) => value === undefined).length,
  };
}

function distinct(values: readonly (string | undefined)[]): number {
  return new Set(values.filter((value) => value !== undefined)).size;
}

/** So many fields are told of at most. */
const MOST_FIELDS = 5;

export interface FieldSpread extends Spread {
  readonly name: string;
}

/**
 * The spreads of fields that say something: most candidates have them, and some share a value. One that is another in
 * every document, as a title is, says no more than the documents themselves.
 *
 * @param top and candidates: the fields of each passage's document, by name
 * @param documents how many the candidates come from
 */
export function fieldSpreads(
  top: readonly ReadonlyMap<string, string>[],
  candidates: readonly ReadonlyMap<string, string>[],
  documents: number,
): FieldSpread[] {
  const counts = new Map<string, number>();
  for (const fields of candidates)
    for (const name of fields.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > candidates.length / 2)
    .sort(([, one], [, other]) => other - one)
    .map(([name]) => {
      const values = (passages: typeof top): (string | undefined)[] =>
        passages.map((fields) => fields.get(name));
      return { name, ...spreadOf(values(top), values(candidates)) };
    })
    .filter(({ candidates: different }) => different > 1 && different < documents)
    .slice(0, MOST_FIELDS);
}

/** The folder of a document by its id, which is a path, with `#n` for a record; empty at the root of the corpus. */
export function folderOf(documentId: string): string {
  const [file = ''] = documentId.split('#');
  return file.slice(0, Math.max(0, file.lastIndexOf('/')));
}
