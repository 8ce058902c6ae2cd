/** The likeness of the passages of one ranking, as measures read it. All lists are in rank order. */
export interface RankedLikeness {
  /** `[n]` Ids of documents, and their folders. */
  readonly documents: readonly string[];
  readonly folders: readonly string[];
  /** `[n]` values of each field of the documents, by its name. `undefined` for documents without it. */
  readonly fields: ReadonlyMap<string, readonly (string | undefined)[]>;
  /** `[n]` whether a passage is nearly the same text as a higher-ranked one. */
  readonly repeats: readonly boolean[];
  /** `[n, n]` */
  readonly cosines: Float64Array;
  /** `[n]` the index of each passage's larger theme of the candidates, or `undefined`. */
  readonly themes: readonly (number | undefined)[];
  /** The number of larger themes of the candidates. */
  readonly larger: number;
}

/** The rankings of one pipeline. */
export interface RunLikeness {
  /** The embedder whose vectors measure likeness. Figures with different embedders are not comparable. */
  readonly vectors: string;
  /** By query id. */
  readonly rankings: ReadonlyMap<string, RankedLikeness>;
}
