/**
 * A baseline: the figures that a team accepted, with everything needed to explain later changes. Stored as a file for
 * version control, so that accepting a change is part of a review.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { storeSampleSchema } from '../../../core/external/store-sample.ts';
import { placeSchema } from '../../../core/coverage-states.ts';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { correctionSchema } from '../../../core/metrics/correction.ts';
import { judgedBySchema } from '../../../core/model.ts';
import { describeIssue } from '../../../core/schema-issue.ts';
import { listOf } from '../../../core/formats/lists.ts';

const figures = z.record(z.string(), z.number());

export const baselineQuerySchema = z.object({
  id: z.string(),
  /** Hash of its text and perspectives. With another digest it is another question. */
  digest: z.string(),
  metrics: figures,
  /** Perspectives that the top k did not cover. */
  lost: listOf(z.object({ perspective: z.string(), where: placeSchema })),
  /** Passage ids, best first, up to the largest cutoff of the measures. */
  ranked: listOf(z.string()),
});
export type BaselineQuery = Read<typeof baselineQuerySchema>;

export const baselinePipelineSchema = z.object({
  name: z.string(),
  /** As configured. Not validated, as later versions may have other fields. */
  pipeline: z.json(),
  /** The configuration of the models that it refers to. */
  models: z.json().default({}),
  metrics: figures,
  /**
   * The judge that both made its ranking and scored it. `undefined` if there is none, and in baselines of older builds.
   */
  circular: z.string().optional(),
  /**
   * Figures without the judge's errors. `undefined` if no judge counted beside labels, and in baselines of older
   * builds.
   */
  correction: correctionSchema.optional(),
  queries: listOf(baselineQuerySchema),
});
export type BaselinePipeline = Read<typeof baselinePipelineSchema>;

export const judgementSummarySchema = z.object({
  /** Name of the judge for pairs without a label, `labels` for none. */
  judge: z.string(),
  /** Pairs of a perspective and a passage in the top k of any pipeline. */
  pairs: z.number().int().min(0),
  judged: z.number().int().min(0),
  by: listOf(judgedBySchema),
});
/** The sources of the judgements behind the figures. */
export type JudgementSummary = Read<typeof judgementSummarySchema>;

export const baselineDatasetSchema = z.object({
  name: z.string(),
  /** Path relative to parallax.json. */
  evalSet: z.string(),
  corpus: z.object({
    name: z.string(),
    /** Changes whenever the passages or their texts change. The same on every machine. */
    fingerprint: z.string(),
    passages: z.number().int().min(0),
    /** For a corpus in a store. `undefined` in baselines of older builds. */
    sample: storeSampleSchema.optional(),
  }),
  judgements: judgementSummarySchema,
  /**
   * The basis of its figures. `undefined` in baselines of older builds, which divided by the number of judged passages.
   */
  basis: z.literal('open').optional(),
  pipelines: listOf(baselinePipelineSchema),
});
export type BaselineDataset = Read<typeof baselineDatasetSchema>;

const VERSION = 1;
export const baselineSchema = z.object({
  version: z.literal(VERSION),
  /** ISO 8601. */
  at: z.string(),
  commit: z.string().optional(),
  k: z.number().int().min(1),
  datasets: listOf(baselineDatasetSchema),
});
export type Baseline = Read<typeof baselineSchema>;

/**
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` if the text is not a baseline of this version
 */
export function parseBaseline(text: string, name: string): Baseline {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ParallaxError('bad-file', l10n.t`${name} is not valid JSON: ${messageOf(error)}.`, {
      cause: error,
    });
  }
  const parsed = baselineSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const version = typeof json === 'object' && json !== null && 'version' in json ? json.version : undefined;
  throw new ParallaxError(
    'bad-file',
    typeof version === 'number' && version !== VERSION
      ? l10n.t`${name} is a baseline of version ${version}; this is version ${VERSION}. Accept a new one.`
      : l10n.t`${name} is not a baseline: ${describeIssue(parsed.error, json)}`,
  );
}

/** Deterministic: keys, data sets, pipelines and queries are sorted, and every passage has its own line. */
export function formatBaseline(baseline: Baseline): string {
  const ordered: Baseline = {
    ...baseline,
    datasets: inOrder(baseline.datasets, ({ name }) => name).map((dataset) => ({
      ...dataset,
      pipelines: inOrder(dataset.pipelines, ({ name }) => name).map((pipeline) => ({
        ...pipeline,
        queries: inOrder(pipeline.queries, ({ id }) => id),
      })),
    })),
  };
  return `${JSON.stringify(withSortedKeys(ordered), null, 2)}\n`;
}

/** Whether two baselines are equal except for date and commit. */
export function sameFigures(a: Baseline, b: Baseline): boolean {
  const undated = (baseline: Baseline): string => formatBaseline({ ...baseline, at: '', commit: undefined });
  return undated(a) === undated(b);
}

/** The value as text, independent of the order of keys. */
export function stableJson(value: unknown): string {
  return JSON.stringify(withSortedKeys(value)) ?? 'undefined';
}

/** Sorts by code units, so that the order is the same everywhere. */
function inOrder<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    inOrder(Object.entries(value), ([key]) => key).map(([key, content]) => [key, withSortedKeys(content)]),
  );
}
