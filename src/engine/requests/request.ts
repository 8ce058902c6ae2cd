/** How a request is answered: by a function of its parameters and of what goes with them. */
import type { EngineMethod, Params, ProgressNote, Result } from '../../shared/rpc.ts';
import type { WorkOptions } from '../types.ts';

export interface RequestContext {
  readonly signal: AbortSignal;
  readonly report: (note: ProgressNote) => void;
}

export type Handlers = {
  [M in EngineMethod]: (params: Params<M>, context: RequestContext) => Promise<Result<M>>;
};

/** The options of long work that a request asks for. */
export function workOf({ signal, report }: RequestContext): WorkOptions {
  return { signal, onProgress: (progress) => report({ type: 'progress', progress: { ...progress } }) };
}
