/** The candidates of an answer as points of a plane, with those that other pipelines show. */
import { messageOf, throwIfCancelled } from '../../core/errors.ts';
import { placeIn, principalPlane, type Plane } from '../../core/likeness/pca.ts';
import { likenessEmbedder } from '../../core/pipeline-needs.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import { passageName } from '../../core/text/passage-name.ts';
import { MAPPED_PASSAGES, type PassageMap } from '../../shared/passage-map.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { PipelineQuery } from '../retrieval/pipeline-services.ts';
import type { Slot, WorkOptions } from '../types.ts';
import { candidateLikeness } from './candidate-likeness.ts';

/** As much of a passage as is shown beside its point. */
const SHOWN_TEXT = 400;

export interface MapRequest {
  readonly query: PipelineQuery;
  /** Whose candidates are drawn. */
  readonly pipeline: Pipeline;
  readonly candidates: readonly Slot[];
  /** The name under which its top k is outlined. */
  readonly name: string;
  readonly others: readonly { readonly name: string; readonly pipeline: Pipeline }[];
}

/** Searches with another pipeline. */
export type TopOf = (pipeline: Pipeline) => Promise<readonly Slot[]>;

interface Top {
  readonly name: string;
  readonly slots: readonly Slot[];
  readonly problem?: string;
}

/**
 * The plane is that of the candidates and of what is outlined; question and perspectives are placed in it and do not
 * turn it.
 *
 * @throws ParallaxError what the embedder throws; `cancelled`. A pipeline that cannot be asked is no error
 */
export async function passageMap(
  index: CorpusIndex,
  request: MapRequest,
  topOf: TopOf,
  work: WorkOptions,
): Promise<PassageMap> {
  const { query, pipeline, candidates } = request;
  const own = candidates.slice(0, pipeline.k);
  const tops = [{ name: request.name, slots: own }, ...(await topsOf(request, topOf, work))];
  const shown = new Set([...candidates.slice(0, MAPPED_PASSAGES), ...tops.flatMap(({ slots }) => slots)]);
  const passages = index.passages([...shown]);
  const embedder = likenessEmbedder(pipeline);
  const slots = passages.map(({ slot }) => slot);
  const vectors = await index.vectors(embedder, slots, work);
  const plane = principalPlane(vectors, slots.length);
  const d = vectors.length / (slots.length || 1);
  const texts = [query.text, ...query.perspectives.map(({ text }) => text)];
  const [question, ...perspectives] = await placed(index, embedder, texts, plane, work);
  return {
    likeness: await candidateLikeness(index, { question: query.text, pipeline, candidates, top: own }, work),
    explained: plane.explained,
    passages: passages.map((passage, at) => ({
      slot: passage.slot,
      id: passage.id,
      title: passageName(passage),
      path: passage.documentId,
      text: passage.text.slice(0, SHOWN_TEXT),
      ...placeIn(plane, vectors.subarray(at * d, (at + 1) * d)),
    })),
    question: question!,
    perspectives,
    tops: tops.map(({ name, slots: found, ...rest }) => ({
      name,
      ids: index.passages(found).map(({ id }) => id),
      ...rest,
    })),
  };
}

async function topsOf({ others }: MapRequest, topOf: TopOf, { signal }: WorkOptions): Promise<Top[]> {
  const tops: Top[] = [];
  for (const { name, pipeline } of others)
    try {
      tops.push({ name, slots: await topOf(pipeline) });
    } catch (error) {
      throwIfCancelled(signal);
      tops.push({ name, slots: [], problem: messageOf(error) });
    }
  return tops;
}

/** Where no passage is there is no plane, and all stand in its middle. */
async function placed(
  index: CorpusIndex,
  embedder: string,
  texts: readonly string[],
  plane: Plane,
  work: WorkOptions,
): Promise<{ x: number; y: number }[]> {
  if (plane.mean.length === 0) return texts.map(() => ({ x: 0, y: 0 }));
  const vectors = await index.queryVectors(embedder, texts, work);
  return vectors.map((vector) => placeIn(plane, vector));
}
