/** One question about some passages, under one pipeline: what decides about them, the evidence, and what helps. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { possibleChanges } from '../core/changes.ts';
import { decisionOf } from '../core/decision.ts';
import type { Arm, Explanation, TriedChange } from '../core/explanation.ts';
import { filterText, withoutFilter } from '../core/store-filter.ts';
import { isStore } from '../../../core/external/store-types.ts';
import { repeatFinder } from '../../../core/likeness/repeats.ts';
import { isExternal, pipelineSchema, type DenseRetriever } from '../../../core/pipeline.ts';
import { retrieverLabel } from '../../../core/pipeline-label.ts';
import { passageName } from '../../../core/text/passage-name.ts';
import { readyRetrievers } from '../../look-deeper/engine/probe-searches.ts';
import type { PipelineResult } from '../../../engine/retrieval/run-pipeline.ts';
import type { Hit, Slot, StoredPassage, WorkOptions } from '../../../engine/types.ts';
import { armOf, explained, termsOf } from './evidence.ts';
import {
  explainedDepths,
  rankTo,
  foundWithoutFilter,
  type RankedQuestion,
  type ExplainContext,
} from './ranking.ts';
import { isOfTarget, type Target } from './target.ts';
import { rerankerLabel, type RerankerSpec } from '../../../core/rerank/rerankers.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import { CandidateVectors } from '../../../core/rerank/similarity.ts';

/** Leaves out those that cannot be used on this machine. */
async function embeddersReady(index: CorpusIndex, names: readonly string[]): Promise<string[]> {
  const ready: string[] = [];
  for (const name of names) if (await isReady(index, name)) ready.push(name);
  return ready;
}

async function isReady(index: CorpusIndex, name: string): Promise<boolean> {
  try {
    return await index.hasVectors(name);
  } catch (error) {
    if (!ParallaxError.is(error) || error.id === 'cancelled') throw error;
    return false;
  }
}

const denseBy = (embedder: string): DenseRetriever =>
  pipelineSchema.shape.retriever.parse({ type: 'dense', embedder }) as DenseRetriever;

/** The most ids in one request to a store. */
const MAX_LOOKED_UP = 200;
/** The most other passages to list of a long document. */
const MAX_OTHERS = 200;

export class AskedPassages {
  readonly #asked: RankedQuestion;
  readonly #target: Target;
  readonly #isTarget: (slot: Slot) => boolean;
  readonly #context: ExplainContext;
  readonly #work: WorkOptions;
  /** The best-ranked passage of the target. */
  #best: StoredPassage;

  constructor(question: RankedQuestion, target: Target, context: ExplainContext, work: WorkOptions) {
    this.#asked = question;
    this.#target = target;
    this.#isTarget = isOfTarget(target, context.index);
    this.#context = context;
    this.#work = work;
    this.#best = target.passages[0]!;
  }

