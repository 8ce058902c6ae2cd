/** The values of names that a file makes known to others. */
import type { Field } from '../model.ts';
import type { Constant } from '../syntax/expression.ts';

/** The dotted name of what makes a chain that retrieves, be it made in another file. */
export const RETRIEVAL_CHAIN =
  /\b(?:\w*Retrieval\w*(?:QA|Chain)\w*|VectorDBQA\w*|create_retrieval_chain|createRetrievalChain)\b.*\(\)$/u;

/** The retriever that a name leads to, as the call says that makes it. */
export interface MadeRetriever {
  /** The line in the file, counted from 1. */
  readonly line: number;
  readonly library: string;
  readonly callee: string;
  readonly k: Field<number>;
  /** The function that is called may give another one, so that the line is its own. */
  readonly isOneOfSeveral?: true;
}

/** The value of a dotted name: `store`, `get_store.()`, `Search.().retriever`. */
export type Exported =
  | {
      readonly kind: 'origin';
      readonly module: string;
      readonly path: readonly string[];
      readonly made?: MadeRetriever | undefined;
    }
  /** Another name of the same file. */
  | { readonly kind: 'own'; readonly path: readonly string[] }
  | { readonly kind: 'value'; readonly value: Constant }
  /** A text that is put together, or an object that holds one: what is written there. */
  | { readonly kind: 'text'; readonly text: string }
  | FunctionExport;

/** How a function uses texts that search, and the retrieval that it does itself, for whoever calls it. */
export interface FunctionExport {
  readonly kind: 'function';
  readonly takes: readonly Taking[];
  /** The text in it, where it gives back a text that searches. */
  readonly gives: string | undefined;
  /** Lines of the file's text at which it retrieves, counted from 1. */
  readonly finds: readonly number[];
  /** Functions of other modules whose results it gives back. */
  readonly through: readonly ImportedName[];
}

/** The target of an import: a module, and the dotted path in it, as in an origin. */
export interface ImportedName {
  readonly module: string;
  readonly path: readonly string[];
}

/** A retrieval that a call runs, in another file of the workspace. */
export interface FoundThere {
  /** Path relative to the workspace folder. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
}

/** A parameter that is handed on as a statement or an address. */
export interface Taking {
  readonly kind: 'sql' | 'url';
  readonly parameter: string;
  /** Among the arguments of a call, from 0. */
  readonly position: number;
}

/** A text that may be looked through for searches; undefined for anything else. */
export function textIn(found: {
  readonly kind: string;
  readonly value?: Constant;
  readonly text?: string;
  readonly gives?: string | undefined;
}): string | undefined {
  return typeof found.value === 'string' ? found.value : (found.text ?? found.gives);
}

export type Exports = ReadonlyMap<string, Exported>;

export interface RetrieverElsewhere extends MadeRetriever {
  /** Path relative to the workspace folder. */
  readonly file: string;
}
