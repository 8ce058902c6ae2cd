/** Requests about the quality of judges. */
import * as z from 'zod';
import { labelledPairSchema } from '../../../core/formats/labelled-pairs.ts';
import { CALIBRATION_OBJECTIVES } from '../core/threshold.ts';
import { calibrationReportSchema } from '../../../shared/calibration.ts';
import { validationReportSchema } from '../core/report.ts';
import { evalQuerySchema } from '../../../shared/requests/questions.ts';
import { resistanceSchema } from '../../../core/judging/resistance-schema.ts';

const count = z.number().int().min(0);

const judgeResistanceSchema = resistanceSchema.extend({
  /** The error of the first unanswered case. */
  error: z.string().optional(),
});

export const validationRequests = {
  /**
   * Evaluates judges on labelled pairs: given ones, those of a file, or the workspace's own labels. Unusable lines are
   * reported as warnings before a judge is asked.
   */
  validateJudge: {
    params: z.object({
      judges: z.array(z.string()).min(1),
      /** A judge whose answers are the reference instead of labels. */
      reference: z.string().optional(),
      pairs: z.array(labelledPairSchema).min(1).optional(),
      /** Absolute, or relative to the folder of parallax.json. */
      labelsFile: z.string().optional(),
      /** The corpus of a workspace's labels. */
      corpus: z.string().optional(),
      /** Queries with the stances of their perspectives. */
      queries: z.array(evalQuerySchema).optional(),
      repeats: z.number().int().min(1).max(100).optional(),
      /** Whether to run debates with swapped agents as well. */
      swap: z.boolean().optional(),
      /** Uses only this many pairs, drawn at random. */
      limit: z.number().int().min(1).optional(),
    }),
    result: validationReportSchema,
  },
  /** The amount to judge in a labels file, or in the workspace's own labels, before a judge is asked. */
  labelledWork: {
    params: z.object({ labelsFile: z.string().optional() }),
    result: z.object({
      pairs: count,
      passages: count,
      passageLength: z.number(),
      /** Whether some of them refer to passages of a corpus without their text. */
      ofCorpus: z.boolean(),
    }),
  },
  /**
   * Calibrates the threshold of a judge that gives probabilities. Warns like {@link validationRequests.validateJudge}.
   */
  calibrateJudge: {
    params: z.object({
      judge: z.string(),
      /** Pairs with their texts. Absolute, or relative to the folder of parallax.json. */
      labelsFile: z.string(),
      objective: z.enum(CALIBRATION_OBJECTIVES),
    }),
    result: calibrationReportSchema,
  },
  /** Tests a judge with passages that contain instructions. */
  judgeResistance: { params: z.object({ judge: z.string() }), result: judgeResistanceSchema },
} as const;
