/** Errors that concern one query and leave the others of an experiment unchanged. */
import { ParallaxError, type ErrorId } from '../../core/errors.ts';

/** Every other error would repeat for the next query until the user does something. */
const OF_ONE_QUERY: readonly ErrorId[] = ['bad-argument', 'model-answer', 'not-found', 'retriever-failed'];

export function isOfOneQuery(error: unknown): error is ParallaxError {
  return ParallaxError.is(error) && OF_ONE_QUERY.includes(error.id);
}
