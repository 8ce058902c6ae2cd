/** How the results of a foreign retriever were matched to the passages of a corpus. */
import * as z from 'zod';
import type { Read } from '../core/read.ts';

/** The numbers of results matched by id, by equal text, by nearly equal text, and not matched. */
export const matchesSchema = z.object({
  id: z.number().int(),
  text: z.number().int(),
  fuzzy: z.number().int(),
  foreign: z.number().int(),
});
export type Matches = Read<typeof matchesSchema>;

/** Share of matched results, in [0, 1]. `undefined` without results. */
export function matchRate({ id, text, fuzzy, foreign }: Matches): number | undefined {
  const recognised = id + text + fuzzy;
  return recognised + foreign === 0 ? undefined : recognised / (recognised + foreign);
}
