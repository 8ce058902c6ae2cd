/** Progress of long work. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';

export const progressSchema = z.object({
  done: z.number(),
  /** May grow while the end is unknown. */
  total: z.number().optional(),
  detail: z.string().optional(),
});
export type Progress = Read<typeof progressSchema>;
