/** How the results of a foreign retriever were recognised among the passages of a corpus. */
import * as z from 'zod';
import type { Read } from '../core/read.ts';

/** Results recognised by id, by equal text, by nearly equal text, and those that the corpus does not hold. */
export const matchesSchema = z.object({
  id: z.number().int(),
  text: z.number().int(),
  fuzzy: z.number().int(),
  foreign: z.number().int(),
});
export type Matches = Read<typeof matchesSchema>;

/** Share of the results that the corpus holds, in [0, 1]; nothing where there are none. */
export function matchRate({ id, text, fuzzy, foreign }: Matches): number | undefined {
  const recognised = id + text + fuzzy;
  return recognised + foreign === 0 ? undefined : recognised / (recognised + foreign);
}
