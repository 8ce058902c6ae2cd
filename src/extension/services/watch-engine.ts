/** Detects requests that change what the figures of a comparison depend on, and those that complete a step. */
import { CONTEXT_KEYS, type ContextKey } from '../../shared/manifest/contributions.ts';
import type { EngineMethod, Result } from '../../shared/rpc.ts';
import type { Part } from './changes.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';

type Engine = Pick<EngineClient, 'request'>;

interface Watching {
  /** Called after a request that changed a corpus or judgements. */
  readonly onChange: () => void;
  /** Called after a request that completes a step of the walkthrough, with the key of that step. */
  readonly onStep: (key: ContextKey) => void;
}

/** The steps of the walkthrough by the requests of a part. A user may complete them without their commands. */
const STEPS: { readonly [Name in Part]?: { readonly [Method in EngineMethod]?: ContextKey } } = {
  'side panel': { search: CONTEXT_KEYS.hasAsked },
  compare: { compare: CONTEXT_KEYS.hasCompared },
  inline: { compare: CONTEXT_KEYS.hasFiguresAtCall },
  testing: { evaluate: CONTEXT_KEYS.hasEvaluated },
};

/** The same engine for a part of the extension. */
export function watchEngine(engine: Engine, part: Part, { onChange, onStep }: Watching): Engine {
  return {
    async request(method, params, options) {
      const result = await engine.request(method, params, options);
      if (changes(method, result)) onChange();
      const step = STEPS[part]?.[method];
      if (step !== undefined) onStep(step);
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
