/** A sample of the content of a store that nobody reads as a whole. */
import * as z from 'zod';
import type { Read } from '../read.ts';

export const storeSampleSchema = z.object({
  /** For people: `pgvector (articles)`. */
  store: z.string(),
  /** How many of its first records were read. */
  records: z.number().int().min(0),
  /** Of their ids, texts and sources; absent where the store has no order in which there are first ones. */
  checksum: z.string().optional(),
});
export type StoreSample = Read<typeof storeSampleSchema>;

/** Whether two samples show that something changed in between; what neither has read is not known. */
export function showsChange(one: StoreSample | undefined, other: StoreSample | undefined): boolean {
  return one?.checksum !== undefined && other?.checksum !== undefined && one.checksum !== other.checksum;
}
