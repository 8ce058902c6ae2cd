/** Errors as values, with an id for code and a sentence for users. */

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

/** The longest message. Messages quote files and servers, whose texts may have any length. */
const MAX_CHARACTERS = 1_500;

/**
 * The only error type that crosses module borders on purpose. `message` is shown to users; overlong messages are cut.
 */
export class ParallaxError extends Error {
  override readonly name = 'ParallaxError';
  readonly id: ErrorId;
  /** The corpus it is about, if a remedy needs it. */
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

/** Cuts before a word, so that no partial key remains that redaction would miss. */
function readable(message: string): string {
  if (message.length <= MAX_CHARACTERS) return message;
  return `${message.slice(0, Math.max(0, message.lastIndexOf(' ', MAX_CHARACTERS)))} …`.trimStart();
}

/** Cancelling is not a failure. It is an error only to unwind the call stack. */
export function cancelled(): ParallaxError {
  return new ParallaxError('cancelled', l10n.t('Cancelled.'));
}

/** @throws ParallaxError `cancelled` if the signal is aborted. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled();
}

/** Converts any thrown value. Values other than ParallaxError become `internal`. */
export function asParallaxError(error: unknown): ParallaxError {
  return ParallaxError.is(error) ? error : new ParallaxError('internal', messageOf(error), { cause: error });
}

/** The sentence to show for a thrown value, never a stack trace. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : l10n.t('Something failed without giving a reason.');
}

/**
 * Wraps the sentence of an error in another one. Cancellation and errors other than ParallaxError are returned
 * unchanged.
 *
 * @param about the wrapping sentence: `Query "q1": …`
 */
export function inContext(about: (sentence: string) => string, error: unknown): unknown {
  return ParallaxError.is(error) && error.id !== 'cancelled'
    ? new ParallaxError(error.id, about(error.message), { cause: error, corpus: error.corpus })
    : error;
}
