/** One call of a judge that asks models: a few questions at a time, until all are asked or the rest would fail. */
import { ParallaxError } from '../../core/errors.ts';
import type { Judgement } from '../../core/model.ts';
import type { Progress } from '../../shared/requests/progress.ts';
import { retryText, type Retry } from '../models/retry.ts';
import { isHopeless } from '../models/chat-model.ts';
import { countAnswer, emptyTally, type JudgeOptions, type JudgeReport } from '../judges/judge.ts';
import { runPool } from '../concurrency/bounded.ts';

/** The number of consecutive questions that failed despite retries, after which the rest would fail, too. */
const STOP_AFTER_FAILURES = 3;

/** Indexes of pairs in the list that are answered together. */
export type Unit = readonly number[];

export interface Answered {
  readonly judgement: Judgement;
  readonly unparsable: boolean;
}

export class JudgingRun {
  readonly tally = emptyTally();
  readonly #total: number;
  readonly #options: JudgeOptions;
  readonly #stop = new AbortController();
  readonly #answered = new Set<number>();
  #failuresInARow = 0;

  /** @param total number of pairs */
  constructor(total: number, options: JudgeOptions) {
    this.#total = total;
    this.#options = options;
  }

  /** Reports that a request has to wait before it is repeated. */
  readonly onRetry = (retry: Retry): void => {
    const detail = retryText(retry);
    if (detail !== undefined) this.#options.onProgress?.({ ...this.#progress, detail });
  };

  /** Called before each request; see {@link JudgeOptions.onRequest}. */
  get onRequest(): JudgeOptions['onRequest'] {
    return this.#options.onRequest;
  }

  get #progress(): Progress {
    return { done: this.tally.asked, total: this.#total };
  }

  deliver(index: number, { judgement, unparsable }: Answered): void {
    const delivery = { unparsable, cached: false };
    this.#answered.add(index);
    this.tally.asked++;
    countAnswer(this.tally, judgement, delivery);
    this.#options.onJudgement?.(index, judgement, delivery);
  }

  /**
   * Calls `ask` for each unit, without the pairs that are answered by then. A ParallaxError of `ask` counts as the
   * failure of the pairs it has not delivered.
   *
   * @param concurrency units at a time
   * @throws any other error of `ask`, which comes from the listener
   */
  async through(
    units: readonly Unit[],
    concurrency: number,
    ask: (unit: Unit, signal: AbortSignal) => Promise<void>,
  ): Promise<JudgeReport> {
    const { signal: cancel, isAnswered, onProgress } = this.#options;
    const signal = cancel ? AbortSignal.any([cancel, this.#stop.signal]) : this.#stop.signal;
    await runPool(units.length, concurrency, signal, async (place) => {
      const unit = units[place]!.filter((index) => !isAnswered?.(index));
      if (unit.length === 0) return;
      try {
        await ask(unit, signal);
        this.#failuresInARow = 0;
      } catch (error) {
        if (!ParallaxError.is(error)) {
          this.#stop.abort();
          throw error;
        }
        if (error.id === 'cancelled') return;
        this.#fail(unit, error);
      }
      onProgress?.(this.#progress);
    });
    this.tally.cancelled = cancel?.aborted ?? false;
    return this.tally;
  }

  #fail(unit: Unit, error: ParallaxError): void {
    const failed = unit.filter((index) => !this.#answered.has(index)).length;
    this.tally.asked += failed;
    this.tally.failed += failed;
    this.tally.error ??= error;
    const pointless = isHopeless(error) || error.id === 'store-unusable';
    if (++this.#failuresInARow >= STOP_AFTER_FAILURES || pointless) this.#stop.abort();
  }
}
