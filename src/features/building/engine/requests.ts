import type { EngineState } from '../../../engine/engine-state.ts';
import { boundaryOf, requireInside } from '../../../engine/files/boundary.ts';
import { workOf, type Handlers } from '../../../engine/requests/request.ts';

/** Answers requests for making eval sets. */
export function buildingHandlers(engine: EngineState) {
  return {
    async buildEffort(params, context) {
      return engine.current.building.effort(params, workOf(context));
    },

    async build(params, context) {
      return engine.current.building.build(params, workOf(context));
    },

    async acceptDrafts(params, context) {
      const { config, building } = engine.current;
      for (const file of [params.drafts, params.evalSet, params.labels])
        if (file !== undefined) await requireInside(boundaryOf(config), file);
      return building.accept(params, workOf(context));
    },

    async labelSet(params, context) {
      return engine.current.building.labelSet(params, workOf(context));
    },

    async labelPools(params, context) {
      return { pools: await engine.current.building.labelPools(params, workOf(context)) };
    },
  } satisfies Partial<Handlers>;
}
