/** The searches of one question, each run once: pipelines that differ in one setting share most of them. */
import type { TextsOfMean } from '../../core/expansion/rewrite.ts';
import type { ExternalRetrieverSpec } from '../../core/external/spec.ts';
import type { Bm25Retriever, DenseRetriever } from '../../core/pipeline.ts';
import type { ExternalQuery } from '../external/external-retriever.ts';
import type { WorkOptions } from '../types.ts';
import type { Retrieval } from './retrieve.ts';
import type { PipelineIndexes } from './run-pipeline.ts';

interface RememberedSearch {
  readonly depth: number;
  readonly retrieval: Retrieval;
}

export class RememberedSearches implements PipelineIndexes {
  readonly #indexes: PipelineIndexes;
  readonly #made = new Map<string, RememberedSearch>();
  readonly projected: PipelineIndexes['projected'];
  readonly vectors: PipelineIndexes['vectors'];
  readonly projectedScores: PipelineIndexes['projectedScores'];
  readonly relevance: PipelineIndexes['relevance'];

  constructor(indexes: PipelineIndexes) {
    this.#indexes = indexes;
    this.projected = indexes.projected.bind(indexes);
    this.vectors = indexes.vectors.bind(indexes);
    this.projectedScores = indexes.projectedScores.bind(indexes);
    this.relevance = indexes.relevance.bind(indexes);
  }

  bm25(query: string, spec: Bm25Retriever, depth: number, work: WorkOptions): Promise<Retrieval> {
    return this.#once([query, spec], depth, () => this.#indexes.bm25(query, spec, depth, work));
  }

  dense(
    query: string | TextsOfMean,
    spec: DenseRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    // An `auto` search of a small corpus is exact.
    const automatic = this.#known([query, { ...spec, search: 'auto' }], depth);
    if (spec.search === 'exact' && automatic?.search === 'exact') return Promise.resolve(automatic);
    return this.#once([query, spec], depth, () => this.#indexes.dense(query, spec, depth, work));
  }

  /** What another program returns may depend on the requested number. */
  external(
    query: ExternalQuery,
    spec: ExternalRetrieverSpec,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    return this.#once([query, spec, depth], depth, () => this.#indexes.external(query, spec, depth, work));
  }

  async #once(identity: unknown, depth: number, search: () => Promise<Retrieval>): Promise<Retrieval> {
    const known = this.#known(identity, depth);
    if (known) return known;
    const retrieval = await search();
    this.#made.set(JSON.stringify(identity), { depth, retrieval });
    return retrieval;
  }

  /** A shallower exact search is the beginning of a deeper one. */
  #known(identity: unknown, depth: number): Retrieval | undefined {
    const entry = this.#made.get(JSON.stringify(identity));
    if (!entry) return undefined;
    if (entry.depth === depth) return entry.retrieval;
    const { retrieval } = entry;
    return retrieval.search === 'exact' && entry.depth > depth
      ? { ...retrieval, hits: retrieval.hits.slice(0, depth) }
      : undefined;
  }
}
