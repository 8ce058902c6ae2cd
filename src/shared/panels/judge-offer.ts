/** A judge as the panels offer it. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';

export const judgeOfferSchema = z.object({
  name: z.string(),
  /** Who answers: people, a model, or a model that needs no network. For people to read. */
  label: z.string(),
  /** Who answers, without saying of what kind it is. */
  short: z.string(),
  /** The name of the judge that has the last word: its own, or that of the one which a debate, a filter or `lara` asks. */
  restsOn: z.string(),
  /** The effort until its answer counts. For people to read. */
  sureness: z.string(),
});
export type JudgeOffer = Read<typeof judgeOfferSchema>;
