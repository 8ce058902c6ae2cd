import { messageOf } from '../../core/errors.ts';

/** @param failure the error to throw, made from what the parser says */
export function readJson(text: string, failure: (reason: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failure(messageOf(error));
  }
}
