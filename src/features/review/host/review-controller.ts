/**
 * Leads a person through the review queue: one pair at a time, the next one after each answer, back with undo.
 * Independent of the editor.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import type { Verdict } from '../../../core/model.ts';
import type { ReviewQueueView } from '../contract/review.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import type { ReviewItemView, ReviewProgress } from './review-text.ts';

export interface ReviewOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly userName: () => string;
  readonly actions: {
    /** Called when the queue has changed. */
    publish(queue: ReviewQueueView): void;
    /** @param takeFocus whether the user opened the pair, instead of it being the next one */
    show(item: ReviewItemView, progress: ReviewProgress, takeFocus: boolean): Promise<void>;
    showEnd(progress: ReviewProgress, waiting: number, takeFocus: boolean): Promise<void>;
    /** Labels were added, so figures that depend on them are out of date. */
    labelled(): void;
    /** A pair could not be shown; the review continues with the next one. */
    warn(message: string): void;
  };
}

/** A step that can be undone: an answer or a skipped pair. */
interface Step {
  readonly id: string;
  /** Time of the answer, which identifies it. */
  readonly at?: string | undefined;
}

const EMPTY: ReviewQueueView = { entries: [], open: 0, waiting: 0 };

export class ReviewController {
  readonly #options: ReviewOptions;
  #queue = EMPTY;
  #current: ReviewItemView | undefined;
  #steps: Step[] = [];
  #note: string | undefined;
  /** A key pressed again before the next pair is shown must not answer that pair. */
  #busy = false;
  #reviewing = false;
  /** Counts readings of the queue, so that a slow one does not overwrite a newer one. */
  #reading = 0;

  constructor(options: ReviewOptions) {
    this.#options = options;
  }

  get queue(): ReviewQueueView {
    return this.#queue;
  }

  get current(): ReviewItemView | undefined {
    return this.#current;
  }

  /** Reads the queue again. */
  async refresh(): Promise<void> {
    const reading = ++this.#reading;
    const { engine, userName, actions } = this.#options;
    const queue = await engine.request('reviewQueue', { by: userName() });
    if (reading !== this.#reading) return;
    this.#queue = queue;
    actions.publish(queue);
  }

  /** Opens the first pair, or the last one shown. */
  next(): Promise<void> {
    return this.#alone(async () => {
      await this.refresh();
      await this.#show(this.#current?.entry.id ?? this.#queue.entries[0]?.id, true);
    });
  }

  open(id: string): Promise<void> {
    return this.#alone(() => this.#show(id, true));
  }

  answer(verdict: Verdict): Promise<void> {
    return this.#alone(async () => {
      const id = this.#current?.entry.id;
      if (id === undefined) return;
      const { engine, userName, actions } = this.#options;
      const note = this.#note === undefined ? {} : { note: this.#note };
      const { at } = await engine.request('reviewAnswer', { id, verdict, by: userName(), ...note });
      this.#steps.push({ id, at });
      actions.labelled();
      await this.#goOn(id);
    });
  }

  skip(): Promise<void> {
    return this.#alone(async () => {
      const id = this.#current?.entry.id;
      if (id === undefined) return;
      await this.#options.engine.request('reviewSkip', { id });
      this.#steps.push({ id });
      await this.#goOn(id);
    });
  }

  /** Takes back the last answer, or returns to the last skipped pair. */
  undo(): Promise<void> {
    return this.#alone(async () => {
      const step = this.#steps.at(-1);
      if (!step) return;
      const { engine, userName, actions } = this.#options;
      if (step.at !== undefined) {
        await engine.request('reviewUndo', { id: step.id, by: userName(), at: step.at });
        actions.labelled();
      }
      this.#steps.pop();
      await this.refresh();
      await this.#show(step.id, false);
    });
  }

  /** A note to store with the answer to the pair in view. `undefined` removes it. */
  async note(text: string | undefined): Promise<void> {
    if (!this.#current) throw new ParallaxError('bad-argument', l10n.t('Open a pair of the review first.'));
    this.#note = text;
    await this.#options.actions.show(this.#current, this.#progress, false);
  }

  get noted(): string | undefined {
    return this.#note;
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.#options.engine.request('reviewRemove', { ids });
    await this.refresh();
  }

  /** The user closed the review; answers are kept. */
  end(): void {
    this.#reviewing = false;
    this.#current = undefined;
    this.#steps = [];
    this.#note = undefined;
  }

  get isReviewing(): boolean {
    return this.#reviewing;
  }

  /** The next pair is the one after this pair, so that a group is not left half-way. */
  async #goOn(from: string): Promise<void> {
    const before = this.#queue.entries.map(({ id }) => id);
    await this.refresh();
    const left = new Set(this.#queue.entries.filter(({ skipped }) => !skipped).map(({ id }) => id));
    const following = before.slice(before.indexOf(from) + 1).find((id) => left.has(id));
    await this.#show(following ?? this.#queue.entries[0]?.id, false);
  }

  /** Shows a pair. If that fails, shows the first pair that can be shown. */
  async #show(id: string | undefined, takeFocus: boolean): Promise<void> {
    const { engine, actions } = this.#options;
    this.#reviewing = true;
    this.#note = undefined;
    for (let next = id; next !== undefined; next = this.#queue.entries[0]?.id) {
      try {
        this.#current = await engine.request('reviewItem', { id: next });
        return await actions.show(this.#current, this.#progress, takeFocus);
      } catch (error) {
        if (!ParallaxError.is(error, 'not-found')) throw error;
        actions.warn(error.message);
        await this.refresh();
        // A pair that stays in the queue although it cannot be shown would repeat forever.
        if (this.#queue.entries[0]?.id === next) throw error;
      }
    }
    this.#current = undefined;
    await actions.showEnd(this.#progress, this.#queue.waiting, takeFocus);
  }

  get #progress(): ReviewProgress {
    const answered = this.#steps.filter(({ at }) => at !== undefined).length;
    return { left: this.#queue.open, answered, ...(this.#note === undefined ? {} : { note: this.#note }) };
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      await work();
    } finally {
      this.#busy = false;
    }
  }
}
