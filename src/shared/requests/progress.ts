/** How far long work is. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';

export const progressSchema = z.object({
  done: z.number(),
  /** It may grow while the end is not known. */
  total: z.number().optional(),
  detail: z.string().optional(),
});
export type Progress = Read<typeof progressSchema>;
