/** Searches a corpus by each of its indexes, by the user's own retrievers, and by projection. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { Shortfall } from '../../core/external/shortfall.ts';
import type { TextsOfMean } from '../../core/expansion/rewrite.ts';
import type { ExternalResult, ExternalRetrieverSpec } from '../../core/external/spec.ts';
import { isStore, isVectorStore, searchesApproximately } from '../../core/external/store-types.ts';
import type { StoreRetriever, VectorStoreRetriever } from '../../core/external/stores.ts';
import { HASHED_WORDS, MEANING } from '../../core/embedding/built-in.ts';
import { likenessEmbedder } from '../../core/pipeline-needs.ts';
import { DEFAULT_BM25, type Bm25Retriever, type DenseRetriever, type Pipeline } from '../../core/pipeline.ts';
import { scoreRows } from '../../core/projection/project.ts';
import { sentencesOf } from '../../core/split/sentences.ts';
import { englishShare, isEnglish } from '../../core/text/language.ts';
import type { ExplainedTerms } from '../bm25/bm25-index.ts';
import type { LexicalIndexes } from '../derivation/lexical-indexes.ts';
import type { VectorIndexes } from '../derivation/vector-indexes.ts';
import type { DenseHits, DenseSearch } from '../dense/dense-index.ts';
import type { Embedder } from '../embedders/embedder.ts';
import { MeaningEmbedder } from '../embedders/meaning-embedder.ts';
import { OpenAiEmbedder } from '../embedders/openai-embedder.ts';
import type { ExternalQuery } from '../external/external-retriever.ts';
import type { ExternalRetrievers } from '../external/external-retrievers.ts';
import { matchPassages, type MatchCounts, type MatchedResults } from '../external/match-passages.ts';
import { projectedInStore } from '../external/project-in-store.ts';
import { matchCorpus } from '../external/recognise.ts';
import type { StoredRecord } from '../external/stores/remote-store.ts';
import { RetrievedRecords } from '../external/retrieved-records.ts';
import type { CrossEncoders } from '../rerankers/cross-encoders.ts';
import { planFor, projectionVectors } from '../retrieval/projection-vectors.ts';
import type { ProjectedQuery } from '../retrieval/query-parts.ts';
import type { Retrieval } from '../retrieval/retrieve.ts';
import type { PipelineIndexes } from '../retrieval/run-pipeline.ts';
import type { Store } from '../store/store.ts';
import type { Hit, Slot, WorkOptions } from '../types.ts';
import type { CorpusPassages } from './corpus-passages.ts';
import { ForeignVectors, passageVectors } from './passage-vectors.ts';
import type { StoreCorpus } from './store-corpus.ts';
import type { CrossEncoderSpec, ProjectionReranker, ProjectionSpec } from '../../core/rerank/rerankers.ts';

/** Shared by the searches of every corpus. */
export interface SearchTools {
  /** @throws ParallaxError `bad-pipeline` for an unknown name */
  readonly embedder: (name: string) => Promise<Embedder>;
  readonly crossEncoders: Pick<CrossEncoders, 'score'>;
  readonly externals: Pick<ExternalRetrievers, 'search' | 'store'>;
}

export interface SearchedCorpus {
  readonly store: Store;
  readonly passages: CorpusPassages;
  readonly lexical: LexicalIndexes;
  readonly vectors: VectorIndexes;
  /** The store that the corpus lives in. `undefined` for a corpus of files. */
  readonly home?: StoreCorpus | undefined;
  /** How many passages that store has. `undefined` until it was asked. */
  readonly held?: () => number | undefined;
  /** Records what is missing on this machine. */
  readonly notice: (text: string) => void;
  /** Whether a user is waiting, so that passages without a vector are left to the background. Defaults to false. */
  readonly atOnce?: boolean;
}

/** Passages of the word ranking that are embedded before all others, the first of them while the user waits. */
const EMBEDDED_FIRST = 1_000;
/** Passages that decide the language of a corpus. */
const SAMPLED_PASSAGES = 200;

const isOutOfOrder = (error: unknown): error is ParallaxError =>
  ParallaxError.is(error, 'model-missing') || ParallaxError.is(error, 'native-missing');

/** Foreign results as passages of the corpus, best first, and how many were recognised. */
export interface Matched {
  readonly hits: readonly Hit[];
  readonly matches: MatchCounts;
}

