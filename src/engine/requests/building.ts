import type { Params, Result } from '../../shared/rpc.ts';
import { evalQueryOf } from '../../shared/requests/questions.ts';
import type { EngineState } from '../engine-state.ts';
import { boundaryOf, requireInside } from '../files/boundary.ts';
import { workOf, type Handlers, type RequestContext } from './request.ts';

/** Answers requests that help to make eval sets. */
export function buildingHandlers(engine: EngineState) {
  return {
    async buildEffort(
      params: Params<'buildEffort'>,
      context: RequestContext,
    ): Promise<Result<'buildEffort'>> {
      return engine.current.building.effort(params, workOf(context));
    },

    async build(params: Params<'build'>, context: RequestContext): Promise<Result<'build'>> {
      return engine.current.building.build(params, workOf(context));
    },

    async acceptDrafts(
      params: Params<'acceptDrafts'>,
      context: RequestContext,
    ): Promise<Result<'acceptDrafts'>> {
      const { config, building } = engine.current;
      for (const file of [params.drafts, params.evalSet, params.labels])
        if (file !== undefined) await requireInside(boundaryOf(config), file);
      return building.accept(params, workOf(context));
    },

    async labelSet(params: Params<'labelSet'>, context: RequestContext): Promise<Result<'labelSet'>> {
      return engine.current.building.labelSet(params, workOf(context));
    },

    async labelPools(params: Params<'labelPools'>, context: RequestContext): Promise<Result<'labelPools'>> {
      const pools = await engine.current.building.labelPools(params, workOf(context));
      return {
        pools: pools.map(({ query, passages, duplicates }) => ({
          query: evalQueryOf(query),
          passages: [...passages],
          duplicates,
        })),
      };
    },
  } satisfies Partial<Handlers>;
}
