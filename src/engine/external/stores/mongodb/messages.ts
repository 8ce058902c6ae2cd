/** Questions to the process of MongoDB's driver. */
import type { Credentials } from '../../../network/http-client.ts';

/** The collection to search, and the driver to use. */
export interface MongoPlace {
  /** Absolute folder of a project that has the driver. */
  readonly client: string;
  /** Includes the password, if there is one. */
  readonly url: string;
  readonly database: string;
  readonly collection: string;
  readonly credentials?: Credentials | undefined;
  /** The server's own limit for one question. */
  readonly timeoutMs: number;
}

/** A stage of an aggregation, a condition, or a document: vectors as `Float32Array`, conditions as Extended JSON. */
export type MongoStage = Readonly<Record<string, unknown>>;

export interface MongoQuestions {
  /** Answered with the search indexes of the collection, or undefined if the server does not list them. */
  readonly indexes: object;
  /** Answered with the documents that the stages return. */
  readonly documents: {
    /** Only documents with one of these ids: as a text, a number, an `ObjectId` or a UUID. */
    readonly ids?: { readonly field: string; readonly values: readonly string[] } | undefined;
    readonly stages: readonly MongoStage[];
  };
  readonly count: { readonly filter?: MongoStage | undefined };
}
