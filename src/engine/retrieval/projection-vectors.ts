/** The vectors that a projected search for one perspective works with. */
import * as l10n from '@vscode/l10n';
import { inContext } from '../../core/errors.ts';
import type { ProjectionSpec } from '../../core/rerank/rerankers.ts';
import { differencePerspective, planProjection } from '../../core/projection/project.ts';
import type { Embedder } from '../embedders/embedder.ts';
import type { WorkOptions } from '../types.ts';
import type { ProjectedQuery } from './query-parts.ts';

/** [d] each. */
export type ProjectionVectors = Record<'query' | 'root' | 'perspective', ArrayLike<number>>;

export async function projectionVectors(
  embedder: Embedder,
  { root, perspective, full }: ProjectedQuery,
  { direction }: ProjectionSpec,
  work: WorkOptions,
): Promise<ProjectionVectors> {
  const r = await embedder.embedQuery(root, work);
  const p = await embedder.embedQuery(perspective, work);
  const q = await embedder.embedQuery(full, work);
  return { query: q, root: r, perspective: direction === 'difference' ? differencePerspective(q, r) : p };
}

/** A query may have many perspectives, so an error names the one it concerns. */
export function planFor(
  { perspective }: ProjectedQuery,
  { method, weight }: ProjectionSpec,
  vectors: ProjectionVectors,
): ReturnType<typeof planProjection> {
  try {
    return planProjection(method, { ...vectors, weight });
  } catch (error) {
    throw inContext((sentence) => l10n.t`Perspective "${perspective}": ${sentence}`, error);
  }
}
