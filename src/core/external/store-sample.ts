/** A sample of the content of a store, which is never read as a whole. */
import * as z from 'zod';
import type { Read } from '../read.ts';

export const storeSampleSchema = z.object({
  /** Display name: `pgvector (articles)`. */
  store: z.string(),
  /** The number of first records that were read. */
  records: z.number().int().min(0),
  /** Checksum of their ids, texts and sources. `undefined` if the store has no order of records. */
  checksum: z.string().optional(),
});
export type StoreSample = Read<typeof storeSampleSchema>;

/** Whether two samples differ. Changes outside the samples remain unknown. */
export function showsChange(one: StoreSample | undefined, other: StoreSample | undefined): boolean {
  return one?.checksum !== undefined && other?.checksum !== undefined && one.checksum !== other.checksum;
}