  /** The cause and the ranks. */
  async outcome(): Promise<Partial<Explanation> & Pick<Explanation, 'cause'>> {
    const { pipeline } = this.#asked;
    const { k, candidates, retriever } = pipeline;
    const { depth, result, rank } = await this.#ranked();
    const retrievedRank = this.#rankIn(result.retrieved);
    const slot = rank === undefined ? undefined : result.hits[rank - 1]!.item;
    if (slot !== undefined) [this.#best = this.#best] = this.#context.index.passages([slot]);
    const known = {
      ...(rank === undefined ? {} : { rank }),
      ...(retrievedRank === undefined ? {} : { retrievedRank }),
      passage: explained(this.#best),
      ...this.#places(),
      ...this.#others(result),
      ...(result.meaning ? { embedded: { done: result.meaning.embedded, of: result.meaning.of } } : {}),
      ...(isExternal(retriever)
        ? { elsewhere: { name: retrieverLabel(retriever), asked: depth, returned: result.hits.length } }
        : {}),
    };
    if (rank === undefined && (await this.#isMissingInStore(result)))
      return {
        ...known,
        cause: 'not-indexed',
        reason: l10n.t`${retrieverLabel(retriever)} has no record of it, although it has those of other passages.`,
      };
    const parts = this.#target.cut?.map(explained);
    if (parts) return { ...known, cause: rank !== undefined && rank <= k ? 'retrieved' : 'cut-apart', parts };
    const isCandidate = rank !== undefined && rank <= candidates;
    const duplicate = isCandidate && rank > k ? this.#duplicateAmong(result.hits.slice(0, k)) : undefined;
    const isFiltered = rank === undefined && (await this.#isFilteredOut());
    const cause = decisionOf(
      { rank, retrievedRank, isFiltered, isRepeat: duplicate !== undefined },
      pipeline,
    );
    if (cause === 'duplicate-above') return { ...known, cause, ...(duplicate ? { duplicate } : {}) };
    if (cause === 'filtered') return { ...known, cause, filter: filterText(retriever) };
    if (cause === 'moved-down') return { ...known, cause, ...(await this.#reranker()) };
    return { ...known, cause };
  }

  /** Ranks passages until the target is found. */
  async #ranked(): Promise<{
    readonly depth: number;
    readonly result: PipelineResult;
    readonly rank: number | undefined;
  }> {
    const { retriever, candidates } = this.#asked.pipeline;
    const depths = explainedDepths(this.#context.index, retriever, candidates);
    for (const [place, depth] of depths.entries()) {
      const result = await rankTo(depth, this.#asked, this.#context, this.#work);
      const rank = this.#rankIn(result.hits.map(({ item }) => item));
      if (rank !== undefined || place === depths.length - 1) return { depth, result, rank };
    }
    throw new Error('There is at least one depth.');
  }

  /** A store is known to lack this passage only if it has other passages under their ids. */
  async #isMissingInStore({ matches }: PipelineResult): Promise<boolean> {
    const { retriever } = this.#asked.pipeline;
    const { index } = this.#context;
    if (!isStore(retriever) || index.ref.config.store || !matches || matches.id === 0) return false;
    const ids = this.#target.passages.slice(0, MAX_LOOKED_UP).map(({ id }) => id);
    // With its filter a store would also lack what the filter leaves out.
    return (await index.searches.storedRecords(withoutFilter(retriever), ids, this.#work)).length === 0;
  }

  #places(): Pick<Explanation, 'documents'> {
    const { documents } = this.#target;
    return documents && documents.length > 1 ? { documents: [...documents] } : {};
  }

  #others({ hits }: PipelineResult): Pick<Explanation, 'others' | 'ranked'> {
    const { slot: best, documentId } = this.#best;
    const all = [...this.#context.index.passagesOf(documentId), ...this.#target.passages];
    const passages = [...new Map(all.map((each) => [each.slot, each])).values()].filter(
      ({ slot }) => slot !== best,
    );
    if (passages.length === 0) return {};
    const places = new Map(hits.map(({ item }, place) => [item, place]));
    const placeOf = ({ slot }: StoredPassage): number => places.get(slot) ?? Infinity;
    const otherPassages = passages
      .map((passage) => ({ passage, place: placeOf(passage) }))
      .sort((a, b) => (a.place === b.place ? 0 : a.place - b.place))
      .slice(0, MAX_OTHERS);
    return {
      ranked: hits.length,
      others: otherPassages.map(({ passage, place }) => ({
        id: passage.id,
        name: passageName(passage),
        ...(place === Infinity ? {} : { rank: place + 1 }),
      })),
    };
  }

  #rankIn(slots: readonly Slot[]): number | undefined {
    const place = slots.findIndex(this.#isTarget);
    return place < 0 ? undefined : place + 1;
  }

  #duplicateAmong(top: readonly Hit[]): Explanation['duplicate'] {
    const { index } = this.#context;
    const passages = index.passages(top.map(({ item }) => item));
    const repeated = repeatFinder(passages.map(({ text }) => text))(this.#best.text);
    return repeated === undefined ? undefined : { ...explained(passages[repeated]!), rank: repeated + 1 };
  }

  /** The first reranker after which the passage is below k, and its reason. */
  async #reranker(): Promise<Pick<Explanation, 'reranker' | 'alike' | 'relevance'>> {
    const { query, pipeline } = this.#asked;
    const { rerank, candidates, k } = pipeline;
    for (const [place, reranker] of rerank.entries()) {
      const question = { ...this.#asked, pipeline: { ...pipeline, rerank: rerank.slice(0, place + 1) } };
      const { hits } = await rankTo(candidates, question, this.#context, this.#work);
      const rank = this.#rankIn(hits.map(({ item }) => item));
      if (rank !== undefined && rank <= k) continue;
      const { index } = this.#context;
      const top = hits.slice(0, k).map(({ item }) => item);
      const moved = { query: query.text, slot: this.#best.slot, top };
      return {
        reranker: rerankerLabel(reranker),
        ...(await reasonToMove(reranker, moved, index, this.#work)),
      };
    }
    return {};
  }

  async #isFilteredOut(): Promise<boolean> {
    const open = await foundWithoutFilter(this.#asked, this.#context, this.#work);
    return this.#rankIn(open) !== undefined;
  }

  /** How each search of the retriever ranks the passage, and what each term adds in BM25. */
  async evidence(): Promise<Pick<Explanation, 'arms' | 'terms' | 'lengths'>> {
    const { query, pipeline } = this.#asked;
    const { retriever, candidates } = pipeline;
    const parts = retriever.type === 'hybrid' ? retriever.retrievers : [retriever];
    const explainedPassage = { best: this.#best, isTarget: this.#isTarget };
    const arms: Arm[] = [];
    for (const part of parts)
      arms.push(await armOf(part, { query, candidates, ...explainedPassage }, this.#context, this.#work));
    const lexical = parts.find((part) => part.type === 'bm25');
    if (!lexical) return { arms, terms: [] };
    const document = this.#target.passages.map(({ text }) => text).join('\n');
    return {
      arms,
      ...(await termsOf(
        lexical,
        { query: query.text, text: this.#best.text, document },
        this.#context.terms,
        this.#work,
      )),
    };
  }

  /** Tries other settings until one brings the passage into the first k. */
  async changes({
    cause,
    rank,
    retrievedRank,
  }: Explanation): Promise<Pick<Explanation, 'tried'> & Partial<Pick<Explanation, 'change'>>> {
    if (cause === 'retrieved' || cause === 'cut-apart') return { tried: [] };
    const { pipeline } = this.#asked;
    const { index, embedders } = this.#context;
    const otherEmbedders = await embeddersReady(index, embedders);
    const ready = await readyRetrievers(index, [pipeline.retriever, ...otherEmbedders.map(denseBy)]);
    const isFiltered = cause === 'filtered';
    const tried: TriedChange[] = [];
    for (const change of possibleChanges(pipeline, { rank, retrievedRank, isFiltered }, ready)) {
      const outcome = await this.#tried({ ...this.#asked, pipeline: change.pipeline }, change.label);
      if (!outcome) continue;
      const next = this.#rankIn(outcome.hits.map(({ item }) => item));
      tried.push({ ...change, ...(next === undefined ? {} : { rank: next }) });
      if (next !== undefined && next <= change.pipeline.k) return { tried, change: tried.at(-1)! };
    }
    return { tried };
  }

  /** `undefined` for a change whose pipeline cannot run. */
  async #tried(question: RankedQuestion, label: string): Promise<PipelineResult | undefined> {
    try {
      return await rankTo(question.pipeline.candidates, question, this.#context, this.#work);
    } catch (error) {
      if (!ParallaxError.is(error) || error.id === 'cancelled') throw error;
      this.#context.log(`${label}: ${error.message}`);
      return undefined;
    }
  }
}

/** Why a reranker moves a passage below k, in the reranker's own terms. */
interface Moved {
  readonly query: string;
  readonly slot: Slot;
  /** The first k after the reranker, best first. */
  readonly top: readonly Slot[];
}

/** @returns empty for rerankers that rest on perspectives, which have no reason for one passage alone */
async function reasonToMove(
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
