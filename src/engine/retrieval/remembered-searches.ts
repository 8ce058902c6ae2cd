/** The searches of one question, each run once: pipelines that differ in one setting share most of them. */
import type { TextsOfMean } from '../../core/expansion/rewrite.ts';
import type { ExternalRetrieverSpec } from '../../core/external/spec.ts';
import type { Bm25Retriever, DenseRetriever } from '../../core/pipeline.ts';
import type { ExternalQuery } from '../external/external-retriever.ts';
import type { WorkOptions } from '../types.ts';
import type { Retrieval } from './retrieve.ts';
import type { PipelineIndexes } from './run-pipeline.ts';

interface Made {
  readonly depth: number;
  readonly found: Retrieval;
}

export class RememberedSearches implements PipelineIndexes {
  readonly #indexes: PipelineIndexes;
  readonly #made = new Map<string, Made>();
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

  async #once(asked: unknown, depth: number, search: () => Promise<Retrieval>): Promise<Retrieval> {
    const known = this.#known(asked, depth);
    if (known) return known;
    const found = await search();
    this.#made.set(JSON.stringify(asked), { depth, found });
    return found;
  }

  /** A shallower exact search is the beginning of a deeper one. */
  #known(asked: unknown, depth: number): Retrieval | undefined {
    const made = this.#made.get(JSON.stringify(asked));
    if (!made) return undefined;
    if (made.depth === depth) return made.found;
    const { found } = made;
    return found.search === 'exact' && made.depth > depth
      ? { ...found, hits: found.hits.slice(0, depth) }
      : undefined;
  }
}
