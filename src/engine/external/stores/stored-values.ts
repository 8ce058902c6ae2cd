/** Records and vectors, as the answers of all stores hold them. */
import * as z from 'zod';
import { aboutRecord } from '../../../core/external/about-record.ts';
import type { StoredRecord, VectorsByKey } from './remote-store.ts';
import { numbers } from '../../../core/formats/lists.ts';

/** A list of numbers that a vector of 32-bit floats can hold. */
export const storedVector = numbers
  .transform((values) => Float32Array.from(values))
  .refine((vector) => vector.every(Number.isFinite));

/** Those that are vectors, by the keys of their records. */
export function vectorsByKey(found: readonly (readonly [key: string, vector: unknown])[]): VectorsByKey {
  return new Map(
    found.flatMap(([key, vector]): [string, Float32Array][] => {
      const { data } = storedVector.safeParse(vector);
      return data ? [[key, data]] : [];
    }),
  );
}

/** A whole number of records. */
export const storedCount = z.number().int().min(0);

/**
 * A record that is read by itself.
 *
 * @param id of the passage, as the store's own fields say; what is neither a word nor a number names none
 * @param text what is no text, or an empty one, counts as absent
 * @param fields of the record that may say where it comes from, and what can be counted
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

/** In portions of at most `size`, in their order. */
export function groupsOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Ids are words here. In metadata they may be whole numbers. */
export function wholeNumbers(ids: readonly string[]): number[] {
  return ids.map(Number).filter((id, index) => Number.isSafeInteger(id) && String(id) === ids[index]);
}

/** A filter for records that one of these ids stands in, for stores that take no list of words and numbers. */
export function idsOfBothKinds(field: string, ids: readonly string[]): Readonly<Record<string, unknown>> {
  const words = { [field]: { $in: ids } };
  const numbers = wholeNumbers(ids);
  return numbers.length === 0 ? words : { $or: [words, { [field]: { $in: numbers } }] };
}

/** Each once, where it has a name. */
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
