import { ENGINE_VERSION } from '../../shared/requests/configuration.ts';
import type { EngineState } from '../engine-state.ts';
import type { Handlers } from './request.ts';

export function configurationHandlers(engine: EngineState) {
  return {
    async configure(config) {
      await engine.configure(config);
      return { version: ENGINE_VERSION };
    },
  } satisfies Partial<Handlers>;
}
