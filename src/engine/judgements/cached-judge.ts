/** A judge with stored answers, so that no answer is paid for twice. */
import { setImmediate } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { Judgement } from '../../core/model.ts';
import { textHash } from '../text-sums.ts';
import type { Progress } from '../../shared/requests/progress.ts';
import {
  countAnswer,
  detailsOnly,
  emptyTally,
  type Judge,
  type JudgeOptions,
  type JudgePair,
  type JudgeReport,
  type Reading,
} from '../judges/judge.ts';
import { askInTurns, type Claimable, type Taking } from './claimed-asking.ts';
import { titledHash, type AnswerKey, type CachedAnswer } from './answer-rows.ts';
import type { JudgementCache } from './judgement-cache.ts';

export interface CachedJudge extends Judge {
  /** Stored answers in the order of the pairs, without asking the judge. */
  known(pairs: readonly JudgePair[]): Promise<readonly (CachedAnswer | undefined)[]>;
}

/** Lookups take about 5 µs. Other work gets its turn after this many. */
const LOOKUPS_AT_A_TIME = 512;

/** Stores every answer of `judge` before it is delivered. */
export function createCachedJudge(judge: Judge, cache: JudgementCache): CachedJudge {
  return {
    ...judge,
    known: async (pairs) => {
      await judge.reading?.refresh();
      const answers: (CachedAnswer | undefined)[] = [];
      for await (const { answer } of lookUp(judge, cache, pairs))
        answers.push(answer && { ...answer, judgement: asRead(judge, answer.judgement) });
      return answers;
    },
    judge: (pairs, options = {}) => new RememberedJudging(judge, cache, pairs, options).run(),
  };
}

/** One call of a judge with stored answers. */
class RememberedJudging {
  readonly #judge: Judge;
  readonly #cache: JudgementCache;
  readonly #pairs: readonly JudgePair[];
  readonly #options: JudgeOptions;
  /** Counts deliveries. The cost of asking is in the judge's own report. */
  readonly #tally = emptyTally();
  /** Stops asking if an answer cannot be stored. */
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;

  constructor(judge: Judge, cache: JudgementCache, pairs: readonly JudgePair[], options: JudgeOptions) {
    this.#judge = judge;
    this.#cache = cache;
    this.#pairs = pairs;
    this.#options = options;
    const { signal } = this.#stop;
    this.#signal = options.signal ? AbortSignal.any([options.signal, signal]) : signal;
  }

  async run(): Promise<JudgeReport> {
    await this.#judge.reading?.refresh();
    const unknown: Remembered[] = [];
    for await (const pair of lookUp(this.#judge, this.#cache, this.#pairs, this.#options.signal))
      if (!this.#deliverIfKnown(pair.index, pair.answer)) unknown.push(pair);
    const report = await askInTurns(this.#judge, this.#cache.claims, unknown, {
      ask: (pairs, taking) => this.#ask(pairs, taking),
      isAnswered: ({ key }) => this.#isGoodEnough(this.#stored(key)),
      onWait: () => this.#reportWaiting(),
      signal: this.#signal,
    });
    const { answered, cached, unparsable, escalated, evidenceNotFound, rounds, error } = this.#tally;
    return {
      ...report,
      answered,
      cached,
      unparsable,
      escalated,
      evidenceNotFound,
      rounds,
      error: error ?? report.error,
      cancelled: this.#options.signal?.aborted ?? false,
    };
  }

  #ask(pairs: readonly Remembered[], taking: Taking<Remembered>): Promise<JudgeReport> {
    return this.#judge.judge(
      pairs.map(({ index }) => this.#pairs[index]!),
      {
        signal: this.#signal,
        repeatUnparsable: this.#options.repeatUnparsable,
        onRequest: this.#options.onRequest,
        onProgress: detailsOnly(this.#options.onProgress, () => this.#progress),
        isAnswered: (place) => this.#isTakenCareOf(pairs[place]!, taking),
        onJudgement: (place, judgement, { unparsable }) => {
          const { index, key } = pairs[place]!;
          const stored = this.#store(key, { judgement, unparsable });
          taking.release(key);
          this.#deliver(index, stored, false);
        },
      },
    );
  }

  /** Whether a pair whose turn has come no longer needs an answer, or another call or window is about to give it. */
  #isTakenCareOf(pair: Remembered, taking: Taking<Remembered>): boolean {
    const { index, key } = pair;
    if (this.#options.isAnswered?.(index) || this.#deliverIfKnown(index, this.#stored(key))) return true;
    if (!taking.take(pair)) return true;
    // Another window may have stored an answer between lookup and claim.
    if (!this.#deliverIfKnown(index, this.#stored(key))) return false;
    taking.release(key);
    return true;
  }

  /** @returns the answer that is valid from now on; one that cannot be stored is still shown, but asking stops */
  #store(key: AnswerKey, answer: CachedAnswer): CachedAnswer {
    try {
      return this.#cache.put(this.#judge.key, key, answer);
    } catch (error) {
      if (!ParallaxError.is(error)) throw error;
      this.#tally.error ??= error;
      this.#stop.abort();
      return answer;
    }
  }

  #stored(key: AnswerKey): CachedAnswer | undefined {
    return this.#cache.get(this.#judge.key, key);
  }

  #isGoodEnough(answer: CachedAnswer | undefined): answer is CachedAnswer {
    return answer !== undefined && !(answer.unparsable && this.#options.repeatUnparsable);
  }

  #deliverIfKnown(index: number, answer: CachedAnswer | undefined): boolean {
    const isKnown = this.#isGoodEnough(answer);
    if (isKnown) this.#deliver(index, answer, true);
    return isKnown;
  }

