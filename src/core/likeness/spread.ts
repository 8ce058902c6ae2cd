/** The number of different sources of passages. */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { fieldValue, type DocumentFields } from '../text/fields.ts';

export const spreadSchema = z.object({
  top: z.number().int(),
  candidates: z.number().int(),
  /** Passages of the top without a value. */
  without: z.number().int(),
});
/** The numbers of different values among the shown passages and among the candidates they were chosen from. */
export type Spread = Read<typeof spreadSchema>;

/** @param top and candidates: a value for each passage, or `undefined` */
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

export const fieldSpreadSchema = spreadSchema.extend({ name: z.string() });
export type FieldSpread = Read<typeof fieldSpreadSchema>;

/**
 * The spread of each field.
 *
 * @param top and candidates: the fields of each passage's document
 */
export function fieldSpreads(
  names: readonly string[],
  top: readonly (DocumentFields | undefined)[],
  candidates: readonly (DocumentFields | undefined)[],
): FieldSpread[] {
  return names.map((name) => {
    const values = (passages: typeof top): (string | undefined)[] =>
      passages.map((fields) => fieldValue(fields, name));
    return { name, ...spreadOf(values(top), values(candidates)) };
  });
}

/** The folder of a document from its id, a path with `#n` for a record. Empty at the root of the corpus. */
export function folderOf(documentId: string): string {
  const [file = ''] = documentId.split('#');
  return file.slice(0, Math.max(0, file.lastIndexOf('/')));
}
