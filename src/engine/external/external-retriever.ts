/** What every foreign retriever is: asked one query at a time, closed when it is no longer wanted. */
import type { ExternalResult } from '../../core/external/spec.ts';

export interface ExternalQuery {
  /** Absent for a query that was typed. */
  readonly id?: string | undefined;
  readonly text: string;
}

export interface ExternalRetriever {
  /**
   * @returns at most k results, best first
   * @throws ParallaxError `retriever-failed` with a sentence on what went wrong, `cancelled`
   */
  search(query: ExternalQuery, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]>;
  /** Ends what was started. Searches under way fail. */
  close(): Promise<void>;
}
