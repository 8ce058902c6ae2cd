import * as z from 'zod';
import type { Read } from '../../core/read.ts';

/** A panel asks to save a chart, or the numbers it draws, to a file that the user names. */
export const saveChartSchema = z.object({
  type: z.literal('save-chart'),
  name: z.string().max(100),
  format: z.enum(['svg', 'csv', 'png']),
  /** The bytes in base64 where it is a PNG. */
  content: z.string().max(16_000_000),
});

/** The chart to save. */
export type ChartFile = Omit<Read<typeof saveChartSchema>, 'type'>;
