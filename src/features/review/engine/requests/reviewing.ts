import type { EngineState } from '../../../../engine/engine-state.ts';
import { workOf, type Handlers } from '../../../../engine/requests/request.ts';

/** Answers requests about pairs that wait for people. */
export function reviewHandlers(engine: EngineState) {
  return {
    async reviewQueue(params, context) {
      return engine.current.review.queue(params, workOf(context));
    },

    async reviewItem(params) {
      return engine.current.review.item(params);
    },

    async reviewAdd(params, context) {
      return engine.current.review.add(params, workOf(context));
    },

    async reviewAnswer(params) {
      return engine.current.review.answer(params);
    },

    async reviewUndo(params) {
      await engine.current.review.undo(params);
      return {};
    },

    async reviewSkip(params) {
      engine.current.review.skip(params);
      return {};
    },

    async reviewRemove(params) {
      engine.current.review.remove(params);
      return {};
    },

    async labelAgreement() {
      return engine.current.review.agreement();
    },
  } satisfies Partial<Handlers>;
}
