/**
 * How good judges are on labelled pairs: what `parallax judge validate --json` writes and the engine
 * answers. Field names are stable. Shares run from 0 to 1; a figure that is 0/0 is null.
 */
import * as z from 'zod';
import type { Read } from '../read.ts';
import { stanceSchema, verdictSchema } from '../model.ts';
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
/** Numbers of pairs: what the reference says → what the judge answered. */
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
  /** Answers that were asked for in this validation. */
  asked: count,
  /** Answers that were remembered; they keep the cost they were given at. */
  cached: count,
  /** Mean per judgement, over all answers that say; null where none does. */
  requests: figure,
  promptTokens: figure,
  completionTokens: figure,
});

/** Milliseconds per judgement. */
const latencyView = z.object({
  median: figure,
  p95: figure,
  /** Wall clock divided by the answers asked for: with requests in flight at a time, less than the median. */
  amortised: figure,
});

const judgeView = z.object({
  judge: z.string(),
  /** For people. */
  label: z.string(),
  /** An offline heuristic, to be labelled as one. */
  heuristic: z.boolean(),
  /** On the pairs that the judge decided itself: "unsure" and unparsed answers count as wrong (DREAM Table 1). */
  ...figuresSchema.shape,
  confusion: confusionSchema,
  /** 95% percentile bootstrap over pairs. */
  intervals: z.object({ accuracy: interval, f1: interval, balancedAccuracy: interval, kappa: interval }),
  /**
   * Labels that the judge's confidence was calibrated on in the end: those of the pairs that it escalated, beside any
   * that there were before. Absent for judges that learn from no labels.
   */
  calibrationLabels: count.optional(),
  /** On all pairs: escalated ones as the adjudicator decided, or else as the reference does (DREAM Table 2). */
  allCases: z.object({ ...figuresSchema.shape, adjudicated: count, decidedByReference: count }),
  /** Share of the answered pairs. */
  escalated: figure,
  unparsed: figure,
  unsure: figure,
  /** Pairs without an answer, and why the first of them has none. */
  failed: count,
  error: z.string().nullable(),
  cost: costView,
  latency: latencyView,
  /** A guesser with this judge's own share of "yes". */
  chance: z.object({ accuracy: figure, f1: figure }),
  byPerspective: z.array(
    partView.extend({
      question: z.string().nullable(),
      perspective: z.string(),
      stance: stanceSchema.nullable(),
    }),
  ),
  /** Only pairs whose stance is known. */
  byStance: z.array(partView.extend({ stance: stanceSchema })),
  /** Over repeats, where there were several. */
  consistency: repeatConsistencySchema.nullable(),
  /** With the agents of a debate swapped, where that was asked for. */
  swappedOrder: orderConsistencySchema.nullable(),
  /** Per round of a debate: agreements, and those that contradict the reference. */
  debateRounds: z.array(roundAgreementsSchema),
  /**
   * Whether the agreement of round 1 lasts, for debates that go on (`continueTo`); empty where none does
   * (DREAM, Table 12).
   */
  persistence: z.array(roundStabilitySchema),
});
export type JudgeView = Read<typeof judgeView>;

/** How votes err together that might be taken for independent ones. */
const togetherView = z.object({
  /** Two judges, one judge that was asked again, or a debate whose agents answer each for itself in round 1. */
  of: z.enum(['judges', 'repeats', 'agents']),
  /** Two names for judges, else one. */
  judges: z.array(z.string()),
  /** Votes on each pair: 2 for judges, else repeats or agents; every two of them are counted. */
  votes: count,
  /** Labelled pairs that every vote decided. */
  pairs: count,
  ...jointErrorsSchema.shape,
  byPerspective: z.array(jointErrorsSchema.extend({ text: z.string() })),
  /** Of errors, given what is true; null where nobody is wrong. */
  correlation: figure,
  interval,
  /** The correlation to reckon with: below thirty pairs drawn towards 0.5. */
  used: z.number(),
  /** Independent votes that these are worth. */
  effectiveVotes: z.number(),
});
export type TogetherView = Read<typeof togetherView>;

/** What a filter discards: pairs that all its cheap judges say no to. */
const filterView = z.object({
  judge: z.string(),
  /** Its two cheap judges. */
  cheap: z.tuple([z.string(), z.string()]),
  /** Share of the pairs of support that both say no to, and what it would be if they erred independently. */
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
  /** Fleiss'. */
  all: z.object({ ...twoRaters, shares }),
  /** Pairs without a majority: the reference is "unsure" of them. */
  conflicts: z.array(
    z.object({
      question: z.string().nullable(),
      perspective: z.string(),
      /** The beginning of it. */
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

/** Figures of a paper as printed; shares from 0 to 1. */
export const referenceRowSchema = z.object({
  /** Paper and table. */
  source: z.string(),
  method: z.string(),
  data: z.string(),
  /**
   * `non-escalated`: cases that the method decided itself. `all`: escalated ones too, decided by `adjudicator`.
   * `people`: people labelled, no judge. `against-model`: measured against a stronger model's answers.
   */
  cases: z.enum(['non-escalated', 'all', 'people', 'against-model']),
  adjudicator: z.enum(['LLM', 'human']).optional(),
  positiveShare: z.number().optional(),
  accuracy: z.number().optional(),
  f1: z.number().optional(),
  recall: z.object({ yes: z.number(), no: z.number() }).optional(),
  balancedAccuracy: z.number().optional(),
  /** Cohen's. */
  kappa: z.number().optional(),
  fleissKappa: z.number().optional(),
  escalated: z.number().optional(),
  /** US dollars per judgement: wages for people, API price for models. */
  dollars: z.number().optional(),
  /** Seconds per judgement, all requests one after the other, and the agents of a round at a time. */
  seconds: z.object({ sequential: z.number(), parallel: z.number() }).optional(),
});
export type ReferenceRow = Read<typeof referenceRowSchema>;

export const validationReportSchema = z.object({
  /** The source of the answers that count as true. */
  labels: z.object({
    by: z.enum(['people', 'judge']),
    /** The judge that is the reference. */
    judge: z.string().nullable(),
    /** Pairs put to the judges. */
    pairs: count,
    yes: count,
    no: count,
    /** Pairs left out because the reference gives no verdict: it is unsure, or nobody labelled them. */
    unsure: count,
    unlabelled: count,
  }),
  baselines: z.array(baselineView),
  judges: z.array(judgeView),
  /** Two judges at a time, repeats, and agents of debates. */
  together: z.array(togetherView),
  /** Filters whose two cheap judges were validated beside them. */
  filters: z.array(filterView),
  /** Absent unless at least two people labelled. */
  people: peopleView.optional(),
  /** The papers' figures, measured on other data. */
  reference: z.array(referenceRowSchema),
  referenceNote: z.string(),
  warnings: z.array(z.string()),
});
export type ValidationReport = Read<typeof validationReportSchema>;
