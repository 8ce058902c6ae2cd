/** Questions to the process that MongoDB's driver runs in. */
import type { Credentials } from '../../../network/http-client.ts';

/** The collection to search, and the driver to use. */
export interface MongoPlace {
  /** Folder of a project that has the driver; absolute. */
  readonly client: string;
  /** With the password, where there is one. */
  readonly url: string;
  readonly database: string;
  readonly collection: string;
  readonly credentials?: Credentials | undefined;
  /** The limit of the server itself for one question. */
  readonly timeoutMs: number;
}

/** A stage of an aggregation, a condition, or a document: vectors as `Float32Array`, conditions as Extended JSON. */
export type MongoStage = Readonly<Record<string, unknown>>;

export interface MongoQuestions {
  /** Answered with the search indexes of the collection; nothing where the server does not tell. */
  readonly indexes: object;
  /** Answered with what the stages make of the collection's documents. */
  readonly documents: {
    /** Only documents in which one of these ids stands: as a text, a number, an `ObjectId` or a UUID. */
    readonly ids?: { readonly field: string; readonly values: readonly string[] } | undefined;
    readonly stages: readonly MongoStage[];
  };
  readonly count: { readonly filter?: MongoStage | undefined };
}
