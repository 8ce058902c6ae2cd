/**
 * A call site: one call in a user's program that retrieves (or reranks) passages, with what is known of
 * its parameters and where each of them came from.
 */
import type { Span } from '../core/model.ts';
import type { SettingValue } from '../shared/manifest/settings.ts';

/**
 * Offsets are UTF-16 code units into the text of one cell, half-open. A plain file is one cell, number 0.
 */
export interface Place extends Span {
  readonly cell: number;
}

/**
 * Where a value came from, in the order of how far it is from the call: when several apply, the last one
 * is reported. `comment` is the user's own word and `library-default` what the library does when the call
 * says nothing.
 */
export const PROVENANCES = [
  'literal',
  'const',
  'class-attr',
  'default-param',
  'env-default',
  'arithmetic',
  'spread',
  'library-default',
  'comment',
  'unknown',
] as const;
export type Provenance = (typeof PROVENANCES)[number];

/** A value that was read from the program, or the reason why it cannot be known. Never a guess. */
export type Field<T> =
  | {
      readonly value: T;
      readonly provenance: Exclude<Provenance, 'unknown'>;
      /** Where the value is written; absent for library defaults. */
      readonly place?: Place | undefined;
    }
  | {
      readonly value: undefined;
      readonly provenance: 'unknown';
      /** Completes "k is not known: …". */
      readonly why: string;
      /** The default that the program names, unless something else sets the value. */
      readonly otherwise?: number | undefined;
      readonly place?: Place | undefined;
    };

/** A weight of 1 asks the library for nothing but this. */
type Polarity = 'relevance' | 'diversity';

export interface MmrField {
  /** 1: relevance only, 0: diversity only, whatever the library's own polarity. */
  readonly relevance: Field<number>;
  /** The value as the library reads it; `relevance` is this or one minus this. */
  readonly own: Field<number>;
  readonly polarity: Polarity;
}

/**
 * By what a call finds passages; `passages`: it only reorders those that it is handed. Undefined where the
 * rules do not say.
 */
export type Matching = 'words' | 'vectors' | 'both' | 'passages';

export interface RerankField {
  readonly model: Field<string> | undefined;
  readonly topN: Field<number> | undefined;
}

/** `# parallax: k=5 eval=faq retriever=prod` on the line of the call or the line above it. */
export interface SiteComment {
  readonly k?: number | undefined;
  /** Name of an eval set. */
  readonly eval?: string | undefined;
  /** Name of a pipeline, or `captured` for what the running program is seen to retrieve. */
  readonly retriever?: string | undefined;
  readonly ignore?: boolean | undefined;
  readonly place: Place;
}

export interface CallSite {
  /** The rule set's name, e.g. `langchain`. */
  readonly library: string;
  /** Page of the library's documentation on this call. */
  readonly docs: string | undefined;
  /** The last name of what is called, e.g. `as_retriever`. */
  readonly callee: string;
  /** Enclosing classes and functions, outermost first, e.g. `Service.ask`; empty at the top level. */
  readonly within: string;
  /** The callee's last name: never empty, and the same token while arguments are typed. */
  readonly range: Place;
  readonly statement: Place;
  /**
   * Calls such as `retriever.invoke(q)` on the variable that holds this retriever, and what it is handed to: chains,
   * tools, pipes.
   */
  readonly uses: readonly Place[];
  /** Another file of the workspace makes the retriever that this call runs; lines count from 1. */
  readonly madeIn: { readonly file: string; readonly line: number } | undefined;
  readonly matching: Matching | undefined;
  readonly k: Field<number>;
  /** How many candidates MMR, a reranker or a fusion chooses from. */
  readonly pool: Field<number> | undefined;
  readonly mmr: MmrField | undefined;
  /** Weight of the dense list in a hybrid search, 0 to 1. */
  readonly hybridDense: Field<number> | undefined;
  readonly rerank: RerankField | undefined;
  readonly embedModel: Field<string> | undefined;
  readonly index: Field<string> | undefined;
  readonly filtered: boolean;
  /** The class of the store behind a framework's retriever, where it is known: `Chroma`. */
  readonly store: string | undefined;
  /** The store behind the call is known to be able to use MMR. */
  readonly takesMmr: boolean;
  readonly comment: SiteComment | undefined;
  /** A value stands in another cell of the notebook: right when cells are run from top to bottom. */
  readonly assumesTopToBottom: boolean;
  /** The text around the call does not parse at the moment; this is what it was before. */
  readonly held: boolean;
}

/** A call of a function of the workspace that retrieves, and where it does: in the text itself, or in another file. */
export interface SiteLink {
  /** The last name of what is called. */
  readonly range: Place;
  readonly to:
    | { readonly kind: 'here'; readonly place: Place }
    /** Path relative to the workspace folder; lines count from 1. */
    | { readonly kind: 'there'; readonly file: string; readonly line: number };
}

export interface CodeEdit {
  readonly place: Place;
  readonly text: string;
}

/** Each can be switched off by its id. */
export type LintId = SettingValue<'parallax.diagnostics.disabled'>[number];

/** Something in a call that does nothing, or not what it says. */
export interface SiteProblem {
  readonly id: LintId;
  /** A sentence or two for the user. */
  readonly message: string;
  readonly place: Place;
  /** The library's documentation. */
  readonly docs: string | undefined;
  /** Present only where one repair is clearly meant. */
  readonly fix: { readonly title: string; readonly edits: readonly CodeEdit[] } | undefined;
}
