import type { Params, Result } from '../../shared/rpc.ts';
import type { EngineState } from '../engine-state.ts';
import { workOf, type Handlers, type RequestContext } from './request.ts';

/** Answers requests about pairs that wait for people. */
export function reviewHandlers(engine: EngineState) {
  return {
    async reviewQueue(
      params: Params<'reviewQueue'>,
      context: RequestContext,
    ): Promise<Result<'reviewQueue'>> {
      return engine.current.review.queue(params, workOf(context));
    },

    async reviewItem(params: Params<'reviewItem'>): Promise<Result<'reviewItem'>> {
      return engine.current.review.item(params);
    },

    async reviewAdd(params: Params<'reviewAdd'>, context: RequestContext): Promise<Result<'reviewAdd'>> {
      return engine.current.review.add(params, workOf(context));
    },

    async reviewAnswer(params: Params<'reviewAnswer'>): Promise<Result<'reviewAnswer'>> {
      return engine.current.review.answer(params);
    },

    async reviewUndo(params: Params<'reviewUndo'>): Promise<Result<'reviewUndo'>> {
      await engine.current.review.undo(params);
      return {};
    },

    async reviewSkip(params: Params<'reviewSkip'>): Promise<Result<'reviewSkip'>> {
      engine.current.review.skip(params);
      return {};
    },

    async reviewRemove(params: Params<'reviewRemove'>): Promise<Result<'reviewRemove'>> {
      engine.current.review.remove(params);
      return {};
    },

    async labelAgreement(): Promise<Result<'labelAgreement'>> {
      return engine.current.review.agreement();
    },
  } satisfies Partial<Handlers>;
}
