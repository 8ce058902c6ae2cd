/** The form of request handlers: functions of the parameters and a context. */
import { ParallaxError } from '../../core/errors.ts';
import type { EngineMethod, Params, ProgressNote, Result } from '../../shared/rpc.ts';
import type { WorkOptions } from '../types.ts';

export interface RequestContext {
  readonly signal: AbortSignal;
  readonly report: (note: ProgressNote) => void;
  /** As in {@link WorkOptions}. */
  readonly onRequest?: WorkOptions['onRequest'];
}

export type Handlers = {
  [M in EngineMethod]: (params: Params<M>, context: RequestContext) => Promise<Result<M>>;
};

/** The options of long work from a request's context. */
export function workOf({ signal, report, onRequest }: RequestContext): WorkOptions {
  return {
    signal,
    onProgress: (progress) => report({ type: 'progress', progress: { ...progress } }),
    onRequest,
  };
}

/** More consecutive changes than a person makes while one question is answered. */
const MAX_REPEATS = 5;

/**
 * Repeats work that ends because its corpus was replaced, by another configuration or a new index.
 *
 * @param work opens the corpus itself
 * @throws ParallaxError as `work`; `cancelled` if the request is cancelled, or its corpus replaced too often
 */
export async function onPresentCorpus<T>({ signal }: RequestContext, work: () => Promise<T>): Promise<T> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await work();
    } catch (error) {
      const isReplaced = ParallaxError.is(error, 'cancelled') && !signal.aborted;
      if (!isReplaced || repeats === MAX_REPEATS) throw error;
    }
  }
}
