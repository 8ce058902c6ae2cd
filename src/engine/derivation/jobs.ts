/** Messages to and from the threads that derive indexes. */
import type { ErrorId } from '../../core/errors.ts';
import type { AnalyzerName } from '../../core/text/analyzer.ts';

interface FromStore {
  /** The store's file. */
  readonly store: string;
  /** Ascending. */
  readonly slots: Uint32Array;
}

/** Writes the file of a BM25 segment. */
export interface SegmentJob extends FromStore {
  readonly type: 'segment';
  readonly analyzer: AnalyzerName;
  readonly file: string;
  /** Whether more passages of the segment follow, in jobs for the same thread. Nothing is written until then. */
  readonly unfinished?: boolean;
}

export interface HashingJob extends FromStore {
  readonly type: 'hashing';
  readonly dimensions: number;
}

export type Job = SegmentJob | HashingJob;

/**
 * The slots that were found, and for `hashing` the checksums of their texts, [n], and their vectors, [n, d]; both empty
 * for `segment`.
 */
export interface Derived {
  readonly slots: Uint32Array;
  readonly texts: Uint32Array;
  readonly vectors: Float32Array;
}

export type Answer = { readonly derived: Derived } | { readonly id: ErrorId; readonly message: string };
