/** The projections of a query, without a search. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { ProjectionSpec } from '../../core/rerank/rerankers.ts';
import { projected, type ProjectionMethod } from '../../core/projection/project.ts';
import { reduceProjection, type ReducedProjection } from '../../core/projection/what-if.ts';
import type { Embedder } from '../embedders/embedder.ts';
import type { WorkOptions } from '../types.ts';
import type { PipelineQuery, PipelineServices } from './pipeline-services.ts';
import { projectionVectors } from './projection-vectors.ts';
import { queryParts } from './query-parts.ts';

/** Methods that remove the perspective from the query's vector. */
const LEAVES_QUERY: ReadonlySet<ProjectionMethod> = new Set(['pap', 'pap+']);

/**
 * Enough to order passages under any weight of a projection without the vectors, one entry per perspective.
 *
 * @param passages their vectors, [n, d]
 * @throws ParallaxError as a search with that projection, and `bad-argument` if the query has no perspective
 */
export async function reducedProjections(
  embedder: Embedder,
  projection: ProjectionSpec,
  query: PipelineQuery,
  passages: Float32Array,
  services: PipelineServices,
  work: WorkOptions,
): Promise<ReducedProjection[]> {
  const reduced: ReducedProjection[] = [];
  for (const { root, perspective, full } of await queryParts(query, projection, services, work)) {
    if (perspective === undefined)
      throw new ParallaxError(
        'bad-argument',
        l10n.t`The model finds no perspective in the query "${full}", so there is no perspective to weigh.`,
      );
    const input = await projectionVectors(embedder, { root, perspective, full }, projection, work);
    reduced.push(reduceProjection(input, passages));
  }
  return reduced;
}

/** A query without the direction of one of its perspectives, [d]. */
export interface QueryWithout {
  readonly perspective: string;
  readonly vector: Float64Array;
}

/**
 * The query vector that PAP or PAP+ searches with, for every perspective. Empty for methods without such a
 * vector.
 *
 * @throws ParallaxError as a search with that projection
 */
export async function projectedQueries(
  embedder: Embedder,
  projection: ProjectionSpec,
  query: PipelineQuery,
  services: PipelineServices,
  work: WorkOptions,
): Promise<QueryWithout[]> {
  if (!LEAVES_QUERY.has(projection.method)) return [];
  const left: QueryWithout[] = [];
  for (const { root, perspective, full } of await queryParts(query, projection, services, work)) {
    if (perspective === undefined) continue;
    const vectors = await projectionVectors(embedder, { root, perspective, full }, projection, work);
    left.push({ perspective, vector: projected(vectors.query, vectors.perspective, projection.weight) });
  }
  return left;
}
