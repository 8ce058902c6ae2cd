/** The figures of `bench/scale.ts` at one size. */
import type { Percentiles } from './report.ts';

/** CPU time counts all threads and is least affected by other load. */
export interface Step {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** From startup to the first answer of a retriever, each in its own process. */
export interface ReopenFigures {
  readonly reopenBm25: Step;
  readonly reopenDense: Step;
  /** Both, fused, with all indexes in memory. */
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
  /** The share of the exact top 10 that the int8 search finds. */
  readonly int8Recall: number;
  /** 100 more passages, searchable by both indexes. */
  readonly update: Step;
  /** Peak while indexing. */
  readonly peakBytes: number;
  /** With both indexes in use, including 8-bit vectors. */
  readonly residentBytes: number;
  readonly int8Bytes: number;
  readonly diskBytes: number;
  /** The longest block of the engine's own thread while indexing. */
  readonly engineDelayMs: number;
}

/** The figures of the references, at a size that they can handle. */
export interface ScaleReference {
  readonly passages: number;
  /** SQLite FTS5. */
  readonly fts5BuildMs: number;
  readonly fts5QueryMs: Percentiles;
  /** Plain JavaScript loops over the vectors. */
  readonly plainScanMs: Percentiles;
}
