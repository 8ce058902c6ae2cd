/** A judge as offered by panels. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';

export const judgeOfferSchema = z.object({
  name: z.string(),
  /** Display text: people, a model, or a model that needs no network. */
  label: z.string(),
  /** Display text without the kind. */
  short: z.string(),
  /** The name of the deciding judge: its own, or the one that a debate, a filter or `lara` asks. */
  restsOn: z.string(),
  /** Display text on the effort until its answer counts. */
  sureness: z.string(),
});
export type JudgeOffer = Read<typeof judgeOfferSchema>;
