/** A store as a retriever that also counts records, returns vectors, and may be filled. */
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { ExternalRetriever } from '../external-retriever.ts';

/** A record as a store returns it. */
export type StoredRecord = Omit<ExternalResult, 'score'>;

/** Vectors by the store's keys, [d] each, without keys that the store does not have. */
export type VectorsByKey = ReadonlyMap<string, Float32Array>;

export interface RemoteStore extends ExternalRetriever {
  /**
   * The number of searched records.
   *
   * @throws ParallaxError `retriever-failed`, `cancelled`
   */
  count(signal?: AbortSignal): Promise<number>;
  /**
   * Its first records, always the same in the same order while the store does not change. `undefined` if it has no
   * order.
   *
   * @throws ParallaxError `retriever-failed`, `cancelled`
   */
  readonly first?: ((limit: number, signal?: AbortSignal) => Promise<readonly StoredRecord[]>) | undefined;
  /**
   * Records by the ids of their passages, in no particular order, without those that the store does not have.
   *
   * @param ids a few hundred at most
   * @throws ParallaxError `retriever-failed`, `cancelled`
   */
  records(ids: readonly string[], signal?: AbortSignal): Promise<readonly StoredRecord[]>;
  /** `undefined` if the pipeline does not name the embedder that filled the store. */
  readonly vectors?: StoredVectors | undefined;
  /**
   * `undefined` for a type of store that can only be searched, and if the settings name no embedder or no field of
   * vectors.
   */
  readonly writer?: StoreWriter | undefined;
}

/** A passage to add to a store. */
export interface NewRecord {
  /** The id of the passage. The store may name the record differently. */
  readonly id: string;
  readonly text: string;
  /** [d] */
  readonly vector: Float32Array;
  /** Where it comes from, and its document's own fields. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** How a table or collection is created. */
export interface NewPlace {
  /** Whether to create an index for its vectors, in stores with a choice (PostgreSQL). The others always have one. */
  readonly indexed: boolean;
  /** Called with a message about what could not be created. Everything else was. */
  readonly onLack: (message: string) => void;
}

/** Fills a store. Every call may be repeated: existing records are not changed, and nothing is ever deleted. */
export interface StoreWriter {
  /**
   * `undefined` if a store accepts every id. @throws ParallaxError `retriever-failed` with what to do about other ids
   */
  readonly requireIds?: ((ids: readonly string[]) => void) | undefined;
  /** Whether the searched table or collection exists. @throws ParallaxError `retriever-failed`, `cancelled` */
  exists(signal?: AbortSignal): Promise<boolean>;
  /** Creates it. @throws ParallaxError `retriever-failed`, `cancelled` */
  create(dimensions: number, manner: NewPlace, signal?: AbortSignal): Promise<void>;
  /**
   * Adds records, all of which can be read when this resolves.
   *
   * @param records whose ids the store does not have yet; a few hundred at most
   * @throws ParallaxError `retriever-failed`, `cancelled`
   */
  add(records: readonly NewRecord[], signal?: AbortSignal): Promise<void>;
}

export interface StoredVectors {
  /** Name of the embedder that made them. */
  readonly embedder: string;
  /** @throws ParallaxError `retriever-failed`, `cancelled` */
  fetch(keys: readonly string[], signal?: AbortSignal): Promise<VectorsByKey>;
  /**
   * The records with the nearest vectors, without further steps that the pipeline has the store take.
   *
   * @returns at most k results, best first
   * @throws ParallaxError `retriever-failed`, also for a vector whose dimensions differ from the store's, `cancelled`
   */
  nearest(vector: Float32Array, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]>;
}
