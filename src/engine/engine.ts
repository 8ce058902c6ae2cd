/** The engine: answers every request of src/shared/rpc.ts. The handlers are in requests/, by the same subjects. */
import type { EngineMethod, Params, Result } from '../shared/rpc.ts';
import { EngineState, type EngineOptions } from './engine-state.ts';
import { buildingHandlers } from '../features/building/engine/requests.ts';
import { comparisonHandlers } from '../features/compare/engine/requests.ts';
import { configurationHandlers } from './requests/configuration.ts';
import { corpusHandlers } from './requests/corpora.ts';
import { evaluationHandlers } from '../features/gate/engine/requests.ts';
import { experimentHandlers } from './requests/experiments.ts';
import { foreignHandlers } from './requests/foreign.ts';
import { judgingHandlers } from './requests/judging.ts';
import { liveHandlers } from '../features/live/engine/requests.ts';
import { probingHandlers } from '../features/look-deeper/engine/requests.ts';
import type { Handlers, RequestContext } from './requests/request.ts';
import { reviewHandlers } from '../features/review/engine/requests/reviewing.ts';
import { explainingHandlers } from '../features/explain/engine/requests.ts';
import { searchHandlers } from '../features/inspector/engine/requests.ts';
import { validationHandlers } from '../features/validation/engine/requests.ts';
import type { HostCalls } from './host-calls.ts';

export type Engine = ReturnType<typeof createEngine>;
export type { EngineOptions };

/** @param host undefined on the command line, without an editor to ask */
export function createEngine(
  host: HostCalls | undefined,
  log: (message: string) => void,
  options: EngineOptions = {},
) {
  const state = new EngineState(host, log, options);
  const handlers = {
    ...configurationHandlers(state),
    ...corpusHandlers(state),
    ...searchHandlers(state),
    ...explainingHandlers(state),
    ...judgingHandlers(state),
    ...probingHandlers(state),
    ...validationHandlers(state),
    ...reviewHandlers(state),
    ...comparisonHandlers(state),
    ...evaluationHandlers(state),
    ...experimentHandlers(state),
    ...buildingHandlers(state),
    ...foreignHandlers(state),
    ...liveHandlers(state),
  } satisfies Handlers;
  return { ...handlers, close: () => state.close() };
}

/**
 * Answers a request within the calling process.
 *
 * @throws ParallaxError as the request documents
 */
export function handle<M extends EngineMethod>(
  engine: Engine,
  method: M,
  params: Params<M>,
  context: RequestContext,
): Promise<Result<M>> {
  const handler = engine[method] as unknown as Handlers[M];
  return handler.call(engine, params, context);
}
