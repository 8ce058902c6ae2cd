/** The figures of `bench/scale.ts` at one size. */
import type { Percentiles } from './report.ts';

/** CPU time counts all threads; it is what load by others changes least. */
export interface Step {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** From nothing to the first answer of a retriever, each in a process of its own. */
export interface ReopenFigures {
  readonly reopenBm25: Step;
  readonly reopenDense: Step;
  /** Of both at once, fused: all indexes are in memory then. */
  readonly reopenHybrid: Step;
}

export interface ScaleFigures extends ReopenFigures {
  readonly passages: number;
  /** Files to store and BM25 index. */
  readonly store: Step;
  /** Store to hashing vectors. */
  readonly vectors: Step;
  readonly bm25Ms: Percentiles;
  readonly exactMs: Percentiles;
  readonly int8Ms: Percentiles;
  /** Share of the exact top 10 that the int8 search finds. */
  readonly int8Recall: number;
  /** 100 more passages, searchable by both indexes. */
  readonly update: Step;
  /** At most, while indexing. */
  readonly peakBytes: number;
  /** When both indexes answer, and with the vectors in 8 bits as well. */
  readonly residentBytes: number;
  readonly int8Bytes: number;
  readonly diskBytes: number;
  /** How long the engine's own thread was held at most while indexing. */
  readonly engineDelayMs: number;
}

/** The same of the references, at a size that they can bear. */
export interface ScaleReference {
  readonly passages: number;
  /** SQLite FTS5. */
  readonly fts5BuildMs: number;
  readonly fts5QueryMs: Percentiles;
  /** Plain JavaScript loops over the vectors. */
  readonly plainScanMs: Percentiles;
}
