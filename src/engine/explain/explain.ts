/** Explains why a document is, or is not, among the first k passages of a pipeline for a question. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { possibleChanges } from '../../core/explain/changes.ts';
import type { Arm, Explanation, ExplainedPassage, TriedChange } from '../../core/explain/explanation.ts';
import { repeatsOf } from '../../core/likeness/repeats.ts';
import { isExternal, type Pipeline, type RetrieverSpec } from '../../core/pipeline.ts';
import { rerankerLabel, retrieverLabel } from '../../core/pipeline-label.ts';
import { passageName } from '../../core/text/passage-name.ts';
import { fold, words } from '../../core/text/words.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import { readyRetrievers } from '../probing/probe-searches.ts';
import type { PipelineQuery, PipelineServices } from '../retrieval/pipeline-services.ts';
import { retrieve } from '../retrieval/retrieve.ts';
import type { PipelineResult } from '../retrieval/run-pipeline.ts';
import { searchCorpus } from '../retrieval/search-query.ts';
import type { Hit, Slot, StoredPassage, WorkOptions } from '../types.ts';
import { findTarget, type Target } from './target.ts';
import { whyNotRead } from './why-not-read.ts';

export interface ExplainRequest {
  readonly query: PipelineQuery;
  readonly pipeline: Pipeline;
  /** A path, an id, a title or a text. */
  readonly document: string;
  /** Whether changes of the pipeline are tried. */
  readonly tryChanges: boolean;
}

export interface ExplainContext {
  readonly index: CorpusIndex;
  readonly services: PipelineServices;
  readonly log: (message: string) => void;
}

/** A retriever outside of the index is asked for this many passages at most. */
const DEPTH_ELSEWHERE = 1_000;

/**
 * The first cause in the order of the pipeline, with its evidence, and the smallest change that helps.
 *
 * @throws ParallaxError as a search with that pipeline
 */
export async function explain(
  { query, pipeline, document, tryChanges }: ExplainRequest,
  context: ExplainContext,
  work: WorkOptions,
): Promise<Explanation> {
  const { index } = context;
  const basis = { k: pipeline.k, candidates: pipeline.candidates, arms: [], terms: [], tried: [] };
  const target = await findTarget(index, document, work);
  if (target.passages.length === 0) {
    if (target.file === undefined || index.ref.config.store) return { ...basis, cause: 'unknown' };
    return { ...basis, ...(await whyNotRead(index, target.file, work)) };
  }
  const asked = new AskedPassages(query, pipeline, target, context, work);
  const outcome = await asked.outcome();
  const explanation = { ...basis, ...outcome, ...(await asked.evidence()) };
  return tryChanges ? { ...explanation, ...(await asked.changes(explanation)) } : explanation;
}

/** One question about some passages, under one pipeline. */
class AskedPassages {
  readonly #query: PipelineQuery;
  readonly #pipeline: Pipeline;
  readonly #target: Target;
  readonly #slots: ReadonlySet<Slot>;
  readonly #context: ExplainContext;
  readonly #work: WorkOptions;
  /** The passage of the document that the pipeline, or else its first search, ranks best. */
  #best: StoredPassage;

  constructor(
    query: PipelineQuery,
    pipeline: Pipeline,
    target: Target,
    context: ExplainContext,
    work: WorkOptions,
  ) {
    this.#query = query;
    this.#pipeline = pipeline;
    this.#target = target;
    this.#slots = new Set(target.passages.map(({ slot }) => slot));
    this.#context = context;
    this.#work = work;
    this.#best = target.passages[0]!;
  }

