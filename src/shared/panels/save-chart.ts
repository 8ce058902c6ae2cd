import * as z from 'zod';
import type { Read } from '../../core/read.ts';

/** Saves a chart, or its data, to a file that the user chooses. */
export const saveChartSchema = z.object({
  type: z.literal('save-chart'),
  name: z.string().max(100),
  format: z.enum(['svg', 'csv', 'png']),
  /** Base64 for PNG. */
  content: z.string().max(16_000_000),
});

export type ChartFile = Omit<Read<typeof saveChartSchema>, 'type'>;
