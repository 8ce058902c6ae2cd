/** The likeness of the passages in view. The engine computes it after an answer and for each new order. */
import { ParallaxError } from '../../../core/errors.ts';
import type { InspectorState } from '../contract/panel.ts';
import type { LikenessView } from '../../../shared/likeness.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import type { Answer } from './answer.ts';

type Results = NonNullable<InspectorState['results']>;

export interface LikenessSources {
  readonly engine: Pick<EngineClient, 'request'>;
  /** Called when more is known. */
  readonly changed: () => void;
  readonly log: (message: string) => void;
}

export class AnswerLikeness {
  readonly #answer: Answer;
  readonly #sources: LikenessSources;
  #found: LikenessView | undefined;
  #problem: string | undefined;
  /** Whether the order has changed since the running request. */
  #outdated = false;
  #running: Promise<void> | undefined;

  constructor(answer: Answer, sources: LikenessSources) {
    this.#answer = answer;
    this.#sources = sources;
  }

  /**
   * Computes the likeness for the order in view. While a slider moves, skips orders that are no longer in view. Never
   * throws.
   */
  refresh(): Promise<void> {
    this.#outdated = true;
    this.#running ??= this.#work().finally(() => (this.#running = undefined));
    return this.#running;
  }

  view(): Pick<Results, 'likeness' | 'likenessProblem'> {
    if (this.#problem !== undefined) return { likenessProblem: this.#problem };
    return this.#found ? { likeness: this.#found } : {};
  }

  async #work(): Promise<void> {
    while (this.#outdated) {
      this.#outdated = false;
      await this.#ask();
      this.#sources.changed();
    }
  }

  async #ask(): Promise<void> {
    const { corpus, query, pipeline, candidates, topSlots } = this.#answer;
    if (topSlots.length === 0) return;
    const slots = candidates.map(({ slot }) => slot);
    try {
      this.#found = await this.#sources.engine.request('likeness', {
        corpus,
        question: query.text,
        pipeline,
        candidates: slots,
        top: topSlots,
      });
      this.#problem = undefined;
    } catch (error) {
      // The answer remains usable without the likeness.
      if (ParallaxError.is(error, 'cancelled')) return;
      this.#problem = error instanceof Error ? error.message : String(error);
      this.#sources.log(this.#problem);
    }
  }
}
