/** How alike the passages of one ranking are, as figures read it: all by rank, from the first on. */
export interface RankedLikeness {
  /** `[n]` Ids of documents, and their folders. */
  readonly documents: readonly string[];
  readonly folders: readonly string[];
  /** By the name of a field of the documents, `[n]` its values; nothing for a document that has none. */
  readonly fields: ReadonlyMap<string, readonly (string | undefined)[]>;
  /** `[n]` Whether a passage is nearly the same text as one above it. */
  readonly repeats: readonly boolean[];
  /** `[n, n]` */
  readonly cosines: Float64Array;
  /** `[n]` Which of the larger themes of the candidates a passage is of; nothing for one that is of none. */
  readonly themes: readonly (number | undefined)[];
  /** How many larger themes the candidates have. */
  readonly larger: number;
}

/** The rankings of one pipeline. */
export interface RunLikeness {
  /** The embedder whose vectors say what is alike. Figures that rest on those of another cannot be compared. */
  readonly vectors: string;
  /** By query. */
  readonly rankings: ReadonlyMap<string, RankedLikeness>;
}
