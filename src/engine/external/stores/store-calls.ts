/** Calls to a store, with a timeout, repetition if it may help, and errors that say what to do. */
import { setTimeout as delay } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import type * as z from 'zod';
import { cancelled, messageOf, ParallaxError, throwIfCancelled } from '../../../core/errors.ts';
import { withoutSecret } from '../../without-secret.ts';
import { HttpStatusError } from './json-http.ts';

/** How long questions are delayed after the last such answer. */
const SPARED_MS = 10_000;

class Restraint {
  #quietUntil = 0;
  #sparedUntil = 0;
  /** Resolves with the last of the waiting questions. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Called if the server is overloaded. @param afterMs how long it asks to wait */
  spare(afterMs = 0): void {
    this.#quietUntil = Math.max(this.#quietUntil, performance.now() + afterMs);
    this.#sparedUntil = this.#quietUntil + SPARED_MS;
  }

  /**
   * Asks at once. While the server is spared, waits until it accepts questions and no other question is running.
   *
   * @param end ends the wait
   * @throws what asking throws, and an `AbortError`
   */
  async run<T>(ask: () => Promise<T>, end: AbortSignal): Promise<T> {
    if (performance.now() >= this.#sparedUntil) return ask();
    const before = this.#turn;
    const { promise: over, resolve: leave } = Promise.withResolvers<unknown>();
    this.#turn = before.then(() => over);
    try {
      await before;
      await delay(Math.max(0, this.#quietUntil - performance.now()), undefined, { signal: end });
      return await ask();
    } finally {
      leave(undefined);
    }
  }
}

/** The explanation of a client's error for a user. */
export interface StoreTrouble {
  /** Begins with the store's name. */
  readonly sentence: string;
  /** Whether the same call may succeed a moment later. */
  readonly passing?: boolean | undefined;
}

export interface StoreCallsOptions {
  /** Names the store at the beginning of a sentence. */
  readonly name: string;
  /** For a call with all its repetitions. */
  readonly timeoutMs: number;
  readonly explain: (error: unknown, store: string) => StoreTrouble;
  /** The key or password that is sent. It is removed from the store's messages. */
  readonly secret?: string | undefined;
  /** The user of the password, if both are sent together. */
  readonly user?: string | undefined;
}

/** Statuses of an overloaded server. */
const TOO_BUSY: readonly number[] = [429, 503];
export const isTooBusy = (status: number): boolean => TOO_BUSY.includes(status);
const REPEATS = 2;
const FIRST_PAUSE_MS = 150;

export class StoreCalls {
  readonly name: string;
  /** For a call with all its repetitions. */
  readonly timeoutMs: number;
  readonly #options: StoreCallsOptions;
  /** One controller for each running call. */
  readonly #running = new Set<AbortController>();
  readonly #restraint = new Restraint();
  #isClosed = false;

  constructor(options: StoreCallsOptions) {
    this.name = options.name;
    this.timeoutMs = options.timeoutMs;
    this.#options = options;
  }

  /**
   * @param call receives a signal that ends it when its result is no longer needed, with a `TimeoutError` as reason
   *   after a timeout; it may be repeated, since it only reads, or adds what is missing
   * @param repeats the most repetitions of temporary errors; each wait is twice as long as the last
   * @throws ParallaxError `retriever-failed` with a message, `cancelled`
   */
  async run<T>(
    call: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
    repeats = REPEATS,
  ): Promise<T> {
    throwIfCancelled(signal);
    // Without `AbortSignal.any` and `AbortSignal.timeout`, whose results outlive the call by far.
    const end = new AbortController();
    const giveUp = (): void => end.abort();
    const late = { isLate: false };
    const timer = setTimeout(() => {
      late.isLate = true;
      end.abort(new DOMException('It took too long.', 'TimeoutError'));
    }, this.timeoutMs).unref();
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#running.add(end);
    if (this.#isClosed) giveUp();
    try {
      return await this.#repeated(call, end.signal, late, signal, repeats);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      this.#running.delete(end);
    }
  }

  /** @param late whether its time is over */
  async #repeated<T>(
    call: (signal: AbortSignal) => Promise<T>,
    end: AbortSignal,
    late: { readonly isLate: boolean },
    signal: AbortSignal | undefined,
    repeats: number,
  ): Promise<T> {
    const { timeoutMs } = this;
    for (let attempt = 0; ; attempt++) {
      try {
        if (attempt > 0) await delay(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal: end });
        return await unlessEnded(
          this.#restraint.run(() => call(end), end),
          end,
        );
      } catch (error) {
        if (signal?.aborted) throw cancelled();
        if (this.#isClosed) throw this.failure(l10n.t`${this.name} was closed before it answered.`, error);
        if (late.isLate)
          throw this.failure(l10n.t`${this.name} did not answer within ${timeoutMs / 1000} s.`, error);
        if (ParallaxError.is(error)) throw error;
        if (error instanceof SyntaxError)
          throw this.failure(l10n.t`${this.name} did not answer with JSON (${error.message}).`, error);
        // The client could not read the answer. `fetch` sets a cause for its own errors of this type.
        if (error instanceof TypeError && error.cause === undefined) throw this.#unexpected(error);
        const { sentence, passing } = this.#options.explain(error, this.name);
        // A server that says when to return is asked again then, however often.
        if (!passing || (!this.#isAwaited(error) && attempt >= repeats)) throw this.failure(sentence, error);
      }
    }
  }

  /**
   * Whether an overloaded store says when it can be asked again. All calls then wait.
   *
   * @throws ParallaxError `retriever-failed` if that is longer than the timeout
   */
  #isAwaited(error: unknown): boolean {
    if (!(error instanceof HttpStatusError) || !isTooBusy(error.status)) return false;
    const { afterMs } = error;
    if (afterMs !== undefined && afterMs > this.timeoutMs)
      throw this.failure(
        l10n.t`${this.name} is overloaded and asks to wait ${Math.ceil(afterMs / 1000)} s.`,
        error,
      );
    this.#restraint.spare(afterMs);
    return afterMs !== undefined;
  }

  /** @throws ParallaxError `retriever-failed` if the answer has another form */
  checked<T>(form: z.ZodType<T>, answer: unknown): T {
    const { data, error, success } = form.safeParse(answer);
    if (success) return data;
    throw this.#unexpected(error);
  }

  #unexpected(cause: unknown): ParallaxError {
    return this.failure(l10n.t`${this.name} gave an answer of an unexpected form.`, cause);
  }

  /** @param sentence begins with the store's name; it is shown without the secret */
  failure(sentence: string, cause?: unknown): ParallaxError {
    const { secret, user } = this.#options;
    return new ParallaxError('retriever-failed', withoutSecret(sentence, secret, user), { cause });
  }

  /** Running calls fail. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#running) end.abort();
  }
}

/** Rejects at once, even if a client is slow to notice the signal. */
async function unlessEnded<T>(work: Promise<T>, end: AbortSignal): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(end.reason as Error);
  end.addEventListener('abort', onAbort, { once: true });
  if (end.aborted) onAbort();
  try {
    return await Promise.race([work, ended]);
  } finally {
    end.removeEventListener('abort', onAbort);
  }
}

const QUOTED_CHARACTERS = 300;

/**
 * Explains an HTTP status to the author of the pipeline.
 *
 * @param absent the message for a 404, given the status and the server's reason
 */
export function httpTrouble(
  store: string,
  status: number,
  reason: string,
  absent: (answer: string) => string,
): StoreTrouble {
  const quoted = quote(reason);
  const answer = quoted === '' ? String(status) : `${status}: ${quoted}`;
  if (status === 401 || status === 403)
    return { sentence: l10n.t`${store} refuses access (${answer}); check the stored key.` };
  if (status === 404) return { sentence: absent(answer) };
  return {
    sentence: l10n.t`${store} answered ${answer}.`,
    passing: status === 429 || status === 502 || status === 503 || status === 504,
  };
}

/** Node's codes for certificates that are not trusted, have expired, or belong to another server. */
const CERTIFICATE_CODES: readonly string[] = [
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/**
 * For a server that does not answer. `fetch` hides the reason in the cause, and a failed connection to two addresses
 * in a list.
 */
export function connectionTrouble(store: string, error: unknown): StoreTrouble {
  const reason = quote(reasonOf(error));
  if (CERTIFICATE_CODES.includes(codeOf(error)))
    return {
      // Node appends advice about its command line, after a semicolon.
      sentence: l10n.t`${store} shows a certificate that is not trusted here (${reason.split(';')[0]!}); if your own authority issued it, name the file with that authority's certificate as "caFile".`,
    };
  return {
    sentence:
      reason === ''
        ? l10n.t`${store} could not be reached; is it running?`
        : l10n.t`${store} could not be reached: ${reason}; is it running?`,
    passing: true,
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (error instanceof Error && error.cause) return reasonOf(error.cause);
  return messageOf(error);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if (error.cause) return codeOf(error.cause);
  return 'code' in error ? String(error.code) : '';
}

function quote(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ').replace(/\.$/, '');
  // Cut before a word, so that no part of a key remains.
  return line.length <= QUOTED_CHARACTERS
    ? line
    : `${line.slice(0, QUOTED_CHARACTERS).replace(/\S+$/u, '')}…`;
}