  #deliver(index: number, answer: CachedAnswer, cached: boolean): void {
    const judgement = asOf(this.#judge, answer);
    const delivery = { unparsable: answer.unparsable, cached };
    countAnswer(this.#tally, judgement, delivery);
    this.#options.onJudgement?.(index, judgement, delivery);
    this.#options.onProgress?.(this.#progress);
  }

  get #progress(): Progress {
    return { done: this.#tally.answered, total: this.#pairs.length };
  }

  #reportWaiting(): void {
    this.#options.onProgress?.({
      ...this.#progress,
      detail: l10n.t('Waiting for another window that asks the same'),
    });
  }
}

/** A pair by its index in the list, with its stored answer. */
interface Remembered extends Claimable {
  readonly index: number;
  readonly answer: CachedAnswer | undefined;
}

/** Ends early if cancelled. */
async function* lookUp(
  judge: Judge,
  cache: JudgementCache,
  pairs: readonly JudgePair[],
  signal?: AbortSignal,
): AsyncGenerator<Remembered> {
  const hashOf = hashedOnce();
  for (let first = 0; first < pairs.length && !signal?.aborted; first += LOOKUPS_AT_A_TIME) {
    const keys = pairs.slice(first, first + LOOKUPS_AT_A_TIME).map((pair) => answerKey(judge, pair, hashOf));
    const answers = cache.getMany(judge.key, keys);
    for (const [i, key] of keys.entries()) yield { index: first + i, key, answer: answers[i] };
    await setImmediate();
  }
}

/** Gives the answer the judge's present name, which may have changed. */
function asOf(judge: Judge, { judgement }: CachedAnswer): Judgement {
  return { ...asRead(judge, judgement), judge: judge.name };
}

/** Reads a stored answer by the judge's present settings; see {@link Judge.reading}. */
export function asRead(
  { reading }: { readonly reading?: Pick<Reading, 'read'> | undefined },
  stored: Judgement,
): Judgement {
  return reading?.read(stored) ?? stored;
}

/** The key under which this judge's answer about a pair is stored. */
export function answerKey(
  judge: Pick<Judge, 'usesQuestion' | 'titleOf'>,
  { passage, perspective, question }: JudgePair,
  hashOf: (text: string) => string = textHash,
): AnswerKey {
  const statement =
    judge.usesQuestion && question !== undefined
      ? JSON.stringify([question, perspective.text])
      : perspective.text;
  const passageHash = passage.hash ?? hashOf(passage.text);
  const title = judge.titleOf?.(passage);
  return {
    passageHash: title === undefined ? passageHash : titledHash(passageHash, title),
    perspectiveHash: hashOf(statement),
  };
}

/** Hashes each text once, however often it is requested. */
function hashedOnce(): (text: string) => string {
  const hashes = new Map<string, string>();
  return (text) => {
    const hash = hashes.get(text) ?? textHash(text);
    hashes.set(text, hash);
    return hash;
  };
}