  /** As deep as all passages can be ranked. */
  get #depth(): number {
    const isElsewhere = isExternal(this.#pipeline.retriever);
    return isElsewhere ? DEPTH_ELSEWHERE : Math.max(this.#context.index.status.passages, 1);
  }

  #search(pipeline: Pipeline, depth: number): Promise<PipelineResult> {
    const { index, services } = this.#context;
    return searchCorpus(index, pipeline, this.#query, depth, services, this.#work);
  }

  /** The cause and the ranks. */
  async outcome(): Promise<Partial<Explanation> & Pick<Explanation, 'cause'>> {
    const { k, candidates } = this.#pipeline;
    const result = await this.#search(this.#pipeline, this.#depth);
    const rank = this.#rankIn(result.hits.map(({ item }) => item));
    const retrievedRank = this.#rankIn(result.retrieved);
    const slot = rank === undefined ? undefined : result.hits[rank - 1]!.item;
    if (slot !== undefined) this.#best = this.#target.passages.find((each) => each.slot === slot)!;
    const ranks = {
      ...(rank === undefined ? {} : { rank }),
      ...(retrievedRank === undefined ? {} : { retrievedRank }),
      passage: explained(this.#best),
      ...this.#places(),
    };
    if (rank !== undefined && rank <= k) return { ...ranks, cause: 'retrieved' };
    if (this.#target.cut) return { ...ranks, cause: 'cut-apart', parts: this.#target.cut.map(explained) };
    if (rank === undefined || rank > candidates)
      return { ...ranks, cause: (await this.#isFilteredOut()) ? 'filtered' : 'outside-candidates' };
    const duplicate = this.#duplicateAmong(result.hits.slice(0, k));
    if (duplicate) return { ...ranks, cause: 'duplicate-above', duplicate };
    if (retrievedRank !== undefined && retrievedRank <= k)
      return { ...ranks, cause: 'moved-down', ...(await this.#reranker(k)) };
    return { ...ranks, cause: 'below-k' };
  }

  #places(): Pick<Explanation, 'documents'> {
    const { documents } = this.#target;
    return documents && documents.length > 1 ? { documents: [...documents] } : {};
  }

  #rankIn(slots: readonly Slot[]): number | undefined {
    const place = slots.findIndex((slot) => this.#slots.has(slot));
    return place < 0 ? undefined : place + 1;
  }

  #duplicateAmong(top: readonly Hit[]): Explanation['duplicate'] {
    const { index } = this.#context;
    const passages = index.passages(top.map(({ item }) => item));
    const repeated = repeatsOf([...passages.map(({ text }) => text), this.#best.text]).at(-1);
    return repeated === undefined ? undefined : { ...explained(passages[repeated]!), rank: repeated + 1 };
  }

  /** The first reranker after which the passage is below k. */
  async #reranker(k: number): Promise<Pick<Explanation, 'reranker'>> {
    const { rerank, candidates } = this.#pipeline;
    for (const [place, reranker] of rerank.entries()) {
      const { hits } = await this.#search(
        { ...this.#pipeline, rerank: rerank.slice(0, place + 1) },
        candidates,
      );
      const rank = this.#rankIn(hits.map(({ item }) => item));
      if (rank === undefined || rank > k) return { reranker: rerankerLabel(reranker) };
    }
    return {};
  }

  /** Whether a store returns the passage once its filter is taken away. */
  async #isFilteredOut(): Promise<boolean> {
    const { retriever } = this.#pipeline;
    if (!('filter' in retriever) || retriever.filter === undefined) return false;
    const { filter: _, ...unfiltered } = retriever;
    const pipeline = { ...this.#pipeline, retriever: unfiltered as RetrieverSpec, rerank: [] };
    const { hits } = await this.#search(pipeline, this.#pipeline.candidates);
    return this.#rankIn(hits.map(({ item }) => item)) !== undefined;
  }

  /** How each search of the retriever ranks the passage, and what each term adds in BM25. */
  async evidence(): Promise<Pick<Explanation, 'arms' | 'terms' | 'lengths'>> {
    const { retriever } = this.#pipeline;
    const parts = retriever.type === 'hybrid' ? retriever.retrievers : [retriever];
    const arms: Arm[] = [];
    for (const part of parts) arms.push(await this.#arm(part));
    const lexical = parts.find((part) => part.type === 'bm25');
    if (!lexical) return { arms, terms: [] };
    const { terms, lengths } = await this.#context.index.searches.explainTerms(
      this.#query.text,
      lexical,
      this.#best.text,
      this.#work,
    );
    const words = this.#target.passages.map(({ text }) => text).join('\n');
    return { arms, terms: terms.map((term) => ({ ...term, ...similarWord(term, words) })), lengths };
  }

  async #arm(part: RetrieverSpec): Promise<Arm> {
    const { index } = this.#context;
    const name = retrieverLabel(part);
    try {
      if (part.type === 'dense' && !(await index.hasVectors(part.embedder)))
        return { name, searched: 0, problem: notEmbedded() };
      const depth = isExternal(part) ? DEPTH_ELSEWHERE : this.#depth;
      const exact = part.type === 'dense' ? { ...part, search: 'exact' as const } : part;
      const { hits } = await retrieve(index.searches, exact, this.#query, depth, this.#work);
      const rank = this.#rankIn(hits.map(({ item }) => item));
      const needed = hits[Math.min(this.#pipeline.candidates, hits.length) - 1]?.score;
      return {
        name,
        searched: hits.length,
        ...(needed === undefined ? {} : { needed }),
        ...(rank === undefined
          ? {}
          : { rank, score: hits[rank - 1]!.score, passageId: index.passageId(hits[rank - 1]!.item) }),
      };
    } catch (error) {
      if (!ParallaxError.is(error) || error.id === 'cancelled') throw error;
      return { name, searched: 0, problem: error.message };
    }
  }

  /** Tries other settings until one brings the passage into the first k. */
  async changes({
    cause,
    rank,
    retrievedRank,
  }: Explanation): Promise<Pick<Explanation, 'tried'> & Partial<Pick<Explanation, 'change'>>> {
    if (cause === 'retrieved' || cause === 'cut-apart') return { tried: [] };
    const { index, log } = this.#context;
    const ready = await readyRetrievers(index, [this.#pipeline.retriever]);
    const tried: TriedChange[] = [];
    for (const change of possibleChanges(this.#pipeline, { rank, retrievedRank }, ready)) {
      const outcome = await this.#search(change.pipeline, change.pipeline.candidates).catch(
        (error: unknown) => {
          if (!ParallaxError.is(error) || error.id === 'cancelled') throw error;
          log(`${change.label}: ${error.message}`);
        },
      );
      if (!outcome) continue;
      const next = this.#rankIn(outcome.hits.map(({ item }) => item));
      tried.push({ ...change, ...(next === undefined ? {} : { rank: next }) });
      if (next !== undefined && next <= change.pipeline.k) return { tried, change: tried.at(-1)! };
    }
    return { tried };
  }
}

const notEmbedded = (): string => l10n.t('The passages have no vectors of this model yet.');

/** Word beginnings this long are taken for the same word. */
const STEM = 5;

/** A word of the document that begins like the word of a question which the passage lacks. */
function similarWord(
  { word, frequency }: { word: string; frequency: number },
  text: string,
): { similar?: string } {
  if (frequency > 0 || word.length < STEM) return {};
  const beginning = fold(word).slice(0, STEM);
  const similar = words(fold(text)).find((each) => each.startsWith(beginning));
  return similar === undefined ? {} : { similar };
}

const explained = (passage: StoredPassage): ExplainedPassage => ({
  id: passage.id,
  documentId: passage.documentId,
  name: passageName(passage),
  text: passage.text,
});
