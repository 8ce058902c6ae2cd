/**
 * One evaluation in the history: a baseline with the verdicts behind its figures, to distinguish later changes of
 * figures from changes of judgements.
 */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { baselineOf } from '../../gate/core/accept.ts';
import {
  baselineDatasetSchema,
  baselinePipelineSchema,
  baselineQuerySchema,
  type Baseline,
} from '../../gate/core/baseline.ts';
import type { EvaluatedDataset } from '../../gate/core/evaluated.ts';
import { gateReportSchema, type GateReport } from '../../gate/core/report.ts';
import { supports, type TopicJudgements } from '../../../core/metrics/judgements.ts';
import { definitionNamed, parseMeasure } from '../../../core/metrics/measures.ts';
import { openMeans } from '../../../core/metrics/unjudged.ts';
import type { Qrels } from '../../../core/model.ts';
import { listOf } from '../../../core/formats/lists.ts';

const querySchema = baselineQuerySchema.extend({
  /** By perspective id: one character for each of `ranked`, see {@link SIGNS}. */
  verdicts: z.record(z.string(), z.string()),
});
const pipelineSchema = baselinePipelineSchema.extend({
  queries: listOf(querySchema),
  /** Queries that failed. `undefined` if there are none, and in entries of an older build. */
  queryErrors: listOf(z.object({ query: z.string(), message: z.string() })).optional(),
});
const datasetSchema = baselineDatasetSchema.extend({ pipelines: listOf(pipelineSchema) });

export const historyEntrySchema = z.object({
  id: z.string(),
  /** ISO 8601. */
  at: z.string(),
  /** The checked-out commit, if the workspace is in a repository. */
  commit: z.string().optional(),
  k: z.number().int().min(1),
  judge: z.string(),
  outcome: gateReportSchema.shape.outcome,
  datasets: listOf(datasetSchema),
});
export type HistoryEntry = Read<typeof historyEntrySchema>;
export type HistoryDataset = Read<typeof datasetSchema>;
export type HistoryPipeline = Read<typeof pipelineSchema>;
export type HistoryQuery = Read<typeof querySchema>;

/** Encodes the verdict on a ranked passage. */
const SIGNS = { supports: '1', doesNot: '0', unjudged: '-' } as const;

/** @param datasets the input of the report */
export function historyEntry(
  id: string,
  report: GateReport,
  datasets: readonly EvaluatedDataset[],
): HistoryEntry {
  const { at, commit, k, datasets: baselineDatasets } = baselineOf(report);
  const { judge, outcome } = report;
  return {
    id,
    at,
    ...(commit === undefined ? {} : { commit }),
    k,
    judge,
    outcome,
    datasets: baselineDatasets.map((dataset) => {
      const { qrels, pipelines } = datasets.find(({ name }) => name === dataset.name)!;
      const errorsOf = (name: string): Pick<HistoryPipeline, 'queryErrors'> => {
        const errors = pipelines.find((pipeline) => pipeline.name === name)?.queryErrors;
        return errors ? { queryErrors: errors } : {};
      };
      const withVerdicts = (pipeline: (typeof dataset.pipelines)[number]): HistoryPipeline => ({
        ...pipeline,
        ...errorsOf(pipeline.name),
        queries: pipeline.queries.map((query) => ({
          ...query,
          verdicts: verdictsOf(qrels, query.id, query.ranked),
        })),
      });
      return { ...dataset, pipelines: dataset.pipelines.map(withVerdicts) };
    }),
  };
}

/** @returns the names of measures whose means further verdicts may raise, see {@link openMeans} */
export function measuresThatMayRise(
  { metrics, queries }: HistoryPipeline,
  { basis }: Pick<HistoryDataset, 'basis'>,
): string[] {
  // Measures of other versions are unknown here and left out.
  const measures = Object.keys(metrics).filter((name) => definitionNamed(name) !== undefined);
  const run = new Map(
    queries.map(({ id, ranked }) => [id, ranked.map((item, place) => ({ item, score: -place }))]),
  );
  const qrels = new Map(queries.map((query) => [query.id, judgementsOf(query)]));
  return basis === undefined ? [] : Object.keys(openMeans(run, qrels, measures.map(parseMeasure), basis));
}

/** The known judgements of the ranked passages. */
function judgementsOf({ ranked, verdicts }: HistoryQuery): TopicJudgements {
  return new Map(
    Object.entries(verdicts).map(([perspective, signs]) => [
      perspective,
      new Map(
        ranked.flatMap((passage, place) =>
          signs[place] === SIGNS.unjudged
            ? []
            : [[passage, signs[place] === SIGNS.supports ? 1 : 0] as const],
        ),
      ),
    ]),
  );
}

/** An entry as a baseline, without verdicts. */
export function acceptedEntry({ at, commit, k, datasets }: HistoryEntry): Baseline {
  return {
    version: 1,
    at,
    ...(commit === undefined ? {} : { commit }),
    k,
    datasets: datasets.map((dataset) => ({
      ...dataset,
      pipelines: dataset.pipelines.map(
        ({ name, pipeline, models, metrics, circular, correction, queries }) => ({
          name,
          pipeline,
          models,
          metrics,
          ...(circular === undefined ? {} : { circular }),
          ...(correction ? { correction } : {}),
          queries: queries.map(({ id, digest, metrics: queryMetrics, lost, ranked }) => ({
            id,
            digest,
            metrics: queryMetrics,
            lost,
            ranked,
          })),
        }),
      ),
    })),
  };
}

function verdictsOf(qrels: Qrels, query: string, ranked: readonly string[]): Record<string, string> {
  const sign = (relevance: number | undefined): string => {
    if (relevance === undefined) return SIGNS.unjudged;
    return supports(relevance) ? SIGNS.supports : SIGNS.doesNot;
  };
  return Object.fromEntries(
    [...(qrels.get(query) ?? [])].map(([perspective, passages]) => [
      perspective,
      ranked.map((passage) => sign(passages.get(passage))).join(''),
    ]),
  );
}
