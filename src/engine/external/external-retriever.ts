/** The interface of foreign retrievers: asked one query at a time, closed when no longer wanted. */
import * as l10n from '@vscode/l10n';
import type { ExternalResult } from '../../core/external/spec.ts';

export interface ExternalQuery {
  /** Absent for a query that was typed. */
  readonly id?: string | undefined;
  readonly text: string;
}

/** How a retriever that is well describes itself. */
export interface RetrieverHealth {
  /** One sentence. */
  readonly message: string;
  /** How many passages it searches, or queries it has answers for; absent where it cannot be told. */
  readonly count?: number | undefined;
}

export interface ExternalRetriever {
  /**
   * @returns at most k results, best first
   * @throws ParallaxError `retriever-failed` with a sentence on what went wrong, `cancelled`
   */
  search(query: ExternalQuery, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]>;
  /**
   * Asks it something small.
   *
   * @throws ParallaxError as {@link search}, when it is not well
   */
  check(signal?: AbortSignal): Promise<RetrieverHealth>;
  /** Ends what was started. Searches under way fail. */
  close(): Promise<void>;
}

const TRIAL_QUERY = 'test';

/** The check of a retriever that can do nothing but search. */
export async function tryOneSearch(
  name: string,
  retriever: Pick<ExternalRetriever, 'search'>,
  signal: AbortSignal | undefined,
): Promise<RetrieverHealth> {
  const results = await retriever.search({ text: TRIAL_QUERY }, 1, signal);
  return {
    message:
      results.length === 0
        ? l10n.t`${name} answers; for the query "${TRIAL_QUERY}" it returned nothing.`
        : l10n.t`${name} answers; for the query "${TRIAL_QUERY}" it returned a result.`,
  };
}
