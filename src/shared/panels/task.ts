/** Work under way, as every panel shows it. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';

export const taskSchema = z.object({
  title: z.string(),
  /** 0 to 1; absent when the end is not known. */
  fraction: z.number().min(0).max(1).optional(),
  detail: z.string().optional(),
});
export type Task = Read<typeof taskSchema>;
