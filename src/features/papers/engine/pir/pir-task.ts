/**
 * Perspective-aware retrieval on a task of PIR.
 *
 * Source: Zhao et al. 2024 (PIR), section 2.3, tables 3, 6 and 10, figures 2, 3, 5 and 6.
 */
import { groupHeatMap, groupShares, groupsOfPassages } from '../../../../core/analysis/leaning.ts';
import { goldOfRoots, perspectiveRecall, rootRecall } from '../../../../core/analysis/p-recall.ts';
import type { PirQuery } from '../../../../core/formats/pir.ts';
import type { Run } from '../../../../core/model.ts';
import type { NamedPipeline, Pipeline } from '../../../../core/pipeline.ts';
import type { PirReport } from '../../../../shared/experiment.ts';
import type { Params } from '../../../../shared/rpc.ts';
import type { PipelineQuery } from '../../../../engine/retrieval/pipeline-services.ts';
import type { WorkOptions } from '../../../../engine/types.ts';
import { withDatasetMaximum } from '../../../../engine/experiment/dataset-maximum.ts';
import { compareExtraction } from './extraction-comparison.ts';
import { taskRun, type TaskParts, type TaskSearch } from './task-run.ts';

type PirTaskParams = Omit<Params<'pirTask'>, 'corpus'>;

/**
 * Runs one pipeline after the other: a pipeline with a projection gets root query, perspective and full query, others
 * get the full query. Root queries alone are searched by the retriever without further steps.
 *
 * @throws ParallaxError the errors of a search, those of {@link compareExtraction}, `cancelled`
 */
export async function pirReports(
  { queries, pipelines, k, extract: model }: PirTaskParams,
  parts: TaskParts,
  { signal, onProgress }: WorkOptions,
): Promise<PirReport[]> {
  const about = (detail: string): WorkOptions => ({
    signal,
    onProgress: (progress) => onProgress?.({ ...progress, detail }),
  });
  const reports: PirReport[] = [];
  for (const named of pipelines) {
    const report = await pirReport(queries, named, k, parts, about(named.name));
    if (model === undefined) {
      reports.push(report);
      continue;
    }
    const work = about(`${named.name}, extraction`);
    const extraction = await compareExtraction({ queries }, report.pipeline, { ...parts, model }, k, work);
    reports.push({ ...report, extraction });
  }
  return reports;
}

async function pirReport(
  queries: readonly PirQuery[],
  { name, pipeline: basePipeline }: NamedPipeline,
  k: number,
  parts: TaskParts,
  work: WorkOptions,
): Promise<PirReport> {
  const querySearches = queries.map((query) => ({ id: query.id, query: queryFor(query, basePipeline) }));
  const texts = querySearches.map(({ query }) => query);
  const pipeline = await withDatasetMaximum(parts.corpus, basePipeline, texts, parts.services, work);
  const run = (searches: readonly TaskSearch[]): Promise<Run> => {
    let done = 0;
    const step = (): void => work.onProgress?.({ done: ++done, total: searches.length });
    return taskRun(searches, parts, k, work, step);
  };
  const answers = await run(querySearches.map((search) => ({ ...search, pipeline })));
  const retriever: Pipeline = { ...pipeline, projection: undefined, expansion: undefined, rerank: [] };
  const roots = await run(
    [...goldOfRoots(queries).keys()].map((root) => ({
      id: root,
      query: { text: root, perspectives: [] },
      pipeline: retriever,
    })),
  );
  const { pRecall, pRecallAuthors, recall, byLabel } = perspectiveRecall(answers, queries, k);
  return {
    name,
    pipeline,
    pRecall,
    pRecallAuthors,
    recall,
    byPerspective: Object.fromEntries([...byLabel].map(([label, result]) => [label, result.recall])),
    rootRecall: rootRecall(roots, queries, k),
    rootShares: Object.fromEntries(groupShares(roots, queries, k).shares),
    ...groupsFound(answers, roots, queries, k),
  };
}

/** A passage belongs to the groups of the queries that it is gold for. */
function groupsFound(
  answers: Run,
  roots: Run,
  queries: readonly PirQuery[],
  k: number,
): Pick<PirReport, 'heatMap' | 'rootPassages'> {
  const groups = groupsOfPassages(queries);
  const groupsOf = (passage: string): Iterable<string> => groups.get(passage) ?? [];
  const rows = [...groupHeatMap(answers, queries, groupsOf, k)];
  const counts = new Map(rows.map(([label]) => [label, 0]));
  for (const ranked of roots.values())
    for (const { item } of ranked.slice(0, k))
      for (const label of groupsOf(item)) counts.set(label, counts.get(label)! + 1);
  return {
    heatMap: Object.fromEntries(rows.map(([label, row]) => [label, Object.fromEntries(row)])),
    rootPassages: Object.fromEntries(counts),
  };
}

/** A projection separates the root from the perspective; other pipelines search with the full query. */
function queryFor({ root, perspective, text }: PirQuery, { projection }: Pipeline): PipelineQuery {
  const perspectives = [{ id: 'asked', text: perspective }];
  return projection ? { text: root, perspectives, fullTexts: [text] } : { text, perspectives };
}
