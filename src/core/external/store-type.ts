/** A type of store: its settings, how it ranks, where it is, and its name. Each is declared in a file of `stores`. */
import type * as z from 'zod';
import type { Read } from '../read.ts';

export interface StoreType<Schema extends z.ZodType> {
  /** The schema of the retriever in `parallax.json`. */
  readonly schema: Schema;
  readonly address: StoreAddress;
  /** Whether it ranks by vectors alone. */
  readonly ranksByVector: (store: Read<Schema>) => boolean;
  /** Whether it may miss results of an exact search. */
  readonly searchesApproximately: (store: Read<Schema>) => boolean;
  /** Values that identify its records and their ids. */
  readonly place: (store: Read<Schema>) => readonly unknown[];
  /** Display name with the collection: `Chroma (articles)`. */
  readonly label: (store: Read<Schema>) => string;
  /** How a program's source shows the collection. `undefined` if Parallax does not query such stores. */
  readonly program?: ProgramStore | undefined;
}

/** How the user is asked for the address of a store. */
interface StoreAddress {
  /** The default, or how the address begins. */
  readonly usual: string;
  /** The setting that contains it. Defaults to \`url\`. */
  readonly field?: 'uri';
  /** For stores that need more than an address. */
  readonly prompt?: () => string;
  /** Matches the beginning of connection strings, which may contain a password. */
  readonly connection?: RegExp;
  /** Whether an address is a local folder. */
  readonly isFolder?: (address: string) => boolean;
  /** A placeholder for a required address that is not known yet. */
  readonly sample?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** How a program's source shows that it searches such a store, and with which settings. */
export interface ProgramStore {
  /** Names of its library, or of its classes in a framework, with the settings that the name implies. */
  readonly named: readonly (readonly [name: RegExp, settings?: Readonly<Record<string, string>>])[];
  /** The setting for the name in the call: `collection`, `index`. `undefined` if the address contains it. */
  readonly place: string | undefined;
  /** Settings for searches by vectors and by words, if it supports both. */
  readonly modes?: { readonly vectors: Fields; readonly words: Fields };
  /** Matches fields that a program reads from results. `undefined` if the store has a fixed place for texts. */
  readonly reads?: RegExp;
  /** Matches the field of a search by words. */
  readonly matches?: RegExp;
  /** Matches a distance that the settings accept. */
  readonly distances?: RegExp;
  /** Matches the address, if programs write it where they connect. */
  readonly address?: RegExp;
  /** Whether the vector field must be found in the program. */
  readonly namesVectors?: boolean;
  /** LangChain's default fields, by its library and the name of the store or its engine. */
  readonly langchain?: Readonly<Record<string, Readonly<Record<string, Fields>>>>;
}

/** Types the functions of a store by its schema. */
export const declareStore = <Schema extends z.ZodType>(store: StoreType<Schema>): StoreType<Schema> => store;

/** The default mode, `vector`, has no label. */
export function modeLabel(mode: 'vector' | 'bm25' | 'text' | 'hybrid'): string {
  return { vector: '', bm25: ' BM25', text: ' full text', hybrid: ' hybrid' }[mode];
}

/** Rounded, as 1 − 0.7 is not 0.3 in binary. */
const relevanceOf = (diversity: number): number => Number((1 - diversity).toFixed(6));

export function diversityLabel(diversity: number): string {
  return ` + own MMR ${relevanceOf(diversity)} on relevance (diversity ${diversity})`;
}
