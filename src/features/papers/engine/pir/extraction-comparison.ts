/**
 * What is lost if a model splits queries instead of a person: agreement of the extracted perspectives with the
 * annotated ones, and recall with annotated beside recall with extracted ones.
 *
 * Source: Zhao et al. 2024 (PIR), section 3.4, table 6 and appendix A.8.
 */
import { extractionAgreement, type ExtractionAgreement } from '../../../../core/analysis/extraction.ts';
import { perspectiveRecall, type PerspectiveRecall } from '../../../../core/analysis/p-recall.ts';
import { ParallaxError, throwIfCancelled } from '../../../../core/errors.ts';
import type { SplitQuery } from '../../../../core/expansion/prompts.ts';
import type { PirQuery, PirTask } from '../../../../core/formats/pir.ts';
import type { Pipeline } from '../../../../core/pipeline.ts';
import { mean } from '../../../../core/statistics/mean.ts';
import type { ExtractionComparison } from '../../../../shared/experiment.ts';
import { runPool } from '../../../../engine/concurrency/bounded.ts';
import { withDatasetMaximum } from '../../../../engine/experiment/dataset-maximum.ts';
import type { PipelineQuery, PipelineServices } from '../../../../engine/retrieval/pipeline-services.ts';
import type { WorkOptions } from '../../../../engine/types.ts';
import { taskRun, type TaskParts, type TaskSearch } from './task-run.ts';

export interface ExtractionParts extends TaskParts {
  /** Name of the judge whose model splits the queries. Defaults to the workspace's generator. */
  readonly model?: string | undefined;
}

/** The number of concurrent requests to split queries. */
const CONCURRENCY = 4;

/**
 * Has a model split every query of a task, and runs the pipeline with the annotated and with the extracted parts. A
 * pipeline without a projection searches for root and perspective together. A query that the model does not split is
 * searched unchanged, by the retriever alone, and listed.
 *
 * @param k cutoff of p-Recall and Recall
 * @throws ParallaxError if no query can succeed before the user acts (no model, no key, unknown embedder); `cancelled`
 */
export async function compareExtraction(
  { queries }: Pick<PirTask, 'queries'>,
  basePipeline: Pipeline,
  { corpus, services, model }: ExtractionParts,
  k: number,
  { signal, onProgress }: WorkOptions = {},
): Promise<ExtractionComparison> {
  const total = 3 * queries.length;
  let done = 0;
  const step = (): void => onProgress?.({ done: ++done, total });
  const splits = await splitAll(queries, services, model, signal, step);
  const annotated = ({ root, perspective }: PirQuery): SplitQuery => ({ root, perspective });
  const apart = withoutSplit(basePipeline);
  const pipeline = await withDatasetMaximum(
    corpus,
    apart,
    queries.map((query) => searchFor(query, annotated(query), apart)[0]),
    services,
    { signal },
  );

  const run = async (partsOf: (query: PirQuery, index: number) => SplitQuery): Promise<PerspectiveRecall> => {
    const searches = queries.map((query, index): TaskSearch => {
      const [search, stage] = searchFor(query, partsOf(query, index), pipeline);
      return { id: query.id, query: { ...search, id: query.id }, pipeline: stage };
    });
    return perspectiveRecall(await taskRun(searches, { corpus, services }, k, { signal }, step), queries, k);
  };
  const perspectives = splits.map((split) => ('reason' in split ? undefined : split.perspective));
  return {
    queries: queries.length,
    agreement: meanAgreement(queries, perspectives),
    annotated: await run(annotated),
    extracted: await run(({ text }, index) => {
      const split = splits[index]!;
      return 'reason' in split ? { root: text } : split;
    }),
    unsplit: queries.flatMap(({ id }, index) => {
      const split = splits[index]!;
      if ('reason' in split) return [{ queryId: id, reason: split.reason }];
      return split.perspective === undefined
        ? [{ queryId: id, reason: 'The model finds that nothing narrows the query down.' }]
        : [];
    }),
  };
}

async function splitAll(
  queries: readonly PirQuery[],
  services: PipelineServices,
  model: string | undefined,
  signal: AbortSignal | undefined,
  step: () => void,
): Promise<(SplitQuery | { readonly reason: string })[]> {
  const splits: (SplitQuery | { readonly reason: string })[] = [];
  await runPool(queries.length, CONCURRENCY, signal, async (index) => {
    splits[index] = await services.split(queries[index]!.text, model, { signal }).catch((error: unknown) => {
      // An unreadable answer concerns one query; every other failure would affect the next one too.
      if (ParallaxError.is(error, 'model-answer')) return { reason: error.message };
      throw error;
    });
    step();
  });
  throwIfCancelled(signal);
  return splits;
}

function meanAgreement(
  queries: readonly PirQuery[],
  extracted: readonly (string | undefined)[],
): ExtractionAgreement {
  const agreements = queries.map(({ perspective }, index) => {
    const phrase = extracted[index];
    return phrase === undefined
      ? { tokenF1: 0, intersectionOverUnion: 0 }
      : extractionAgreement(phrase, [perspective]);
  });
  return {
    tokenF1: mean(agreements.map(({ tokenF1 }) => tokenF1)),
    intersectionOverUnion: mean(agreements.map(({ intersectionOverUnion }) => intersectionOverUnion)),
  };
}

/** The query and a pipeline that can search for it, because many steps cannot work without a perspective. */
function searchFor(
  { text }: PirQuery,
  { root, perspective }: SplitQuery,
  pipeline: Pipeline,
): [PipelineQuery, Pipeline] {
  const { projection } = pipeline;
  if (perspective === undefined)
    return [
      { text, perspectives: [] },
      { ...pipeline, projection: undefined, expansion: undefined, rerank: [] },
    ];
  const perspectives = [{ id: 'asked', text: perspective }];
  if (!projection) return [{ text: `${root} ${perspective}`, perspectives }, pipeline];
  return [{ text: root, perspectives, fullTexts: [text] }, pipeline];
}

/** The pipeline gets root and perspective from the caller instead of splitting the query. */
function withoutSplit(pipeline: Pipeline): Pipeline {
  const { projection } = pipeline;
  if (!projection) return pipeline;
  return { ...pipeline, projection: { ...projection, split: 'annotated', perspectives: 'given' } };
}
