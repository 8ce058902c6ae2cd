import { messageOf } from '../../core/errors.ts';

/** @param failure creates the error to throw from the parser's message */
export function readJson(text: string, failure: (reason: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failure(messageOf(error));
  }
}
