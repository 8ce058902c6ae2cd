/**
 * How well judges do on labelled pairs: the output of `parallax judge validate --json` and the engine's answer. Field
 * names are stable. Shares are from 0 to 1; figures that are 0/0 are null.
 */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { stanceSchema, verdictSchema } from '../../../core/model.ts';
import { figuresSchema } from './confusion.ts';
import {
  orderConsistencySchema,
  repeatConsistencySchema,
  roundAgreementsSchema,
  roundStabilitySchema,
} from './consistency.ts';
import { jointErrorsSchema } from './joint-errors.ts';
import { countSchema as count, figureSchema as figure } from './figure.ts';

const interval = z.object({ low: z.number(), high: z.number() }).nullable();

const answers = z.object({ yes: count, no: count, unsure: count, unparsed: count, escalated: count });
/** Numbers of pairs: reference verdict → the judge's answer. */
const confusionSchema = z.object({ yes: answers, no: answers });

const twoRaters = {
  items: count,
  observed: figure,
  expected: figure,
  kappa: figure,
};
const shares = z.record(z.string(), z.number());

const partView = z.object({ ...figuresSchema.shape, confusion: confusionSchema });

const costView = z.object({
  /** Answers that were requested in this validation. */
  asked: count,
  /** Cached answers, with their original cost. */
  cached: count,
  /** Mean per judgement over all answers with a known cost. `null` if there are none. */
  requests: figure,
  promptTokens: figure,
  completionTokens: figure,
});

/** Milliseconds per judgement. */
const latencyView = z.object({
  median: figure,
  p95: figure,
  /** Wall-clock time divided by the requested answers. Less than the median if requests run concurrently. */
  amortised: figure,
});

const judgeView = z.object({
  judge: z.string(),
  /** Display name. */
  label: z.string(),
  /** Whether it is an offline heuristic, which outputs must mention. */
  heuristic: z.boolean(),
  /** On the pairs that the judge decided itself. "Unsure" and unparsed answers count as wrong (DREAM Table 1). */
  ...figuresSchema.shape,
  confusion: confusionSchema,
  /** 95% percentile bootstrap over pairs. */
  intervals: z.object({ accuracy: interval, f1: interval, balancedAccuracy: interval, kappa: interval }),
  /**
   * The number of labels that finally calibrated the judge's confidence: those of the pairs that it escalated, and
   * earlier ones. `undefined` for judges that do not learn from labels.
   */
  calibrationLabels: count.optional(),
  /** On all pairs, with escalated ones decided by the adjudicator, or else by the reference (DREAM Table 2). */
  allCases: z.object({ ...figuresSchema.shape, adjudicated: count, decidedByReference: count }),
  /** Shares of the answered pairs. */
  escalated: figure,
  unparsed: figure,
  unsure: figure,
  /** The number of pairs without an answer, and the first error. */
  failed: count,
  error: z.string().nullable(),
  cost: costView,
  latency: latencyView,
  /** A guesser with the judge's own share of "yes". */
  chance: z.object({ accuracy: figure, f1: figure }),
  byPerspective: z.array(
    partView.extend({
      question: z.string().nullable(),
      perspective: z.string(),
      stance: stanceSchema.nullable(),
    }),
  ),
  /** Only pairs with a known stance. */
  byStance: z.array(partView.extend({ stance: stanceSchema })),
  /** Consistency over repeats, if there were several. */
  consistency: repeatConsistencySchema.nullable(),
  /** Consistency with the agents of a debate swapped, if requested. */
  swappedOrder: orderConsistencySchema.nullable(),
  /** Agreements per round of a debate, and those that contradict the reference. */
  debateRounds: z.array(roundAgreementsSchema),
  /**
   * Whether the agreement of round 1 lasts, for debates that continue (`continueTo`). Empty if there are none (DREAM,
   * Table 12).
   */
  persistence: z.array(roundStabilitySchema),
});
export type JudgeView = Read<typeof judgeView>;