export class CorpusSearches implements PipelineIndexes {
  readonly #corpus: SearchedCorpus;
  readonly #tools: SearchTools;
  readonly #records: RetrievedRecords;
  readonly #foreign = new ForeignVectors();
  /** The share of English words in the passages of that version. */
  #english: { readonly version: number | undefined; readonly share: number } | undefined;
  #encoderRuns: Promise<boolean> | undefined;

  constructor(corpus: SearchedCorpus, tools: SearchTools) {
    this.#corpus = corpus;
    this.#tools = tools;
    const { externals, embedder } = tools;
    this.#records = new RetrievedRecords({ store: (spec) => externals.store(spec), embedder });
  }

  async bm25(query: string, spec: Bm25Retriever, depth: number, work: WorkOptions): Promise<Retrieval> {
    this.#requireIndex();
    const { lexical, store } = this.#corpus;
    const index = await lexical.ready(spec.analyzer, work);
    return { hits: index.search(query, spec, depth, store.live), search: 'exact' };
  }

  /** What each term of a question adds to the score of a text of the corpus. */
  async explainTerms(
    query: string,
    spec: Bm25Retriever,
    text: string,
    work: WorkOptions,
  ): Promise<ExplainedTerms> {
    this.#requireIndex();
    const { lexical, store } = this.#corpus;
    return (await lexical.ready(spec.analyzer, work)).explain(query, spec, text, store.live);
  }

  /**
   * The sentence of a text that is nearest to a question, by the inner product that ranks passages. `undefined` for
   * an embedder at an endpoint, whose requests cost, and for a text of one sentence.
   */
  async nearestSentence(
    query: string,
    name: string,
    text: string,
    work: WorkOptions,
  ): Promise<{ readonly text: string; readonly score: number } | undefined> {
    const embedder = await this.#tools.embedder(name);
    const sentences = [...sentencesOf(text)].map(({ start, end }) => text.slice(start, end));
    if (embedder instanceof OpenAiEmbedder || sentences.length < 2) return undefined;
    const queryVector = await embedder.embedQuery(query, work);
    const vectors = await embedder.embedPassages(sentences, work);
    const scores = sentences.map((_, row) =>
      queryVector.reduce((sum, value, at) => sum + value * vectors[row * queryVector.length + at]!, 0),
    );
    const place = scores.indexOf(Math.max(...scores));
    return { text: sentences[place]!, score: scores[place]! };
  }

  async dense(
    query: string | TextsOfMean,
    spec: DenseRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    this.#requireIndex();
    if (spec.englishOnly && !this.#isEnglish()) {
      this.#corpus.notice(
        l10n.t`Searched by words alone: the encoder that ships reads English, and only ${this.#englishPercent()}% of the words of a sample are the most frequent ones of English. To search by meaning, name an embedder in parallax.json.`,
      );
      return { hits: [], search: 'exact' };
    }
    try {
      return await this.#dense(query, spec, depth, work);
    } catch (error) {
      if (!this.#corpus.atOnce || !isOutOfOrder(error)) throw error;
      if (!spec.englishOnly) throw error;
      // The word search continues: a user of the default pipeline did not ask for an encoder that this
      // machine cannot run.
      this.#corpus.notice(error.message);
      return { hits: [], search: 'exact' };
    }
  }

