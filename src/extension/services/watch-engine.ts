/** Detects requests of other parts that change what the figures of a comparison depend on. */
import type { EngineMethod, Result } from '../../shared/rpc.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';

type Engine = Pick<EngineClient, 'request'>;

/** The same engine; `onChange` is called after a request that changed a corpus or judgements. */
export function watchEngine(engine: Engine, onChange: () => void): Engine {
  return {
    async request(method, params, options) {
      const result = await engine.request(method, params, options);
      if (changes(method, result)) onChange();
      return result;
    },
  };
}

function changes(method: EngineMethod, result: unknown): boolean {
  if (method === 'label') return true;
  if (method === 'judge' || method === 'judgeFigures')
    return (result as Result<'judge' | 'judgeFigures'>).answered > 0;
  if (method !== 'index') return false;
  const { added, changed, deleted } = result as Result<'index'>;
  return added + changed + deleted > 0;
}
