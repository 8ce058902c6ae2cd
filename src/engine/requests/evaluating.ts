import type { Params, Result } from '../../shared/rpc.ts';
import type { EngineState } from '../engine-state.ts';
import { workOf, type Handlers, type RequestContext } from './request.ts';

/** Answers requests about eval sets against what parallax.json demands, and about evaluations of the past. */
export function evaluationHandlers(engine: EngineState) {
  return {
    async gatePlan(params: Params<'gatePlan'>, { report }: RequestContext): Promise<Result<'gatePlan'>> {
      return engine.current.evaluations.plan(params, (message) => report({ type: 'warning', message }));
    },

    async evaluateGate(
      params: Params<'evaluateGate'>,
      context: RequestContext,
    ): Promise<Result<'evaluateGate'>> {
      return engine.current.evaluations.evaluatePlanned(params, workOf(context));
    },

    async readBaseline(params: Params<'readBaseline'>): Promise<Result<'readBaseline'>> {
      return engine.current.evaluations.readBaseline(params);
    },

    async writeBaseline(params: Params<'writeBaseline'>): Promise<Result<'writeBaseline'>> {
      return engine.current.evaluations.writeBaseline(params);
    },

    async evaluate(params: Params<'evaluate'>, context: RequestContext): Promise<Result<'evaluate'>> {
      return engine.current.evaluations.evaluate(params, workOf(context));
    },

    async acceptBaseline(
      params: Params<'acceptBaseline'>,
      context: RequestContext,
    ): Promise<Result<'acceptBaseline'>> {
      return engine.current.evaluations.accept(params, workOf(context));
    },

    async acceptEvaluation(params: Params<'acceptEvaluation'>): Promise<Result<'acceptEvaluation'>> {
      return engine.current.evaluations.acceptKept(params);
    },

    async evaluationHistory(params: Params<'evaluationHistory'>): Promise<Result<'evaluationHistory'>> {
      return engine.current.evaluations.list(params);
    },

    async evaluationEntry(params: Params<'evaluationEntry'>): Promise<Result<'evaluationEntry'>> {
      return engine.current.evaluations.entry(params);
    },

    async compareEvaluations(params: Params<'compareEvaluations'>): Promise<Result<'compareEvaluations'>> {
      return engine.current.evaluations.compare(params);
    },

    async unreached(params: Params<'unreached'>, context: RequestContext): Promise<Result<'unreached'>> {
      return engine.current.evaluations.unreached(params, workOf(context));
    },
  } satisfies Partial<Handlers>;
}
