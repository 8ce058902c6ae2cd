/** The pair under review in an editor tab, as a text to read with its keys, around the state of the review. */
import * as vscode from 'vscode';
import { COMMANDS, CONTEXT_KEYS, VIEWS } from '../../../shared/manifest/contributions.ts';
import { showPassage } from '../../../extension/passages/open-passage.ts';
import { setContext } from '../../../extension/platform/contributed.ts';
import { EditorPanel } from '../../../extension/platform/editor-panel.ts';
import type { Services } from '../../../extension/services/services.ts';
import {
  fromReviewSchema,
  type FromReview,
  type ReviewState,
  type ReviewStep,
  type ToReview,
} from '../contract/panel.ts';
import { reviewPair, type ReviewItemView, type ReviewProgress } from './review-text.ts';

const STEPS: { readonly [Step in ReviewStep]: string } = {
  next: COMMANDS.reviewNext,
  yes: COMMANDS.reviewYes,
  no: COMMANDS.reviewNo,
  unsure: COMMANDS.reviewUnsure,
  skip: COMMANDS.reviewSkip,
  undo: COMMANDS.reviewUndo,
  note: COMMANDS.reviewNote,
};

const NONE: ReviewState = { left: 0, answered: 0, waiting: 0 };

export class ReviewPanel implements vscode.Disposable {
  readonly panel: EditorPanel<FromReview, ToReview>;
  readonly #status = vscode.window.createStatusBarItem('parallax.review', vscode.StatusBarAlignment.Right);
  #item: ReviewItemView | undefined;
  #state = NONE;

  /** @param onClosed called when the user closes the tab */
  constructor({ context, log }: Pick<Services, 'context' | 'log'>, onClosed: () => void) {
    this.#status.name = vscode.l10n.t('Parallax Review');
    this.#status.command = COMMANDS.reviewNext;
    this.panel = new EditorPanel<FromReview, ToReview>(context.extensionUri, {
      viewType: VIEWS.reviewedPair,
      title: vscode.l10n.t('Review'),
      bundle: 'review',
      messages: fromReviewSchema,
      onMessage: (message) => void this.#handle(message),
      onInvalidMessage: (problem) => log.error(`The review sent a message of the wrong shape: ${problem}`),
      onVisible: () => this.#post(),
      onClosed: () => {
        this.#item = undefined;
        this.#state = NONE;
        this.#status.hide();
        void setContext(CONTEXT_KEYS.reviewing, false);
        onClosed();
      },
    });
    context.subscriptions.push(this, this.panel);
  }

  get state(): ReviewState {
    return this.#state;
  }

  /** @param item `undefined` if nothing is left to review */
  async show(
    item: ReviewItemView | undefined,
    { left, answered, note, waiting }: ReviewProgress & { readonly waiting: number },
    takeFocus: boolean,
  ): Promise<void> {
    this.#item = item;
    this.#state = { ...(item ? { pair: reviewPair(item, note) } : {}), left, answered, waiting };
    if (takeFocus || !this.panel.isVisible) this.panel.show();
    this.#post();
    await setContext(CONTEXT_KEYS.reviewing, true);
    this.#status.text = `$(checklist) ${vscode.l10n.t('Review: {0} left', left)}`;
    this.#status.tooltip = vscode.l10n.t(
      'In the review or the Review view: Y yes, N no, U unsure, S skip, Z undo',
    );
    this.#status.show();
  }

  dispose(): void {
    this.#status.dispose();
  }

  #post(): void {
    this.panel.post({ type: 'state', state: this.#state });
  }

  async #handle(message: FromReview): Promise<void> {
    if (message.type === 'ready') return this.#post();
    if (message.type === 'step') return void (await vscode.commands.executeCommand(STEPS[message.step]));
    if (this.#item) await showPassage(this.#item.entry.corpus, this.#item.passage, {});
  }
}
