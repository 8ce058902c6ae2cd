import { judgedQrels } from './judged-qrels.ts';
import type { EngineState } from '../../../engine/engine-state.ts';
import { forReview } from '../../review/engine/requests/for-review.ts';
import { workOf, type Handlers } from '../../../engine/requests/request.ts';

/** Answers requests about several pipelines on the queries of eval sets. */
export function comparisonHandlers(engine: EngineState) {
  return {
    async compare(params, context) {
      return engine.current.comparisons.compare(params, workOf(context));
    },

    async figuresCost(params, context) {
      return engine.current.comparisons.figuresCost(params, workOf(context));
    },

    async judgeFigures(params, context) {
      const { comparisons, review } = engine.current;
      const report = await comparisons.judgeFigures(params, workOf(context));
      for (const { corpus, queries } of params.datasets)
        await forReview(engine, () => review.add({ from: 'memory', corpus, queries }, workOf(context)));
      return report;
    },

    async pool(params, context) {
      return engine.current.comparisons.pool(params, workOf(context));
    },

    async answers(params, context) {
      return engine.current.answers.answer(params, workOf(context));
    },

    async answersCost(params, context) {
      return engine.current.answers.cost(params, workOf(context));
    },

    async keptComparisons() {
      return engine.current.comparisons.list();
    },

    async keptComparison(params) {
      return engine.current.comparisons.get(params);
    },

    async forgetComparison(params) {
      engine.current.comparisons.forget(params);
      return {};
    },

    async movement(params) {
      return engine.current.comparisons.movement(params);
    },

    async judgedQrels({ id }, context) {
      const { comparisons, judgementService, remembering: judgeOf } = engine.current;
      const openIndexed = (corpus: string) => engine.corpora.indexed(corpus);
      return judgedQrels({ comparisons, judgementService, judgeOf, openIndexed }, id, workOf(context));
    },
  } satisfies Partial<Handlers>;
}
