/**
 * The candidates of an answer as points of a plane, with passages that other pipelines show, and others of the
 * corpus.
 */
import * as l10n from '@vscode/l10n';
import { messageOf, throwIfCancelled } from '../../core/errors.ts';
import { likensWholeCorpus } from '../../core/pipeline-needs.ts';
import { searchesByVector, type Pipeline } from '../../core/pipeline.ts';
import { drawn } from '../../features/review/core/draw.ts';
import { seededRandom } from '../../core/statistics/random.ts';
import { passageName } from '../../core/text/passage-name.ts';
import {
  MAPPED_PASSAGES,
  type MappedPassage,
  type PassageMap,
} from '../../features/map/contract/passage-map.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { PipelineQuery, PipelineServices } from '../retrieval/pipeline-services.ts';
import type { Slot, StoredPassage, WorkOptions } from '../types.ts';
import { candidateLikeness } from './candidate-likeness.ts';
import { placesOf } from './layouts.ts';

/** Characters of a passage to show beside its point. */
const SHOWN_TEXT = 400;
const SEED = 1;

export interface MapRequest {
  /** The most other passages of the corpus. */
  readonly sample: number;
  readonly query: PipelineQuery;
  /** The pipeline whose candidates are drawn. */
  readonly pipeline: Pipeline;
  readonly candidates: readonly Slot[];
  /** The name at the outline of its top k. */
  readonly name: string;
  readonly others: readonly { readonly name: string; readonly pipeline: Pipeline }[];
}

export interface MapSources {
  /** Searches with another pipeline. */
  readonly topOf: (pipeline: Pipeline) => Promise<readonly Slot[]>;
  readonly services: PipelineServices;
}

interface Top {
  readonly name: string;
  readonly slots: readonly Slot[];
  readonly problem?: string;
}

/**
 * Candidates and sample define the picture. What other pipelines show, question, perspectives and projections are
 * placed in it without moving anything.
 *
 * @throws ParallaxError what the embedder throws; `cancelled`. A pipeline that fails is no error
 */
export async function passageMap(
  index: CorpusIndex,
  request: MapRequest,
  sources: MapSources,
  work: WorkOptions,
): Promise<PassageMap> {
  const { query, pipeline } = request;
  const embedder = await index.likenessEmbedder(pipeline);
  const top = request.candidates.slice(0, pipeline.k);
  const tops = [{ name: request.name, slots: top }, ...(await topsOf(request, sources, work))];
  const candidates = index.passages(request.candidates.slice(0, MAPPED_PASSAGES));
  const known = new Set(candidates.map(({ slot }) => slot));
  const beside = index.passages(
    [...new Set(tops.flatMap(({ slots }) => slots))].filter((slot) => !known.has(slot)),
  );
  const all = index.slots();
  const canSample = request.sample === 0 || likensWholeCorpus(pipeline);
  const sample = !canSample
    ? []
    : sampled(all, new Set([...known, ...beside.map(({ slot }) => slot)]), request.sample);
  const projections = await projectionsOf(index, embedder, request, sources, work);
  const texts = await index.queryVectors(
    embedder,
    [query.text, ...query.perspectives.map(({ text }) => text)],
    work,
  );
  const { passages, vectors, ...shown } = await placesOf(
    index,
    {
      embedder,
      candidates: [...known],
      sample,
      beside: beside.map(({ slot }) => slot),
      vectors: [...texts, ...projections.map(({ vector }) => vector)],
    },
    work,
  );
  const [question, ...targets] = vectors;
  return {
    likeness: await candidateLikeness(index, { ...request, question: query.text, top }, work),
    ...shown,
    passages: [...candidates, ...beside].map((passage) => ({
      ...asMapped(passage),
      ...passages.get(passage.slot)!,
    })),
    sample: {
      slots: sample,
      places: sample.flatMap((slot) => [passages.get(slot)!.x, passages.get(slot)!.y]),
      corpus: all.length,
      ...(canSample
        ? {}
        : {
            problem: l10n.t`Only the candidates have vectors of “${embedder}”. The others would have to be embedded first.`,
          }),
    },
    question: question!,
    perspectives: targets.slice(0, query.perspectives.length),
    projections: projections.map(({ perspective }, at) => ({
      perspective,
      ...targets[query.perspectives.length + at]!,
    })),
    tops: tops.map(({ name, slots: topSlots, ...rest }) => ({
      name,
      ids: index.passages(topSlots).map(({ id }) => id),
      ...rest,
    })),
  };
}

/** A passage in the form of the map. */
export function asMapped(passage: StoredPassage): MappedPassage {
  const { slot, id, documentId, text } = passage;
  return { slot, id, title: passageName(passage), path: documentId, text: text.slice(0, SHOWN_TEXT) };
}

function sampled(all: readonly Slot[], known: ReadonlySet<Slot>, count: number): Slot[] {
  if (count === 0) return [];
  const otherSlots = all.filter((slot) => !known.has(slot));
  return drawn(otherSlots, count, seededRandom(SEED));
}

/** Vectors of another embedder have no place on this map. */
async function projectionsOf(
  index: CorpusIndex,
  embedder: string,
  { pipeline, query }: MapRequest,
  { services }: MapSources,
  work: WorkOptions,
): ReturnType<CorpusIndex['projectedQueries']> {
  const { retriever } = pipeline;
  const isOfMap = searchesByVector(retriever) && retriever.embedder === embedder;
  return isOfMap ? index.projectedQueries(pipeline, query, services, work) : [];
}

async function topsOf(
  { others }: MapRequest,
  { topOf }: MapSources,
  { signal }: WorkOptions,
): Promise<Top[]> {
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
