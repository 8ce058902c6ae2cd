/** Searches one corpus, and takes stored results where it can. */
import { messageOf } from '../../core/errors.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { PipelineQuery, PipelineServices } from '../retrieval/pipeline-services.ts';
import { searchCorpus } from '../retrieval/search-query.ts';
import type { WorkOptions } from '../types.ts';
import { needsOf } from '../../core/pipeline-needs.ts';
import { QueryPages } from '../../features/web-corpus/engine/query-pages.ts';
import type { DividedBudget } from '../judgements/divided-budget.ts';
import type { FoundPassages, SearchCache } from './search-cache.ts';
import { pipelineIdentity, searchKey, type IdentitySources } from './search-identity.ts';

export interface CachedSearchParts {
  readonly index: CorpusIndex;
  readonly services: PipelineServices;
  readonly cache: SearchCache;
  readonly identities: IdentitySources;
  /** Whether rankings that depend on judgements are stored, too. */
  readonly keepsJudged: boolean;
  readonly divided?: DividedBudget | undefined;
  readonly log: (message: string) => void;
}

/** A pipeline that is ready to search. */
export type Searcher = (query: PipelineQuery, work: WorkOptions) => Promise<FoundPassages>;

export class CachedSearches {
  readonly #parts: CachedSearchParts;

  constructor(parts: CachedSearchParts) {
    this.#parts = parts;
  }

  /**
   * @param depth the most passages a search returns
   * @throws ParallaxError for a missing embedder, model or judge
   */
  async prepare(pipeline: Pipeline, depth: number): Promise<Searcher> {
    const { index, services, identities, keepsJudged } = this.#parts;
    const needs = needsOf(pipeline);
    const isKept = keepsJudged || needs.judges.length === 0;
    const identity = isKept ? await pipelineIdentity(pipeline, identities) : undefined;
    const search = async (query: PipelineQuery, work: WorkOptions): Promise<FoundPassages> => {
      const begun = performance.now();
      const found = await searchCorpus(index, pipeline, query, depth, services, work);
      return {
        slots: found.hits.map(({ item }) => item),
        scores: found.hits.map(({ score }) => score),
        search: found.search,
        milliseconds: performance.now() - begun,
        ...(found.short ? { short: found.short } : {}),
        ...(found.certainty ? { certainty: found.certainty } : {}),
      };
    };
    if (identity === undefined) return search;
    const readsPerspectives = needs.givenPerspectives;
    return async (query, work) => {
      const pages = (await QueryPages.of(this.#parts.index))?.documentsFor(query);
      return this.#remembered(
        (fingerprint) => searchKey(identity, fingerprint, query, { readsPerspectives, depth, pages }),
        () => search(query, work),
      );
    };
  }

  async #remembered(
    keyOf: (fingerprint: string) => Uint8Array,
    search: () => Promise<FoundPassages>,
  ): Promise<FoundPassages> {
    const { index, cache, divided } = this.#parts;
    const { fingerprint } = index;
    const key = keyOf(fingerprint);
    const known = this.#unlessCacheFails(() => cache.get(key));
    if (known) return known;
    const found = await search();
    // Passages found while the corpus changed match neither of its states. More requests may change a short ranking.
    if (index.fingerprint === fingerprint && divided?.isShort !== true)
      this.#unlessCacheFails(() => cache.put(key, found));
    return found;
  }

  /** A comparison without its cache is slower, but still right. */
  #unlessCacheFails<T>(use: () => T): T | undefined {
    try {
      return use();
    } catch (error) {
      this.#parts.log(`The cache of searches failed: ${messageOf(error)}`);
      return undefined;
    }
  }
}