  async #dense(
    query: string | TextsOfMean,
    spec: DenseRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    const { vectors, notice, store } = this.#corpus;
    const embedder = await this.#tools.embedder(spec.embedder);
    const isShipped = embedder instanceof MeaningEmbedder;
    if (isShipped && !this.#isEnglish())
      notice(
        l10n.t`The encoder that ships reads English, and only ${this.#englishPercent()}% of the words of a sample are the most frequent ones of English: it hardly finds meaning here. Name another embedder in parallax.json.`,
      );
    const isPartial = this.#corpus.atOnce && isShipped;
    const index = isPartial
      ? await vectors.begun(embedder, await this.#nearest(query, work), work)
      : await vectors.ready(embedder, work);
    // A user who asks for the graph waits for it. Otherwise it is built in the background while scans answer.
    if (spec.search === 'approximate') await vectors.prepareGraphIfPossible(embedder, index, work);
    else if (spec.search === 'auto' && this.#corpus.atOnce) vectors.prepareGraphInBackground(embedder, index);
    const vector =
      typeof query === 'string'
        ? await embedder.embedQuery(query, work)
        : await meanOf(embedder, query, work);
    if (embedder.notice !== undefined) notice(embedder.notice);
    const retrieval = retrievalOf(await index.search(vector, this.#manner(spec, depth), work), spec);
    if (!isPartial || store.live.without(index.held).length === 0) return retrieval;
    return { ...retrieval, meaning: vectors.background };
  }

  /** The passages that the word search finds first, which are embedded first. */
  async #nearest(query: string | TextsOfMean, work: WorkOptions): Promise<Slot[]> {
    const text = typeof query === 'string' ? query : [...query.queries, ...query.passages].join(' ');
    const { hits } = await this.bm25(text, DEFAULT_BM25, EMBEDDED_FIRST, work);
    return hits.map(({ item }) => item);
  }

  /**
   * The embedder whose vectors measure how alike the passages of a pipeline are: its own, else the shipped encoder,
   * else hashed words if the corpus is not English or the encoder does not run.
   */
  async likenessEmbedder(pipeline: Pipeline): Promise<string> {
    const name = likenessEmbedder(pipeline);
    if (name !== undefined) return name;
    const isFit = (this.#corpus.store.live.count === 0 || this.#isEnglish()) && (await this.#canEncode());
    return isFit ? MEANING : HASHED_WORDS;
  }

  #canEncode(): Promise<boolean> {
    this.#encoderRuns ??= this.#tools
      .embedder(MEANING)
      .then(async (embedder) => (await embedder.embedQuery('')).length > 0)
      .catch((error: unknown) => {
        if (!isOutOfOrder(error)) throw error;
        this.#corpus.notice(error.message);
        return false;
      });
    return this.#encoderRuns;
  }

  #isEnglish(): boolean {
    return isEnglish(this.#englishShare());
  }

  #englishPercent(): number {
    return Math.round(100 * this.#englishShare());
  }

  #englishShare(): number {
    const { store, passages } = this.#corpus;
    const { version } = store.live;
    if (this.#english?.version !== version)
      this.#english = { version, share: englishShare(passages.textsOf(this.#sample())) };
    return this.#english.share;
  }

  /** Passages chosen by their texts, so that the sample does not depend on how the index was built. */
  #sample(): Slot[] {
    const { store } = this.#corpus;
    const slots = Uint32Array.from(store.live);
    const sums = store.textSums().of(slots);
    return [...slots.keys()]
      .sort((a, b) => sums[a]! - sums[b]! || slots[a]! - slots[b]!)
      .slice(0, SAMPLED_PASSAGES)
      .map((place) => slots[place]!);
  }

  /** Asks the user's own retriever, and matches its results to passages of this corpus. */
  async external(
    query: ExternalQuery,
    spec: ExternalRetrieverSpec,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    const results = await this.#tools.externals.search(spec, query, depth, work.signal);
    const matches = await this.matched(results, spec, work);
    return {
      ...matches,
      search: isStore(spec) && searchesApproximately(spec) ? 'approximate' : 'exact',
      short: isVectorStore(spec) ? this.#short(results.length, depth) : undefined,
    };
  }

  /** The records that a store has for these ids. @throws ParallaxError `retriever-failed`, `cancelled` */
  storedRecords(
    spec: StoreRetriever,
    ids: readonly string[],
    { signal }: WorkOptions,
  ): Promise<readonly StoredRecord[]> {
    return this.#tools.externals.store(spec).records(ids, signal);
  }

  projected(
    query: ProjectedQuery,
    projection: ProjectionSpec,
    spec: DenseRetriever | VectorStoreRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    return spec.type === 'dense'
      ? this.#projectedHere(query, projection, spec, depth, work)
      : this.#projectedInStore(query, projection, spec, depth, work);
  }

  /** @returns [n, d] */
  async vectors(name: string, slots: readonly Slot[], work: WorkOptions): Promise<Float32Array> {
    const { passages, vectors: indexes } = this.#corpus;
    const embedder = await this.#tools.embedder(name);
    const sources = { passages, indexes, records: this.#records, foreign: this.#foreign };
    return passageVectors(sources, embedder, slots, work);
  }

  async projectedScores(
    query: ProjectedQuery,
    projection: ProjectionReranker,
    slots: readonly Slot[],
    work: WorkOptions,
  ): Promise<Float64Array> {
    const embedder = await this.#tools.embedder(projection.embedder);
    const plan = planFor(query, projection, await projectionVectors(embedder, query, projection, work));
    return scoreRows(plan, await this.vectors(projection.embedder, slots, work));
  }

  async relevance(
    spec: CrossEncoderSpec,
    query: string,
    slots: readonly Slot[],
    work: WorkOptions,
  ): Promise<Float64Array> {
    const texts = this.#corpus.passages.textsOf(slots);
    return this.#tools.crossEncoders.score(spec, query, texts, work);
  }

  /**
   * Results of a foreign retriever, matched to passages of this corpus where possible.
   *
   * @param spec of the retriever, if Parallax asked it
   * @throws ParallaxError `cancelled`
   */
  async matched(
    results: readonly ExternalResult[],
    spec: ExternalRetrieverSpec | undefined,
    work: WorkOptions,
  ): Promise<Matched> {
    const { home } = this.#corpus;
    const { hits, counts, keys } = home
      ? await home.matched(results, spec, work)
      : await this.#matchedHere(results, work);
    if (spec && isStore(spec)) this.#records.remember(spec, keys);
    return { hits, matches: counts };
  }

  #matchedHere(results: readonly ExternalResult[], work: WorkOptions): Promise<MatchedResults> {
    const { store, passages } = this.#corpus;
    const corpus = matchCorpus(store, (text, matching, depth) => this.bm25(text, matching, depth, work));
    return matchPassages(results, corpus, passages.foreign, work.signal);
  }

  async #projectedHere(
    query: ProjectedQuery,
    projection: ProjectionSpec,
    spec: DenseRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    this.#requireIndex();
    const embedder = await this.#tools.embedder(spec.embedder);
    const index = await this.#corpus.vectors.ready(embedder, work);
    const plan = planFor(query, projection, await projectionVectors(embedder, query, projection, work));
    return retrievalOf(await index.searchProjected(plan, this.#manner(spec, depth), work), spec);
  }

  async #projectedInStore(
    query: ProjectedQuery,
    projection: ProjectionSpec,
    spec: VectorStoreRetriever,
    depth: number,
    work: WorkOptions,
  ): Promise<Retrieval> {
    const { vectors } = this.#tools.externals.store(spec);
    if (!vectors)
      throw new ParallaxError('bad-pipeline', l10n.t('Projection needs a store that hands out its vectors.'));
    const embedder = await this.#tools.embedder(spec.embedder);
    const plan = planFor(query, projection, await projectionVectors(embedder, query, projection, work));
    const approximate = searchesApproximately(spec);
    const { results, returned, certainty } = await projectedInStore(
      vectors,
      plan,
      depth,
      { approximate, holds: this.#corpus.held?.() },
      work.signal,
    );
    const isExact = plan.norm === undefined && !approximate;
    return {
      ...(await this.matched(results, spec, work)),
      search: isExact ? 'exact' : 'approximate',
      short: this.#short(returned, depth),
      certainty,
    };
  }

  /** A word search returns only passages with the words. A vector search returns as many neighbours as requested. */
  #short(returned: number, depth: number): Shortfall | undefined {
    const limit = Math.min(depth, this.#corpus.held?.() ?? depth);
    return returned < limit ? { returned, asked: limit } : undefined;
  }

  /** @throws ParallaxError `bad-pipeline` if the corpus lives in a store */
  #requireIndex(): void {
    if (this.#corpus.home) throw this.#corpus.home.noIndex();
  }

  /**
   * What a graph finds depends on the order in which passages arrived, so figures use exact searches unless a
   * pipeline asks.
   */
  #manner({ search, ef, rescore }: DenseRetriever, depth: number): DenseSearch {
    const { store, atOnce } = this.#corpus;
    return { depth, live: store.live, search: search === 'auto' && !atOnce ? 'exact' : search, ef, rescore };
  }
}

/** @returns [d], the mean of the vectors of all texts */
async function meanOf(
  embedder: Embedder,
  { queries, passages }: TextsOfMean,
  work: WorkOptions,
): Promise<Float32Array> {
  const asQueries: Float32Array[] = [];
  for (const query of queries) asQueries.push(await embedder.embedQuery(query, work));
  const asPassages = passages.length > 0 ? await embedder.embedPassages(passages, work) : new Float32Array();
  const count = queries.length + passages.length;
  const [d = asPassages.length / passages.length] = asQueries.map(({ length }) => length);
  const sum = new Float32Array(d);
  const all = [...asQueries, ...passages.map((_, row) => asPassages.subarray(row * d, (row + 1) * d))];
  for (const vector of all) for (let at = 0; at < d; at++) sum[at]! += vector[at]!;
  return sum.map((value) => value / count);
}

function retrievalOf({ hits, exact }: DenseHits, { search }: DenseRetriever): Retrieval {
  return { hits, search: exact ? 'exact' : search === 'int8' ? 'int8' : 'approximate' };
}
