/** The interface of foreign retrievers: asked one query at a time, closed when no longer needed. */
import * as l10n from '@vscode/l10n';
import type { ExternalResult } from '../../core/external/spec.ts';

export interface ExternalQuery {
  /** `undefined` for a query that was typed. */
  readonly id?: string | undefined;
  readonly text: string;
}

/** The state of a working retriever. */
export interface RetrieverHealth {
  /** One sentence. */
  readonly message: string;
  /** The number of passages it searches, or of queries it has answers for. `undefined` if unknown. */
  readonly count?: number | undefined;
}

export interface ExternalRetriever {
  /**
   * @returns at most k results, best first
   * @throws ParallaxError `retriever-failed` with a message about what went wrong, `cancelled`
   */
  search(query: ExternalQuery, k: number, signal?: AbortSignal): Promise<readonly ExternalResult[]>;
  /**
   * Sends a small request.
   *
   * @throws ParallaxError as {@link search}, if it does not work
   */
  check(signal?: AbortSignal): Promise<RetrieverHealth>;
  /** Ends what was started. Running searches fail. */
  close(): Promise<void>;
}

const TRIAL_QUERY = 'test';

/** The check of a retriever that can only search. */
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
