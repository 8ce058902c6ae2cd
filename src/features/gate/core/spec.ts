/**
 * The field `gate` of `parallax.json`: thresholds on any measure, a minimum share of judged passages, and no
 * significant loss against a baseline.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { messageOf } from '../../../core/errors.ts';
import { smallestFisherP } from '../../../core/statistics/fisher.ts';
import {
  definitionNamed,
  measureName,
  namesShown,
  parseMeasure,
  type Measure,
} from '../../../core/metrics/measures.ts';

/** The most candidates that a pipeline can have, so no ranking is longer. */
const MAX_CUTOFF = 10_000;

const metric = z.string().superRefine((name, context) => {
  const problem = metricProblem(name);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

function metricProblem(name: string): string | undefined {
  try {
    const measure = parseMeasure(name);
    if (measureName(measure) !== name) return l10n.t`is written ${measureName(measure)}`;
    return (measure.k ?? 1) > MAX_CUTOFF ? l10n.t`the cutoff may be ${MAX_CUTOFF} at most` : undefined;
  } catch (error) {
    return messageOf(error).replace(/\.$/u, '');
  }
}

/** Likeness measures need no judgements and cannot show a loss. */
function isJudged(metricName: string): boolean {
  return definitionNamed(metricName)?.needs !== 'passages';
}

const share = z.number().min(0).max(1);
const name = z.string().min(1);

/** Whether a few judgements may settle its value, so that people's labels can correct a judge's. */
function isCorrectable(metricName: string): boolean {
  return definitionNamed(metricName)?.risesWithSupport === true;
}

const notCorrectable = (): string =>
  l10n.t('is possible for MRecall, Precision, P, StRecall and Success alone');

const plainThresholdSchema = z.strictObject({
  metric: metric.describe(
    'Any measure of `parallax eval`, such as MRecall@5, alpha_nDCG@10, Judged@5, Themes@5 or Values(author)@5.',
  ),
  min: share.describe('The mean over the queries must reach this.'),
  pipeline: name.optional().describe('Only for this pipeline.'),
  dataset: name.optional().describe('Only for this eval set, by its name or path.'),
  tag: name.optional().describe('Only over the queries with this tag.'),
  corrected: z
    .boolean()
    .optional()
    .describe(
      "Of the figure without the judge's errors, by the queries that people decided: its whole 95% interval must reach the minimum.",
    ),
});
const thresholdSchema = plainThresholdSchema.refine(
  ({ metric: own, corrected }) => !corrected || isCorrectable(own),
  {
    path: ['corrected'],
    error: notCorrectable,
  },
);
export type Threshold = Read<typeof thresholdSchema>;

const plainBaselineSpecSchema = z.strictObject({
  file: name.describe('Written by `parallax gate --accept`, relative to parallax.json.'),
  metrics: z
    .array(
      metric.refine(isJudged, {
        error: () => l10n.t('is neither better nor worse by itself; use a threshold'),
      }),
    )
    .min(1)
    .optional()
    .describe('Measures that must not be significantly worse; MRecall at the k of the gate when left out.'),
  alpha: z
    .number()
    .gt(0)
    .lt(1)
    .default(0.05)
    .describe('A loss counts when its p-value, Holm-corrected over all comparisons, is at most this.'),
  tolerance: share.default(0).describe('A loss up to this never counts, however significant.'),
  corrected: z
    .boolean()
    .optional()
    .describe(
      "Compares figures without the judge's errors, by the queries that people decided: a loss counts when all of its 95% interval is one. Then `alpha` plays no part.",
    ),
  lostPerspectives: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'At most so many perspectives that the top k of the baseline covered may be lost, over all queries of an eval set. 0: no query may lose any.',
    ),
  repeats: z
    .number()
    .int()
    .min(2)
    .max(50)
    .optional()
    .describe(
      "How often the judge is asked again before a perspective counts as lost, with the passages of then and of now. If its answers differ, and Fisher's exact test finds no loss at `alpha`, the perspective is quarantined, with the reason. Has no effect without a judge.",
    ),
});
export const baselineSpecSchema = plainBaselineSpecSchema
  .refine(({ metrics = [], corrected }) => !corrected || metrics.every(isCorrectable), {
    path: ['corrected'],
    error: notCorrectable,
  })
  .refine(({ repeats, alpha }) => repeats === undefined || smallestFisherP(repeats) <= alpha + 1e-9, {
    path: ['repeats'],
    error: () =>
      l10n.t(
        'are too few: not even a perspective that is never covered again would count as lost at this alpha',
      ),
  });
export type BaselineSpec = Read<typeof baselineSpecSchema>;

export const gateSchema = z
  .strictObject({
    pipelines: z
      .array(name)
      .min(1)
      .describe('Names of pipelines, from `pipelines` or built in (bm25, dense, hybrid).'),
    k: z.number().int().min(1).max(1000).default(5).describe('What counts as the top of a ranking.'),
    judge: name
      .optional()
      .describe(
        'Whose judgements count beside human labels; the judge of the workspace when left out. A model is asked only with --judge.',
      ),
    corpora: z
      .record(z.string().min(1), name)
      .default({})
      .describe('Which corpus an eval set (name or path) is asked of, where it is not the one in use.'),
    thresholds: z.array(thresholdSchema).default([]),
    judged: z
      .strictObject({ min: share.describe('Share of the passages in the top k that must be judged.') })
      .optional(),
    falseRetrieval: z
      .strictObject({
        max: share.describe(
          'Share of the questions without an answer ("answerable": false) that may have passages in the top k.',
        ),
      })
      .optional(),
    queries: z
      .strictObject({
        min: z
          .number()
          .int()
          .min(1)
          .describe('Queries that every eval set must have at least, so that none gets lost.'),
      })
      .optional(),
    baseline: baselineSpecSchema.optional(),
  })
  .describe('What `parallax gate` demands.');
export type GateSpec = Read<typeof gateSchema>;

/** The measures that are compared with the baseline. */
export function baselineMetrics({ k, baseline }: Pick<GateSpec, 'k' | 'baseline'>): readonly string[] {
  return baseline?.metrics ?? [`MRecall@${k}`];
}

/** Every measure that a gate computes, without duplicates. Shown ones come first. */
export function measuresOf(spec: GateSpec): Measure[] {
  const names = new Set([
    ...shownMetrics(spec.k),
    ...spec.thresholds.map((threshold) => threshold.metric),
    ...baselineMetrics(spec),
  ]);
  return [...names].map(parseMeasure);
}

/** Measures in every report and baseline, whatever the gate demands. */
function shownMetrics(k: number): string[] {
  return namesShown('reports', k);
}

/** Whether the gate demands figures without the judge's errors. */
export function demandsCorrected({ thresholds, baseline }: GateSpec): boolean {
  return baseline?.corrected === true || thresholds.some(({ corrected }) => corrected);
}

/** The depth of rankings that the measures need, in passages. */
export function depthOf(spec: GateSpec): number {
  return Math.max(spec.k, ...measuresOf(spec).map(({ k }) => k ?? 0));
}
