/** The fields of a corpus's documents, found in a sample of them. */
import { foundFields, type FoundField } from '../../core/likeness/document-fields.ts';
import type { Store } from '../store/store.ts';
import type { CorpusPassages } from './corpus-passages.ts';

/** Enough to find the common fields, and few enough to read at once. */
const SAMPLED_DOCUMENTS = 2_000;

export class CorpusFields {
  readonly #store: Store;
  readonly #foreign: (() => CorpusPassages['foreign']) | undefined;
  #sampled: { readonly version: number; readonly entries: readonly FoundField[] } | undefined;

  /** @param foreign passages of a corpus that lives in a store */
  constructor(store: Store, foreign: (() => CorpusPassages['foreign']) | undefined) {
    this.#store = store;
    this.#foreign = foreign;
  }

  /** Most common first. For a corpus in a store, computed from the passages found so far. */
  get entries(): readonly FoundField[] {
    if (this.#foreign) return foundFields(this.#foreign().someFields(SAMPLED_DOCUMENTS));
    const { version } = this.#store.live;
    if (this.#sampled?.version !== version)
      this.#sampled = { version, entries: foundFields(this.#store.passages.someFields(SAMPLED_DOCUMENTS)) };
    return this.#sampled.entries;
  }
}
