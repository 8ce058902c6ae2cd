import type { EngineState } from '../engine-state.ts';
import { experimentReport } from '../experiment/experiment-report.ts';
import { pirReports } from '../../features/papers/engine/door.ts';
import { workOf, type Handlers, type RequestContext } from './request.ts';

/** Answers the requests of the evaluating commands. */
export function experimentHandlers(engine: EngineState) {
  return {
    async pirTask({ corpus: name, ...task }, context) {
      const { servicesOf } = engine.current;
      const corpus = await engine.corpora.indexed(name);
      const parts = { corpus, services: servicesOf(corpus) };
      return { pipelines: await pirReports(task, parts, workOf(context)) };
    },

    async experiment(params, context) {
      const { config, judges, experiments } = engine.current;
      const announce = (note: Parameters<RequestContext['report']>[0]): void => context.report(note);
      return experimentReport(params, { config, judges, experiments, announce }, workOf(context));
    },
  } satisfies Partial<Handlers>;
}
