/** Records and vectors, as the answers of all stores hold them. */
import * as z from 'zod';
import { aboutRecord } from '../../../core/external/about-record.ts';
import type { StoredRecord } from './remote-store.ts';

/** A list of numbers that a vector of 32-bit floats can hold. */
export const storedVector = z
  .array(z.number())
  .min(1)
  .transform((values) => Float32Array.from(values))
  .refine((vector) => vector.every(Number.isFinite));

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
