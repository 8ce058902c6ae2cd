/** Why a reranker moves a passage below k, in the reranker's own terms. */
import type { Explanation } from '../core/explanation.ts';
import type { RerankerSpec } from '../../../core/rerank/rerankers.ts';
import { CandidateVectors } from '../../../core/rerank/similarity.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import type { Slot, WorkOptions } from '../../../engine/types.ts';
import { explained } from './evidence.ts';

export interface Moved {
  readonly query: string;
  readonly slot: Slot;
  /** The first k after the reranker, best first. */
  readonly top: readonly Slot[];
}

/** @returns empty for rerankers that rest on perspectives, which have no reason for one passage alone */
export async function reasonToMove(
  reranker: RerankerSpec,
  { query, slot, top }: Moved,
  index: CorpusIndex,
  work: WorkOptions,
): Promise<Pick<Explanation, 'alike' | 'relevance'>> {
  if (reranker.type === 'cross-encoder') {
    const [ownScore, needed] = await index.searches.relevance(reranker, query, [slot, top.at(-1)!], work);
    return { relevance: { own: ownScore!, needed: needed! } };
  }
  if (reranker.type !== 'mmr') return {};
  const slots = [slot, ...top];
  const vectors = new CandidateVectors(await index.vectors(reranker.embedder, slots, work), slots.length);
  const cosines = top.map((_, place) => vectors.similarity(0, place + 1));
  const place = cosines.indexOf(Math.max(...cosines));
  const [passage] = index.passages([top[place]!]);
  return passage ? { alike: { ...explained(passage), rank: place + 1, cosine: cosines[place]! } } : {};
}