/** How far votes that might be taken for independent err together. */
const togetherView = z.object({
  /** Two judges, repeats of one judge, or the independent answers of a debate's agents in round 1. */
  of: z.enum(['judges', 'repeats', 'agents']),
  /** Two names for `judges`, otherwise one. */
  judges: z.array(z.string()),
  /** Votes on each pair: 2 for `judges`, otherwise the number of repeats or agents. Every pair of votes is counted. */
  votes: count,
  /** Labelled pairs that every vote decided. */
  pairs: count,
  ...jointErrorsSchema.shape,
  byPerspective: z.array(jointErrorsSchema.extend({ text: z.string() })),
  /** Correlation of errors given the truth. `null` without errors. */
  correlation: figure,
  interval,
  /** The correlation to assume. Below thirty pairs it is shrunk towards 0.5. */
  used: z.number(),
  /** The number of independent votes that these are worth. */
  effectiveVotes: z.number(),
});
export type TogetherView = Read<typeof togetherView>;

/** What a filter drops: pairs that all its cheap judges say no to. */
const filterView = z.object({
  judge: z.string(),
  /** Its two cheap judges. */
  cheap: z.tuple([z.string(), z.string()]),
  /** Share of the supporting pairs that both say no to, and the share expected from independent errors. */
  lost: figure,
  ifIndependent: figure,
});

const peopleView = z.object({
  people: z.array(z.object({ name: z.string(), labels: count })),
  pairs: z.array(
    z.object({
      first: z.string(),
      second: z.string(),
      ...twoRaters,
      shares: z.tuple([shares, shares]).readonly(),
    }),
  ),
  /** Fleiss' κ. */
  all: z.object({ ...twoRaters, shares }),
  /** Pairs without a majority, on which the reference is "unsure". */
  conflicts: z.array(
    z.object({
      question: z.string().nullable(),
      perspective: z.string(),
      /** The beginning of the passage. */
      passage: z.string(),
      votes: z.array(z.object({ person: z.string(), verdict: verdictSchema })),
    }),
  ),
});

const baselineView = z.object({
  baseline: z.string(),
  positiveShare: z.number(),
  accuracy: figure,
  f1: figure,
});

/** Figures as printed in a paper. Shares are from 0 to 1. */
export const referenceRowSchema = z.object({
  /** Paper and table. */
  source: z.string(),
  method: z.string(),
  data: z.string(),
  /**
   * `non-escalated`: cases that the method decided itself. `all`: includes escalated ones, decided by `adjudicator`.
   * `people`: labelled by people without a judge. `against-model`: measured against the answers of a stronger model.
   */
  cases: z.enum(['non-escalated', 'all', 'people', 'against-model']),
  adjudicator: z.enum(['LLM', 'human']).optional(),
  positiveShare: z.number().optional(),
  accuracy: z.number().optional(),
  f1: z.number().optional(),
  recall: z.object({ yes: z.number(), no: z.number() }).optional(),
  balancedAccuracy: z.number().optional(),
  /** Cohen's κ. */
  kappa: z.number().optional(),
  fleissKappa: z.number().optional(),
  escalated: z.number().optional(),
  /** US dollars per judgement: wages for people, API price for models. */
  dollars: z.number().optional(),
  /** Seconds per judgement, with all requests in sequence, and with the agents of a round in parallel. */
  seconds: z.object({ sequential: z.number(), parallel: z.number() }).optional(),
});
export type ReferenceRow = Read<typeof referenceRowSchema>;

export const validationReportSchema = z.object({
  /** The source of the reference answers. */
  labels: z.object({
    by: z.enum(['people', 'judge']),
    /** The judge that is the reference. */
    judge: z.string().nullable(),
    /** The number of pairs given to the judges. */
    pairs: count,
    yes: count,
    no: count,
    /** Pairs without a reference verdict: unsure ones, and unlabelled ones. */
    unsure: count,
    unlabelled: count,
  }),
  baselines: z.array(baselineView),
  judges: z.array(judgeView),
  /** Pairs of judges, repeats, and agents of debates. */
  together: z.array(togetherView),
  /** Filters whose two cheap judges were validated as well. */
  filters: z.array(filterView),
  /** `undefined` unless at least two people labelled. */
  people: peopleView.optional(),
  /** The papers' figures, measured on other data. */
  reference: z.array(referenceRowSchema),
  referenceNote: z.string(),
  warnings: z.array(z.string()),
});
export type ValidationReport = Read<typeof validationReportSchema>;
