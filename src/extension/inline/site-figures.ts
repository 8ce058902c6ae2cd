/** Figures of one call site, read off a comparison; kept over restarts. Knows nothing of the editor. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { ORACLES, type Oracle } from '../../core/inline/what-ifs.ts';
import { measuredSchema, type Measured } from '../../core/measured.ts';
import { figureSchema } from '../../core/metrics/figures.ts';
import { judgedBySchema } from '../../core/model.ts';
import type { Evaluation, MeasureDifference, QueryEvaluation } from '../../evaluation/evaluation.ts';
import { intervalsAt, isCoveredAt } from '../../evaluation/reading.ts';
import { queryErrorsSchema } from '../../evaluation/query-errors.ts';
import type { SitePlan } from '../../sites/plan.ts';

export const siteFiguresSchema = z.object({
  /** Fingerprint of the request: figures are stale once the call leads to another one. */
  asked: z.string(),
  /** Id under which the comparison is kept. */
  comparison: z.string(),
  /** ISO 8601. */
  at: z.string(),
  origin: z.enum(['rebuilt', 'measured']),
  /** The call was asked in a running program. */
  live: z.literal(true).optional(),
  /** Stood in for the program's own model and splitter. */
  standIn: z.string().optional(),
  evalSet: z.string(),
  corpus: z.string(),
  k: z.number().int(),
  queries: z.number().int(),
  /** By name, e.g. `MRecall@5`; with the 95% interval of a bootstrap over queries where they are known for each. */
  measures: z.record(
    z.string(),
    measuredSchema.extend({ low: z.number().optional(), high: z.number().optional() }),
  ),
  /** Share of the top k that has a verdict. */
  judged: z.number(),
  /** Nothing was retrieved for any question, so that there is no such share. */
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
      /** What it is handed of the eval set; such a figure is no advice, but shows what is possible. */
      oracle: z.enum(ORACLES).optional(),
      /** MRecall@k; absent if it could not be run. */
      value: measuredSchema.optional(),
      /** The difference of MRecall@k to the call as it is; over the questions that are fully judged under both; absent if none is. */
      difference: figureSchema.extend({ queries: z.number().int() }).optional(),
      /** Why it could not be run. */
      error: z.string().optional(),
    }),
  ),
});
export type SiteFigures = Read<typeof siteFiguresSchema>;
export type WhatIfFigures = SiteFigures['whatIfs'][number];

const MOST_LOST = 5;

/** The request for a call: its plan, or the figures of an earlier run of the same request. */
type Asked = Pick<SitePlan, 'origin' | 'standIn'> & {
  readonly live?: true | undefined;
  readonly whatIfs: readonly { readonly name: string; readonly oracle?: Oracle | undefined }[];
};

/**
 * @param comparison of the call's own pipeline, first, and its what-ifs, on one data set
 * @param asked fingerprint of what was asked
 * @returns the figures, or the sentence that says why the call's own pipeline could not be run
 */
export function siteFigures(comparison: Evaluation, plan: Asked, asked: string): SiteFigures | string {
  const [dataset] = comparison.datasets;
  const [base, ...others] = dataset?.pipelines ?? [];
  if (!dataset || !base) return l10n.t('The comparison came back empty.');
  if (base.error !== undefined) return base.error;
  const { queries } = dataset;
  const primary = `MRecall@${comparison.k}`;
  const intervals = intervalsAt(queries, 0);
  const lost = mostLost(queries);
  const perspectives = queries.reduce((sum, query) => sum + query.perspectives.length, 0);
  return {
    asked,
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
    lost: lost.slice(0, MOST_LOST),
    whatIfs: others.map(({ name, measures, error, circular }) => {
      // A judge's opinion of its own ranking is no reason to change the code.
      const found = circular === undefined ? measures[primary]?.difference : undefined;
      const oracle = plan.whatIfs.find((whatIf) => whatIf.name === name)?.oracle;
      const value = measures[primary];
      return {
        name,
        ...(oracle === undefined ? {} : { oracle }),
        ...(value ? { value: withoutDifference(value) } : {}),
        ...(found ? { difference: differenceOf(found) } : {}),
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

/** Whether a what-if that is handed something of the eval set is known to cover no less than the call as it is. */
export function isUpperBound({ oracle, difference }: WhatIfFigures): boolean {
  return oracle !== undefined && difference !== undefined && difference.value >= 0;
}

/** The what-if to show beside the code: the best that no oracle helped. */
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
