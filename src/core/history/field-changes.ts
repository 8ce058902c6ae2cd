/** In which fields two configurations differ. */
import * as z from 'zod';
import type { Read } from '../read.ts';

export const fieldChangeSchema = z.object({
  field: z.string(),
  then: z.string().optional(),
  now: z.string().optional(),
});
/** One field, by its path; its values as JSON, absent where it was not there. */
export type FieldChange = Read<typeof fieldChangeSchema>;

/** Every field at any depth, with dots between keys and places of lists, in the order in which either has it. */
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
  for (const [key, own] of Object.entries(value)) fieldsOf(own, path === '' ? key : `${path}.${key}`, fields);
  return fields;
}
