/** Fields in which two configurations differ. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';

export const fieldChangeSchema = z.object({
  field: z.string(),
  then: z.string().optional(),
  now: z.string().optional(),
});
/** One field by its path, with its values as JSON. `undefined` where it is missing. */
export type FieldChange = Read<typeof fieldChangeSchema>;

/** Compares fields at any depth, with dotted paths of keys and list indices, in order of first occurrence. */
export function fieldChanges(then: unknown, now: unknown): FieldChange[] {
  const [before, after] = [fieldsOf(then), fieldsOf(now)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((field) => before.get(field) !== after.get(field))
    .map((field) => ({ field, then: before.get(field), now: after.get(field) }));
}

function fieldsOf(value: unknown, path = '', fields = new Map<string, string>()): Map<string, string> {
  const isParent = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isParent) {
    if (value !== undefined) fields.set(path, JSON.stringify(value));
    return fields;
  }
  for (const [key, content] of Object.entries(value))
    fieldsOf(content, path === '' ? key : `${path}.${key}`, fields);
  return fields;
}
