/** The values of names that a file exports. */
import type { Field } from '../model.ts';
import type { Constant } from '../syntax/expression.ts';

/** Matches the dotted name of a function or class that makes a retrieval chain, in any file. */
export const RETRIEVAL_CHAIN =
  /\b(?:\w*Retrieval\w*(?:QA|Chain)\w*|VectorDBQA\w*|create_retrieval_chain|createRetrievalChain)\b.*\(\)$/u;

/** The retriever of a name, as read from the call that makes it. */
export interface MadeRetriever {
  /** The line in the file, from 1. */
  readonly line: number;
  readonly library: string;
  readonly callee: string;
  readonly k: Field<number>;
  /** Whether the called function may return another retriever, so that the line need not be the right one. */
  readonly isOneOfSeveral?: true;
}

/** The value of a dotted name: `store`, `get_store.()`, `Search.().retriever`. */
export type Exported =
  | {
      readonly kind: 'origin';
      readonly module: string;
      readonly path: readonly string[];
      readonly retriever?: MadeRetriever | undefined;
    }
  /** An alias within the same file. */
  | { readonly kind: 'own'; readonly path: readonly string[] }
  | { readonly kind: 'value'; readonly value: Constant }
  /** A text that is built, or an object that contains one, as written. */
  | { readonly kind: 'text'; readonly text: string }
  | FunctionExport;

/** How a function uses texts that search, and its own retrieval, for its callers. */
export interface FunctionExport {
  readonly kind: 'function';
  readonly takes: readonly Taking[];
  /** The text in it, if it returns a text that searches. */
  readonly gives: string | undefined;
  /** Lines of the file, from 1, at which it retrieves. */
  readonly finds: readonly number[];
  /** Functions of other modules whose results it returns. */
  readonly through: readonly ImportedName[];
}

/** The target of an import: a module, and the dotted path in it, as in an origin. */
export interface ImportedName {
  readonly module: string;
  readonly path: readonly string[];
}

/** A retrieval in another file of the workspace that a call runs. */
export interface FoundThere {
  /** Path relative to the workspace folder. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** A parameter that is passed on as a statement or an address. */
export interface Taking {
  readonly kind: 'sql' | 'url';
  readonly parameter: string;
  /** Position among the arguments of a call, from 0. */
  readonly position: number;
}

/** A text that may be searched. `undefined` for anything else. */
export function textIn(entry: {
  readonly kind: string;
  readonly value?: Constant;
  readonly text?: string;
  readonly gives?: string | undefined;
}): string | undefined {
  return typeof entry.value === 'string' ? entry.value : (entry.text ?? entry.gives);
}

export type Exports = ReadonlyMap<string, Exported>;

export interface RetrieverElsewhere extends MadeRetriever {
  /** Path relative to the workspace folder. */
  readonly file: string;
}
