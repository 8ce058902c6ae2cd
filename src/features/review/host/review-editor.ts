/**
 * Shows a pair: its passage in the document, and beside it a text with the question, the keys and the arguments. A
 * read-only text instead of comment threads: nothing to dismiss, no input box that takes the keys, no panel that opens,
 * and the whole debate in one place.
 */
import * as vscode from 'vscode';
import { evidenceOfSides } from '../core/opinions.ts';
import { CONTEXT_KEYS, REVIEW_SCHEME } from '../../../shared/manifest/contributions.ts';
import type { EvidenceDecorations } from '../../../extension/passages/evidence-decorations.ts';
import { showPassage } from '../../../extension/passages/open-passage.ts';
import { setContext } from '../../../extension/platform/contributed.ts';
import { ReviewDecorations } from './review-decorations.ts';
import type { ReviewSurface } from './review-surface.ts';
import {
  endText,
  noReviewText,
  reviewText,
  type ReviewItemView,
  type ReviewProgress,
} from './review-text.ts';

const REVIEW_URI = vscode.Uri.from({ scheme: REVIEW_SCHEME, path: '/Review.md' });

export interface ReviewEditorOptions {
  readonly surface: ReviewSurface;
  /** Marks of the side panel, which are removed during a review. */
  readonly panelMarks: EvidenceDecorations;
  /** Called when the user closes the text. */
  readonly onClosed: () => void;
}

export class ReviewEditor implements vscode.Disposable {
  readonly #options: ReviewEditorOptions;
  readonly #decorations = new ReviewDecorations();
  readonly #status = vscode.window.createStatusBarItem('parallax.review', vscode.StatusBarAlignment.Right);
  readonly #subscription = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
    if (closed.some(isReview) && !vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(isReview)))
      this.#close();
  });
  #text = noReviewText();

  constructor(options: ReviewEditorOptions) {
    this.#options = options;
    this.#status.name = vscode.l10n.t('Parallax Review');
    this.#status.command = {
      command: 'vscode.open',
      title: vscode.l10n.t('Show the review'),
      arguments: [REVIEW_URI],
    };
  }

  get text(): string {
    return this.#text;
  }

  async show(item: ReviewItemView, progress: ReviewProgress, takeFocus: boolean): Promise<void> {
    this.#options.panelMarks.clear();
    this.#decorations.clear();
    const shown = await showPassage(item.entry.corpus, item.passage, {
      viewColumn: vscode.ViewColumn.One,
      preserveFocus: true,
    });
    if (shown) {
      const { yes, no } = evidenceOfSides(item.opinions);
      const evidence = { yes: yes.map(shown.rangeOf), no: no.map(shown.rangeOf) };
      this.#decorations.show(shown.editor, { passage: shown.whole, evidence });
    }
    await this.#showText(reviewText(item, progress), progress.left, takeFocus);
  }

  async showEnd(progress: ReviewProgress, waiting: number, takeFocus: boolean): Promise<void> {
    this.#decorations.clear();
    await this.#showText(endText(progress, waiting), 0, takeFocus);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#decorations.dispose();
    this.#status.dispose();
  }

  async #showText(text: string, left: number, takeFocus: boolean): Promise<void> {
    this.#text = text;
    this.#options.surface.refreshText(REVIEW_URI);
    await setContext(CONTEXT_KEYS.reviewing, true);
    this.#status.text = `$(checklist) ${vscode.l10n.t('Review: {0} left', left)}`;
    this.#status.tooltip = vscode.l10n.t(
      'In the review text or the Review view: Y yes, N no, U unsure, S skip, Z undo',
    );
    this.#status.show();
    const document = await vscode.workspace.openTextDocument(REVIEW_URI);
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Two,
      preserveFocus: !takeFocus,
      preview: false,
    });
    // A replaced text keeps the scroll position of the previous pair.
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    editor.revealRange(new vscode.Range(0, 0, 0, 0), vscode.TextEditorRevealType.AtTop);
  }

  #close(): void {
    this.#text = noReviewText();
    this.#decorations.clear();
    this.#status.hide();
    void setContext(CONTEXT_KEYS.reviewing, false);
    this.#options.onClosed();
  }
}

function isReview({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputText && input.uri.toString() === REVIEW_URI.toString();
}
