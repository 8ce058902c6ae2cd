import { projectionPlan } from '../../../core/pipeline-needs.ts';
import type { Pipeline } from '../../../core/pipeline.ts';
import { similarityMatrix } from '../../../core/rerank/similarity.ts';
import type { Params, Result } from '../../../shared/rpc.ts';
import type { EngineState } from '../../../engine/engine-state.ts';
import { candidateLikeness } from '../../../engine/likeness/candidate-likeness.ts';
import { asMapped, passageMap } from '../../../engine/likeness/passage-map.ts';
import type { PipelineQuery, PipelineServices } from '../../../engine/retrieval/pipeline-services.ts';
import type { PipelineResult } from '../../../engine/retrieval/run-pipeline.ts';
import { searchCorpus, searchCorpusAtOnce } from '../../../engine/retrieval/search-query.ts';
import type { Slot, SlotOrder, StoredPassage } from '../../../engine/types.ts';
import { knownOf } from '../../../engine/requests/known.ts';
import {
  onPresentCorpus,
  workOf,
  type Handlers,
  type RequestContext,
} from '../../../engine/requests/request.ts';

/** Answers requests for the passages of one question. */
export function searchHandlers(engine: EngineState) {
  return {
    search: (params, context) => onPresentCorpus(context, () => search(engine, params, context)),

    async likeness({ corpus, ...answered }, context) {
      return candidateLikeness(await engine.corpora.indexed(corpus), answered, workOf(context));
    },

    async passageMap({ corpus, query, perspectives, ...options }, context) {
      const { servicesOf } = engine.current;
      const index = await engine.corpora.indexed(corpus);
      const pipelineQuery = { ...query, perspectives };
      const services = servicesOf(index);
      const topOf = async (pipeline: Pipeline): Promise<number[]> => {
        const depth = Math.max(pipeline.k, pipeline.candidates);
        const { hits } = await searchCorpus(index, pipeline, pipelineQuery, depth, services, workOf(context));
        return hits.slice(0, pipeline.k).map(({ item }) => item);
      };
      return passageMap(index, { query: pipelineQuery, ...options }, { topOf, services }, workOf(context));
    },

    async mappedPassages({ corpus, slots }) {
      const index = await engine.corpora.indexed(corpus);
      return { passages: index.passages(slots).map(asMapped) };
    },

    async similarities({ corpus, pipeline, slots }, context) {
      const index = await engine.corpora.indexed(corpus);
      const embedder = await index.likenessEmbedder(pipeline);
      const vectors = await index.vectors(embedder, slots, workOf(context));
      return { matrix: similarityMatrix(vectors, slots.length), embedder };
    },

    async projections({ corpus, query, perspectives, pipeline, slots }, context) {
      const { servicesOf } = engine.current;
      const index = await engine.corpora.indexed(corpus);
      const { projection, embedder } = projectionPlan(pipeline);
      const pipelineQuery = { ...query, perspectives };
      const services = servicesOf(index);
      return {
        projections: await index.projections(
          projection,
          embedder,
          pipelineQuery,
          slots,
          services,
          workOf(context),
        ),
        order: placesOf(slots, index.compare),
      };
    },
  } satisfies Partial<Handlers>;
}

async function search(
  engine: EngineState,
  { corpus, query, perspectives, pipeline, judge, depth: requestedDepth, atOnce }: Params<'search'>,
  context: RequestContext,
): Promise<Result<'search'>> {
  const { current } = engine;
  const index = await engine.corpora.indexed(corpus);
  const begun = performance.now();
  const depth = requestedDepth ?? Math.max(pipeline.k, pipeline.candidates);
  const pipelineQuery = { ...query, perspectives };
  const services = current.servicesOf(index);
  const ask = atOnce ? searchCorpusAtOnce : searchCorpus;
  const { hits, retrieved, search, splits, matches, short, meaning, certainty, evidence } = await ask(
    index,
    pipeline,
    pipelineQuery,
    depth,
    services,
    workOf(context),
  );
  const milliseconds = performance.now() - begun;
  const passages = index.passages(hits.map(({ item }) => item));
  return {
    candidates: candidatesOf(passages, { hits, retrieved, evidence }),
    ...(judge === undefined
      ? {}
      : { known: await knownOf(current, index, { query, perspectives, passages }, judge) }),
    ...(await validatedAs(judge, pipelineQuery, services)),
    notices: [...index.notices, ...(await current.judgementService.notes(index))],
    search,
    milliseconds,
    ...(splits ? { splits } : {}),
    ...(matches ? { matches } : {}),
    ...(short ? { short } : {}),
    ...(meaning ? { meaning } : {}),
    ...(certainty ? { certainty } : {}),
    ...(evidence ? { takenErrors: evidence.errors } : {}),
  };
}

/** The index of each slot in this order. */
function placesOf(slots: readonly Slot[], compare: SlotOrder): number[] {
  const places = new Array<number>(slots.length);
  const inOrder = [...slots.keys()].sort((a, b) => compare(slots[a]!, slots[b]!));
  for (const [place, at] of inOrder.entries()) places[at] = place;
  return places;
}

/** Passages with their scores, their ranks before reranking, and why a reranker moved them up. */
function candidatesOf(
  passages: readonly StoredPassage[],
  { hits, retrieved, evidence }: Pick<PipelineResult, 'hits' | 'retrieved' | 'evidence'>,
): Result<'search'>['candidates'][number][] {
  const scores = new Map(hits.map(({ item, score }) => [item, score]));
  const ranks = new Map(retrieved.map((slot, position) => [slot, position + 1]));
  return passages.map((passage) => {
    const retrievedRank = ranks.get(passage.slot);
    const raised = evidence?.raised.get(passage.slot);
    return {
      ...passage,
      score: scores.get(passage.slot) ?? 0,
      ...(retrievedRank === undefined ? {} : { retrievedRank }),
      ...(raised ? { raised } : {}),
    };
  });
}

/** The validation of a judge that answers for a question. */
async function validatedAs(
  judge: string | undefined,
  pipelineQuery: PipelineQuery,
  services: PipelineServices,
): Promise<Pick<Result<'search'>, 'validated'>> {
  const measured = judge === undefined ? undefined : (await services.judgeFacts(judge, pipelineQuery)).errors;
  return judge !== undefined && measured ? { validated: { judge, ...measured, from: 'validation' } } : {};
}
