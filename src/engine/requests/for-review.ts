import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { EngineState } from '../engine-state.ts';

/** Judgements that were given are handed out, whatever becomes of what people should see of them. */
export async function forReview(engine: EngineState, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!ParallaxError.is(error, 'cancelled')) engine.log(`Review queue: ${messageOf(error)}`);
  }
}
