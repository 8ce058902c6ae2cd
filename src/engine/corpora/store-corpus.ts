/**
 * A corpus that lives in a store and is not indexed here. What is found or requested becomes passages under the
 * store's own ids, so that qrels and labels written against the store fit.
 */
import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { isSameText } from '../../core/external/match.ts';
import type { StoreSample } from '../../core/external/store-sample.ts';
import type { ExternalResult, ExternalRetrieverSpec } from '../../core/external/spec.ts';
import { isSameCollection, isStore, storeLabel } from '../../core/external/store-types.ts';
import type { StoreRetriever } from '../../core/external/stores.ts';
import type { ExternalRetrievers } from '../external/external-retrievers.ts';
import type { ForeignPassages } from '../external/foreign-passages.ts';
import type { ForeignPassage } from '../external/kept-passage.ts';
import type { MatchedResults } from '../external/match-passages.ts';
import type { StoredRecord } from '../external/stores/remote-store.ts';
import type { Hit, Slot, WorkOptions } from '../types.ts';

/** Records fetched with one request. */
const PORTION = 500;

export class StoreCorpus {
  readonly #name: string;
  readonly #spec: StoreRetriever;
  readonly #externals: Pick<ExternalRetrievers, 'store'>;
  readonly #passages: () => ForeignPassages;

  /**
   * @param name of the corpus, for messages
   * @param passages where fetched passages are kept
   */
  constructor(
    name: string,
    spec: StoreRetriever,
    externals: Pick<ExternalRetrievers, 'store'>,
    passages: () => ForeignPassages,
  ) {
    this.#name = name;
    this.#spec = spec;
    this.#externals = externals;
    this.#passages = passages;
  }

  /**
   * How many passages the store has. @throws ParallaxError `retriever-failed`, `untrusted`, `model-key`,
   * `cancelled`
   */
  count({ signal }: WorkOptions): Promise<number> {
    return this.#externals.store(this.#spec).count(signal);
  }

  /**
   * Distinguishes states of the store without reading all of it: how many passages it has, and a checksum of the
   * first ones if it has an order.
   *
   * @throws ParallaxError `retriever-failed`, `untrusted`, `model-key`, `cancelled`
   */
  async state(work: WorkOptions): Promise<StoreState> {
    const store = this.#externals.store(this.#spec);
    const passages = await this.count(work);
    if (!store.first) return { passages, sample: { store: storeLabel(this.#spec), records: 0 } };
    const records = await store.first(PORTION, work.signal);
    const digest = createHash('sha256');
    for (const { id, text, about } of records) digest.update(`${JSON.stringify([id, text, about])}\n`);
    const checksum = digest.digest('hex').slice(0, 32);
    return { passages, sample: { store: storeLabel(this.#spec), records: records.length, checksum } };
  }

  /** The error for retrievers that need an index. */
  noIndex(): ParallaxError {
    return new ParallaxError(
      'bad-pipeline',
      l10n.t`The corpus "${this.#name}" lives in ${storeLabel(this.#spec)} and has no index on this machine: use a pipeline whose retriever searches there.`,
    );
  }

  /**
   * Results as passages: those of this collection by their ids, and those of other retrievers if id and text match.
   * Looks up the text of an id without one.
   *
   * @param spec of the retriever that found them; undefined if a running program did
   * @throws ParallaxError `retriever-failed`, `untrusted`, `model-key`, `cancelled`
   */
  async matched(
    results: readonly ExternalResult[],
    spec: ExternalRetrieverSpec | undefined,
    work: WorkOptions,
  ): Promise<MatchedResults> {
    const isSameStore = spec !== undefined && isStore(spec) && isSameCollection(spec, this.#spec);
    if (!isSameStore) await this.fetch(namesOf(results), work);
    const passages = this.#passages();
    const recognise = (): readonly Recognised[] =>
      isSameStore
        ? passages.addRecords(results.map(named)).map((slot) => ({ slot, kind: 'id' }))
        : results.map((result) => this.#recognised(result));
    return matchedAs(results, passages.together(recognise));
  }

  /**
   * Fetches these passages unless they were fetched before. Leaves out ids that the store does not have.
   *
   * @throws ParallaxError `retriever-failed`, `untrusted`, `model-key`, `cancelled`
   */
  async fetch(ids: Iterable<string>, { signal, onProgress }: WorkOptions): Promise<void> {
    const passages = this.#passages();
    const unknown = [...new Set(ids)].filter((id) => !passages.passageById(id));
    const store = this.#externals.store(this.#spec);
    for (let from = 0; from < unknown.length; from += PORTION) {
      onProgress?.({ done: from, total: unknown.length, detail: storeLabel(this.#spec) });
      const records = await store.records(unknown.slice(from, from + PORTION), signal);
      passages.together(() => passages.addRecords(records.map(named)));
    }
  }

  #recognised({ id = '', text, about }: ExternalResult): Recognised {
    const passages = this.#passages();
    const named = id === '' ? undefined : passages.passageById(id);
    if (named && (text === undefined || isSameText(text, named.text)))
      return { slot: named.slot, kind: 'id' };
    return { slot: passages.add({ name: id, text, about }), kind: 'foreign' };
  }
}

export interface StoreState {
  readonly passages: number;
  readonly sample: StoreSample;
}

interface Recognised {
  readonly slot: Slot;
  readonly kind: 'id' | 'foreign';
}

function matchedAs(results: readonly ExternalResult[], recognised: readonly Recognised[]): MatchedResults {
  const counts = { id: 0, text: 0, fuzzy: 0, foreign: 0 };
  const hits = new Map<Slot, Hit>();
  const keys = new Map<Slot, string>();
  for (const [place, { score, key }] of results.entries()) {
    const { slot, kind } = recognised[place]!;
    counts[kind]++;
    if (hits.has(slot)) continue;
    hits.set(slot, { item: slot, score });
    if (key !== undefined) keys.set(slot, key);
  }
  return { hits: [...hits.values()], counts, keys };
}

const named = ({ id = '', text, about }: Pick<StoredRecord, 'id' | 'text' | 'about'>): ForeignPassage => ({
  name: id,
  text,
  about,
});

const namesOf = (results: readonly ExternalResult[]): string[] => results.flatMap(({ id }) => id ?? []);
