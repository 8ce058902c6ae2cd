/**
 * Errors as values: an id that code can match on and a sentence that a user can act on.
 */

import * as l10n from '@vscode/l10n';

export const ERROR_IDS = [
  'bad-argument',
  'bad-config',
  'bad-file',
  'bad-pipeline',
  'cancelled',
  'corpus-empty',
  'engine-stopped',
  'internal',
  'interrupted',
  'model-answer',
  'model-key',
  'model-missing',
  'model-unreachable',
  'native-missing',
  'no-eval-set',
  'not-found',
  'not-indexed',
  'retriever-failed',
  'store-unusable',
  'too-large',
  'untrusted',
] as const;
export type ErrorId = (typeof ERROR_IDS)[number];

/** The longest message. It quotes files and servers, whose words may be of any length. */
const MOST_CHARACTERS = 1_500;

/**
 * The only error type that crosses a module border on purpose. `message` is shown to users as it is; one that nobody would
 * read to its end is cut.
 */
export class ParallaxError extends Error {
  override readonly name = 'ParallaxError';
  readonly id: ErrorId;
  /** The corpus that it is about, where a remedy has to know it. */
  readonly corpus: string | undefined;

  constructor(id: ErrorId, message: string, options: { cause?: unknown; corpus?: string | undefined } = {}) {
    super(readable(message), options);
    this.id = id;
    this.corpus = options.corpus;
  }

  static is(error: unknown, id?: ErrorId): error is ParallaxError {
    return error instanceof ParallaxError && (id === undefined || error.id === id);
  }
}

/** Cut before a word, so that no part of a key is left over that is taken out afterwards. */
function readable(message: string): string {
  if (message.length <= MOST_CHARACTERS) return message;
  return `${message.slice(0, Math.max(0, message.lastIndexOf(' ', MOST_CHARACTERS)))} …`.trimStart();
}

/** Cancelling is not a failure; it is an error only so that it can unwind a call stack. */
export function cancelled(): ParallaxError {
  return new ParallaxError('cancelled', l10n.t('Cancelled.'));
}

/** @throws ParallaxError `cancelled` when the signal has fired. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled();
}

/** Anything that was thrown as an error with an id: `internal` where nobody threw it on purpose. */
export function asParallaxError(error: unknown): ParallaxError {
  return ParallaxError.is(error) ? error : new ParallaxError('internal', messageOf(error), { cause: error });
}

/** The sentence to show for anything that was thrown; never a stack trace. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : l10n.t('Something failed without saying why.');
}

/**
 * Puts the sentence of an error into one that says what it is about. Cancelling, and errors that nobody threw
 * on purpose, stay as they are.
 *
 * @param about the sentence that holds the other: `Query "q1": …`
 */
export function inContext(about: (sentence: string) => string, error: unknown): unknown {
  return ParallaxError.is(error) && error.id !== 'cancelled'
    ? new ParallaxError(error.id, about(error.message), { cause: error, corpus: error.corpus })
    : error;
}
