/**
 * One evaluation in the list of the history: its figures, what they rest on, and what changed since the previous one.
 */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { figuresOf } from '../../../core/metrics/figures.ts';
import { correctionSchema } from '../../../core/metrics/correction.ts';
import { compareEntries, type EntryComparison } from './compare-entries.ts';
import { historyEntrySchema, measuresThatMayRise, type HistoryEntry } from './entry.ts';
import { figureSchema } from '../../../core/metrics/figures.ts';

const changeSchema = z.enum(['eval set', 'corpus', 'pipeline', 'judgements']);

/** Compares with the newest earlier evaluation of the same pipeline on the same eval set. */
const sinceSchema = z.object({
  id: z.string(),
  at: z.string(),
  /** The judge then, if it was another one. */
  judge: z.string().optional(),
  changes: z.array(changeSchema),
  /**
   * By metric, over the shared queries: now − then, with the 95% interval of a paired bootstrap. Without p if one of
   * the two rankings was made by the judge that scored it.
   */
  differences: z.record(
    z.string(),
    z.object({ difference: z.number(), low: z.number(), high: z.number(), p: z.number().optional() }),
  ),
});

export const evaluationSummarySchema = historyEntrySchema.omit({ datasets: true }).extend({
  /** Whether it is the baseline. In the stored summary: whether it was accepted as one, at once or later. */
  accepted: z.boolean(),
  rows: z.array(
    z.object({
      dataset: z.string(),
      /** Path relative to parallax.json. */
      evalSet: z.string(),
      pipeline: z.string(),
      queries: z.number().int(),
      /** Queries that failed. `undefined` if there are none. */
      queryErrors: z.array(z.object({ query: z.string(), message: z.string() })).optional(),
      figures: z.record(z.string(), figureSchema),
      /** Names of figures that further verdicts may raise. `undefined` if there are none. */
      mayRise: z.array(z.string()).optional(),
      /** See the baseline's pipelines. */
      circular: z.string().optional(),
      correction: correctionSchema.optional(),
      /** Fingerprint of the corpus. */
      corpus: z.string(),
      passages: z.number().int(),
      /** For the eval set, over all pipelines. */
      pairs: z.number().int(),
      judged: z.number().int(),
      /** `undefined` for the first evaluation. */
      since: sinceSchema.optional(),
    }),
  ),
});
export type EvaluationSummary = Read<typeof evaluationSummarySchema>;
export type SummaryRow = EvaluationSummary['rows'][number];

/** Finds the newest earlier entry that has a pipeline on an eval set. */
export type EntryBefore = (dataset: string, pipeline: string) => HistoryEntry | undefined;

export function summaryOf(entry: HistoryEntry, accepted: boolean, before: EntryBefore): EvaluationSummary {
  const { datasets, ...head } = entry;
  const compared = new Map<string, EntryComparison>();
  const since = (dataset: string, pipeline: string): SummaryRow['since'] => {
    const then = before(dataset, pipeline);
    if (!then) return undefined;
    const known = compared.get(then.id) ?? compareEntries(then, entry);
    compared.set(then.id, known);
    return sinceOf(then, entry, known, dataset, pipeline);
  };
  return {
    ...head,
    accepted,
    rows: datasets.flatMap((dataset) => {
      const { name, evalSet, corpus, judgements, pipelines } = dataset;
      return pipelines.map((pipeline) => {
        const changed = since(name, pipeline.name);
        const mayRise = measuresThatMayRise(pipeline, dataset);
        return {
          dataset: name,
          evalSet,
          pipeline: pipeline.name,
          queries: pipeline.queries.length,
          figures: figuresOf(pipeline),
          ...(mayRise.length > 0 ? { mayRise } : {}),
          ...(pipeline.circular === undefined ? {} : { circular: pipeline.circular }),
          ...(pipeline.correction ? { correction: pipeline.correction } : {}),
          corpus: corpus.fingerprint,
          passages: corpus.passages,
          pairs: judgements.pairs,
          judged: judgements.judged,
          ...(pipeline.queryErrors ? { queryErrors: pipeline.queryErrors } : {}),
          ...(changed ? { since: changed } : {}),
        };
      });
    }),
  };
}

/** @returns `undefined` if the two have no query or no measure in common */
function sinceOf(
  then: HistoryEntry,
  now: HistoryEntry,
  { comparisons }: EntryComparison,
  dataset: string,
  pipeline: string,
): SummaryRow['since'] {
  const comparison = comparisons.find((each) => each.dataset === dataset && each.pipeline === pipeline);
  if (!comparison) return undefined;
  return {
    id: then.id,
    at: then.at,
    ...(then.judge === now.judge ? {} : { judge: then.judge }),
    changes: [...(comparison.differences[0]?.attribution.changes ?? [])],
    differences: Object.fromEntries(
      comparison.differences.map(({ metric, difference, low, high, p }) => [
        metric,
        { difference, low, high, ...(p === undefined ? {} : { p }) },
      ]),
    ),
  };
}
