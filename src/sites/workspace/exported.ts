/** What the names that a file makes known to others stand for. */
import type { Field } from '../model.ts';
import type { Constant } from '../syntax/expression.ts';

/** The dotted name of what makes a chain that retrieves, be it made in another file. */
export const RETRIEVAL_CHAIN =
  /\b(?:\w*Retrieval\w*(?:QA|Chain)\w*|VectorDBQA\w*|create_retrieval_chain|createRetrievalChain)\b.*\(\)$/u;

/** The retriever that a name leads to, as the call says that makes it. */
export interface MadeRetriever {
  /** Of the file's text, counted from 1. */
  readonly line: number;
  readonly library: string;
  readonly callee: string;
  readonly k: Field<number>;
}

/** What a dotted name stands for: `store`, `get_store.()`, `Search.().retriever`. */
export type Exported =
  | {
      readonly kind: 'origin';
      readonly module: string;
      readonly path: readonly string[];
      readonly made?: MadeRetriever | undefined;
    }
  /** Another name of the same file. */
  | { readonly kind: 'own'; readonly path: readonly string[] }
  | { readonly kind: 'value'; readonly value: Constant };

export type Exports = ReadonlyMap<string, Exported>;

export interface RetrieverElsewhere extends MadeRetriever {
  /** Path relative to the workspace folder. */
  readonly file: string;
}
