/** The review of drafts without the editor: one draft at a time; each decision of the user changes its line. */
import * as l10n from '@vscode/l10n';
import { parseDraft, type Draft } from '../core/draft.ts';
import { rejection, reviewEdit, rewordEdit, type DraftReview } from '../core/review-draft.ts';
import { asParallaxError, ParallaxError } from '../../../core/errors.ts';
import { applyEdit, type TextEdit } from '../../../core/formats/json-edit.ts';
import { linesOf } from '../../../core/formats/lines.ts';
import type { DraftsState, DraftView, FromDrafts } from '../contract/panel.ts';
import { failureOf } from '../../../shared/panels/failure.ts';
import { perspectiveMark } from '../../inspector/contract/panel.ts';
import type { Remedy } from '../../../shared/remedies.ts';

export interface DraftsOptions {
  /** The text of the drafts file. Empty if it does not exist. */
  readonly read: () => Promise<string>;
  /**
   * Replaces a line of the file.
   *
   * @param line from 1
   * @throws ParallaxError `bad-file` if the line has changed since, or the file cannot be written
   */
  readonly replaceLine: (line: number, before: string, after: string) => Promise<void>;
  readonly actions: {
    publish(state: DraftsState): void;
    addAccepted(): Promise<void>;
    /** The reason for rejecting a draft. `undefined` if the user cancels. */
    askForReason(): Promise<string | undefined>;
    openFile(): Promise<void>;
    applyRemedy(remedy: Remedy): Promise<void>;
  };
}

interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  readonly draft: Draft;
}

/** A change that can be undone. */
interface Step {
  readonly id: string;
  readonly before: string;
}

export class DraftsController {
  readonly #options: DraftsOptions;
  #lines: readonly Line[] = [];
  #unreadable = 0;
  /** Id of the draft in view. */
  #current: string | undefined;
  #steps: Step[] = [];
  #error: DraftsState['error'];
  /** Handles messages one after the other, because a line is read before it is changed. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: DraftsOptions) {
    this.#options = options;
  }

  /** Handles a message of the panel. Failures become part of the state and are never thrown. */
  handle(message: FromDrafts): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      try {
        this.#error = undefined;
        await this.#do(message);
      } catch (error) {
        if (!ParallaxError.is(error, 'cancelled')) this.#error = failureOf(asParallaxError(error));
      }
      this.publish();
    });
    return this.#turn;
  }

  /** Shows the pending drafts after the file was changed or opened. */
  refresh(): Promise<void> {
    return this.handle({ type: 'ready' });
  }

  publish(): void {
    this.#options.actions.publish(this.state());
  }

  state(): DraftsState {
    const current = this.#lines.find(({ draft }) => draft.id === this.#current)?.draft;
    return {
      drafts: this.#lines.map(({ draft: { id, text, review } }) => ({ id, text, review })),
      ...(current ? { current: viewOf(current) } : {}),
      unreadable: this.#unreadable,
      canUndo: this.#steps.length > 0,
      ...(this.#error ? { error: this.#error } : {}),
    };
  }

  async #do(message: FromDrafts): Promise<void> {
    const { actions } = this.#options;
    switch (message.type) {
      case 'ready':
        await this.#read();
        if (!this.#lines.some(({ draft }) => draft.id === this.#current)) this.#goOn(-1);
        return;
      case 'show':
        this.#current = message.id;
        return;
      case 'review':
        return this.#review(message.id, { review: message.review });
      case 'reject-with-reason': {
        const because = await actions.askForReason();
        if (because === undefined) return;
        return this.#review(message.id, rejection(because));
      }
      case 'reword':
        return this.#change(message.id, (line) => rewordEdit(line, message));
      case 'skip':
        return this.#goOn(this.#placeOf(this.#current));
      case 'undo':
        return this.#undo();
      case 'add-accepted':
        return actions.addAccepted();
      case 'open-file':
        return actions.openFile();
      case 'remedy':
        return actions.applyRemedy(message.remedy);
      case 'dismiss-error':
        return;
    }
  }

  async #read(): Promise<void> {
    const lines = new Map<string, Line>();
    this.#unreadable = 0;
    for (const { number, text } of linesOf(await this.#options.read())) {
      const draft = parseDraft(text);
      if (typeof draft === 'string') this.#unreadable++;
      else if (!lines.has(draft.id)) lines.set(draft.id, { number, text, draft });
    }
    this.#lines = [...lines.values()];
  }

  async #review(id: string, review: DraftReview): Promise<void> {
    await this.#change(id, (line) => reviewEdit(line, review));
    this.#goOn(this.#placeOf(id));
  }

  async #change(id: string, edit: (line: string) => TextEdit): Promise<void> {
    await this.#read();
    const { number, text } = this.#lineOf(id);
    await this.#options.replaceLine(number, text, applyEdit(text, edit(text)));
    this.#steps.push({ id, before: text });
    await this.#read();
  }

  async #undo(): Promise<void> {
    const step = this.#steps.pop();
    if (!step) return;
    await this.#read();
    const { number, text } = this.#lineOf(step.id);
    await this.#options.replaceLine(number, text, step.before);
    await this.#read();
    this.#current = step.id;
  }

  #lineOf(id: string): Line {
    const line = this.#lines.find(({ draft }) => draft.id === id);
    if (line) return line;
    throw new ParallaxError('not-found', l10n.t('This draft is no longer in the file.'));
  }

  #placeOf(id: string | undefined): number {
    return this.#lines.findIndex(({ draft }) => draft.id === id);
  }

  /** Goes to the next pending draft after a position, else to one before it. */
  #goOn(from: number): void {
    const inTurn = [...this.#lines.slice(from + 1), ...this.#lines.slice(0, from + 1)];
    this.#current = inTurn.find(({ draft }) => draft.review === 'proposed')?.draft.id;
  }
}

function viewOf({ id, review, because, text, perspectives, passages, made }: Draft): DraftView {
  return {
    id,
    review,
    ...(because === undefined ? {} : { because }),
    text,
    perspectives: perspectives.map(({ id: perspective, text: words, stance, from }, place) => ({
      id: perspective,
      text: words,
      ...(stance ? { stance } : {}),
      ...(from ? { from } : {}),
      ...perspectiveMark(place),
    })),
    passages: passages.map(({ document, name = document, text: words, supports }) => ({
      name,
      text: words,
      supports,
    })),
    model: made.model,
    ...(made.reason === undefined ? {} : { reason: made.reason }),
  };
}
