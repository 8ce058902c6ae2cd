/** Searches the corpus for a perspective through every retriever that is ready. */
import { PROBE_FORMS, type ProbeSearch } from '../../../core/coverage-states.ts';
import { messageOf, ParallaxError, throwIfCancelled } from '../../../core/errors.ts';
import { reciprocalRankFusion } from '../../../core/fusion.ts';
import type { Perspective } from '../../../core/model.ts';
import {
  DEFAULT_BM25,
  isExternal,
  pipelineSchema,
  type Pipeline,
  type RetrieverSpec,
} from '../../../core/pipeline.ts';
import { retrieverLabel } from '../../../core/pipeline-label.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import type { AskedQuery } from '../../../shared/requests/questions.ts';
import type { PipelineServices } from '../../../engine/retrieval/pipeline-services.ts';
import { searchCorpus } from '../../../engine/retrieval/search-query.ts';
import type { Slot, WorkOptions } from '../../../engine/types.ts';
import type { ProbeFindings } from './probes.ts';

/** Passages of each search, and of all of them together. */
const DEPTH = 50;
const MERGED = 100;

/**
 * The parts of these retrievers that can search for any text now. Lists of results cannot, and an embedder without
 * vectors would first have to embed the whole corpus. BM25 always can, or the store in which the corpus lives. A
 * hybrid finds nothing that its parts do not find.
 */
export async function readyRetrievers(
  index: CorpusIndex,
  retrievers: readonly RetrieverSpec[],
): Promise<RetrieverSpec[]> {
  const always = index.ref.config.store ?? DEFAULT_BM25;
  const ready = new Map<string, RetrieverSpec>([[retrieverLabel(always), always]]);
  for (const part of retrievers.flatMap(partsOf)) {
    const label = retrieverLabel(part);
    if (ready.has(label)) continue;
    if (
      part.type === 'dense' ? await index.hasVectors(part.embedder) : isExternal(part) && part.type !== 'run'
    )
      ready.set(label, part);
  }
  return [...ready.values()];
}

function partsOf(retriever: RetrieverSpec): readonly RetrieverSpec[] {
  return retriever.type === 'hybrid' ? retriever.retrievers : [retriever];
}

export interface ProbeQuery {
  readonly query: AskedQuery;
  readonly perspective: Perspective;
}

export interface ProbeContext {
  readonly index: CorpusIndex;
  readonly services: PipelineServices;
  readonly log: (message: string) => void;
}

/**
 * Searches for the perspective alone, and for question and perspective together, merged by reciprocal rank fusion.
 * Leaves out failed searches, unless all fail.
 *
 * @throws ParallaxError `cancelled`, and what the first search throws if all fail
 */
export async function probeSearches(
  { query, perspective }: ProbeQuery,
  retrievers: readonly RetrieverSpec[],
  { index, services, log }: ProbeContext,
  { signal, onProgress }: WorkOptions,
): Promise<ProbeFindings> {
  const pipelineQuery = { ...query, perspectives: [perspective] };
  const planned = retrievers.flatMap((retriever) => PROBE_FORMS.map((form) => ({ retriever, form })));
  const searches: ProbeSearch[] = [];
  const lists: Slot[][] = [];
  let failure: unknown;
  for (const [done, { retriever, form }] of planned.entries()) {
    const search = { retriever: retrieverLabel(retriever), asked: form };
    throwIfCancelled(signal);
    onProgress?.({ done, total: planned.length, detail: search.retriever });
    try {
      const result = await searchCorpus(
        index,
        probePipeline(retriever, form),
        pipelineQuery,
        DEPTH,
        services,
        {
          signal,
        },
      );
      searches.push(search);
      lists.push(result.hits.map(({ item }) => item));
    } catch (error) {
      if (ParallaxError.is(error, 'cancelled')) throw error;
      failure ??= error;
      log(`Looking deeper with ${search.retriever}: ${messageOf(error)}`);
    }
  }
  if (searches.length === 0) throw failure;
  return { searches, passages: merged(lists, index) };
}

/** One search for the perspective, without the later steps of a pipeline. */
function probePipeline(retriever: RetrieverSpec, queryText: ProbeSearch['asked']): Pipeline {
  const expansion = { type: 'perspectives', perspectives: 'given', queryText } as const;
  return pipelineSchema.parse({ retriever, expansion, k: DEPTH, candidates: DEPTH });
}

function merged(lists: readonly Slot[][], index: CorpusIndex): ProbeFindings['passages'] {
  const ranks = lists.map((list) => new Map(list.map((slot, place) => [slot, place + 1])));
  return reciprocalRankFusion(lists)
    .slice(0, MERGED)
    .map(({ item }) => ({
      id: index.passageId(item),
      ranks: ranks.flatMap((list, search): [number, number][] => {
        const rank = list.get(item);
        return rank === undefined ? [] : [[search, rank]];
      }),
    }));
}
