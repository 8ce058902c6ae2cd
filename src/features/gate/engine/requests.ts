import type { EngineState } from '../../../engine/engine-state.ts';
import { checkEvalSet, WORDS_SEARCH } from '../../../engine/experiment/check-eval-set.ts';
import { workOf, type Handlers } from '../../../engine/requests/request.ts';

/**
 * Answers requests about evaluating eval sets against the requirements of parallax.json, and about earlier
 * evaluations.
 */
export function evaluationHandlers(engine: EngineState) {
  return {
    async gatePlan(params, { report }) {
      return engine.current.evaluations.plan(params, (message) => report({ type: 'warning', message }));
    },

    async evaluateGate(params, context) {
      return engine.current.evaluations.evaluatePlanned(params, workOf(context));
    },

    async readBaseline(params) {
      return engine.current.evaluations.readBaseline(params);
    },

    async writeBaseline(params) {
      return engine.current.evaluations.writeBaseline(params);
    },

    async evaluate(params, context) {
      return engine.current.evaluations.evaluate(params, workOf(context));
    },

    async acceptBaseline(params, context) {
      return engine.current.evaluations.accept(params, workOf(context));
    },

    async acceptEvaluation(params) {
      return engine.current.evaluations.acceptKept(params);
    },

    async evaluationHistory(params) {
      return engine.current.evaluations.list(params);
    },

    async compareEvaluations(params) {
      return engine.current.evaluations.compare(params);
    },

    async unreached(params, context) {
      return engine.current.evaluations.unreached(params, workOf(context));
    },

    async checkEvalSet({ dataset, pipelines, judge, k }, context) {
      const { experiments, judgementService, remembering } = engine.current;
      const request = {
        datasets: [dataset],
        pipelines: [...pipelines, WORDS_SEARCH],
        k,
        judge: remembering(judge),
        beyond: {},
      };
      const work = workOf(context);
      const [report] = await experiments.run(request, work, (ran) =>
        checkEvalSet(ran, { judgementService, k }, work),
      );
      return report!;
    },
  } satisfies Partial<Handlers>;
}
