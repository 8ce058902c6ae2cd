/** Records and vectors in the answers of all stores. */
import * as z from 'zod';
import { aboutRecord } from '../../../core/external/about-record.ts';
import type { StoredRecord, VectorsByKey } from './remote-store.ts';
import { numbers } from '../../../core/formats/lists.ts';

/** A list of numbers that fit into 32-bit floats. */
export const storedVector = numbers
  .transform((values) => Float32Array.from(values))
  .refine((vector) => vector.every(Number.isFinite));

/** The valid vectors, by the keys of their records. */
export function vectorsByKey(entries: readonly (readonly [key: string, vector: unknown])[]): VectorsByKey {
  return new Map(
    entries.flatMap(([key, vector]): [string, Float32Array][] => {
      const { data } = storedVector.safeParse(vector);
      return data ? [[key, data]] : [];
    }),
  );
}

export const storedCount = z.number().int().min(0);

/**
 * A record of a store.
 *
 * @param id of the passage, from the store's own fields; ignored if it is neither a text nor a number
 * @param text ignored if it is not a text, or empty
 * @param fields of the record that may tell where it comes from, and what can be counted
 */
export function storedRecord(key: string, id: unknown, text: unknown, fields: unknown): StoredRecord {
  const about = aboutRecord(fields, [key, id, text]);
  return {
    key,
    ...(isName(id) ? { id: String(id) } : {}),
    ...(typeof text === 'string' && text !== '' ? { text } : {}),
    ...(about ? { about } : {}),
  };
}

function isName(id: unknown): id is string | number | bigint {
  return (typeof id === 'string' && id !== '') || typeof id === 'number' || typeof id === 'bigint';
}

/** Portions of at most `size`, in order. */
export function groupsOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Ids are texts here, but may be integers in metadata. */
export function wholeNumbers(ids: readonly string[]): number[] {
  return ids.map(Number).filter((id, index) => Number.isSafeInteger(id) && String(id) === ids[index]);
}

/** A filter for records with one of these ids, for stores that do not accept a mixed list of texts and numbers. */
export function idsOfBothKinds(field: string, ids: readonly string[]): Readonly<Record<string, unknown>> {
  const words = { [field]: { $in: ids } };
  const numbers = wholeNumbers(ids);
  return numbers.length === 0 ? words : { $or: [words, { [field]: { $in: numbers } }] };
}

/** Without duplicates and undefined names. */
export function distinctNames(...names: readonly (string | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== undefined))];
}

type Fields = Readonly<Record<string, unknown>>;

/** The same fields with a value at a path such as `doc.text`. */
export function withField(fields: Fields, path: string, value: unknown): Fields {
  const [name = path, ...rest] = path.split('.');
  if (rest.length === 0) return { ...fields, [name]: value };
  const inner = Object.hasOwn(fields, name) ? (fields[name] as Fields) : {};
  return { ...fields, [name]: withField(inner, rest.join('.'), value) };
}
