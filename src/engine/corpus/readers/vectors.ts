/** Recognises the files in which programs store vectors: caches of the user's documents, not documents. */
import * as l10n from '@vscode/l10n';
import { FileSkipped, type ReadContext } from './reader.ts';

/** Shorter lists of numbers are ratings, positions or dates. */
const MIN_DIMENSIONS = 16;
/** The deepest nesting of a vector in a record: `{ data: { nodes: [{ metadata: { embedding } }] } }`. */
const MAX_DEPTH = 6;
/** The most entries to check of each list or object. The first record shows what the others are. */
const MAX_ENTRIES = 24;
const VECTOR_NAME = /embed|vector/iu;

/**
 * @param value parsed JSON: a record, a list of records, or the content of a file
 * @throws FileSkipped `vectors` if it has a vector under a name such as "embedding", unless the user named the file
 */
export function requireNoVectors(value: unknown, { isNamed }: Pick<ReadContext, 'isNamed'>): void {
  if (isNamed || !hasVector(value, false, MAX_DEPTH)) return;
  throw new FileSkipped(
    'vectors',
    l10n.t(
      'Its records carry vectors, so it is a copy that a program made. To index it anyway, name the file in "roots".',
    ),
  );
}

/** @param named whether a name on the path to the value mentions vectors */
function hasVector(value: unknown, named: boolean, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  if (Array.isArray(value)) {
    if (named && isVector(value)) return true;
    return value.slice(0, MAX_ENTRIES).some((entry) => hasVector(entry, named, depth - 1));
  }
  return Object.entries(value)
    .slice(0, MAX_ENTRIES)
    .some(([name, entry]) => hasVector(entry, named || VECTOR_NAME.test(name), depth - 1));
}

function isVector(list: readonly unknown[]): boolean {
  return list.length >= MIN_DIMENSIONS && list.every((entry) => typeof entry === 'number');
}
