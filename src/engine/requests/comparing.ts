import type { Comparison } from '../../shared/panels/compare.ts';
import type { Params, Result } from '../../shared/rpc.ts';
import { judgedQrels } from '../comparing/judged-qrels.ts';
import type { EngineState } from '../engine-state.ts';
import { forReview } from './for-review.ts';
import { workOf, type Handlers, type RequestContext } from './request.ts';

/** Answers requests about several pipelines on the queries of eval sets. */
export function comparisonHandlers(engine: EngineState) {
  return {
    async compare(params: Params<'compare'>, context: RequestContext): Promise<Comparison> {
      return engine.current.comparisons.compare(params, workOf(context));
    },

    async figuresCost(
      params: Params<'figuresCost'>,
      context: RequestContext,
    ): Promise<Result<'figuresCost'>> {
      return engine.current.comparisons.figuresCost(params, workOf(context));
    },

    async judgeFigures(
      params: Params<'judgeFigures'>,
      context: RequestContext,
    ): Promise<Result<'judgeFigures'>> {
      const { comparisons, review } = engine.current;
      const report = await comparisons.judgeFigures(params, workOf(context));
      for (const { corpus, queries } of params.datasets)
        await forReview(engine, () => review.add({ from: 'memory', corpus, queries }, workOf(context)));
      return report;
    },

    async pool(params: Params<'pool'>, context: RequestContext): Promise<Result<'pool'>> {
      return engine.current.comparisons.pool(params, workOf(context));
    },

    async answers(params: Params<'answers'>, context: RequestContext): Promise<Result<'answers'>> {
      return engine.current.answers.answer(params, workOf(context));
    },

    async answersCost(
      params: Params<'answersCost'>,
      context: RequestContext,
    ): Promise<Result<'answersCost'>> {
      return engine.current.answers.cost(params, workOf(context));
    },

    async keptComparisons(): Promise<Result<'keptComparisons'>> {
      return engine.current.comparisons.list();
    },

    async keptComparison(params: Params<'keptComparison'>): Promise<Comparison> {
      return engine.current.comparisons.get(params);
    },

    async forgetComparison(params: Params<'forgetComparison'>): Promise<Result<'forgetComparison'>> {
      engine.current.comparisons.forget(params);
      return {};
    },

    async movement(params: Params<'movement'>): Promise<Result<'movement'>> {
      return engine.current.comparisons.movement(params);
    },

    async judgedQrels(
      { id }: Params<'judgedQrels'>,
      context: RequestContext,
    ): Promise<Result<'judgedQrels'>> {
      const { comparisons, judgementService, remembering: judgeOf } = engine.current;
      const openIndexed = (corpus: string) => engine.corpora.indexed(corpus);
      return judgedQrels({ comparisons, judgementService, judgeOf, openIndexed }, id, workOf(context));
    },
  } satisfies Partial<Handlers>;
}
