/** Figures of one call site, taken from a comparison. Stored across restarts. Independent of the editor. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { ORACLES, type Oracle } from '../core/what-ifs.ts';
import { measuredSchema, type Measured } from '../../../core/measured.ts';
import { figureSchema } from '../../../core/metrics/figures.ts';
import { judgedBySchema } from '../../../core/model.ts';
import type { Evaluation, MeasureDifference, QueryEvaluation } from '../../../evaluation/evaluation.ts';
import { intervalsAt, isCoveredAt } from '../../../evaluation/reading.ts';
import { queryErrorsSchema } from '../../../evaluation/query-errors.ts';
import type { SitePlan } from '../../../sites/plan.ts';

export const siteFiguresSchema = z.object({
  /** Fingerprint of the request. Figures are stale once the call results in another one. */
  asked: z.string(),
  /** Id of the stored comparison. */
  comparison: z.string(),
  /** ISO 8601. */
  at: z.string(),
  origin: z.enum(['rebuilt', 'measured']),
  /** Whether the call was asked in a running program. */
  live: z.literal(true).optional(),
  /** The model and splitter that replaced the program's own. */
  standIn: z.string().optional(),
  evalSet: z.string(),
  corpus: z.string(),
  k: z.number().int(),
  queries: z.number().int(),
  /** By name, e.g. `MRecall@5`, with the 95% bootstrap interval over queries if the values of queries are known. */
  measures: z.record(
    z.string(),
    measuredSchema.extend({ low: z.number().optional(), high: z.number().optional() }),
  ),
  /** Share of the top k that has a verdict, in [0, 1]. */
  judged: z.number(),
  /** Nothing was retrieved for any question, so there is no judged share. */
  foundNothing: z.literal(true).optional(),
  sources: z.array(judgedBySchema),
  perspectives: z.number().int(),
  covered: z.number().int(),
  queryErrors: queryErrorsSchema,
  /** Perspectives that no passage of the top k is known to support, most often lost first. */
  lost: z.array(z.object({ text: z.string(), times: z.number().int(), query: z.string() })),
  whatIfs: z.array(
    z.object({
      name: z.string(),
      /** The eval set data that the pipeline gets. Such a figure is no advice; it shows what is possible. */
      oracle: z.enum(ORACLES).optional(),
      /** MRecall@k. `undefined` if it could not be run. */
      value: measuredSchema.optional(),
      /**
       * The difference of MRecall@k to the call's own pipeline, over the questions that are fully judged under both.
       * `undefined` if there are none.
       */
      difference: figureSchema.extend({ queries: z.number().int() }).optional(),
      /** Why it could not be run. */
      error: z.string().optional(),
    }),
  ),
});
export type SiteFigures = Read<typeof siteFiguresSchema>;
export type WhatIfFigures = SiteFigures['whatIfs'][number];

const MAX_LOST = 5;

/** The request for a call: its plan, or the figures of an earlier run of the same request. */
type FigureSource = Pick<SitePlan, 'origin' | 'standIn'> & {
  readonly live?: true | undefined;
  readonly whatIfs: readonly { readonly name: string; readonly oracle?: Oracle | undefined }[];
};

/**
 * @param comparison of the call's own pipeline, which comes first, and its what-ifs, on one data set
 * @param requestKey fingerprint of the request
 * @returns the figures, or a sentence why the call's own pipeline could not be run
 */
export function siteFigures(
  comparison: Evaluation,
  plan: FigureSource,
  requestKey: string,
): SiteFigures | string {
  const [dataset] = comparison.datasets;
  const [base, ...whatIfPipelines] = dataset?.pipelines ?? [];
  if (!dataset || !base) return l10n.t('The comparison came back empty.');
  if (base.error !== undefined) return base.error;
  const { queries } = dataset;
  const primary = `MRecall@${comparison.k}`;
  const intervals = intervalsAt(queries, 0);
  const lost = mostLost(queries);
  const perspectives = queries.reduce((sum, query) => sum + query.perspectives.length, 0);
  return {
    asked: requestKey,
    comparison: comparison.id,
    at: comparison.at,
    origin: plan.origin,
    ...(plan.live ? { live: plan.live } : {}),
    ...(plan.standIn === undefined ? {} : { standIn: plan.standIn }),
    evalSet: dataset.evalSet,
    corpus: dataset.corpus,
    k: comparison.k,
    queries: queries.length,
    measures: Object.fromEntries(
      Object.entries(base.measures).map(([name, measure]) => [
        name,
        { ...withoutDifference(measure), ...intervals[name] },
      ]),
    ),
    judged: base.judged,
    ...(base.foundNothing ? { foundNothing: true as const } : {}),
    sources: dataset.sources,
    perspectives,
    covered: base.places.covered,
    queryErrors: base.queryErrors,
    lost: lost.slice(0, MAX_LOST),
    whatIfs: whatIfPipelines.map(({ name, measures, error, circular }) => {
      // A judge's opinion of its own ranking is no reason to change the code.
      const difference = circular === undefined ? measures[primary]?.difference : undefined;
      const oracle = plan.whatIfs.find((whatIf) => whatIf.name === name)?.oracle;
      const value = measures[primary];
      return {
        name,
        ...(oracle === undefined ? {} : { oracle }),
        ...(value ? { value: withoutDifference(value) } : {}),
        ...(difference ? { difference: differenceOf(difference) } : {}),
        ...(error === undefined ? {} : { error }),
      };
    }),
  };
}

function withoutDifference({ value, bound, most }: Measured): Measured {
  return { value, bound, ...(most === undefined ? {} : { most }) };
}

function differenceOf({
  value,
  low,
  high,
  wins,
  losses,
  ties,
}: MeasureDifference): NonNullable<WhatIfFigures['difference']> {
  return { value, low, high, queries: wins + losses + ties };
}

/** Whether a what-if that gets eval set data is known to cover no less than the call's own pipeline. */
export function isUpperBound({ oracle, difference }: WhatIfFigures): boolean {
  return oracle !== undefined && difference !== undefined && difference.value >= 0;
}

/** The what-if to show beside the code: the best without eval set data. */
export function bestWhatIf({ whatIfs }: SiteFigures): WhatIfFigures | undefined {
  return whatIfs
    .filter(({ difference, oracle }) => difference !== undefined && oracle === undefined)
    .toSorted((a, b) => b.difference!.value - a.difference!.value)[0];
}

function mostLost(queries: readonly QueryEvaluation[]): SiteFigures['lost'] {
  const lost = new Map<string, SiteFigures['lost'][number]>();
  for (const query of queries)
    for (const perspective of query.perspectives) {
      if (isCoveredAt(perspective, 0)) continue;
      const { text } = perspective;
      const before = lost.get(text);
      lost.set(text, { text, query: before?.query ?? query.text, times: (before?.times ?? 0) + 1 });
    }
  return [...lost.values()].toSorted((a, b) => b.times - a.times);
}
