/** Running work as shown by every panel. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';

export const taskSchema = z.object({
  title: z.string(),
  /** 0 to 1. `undefined` if the end is unknown. */
  fraction: z.number().min(0).max(1).optional(),
  detail: z.string().optional(),
});
export type Task = Read<typeof taskSchema>;
