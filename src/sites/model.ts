/**
 * A call site: a call in a user's program that retrieves (or reranks) passages, with its known parameters and their
 * provenance.
 */
import type { Span } from '../core/model.ts';
import type { SettingValue } from '../shared/manifest/settings.ts';

/** Offsets are UTF-16 code units in the text of one cell, half-open. A plain file is cell 0. */
export interface Place extends Span {
  readonly cell: number;
}

/**
 * The provenance of a value, ordered by distance from the call. If several apply, the last one is reported. `comment`
 * is the user's own setting, `library-default` the library's behaviour without one.
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

/** A value read from the program, or the reason why it is unknown. Never a guess. */
export type Field<T> =
  | {
      readonly value: T;
      readonly provenance: Exclude<Provenance, 'unknown'>;
      /** Where the value is written. `undefined` for library defaults. */
      readonly place?: Place | undefined;
    }
  | {
      readonly value: undefined;
      readonly provenance: 'unknown';
      /** Completes "k is not known: …". */
      readonly why: string;
      /** The program's default, unless something else sets the value. */
      readonly otherwise?: number | undefined;
      readonly place?: Place | undefined;
    };

/** What the library's weight of 1 means. */
type Polarity = 'relevance' | 'diversity';

export interface MmrField {
  /** 1 for relevance only, 0 for diversity only, independent of the library's polarity. */
  readonly relevance: Field<number>;
  /** The value as the library reads it; `relevance` is this or one minus this. */
  readonly own: Field<number>;
  readonly polarity: Polarity;
}

/** How a call finds passages; `passages` only reorders its input. `undefined` if the rules do not say. */
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
  /** Name of a pipeline, or `captured` for the captured retrievals of the running program. */
  readonly retriever?: string | undefined;
  readonly ignore?: boolean | undefined;
  readonly place: Place;
}

export interface CallSite {
  /** The rule set's name, e.g. `langchain`. */
  readonly library: string;
  /** The library's documentation of this call. */
  readonly docs: string | undefined;
  /** The last name of the callee, e.g. `as_retriever`. */
  readonly callee: string;
  /** Enclosing classes and functions, outermost first, e.g. `Service.ask`. Empty at the top level. */
  readonly within: string;
  /** The callee's last name. Never empty, and the same token while arguments are typed. */
  readonly range: Place;
  readonly statement: Place;
  /**
   * Calls such as `retriever.invoke(q)` on the retriever's variable, and the chains, tools and pipes that it is passed
   * to.
   */
  readonly uses: readonly Place[];
  /** The place in another file of the workspace that makes the retriever of this call. Lines count from 1. */
  readonly madeIn: { readonly file: string; readonly line: number } | undefined;
  readonly matching: Matching | undefined;
  readonly k: Field<number>;
  /** The number of candidates that MMR, a reranker or a fusion chooses from. */
  readonly pool: Field<number> | undefined;
  readonly mmr: MmrField | undefined;
  /** Weight of the dense list in a hybrid search, in [0, 1]. */
  readonly hybridDense: Field<number> | undefined;
  readonly rerank: RerankField | undefined;
  readonly embedModel: Field<string> | undefined;
  readonly index: Field<string> | undefined;
  readonly filtered: boolean;
  /** The class of the store of a framework's retriever, if known: `Chroma`. */
  readonly store: string | undefined;
  /** Whether the store of the call is known to support MMR. */
  readonly takesMmr: boolean;
  readonly comment: SiteComment | undefined;
  /** Whether a value is in another cell of the notebook, which is right only if cells run from top to bottom. */
  readonly assumesTopToBottom: boolean;
  /** The text around the call does not parse at the moment, so this is the previous state. */
  readonly held: boolean;
}

/**
 * A call of a function of the workspace that retrieves, and the place of the retrieval, in the same text or in another
 * file.
 */
export interface SiteLink {
  /** The last name of the callee. */
  readonly range: Place;
  readonly to:
    | { readonly kind: 'here'; readonly place: Place }
    /** Path relative to the workspace folder. Lines count from 1. */
    | { readonly kind: 'there'; readonly file: string; readonly line: number };
}

export interface CodeEdit {
  readonly place: Place;
  readonly text: string;
}

/** Each can be disabled by its id. */
export type LintId = SettingValue<'parallax.diagnostics.disabled'>[number];

/** Code in a call that has no effect, or another effect than it seems. */
export interface SiteProblem {
  readonly id: LintId;
  /** One or two sentences for the user. */
  readonly message: string;
  readonly place: Place;
  /** The library's documentation. */
  readonly docs: string | undefined;
  /** Present only if the repair is unambiguous. */
  readonly fix: { readonly title: string; readonly edits: readonly CodeEdit[] } | undefined;
}
