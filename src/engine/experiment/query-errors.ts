/** Errors that are about one query, and leave the others of an experiment as they are. */
import { ParallaxError, type ErrorId } from '../../core/errors.ts';

/** Everything else would fail for the next query, too, until somebody acts. */
const OF_ONE_QUERY: readonly ErrorId[] = ['bad-argument', 'model-answer', 'not-found', 'retriever-failed'];

export function isOfOneQuery(error: unknown): error is ParallaxError {
  return ParallaxError.is(error) && OF_ONE_QUERY.includes(error.id);
}
