/** A store beyond one machine: a retriever that also counts, hands out its vectors, and may be filled. */
import type { ExternalResult } from '../../../core/external/spec.ts';
import type { ExternalRetriever } from '../external-retriever.ts';

/** A record as a store holds it. */
export type StoredRecord = Omit<ExternalResult, 'score'>;

/** Vectors by the store's keys, [d] each; those that it does not hold are absent. */
export type VectorsByKey = ReadonlyMap<string, Float32Array>;

export interface RemoteStore extends ExternalRetriever {
  /**
   * How many records it searches.
   *
   * @throws ParallaxError `retriever-failed`, `cancelled`
   */
  count(signal?: AbortSignal): Promise<number>;
  /**
   * Its first records, the same in the same order as long as nothing in the store changes; absent where it has no order
   * to speak of.
   *
   * @throws ParallaxError `retriever-failed`, `cancelled`
   */
  readonly first?: ((limit: number, signal?: AbortSignal) => Promise<readonly StoredRecord[]>) | undefined;
  /**
   * Records by their ids as passages, in no particular order; those that it does not hold are absent.
   *
   * @param ids a few hundred at most
   * @throws ParallaxError `retriever-failed`, `cancelled`
   */
  records(ids: readonly string[], signal?: AbortSignal): Promise<readonly StoredRecord[]>;
  /** Absent where the pipeline does not say by which embedder the store was filled. */
  readonly vectors?: StoredVectors | undefined;
  /** `undefined` for a type of store that is searched only, and if the settings name no embedder or no field of vectors. */
  readonly writer?: StoreWriter | undefined;
}

/** A passage on its way into a store. */
export interface NewRecord {
  /** Of the passage; what the store calls the record is its own affair. */
  readonly id: string;
  readonly text: string;
  /** [d] */
  readonly vector: Float32Array;
  /** Where it comes from, and what its document says of itself. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** How a table or collection is made. */
export interface NewPlace {
  /** Whether it gets an index for its vectors, where a store leaves that open (PostgreSQL); the others have one anyway. */
  readonly indexed: boolean;
  /** Takes a sentence on what could not be made; everything else was. */
  readonly onLack: (message: string) => void;
}

/** Fills a store. Everything may be repeated: what is there already stays as it is, and nothing is ever deleted. */
export interface StoreWriter {
  /** Absent where a store takes every id. @throws ParallaxError `retriever-failed` with what is to be done for others */
  readonly requireIds?: ((ids: readonly string[]) => void) | undefined;
  /** Whether what is searched is there: the table, the collection. @throws ParallaxError `retriever-failed`, `cancelled` */
  exists(signal?: AbortSignal): Promise<boolean>;
  /** Makes it. @throws ParallaxError `retriever-failed`, `cancelled` */
  create(dimensions: number, manner: NewPlace, signal?: AbortSignal): Promise<void>;
  /**
   * Adds records, all of which can be read once this has ended.
   *
   * @param records whose ids the store does not hold; a few hundred at most
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
   * The records whose vectors are nearest, without anything that the pipeline has the store do beyond that.
   *
   * @returns at most k results, best first
   * @throws ParallaxError `retriever-failed` also for a vector of other dimensions than the store's, `cancelled`
   */
  nearest(vector: Float32Array, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]>;
}
