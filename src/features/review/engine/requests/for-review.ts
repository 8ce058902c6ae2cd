import { messageOf, ParallaxError } from '../../../../core/errors.ts';
import type { EngineState } from '../../../../engine/engine-state.ts';

/** Queues pairs for review without failing: the judgements are returned even if this fails. */
export async function forReview(engine: EngineState, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!ParallaxError.is(error, 'cancelled')) engine.log(`Review queue: ${messageOf(error)}`);
  }
}
