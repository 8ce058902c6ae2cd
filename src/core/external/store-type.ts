/** A type of store: its settings, how it ranks, where it is, and what it is called. Each is declared in a file of `stores`. */
import type * as z from 'zod';
import type { Read } from '../read.ts';

export interface StoreType<Schema extends z.ZodType> {
  /** Of a retriever in `parallax.json`. */
  readonly schema: Schema;
  /** Where it answers unless it was told otherwise, or how its address begins. */
  readonly usualAddress: string;
  /** Whether it ranks by vectors alone. */
  readonly ranksByVector: (store: Read<Schema>) => boolean;
  /** Whether it may leave out what an exact search would find. */
  readonly searchesApproximately: (store: Read<Schema>) => boolean;
  /** Everything that tells where its records are, and what they are called. */
  readonly place: (store: Read<Schema>) => readonly unknown[];
  /** For people, with what is searched in it: `Chroma (articles)`. */
  readonly label: (store: Read<Schema>) => string;
  /** How a program shows which collection it searches; `undefined` if Parallax does not ask such a store itself. */
  readonly program?: ProgramStore | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** How the text of a program shows that it searches such a store, and with which settings. */
export interface ProgramStore {
  /** Names of its library, or of its classes in a framework, and settings that such a name stands for. */
  readonly named: readonly (readonly [name: RegExp, settings?: Readonly<Record<string, string>>])[];
  /** The setting for what the call names: `collection`, `index`; `undefined` if the address says it. */
  readonly place: string | undefined;
  /** Settings for a search by vectors and by words, if it takes both. */
  readonly modes?: { readonly vectors: Fields; readonly words: Fields };
  /** Matches fields that a program reads from results; `undefined` if the store keeps texts in a place of its own. */
  readonly reads?: RegExp;
  /** Matches the field that a search by words looks in. */
  readonly matches?: RegExp;
  /** Matches a distance that the settings take. */
  readonly distances?: RegExp;
  /** Matches the address, if programs write it where they connect. */
  readonly address?: RegExp;
  /** Whether the field of the vectors has to be found in the program. */
  readonly namesVectors?: boolean;
  /** Fields that LangChain uses unless it is told otherwise, by its library and the name of the store or of its engine. */
  readonly langchain?: Readonly<Record<string, Readonly<Record<string, Fields>>>>;
}

/** Types the functions of a store by its schema. */
export const declareStore = <Schema extends z.ZodType>(store: StoreType<Schema>): StoreType<Schema> => store;

/** Vectors are what a store is asked by unless something else is said. */
export function modeLabel(mode: 'vector' | 'bm25' | 'text' | 'hybrid'): string {
  return { vector: '', bm25: ' BM25', text: ' full text', hybrid: ' hybrid' }[mode];
}

/** 1 − 0.7 is not 0.3 in binary. */
const relevanceOf = (diversity: number): number => Number((1 - diversity).toFixed(6));

export function diversityLabel(diversity: number): string {
  return ` + own MMR ${relevanceOf(diversity)} on relevance (diversity ${diversity})`;
}
