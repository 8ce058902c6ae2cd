/** Requests about how good judges are. */
import * as z from 'zod';
import { labelledPairSchema } from '../../core/formats/labelled-pairs.ts';
import { CALIBRATION_OBJECTIVES } from '../../core/validation/threshold.ts';
import { calibrationReportSchema } from '../calibration.ts';
import { validationReportSchema } from '../../core/validation/report.ts';
import { evalQuerySchema } from './questions.ts';
import { resistanceSchema } from '../../core/judging/resistance-schema.ts';

const count = z.number().int().min(0);

const judgeResistanceSchema = resistanceSchema.extend({
  /** Why the first case without an answer has none. */
  error: z.string().optional(),
});

export const validationRequests = {
  /**
   * How good judges are on labelled pairs: those given, those of a file, or the workspace's own labels. Lines that
   * cannot be used are reported as warnings before any judge is asked.
   */
  validateJudge: {
    params: z.object({
      judges: z.array(z.string()).min(1),
      /** A judge whose answers count as true instead of labels. */
      reference: z.string().optional(),
      pairs: z.array(labelledPairSchema).min(1).optional(),
      /** Absolute, or relative to the folder of parallax.json. */
      labelsFile: z.string().optional(),
      /** The corpus that a workspace's labels are about. */
      corpus: z.string().optional(),
      /** Queries that say where their perspectives stand. */
      queries: z.array(evalQuerySchema).optional(),
      repeats: z.number().int().min(1).max(100).optional(),
      /** Also hold debates with the agents swapped. */
      swap: z.boolean().optional(),
      /** Use so many pairs only, drawn at random. */
      limit: z.number().int().min(1).optional(),
    }),
    result: validationReportSchema,
  },
  /** How much there is to judge in a file of labels, or in the workspace's own, before anybody is asked. */
  labelledWork: {
    params: z.object({ labelsFile: z.string().optional() }),
    result: z.object({
      pairs: count,
      passages: count,
      passageLength: z.number(),
      /** Whether some of them name passages of a corpus without their text. */
      ofCorpus: z.boolean(),
    }),
  },
  /** The threshold that suits a judge which gives probabilities; warns as {@link validationRequests.validateJudge}. */
  calibrateJudge: {
    params: z.object({
      judge: z.string(),
      /** Pairs with their texts. Absolute, or relative to the folder of parallax.json. */
      labelsFile: z.string(),
      objective: z.enum(CALIBRATION_OBJECTIVES),
    }),
    result: calibrationReportSchema,
  },
  /** Puts passages to a judge that try to give it orders. */
  judgeResistance: { params: z.object({ judge: z.string() }), result: judgeResistanceSchema },
} as const;
