/** The pages of one question as a separate corpus (BERDS, section 4.2). */
import type { TextsOfMean } from '../../../core/expansion/rewrite.ts';
import type { Bm25Retriever, DenseRetriever } from '../../../core/pipeline.ts';
import type { ExternalRetrieverSpec } from '../../../core/external/spec.ts';
import type { VectorStoreRetriever } from '../../../core/external/stores.ts';
import { Bm25Index, type ExplainedTerms } from '../../../engine/bm25/bm25-index.ts';
import type { ExternalQuery } from '../../../engine/external/external-retriever.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import type { ProjectedQuery } from '../../../engine/retrieval/query-parts.ts';
import type { Retrieval } from '../../../engine/retrieval/retrieve.ts';
import type { PipelineIndexes } from '../../../engine/retrieval/run-pipeline.ts';
import type { LiveSlots, Slot, SlotOrder, StoredPassage, WorkOptions } from '../../../engine/types.ts';
import type { CrossEncoderSpec, ProjectionReranker, ProjectionSpec } from '../../../core/rerank/rerankers.ts';

type Analyzer = Bm25Retriever['analyzer'];

/**
 * Passages keep the slots, vectors and judgements that they have in the corpus of all pages. Lexical scores depend on
 * the other passages, so they come from an index of these pages alone. Vector scores do not, so they come from an
 * exact search of all pages, filtered by question. Retrievers of the user's own search whatever they search.
 */
export class QueryCorpus implements PipelineIndexes {
  readonly #all: PipelineIndexes;
  readonly #texts: ReadonlyMap<Slot, string>;
  readonly #live: LiveSlots;
  readonly #passagesOfAll: number;
  readonly #bm25 = new Map<Analyzer, Promise<Bm25Index>>();

  /**
   * @param all searches the pages of all questions
   * @param of facts about all pages: their order, and the number of their passages
   */
  constructor(
    all: PipelineIndexes,
    passages: readonly StoredPassage[],
    of: { readonly compare: SlotOrder; readonly passages: number },
  ) {
    this.#all = all;
    this.#texts = new Map(passages.map(({ slot, text }) => [slot, text]));
    this.#live = {
      count: this.#texts.size,
      version: 0,
      has: (slot) => this.#texts.has(slot),
      compare: of.compare,
    };
    this.#passagesOfAll = of.passages;
  }

  async bm25(query: string, spec: Bm25Retriever, depth: number, work: WorkOptions): Promise<Retrieval> {
    const index = await this.#lexical(spec.analyzer, work);
    return { hits: index.search(query, spec, depth, this.#live), search: 'exact' };
  }

  /** What each term of a question adds to the score of a text among these passages. */
  async explainTerms(
    query: string,
    spec: Bm25Retriever,
    text: string,
    work: WorkOptions,
  ): Promise<ExplainedTerms> {
    return (await this.#lexical(spec.analyzer, work)).explain(query, spec, text, this.#live);
  }

  async dense(
    query: string | TextsOfMean,
    spec: DenseRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    return this.#own(await this.#all.dense(query, exactly(spec), this.#passagesOfAll, work), depth);
  }

  async projected(
    query: ProjectedQuery,
    projection: ProjectionSpec,
    spec: DenseRetriever | VectorStoreRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    if (spec.type !== 'dense') return this.#all.projected(query, projection, spec, depth, work);
    const retrieval = await this.#all.projected(query, projection, exactly(spec), this.#passagesOfAll, work);
    return this.#own(retrieval, depth);
  }

  external(
    query: ExternalQuery,
    spec: ExternalRetrieverSpec,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    return this.#all.external(query, spec, depth, work);
  }

  vectors(embedder: string, slots: readonly Slot[], work: WorkOptions): Promise<Float32Array> {
    return this.#all.vectors(embedder, slots, work);
  }

  projectedScores(
    query: ProjectedQuery,
    projection: ProjectionReranker,
    slots: readonly Slot[],
    work: WorkOptions,
  ): Promise<ArrayLike<number>> {
    return this.#all.projectedScores(query, projection, slots, work);
  }

  relevance(
    spec: CrossEncoderSpec,
    query: string,
    slots: readonly Slot[],
    work: WorkOptions,
  ): Promise<ArrayLike<number>> {
    return this.#all.relevance(spec, query, slots, work);
  }

  #own({ hits, ...retrieval }: Retrieval, depth: number): Retrieval {
    return { ...retrieval, hits: hits.filter(({ item }) => this.#live.has(item)).slice(0, depth) };
  }

  #lexical(analyzer: Analyzer, work: WorkOptions): Promise<Bm25Index> {
    const known = this.#bm25.get(analyzer);
    if (known) return known;
    const built = this.#build(analyzer, work);
    this.#bm25.set(analyzer, built);
    // A cancelled request must not leave a partial index for the next one.
    built.catch(() => this.#bm25.delete(analyzer));
    return built;
  }

  async #build(analyzer: Analyzer, { signal }: WorkOptions): Promise<Bm25Index> {
    const { index } = await Bm25Index.open(undefined, analyzer);
    const pace = new Pace({ signal });
    for (const [slot, text] of this.#texts) {
      index.add(slot, text);
      if (pace.due) await pace.rest();
    }
    await index.flush({ signal });
    return index;
  }
}

function exactly(spec: DenseRetriever): DenseRetriever {
  return { ...spec, search: 'exact' };
}
