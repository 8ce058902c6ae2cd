/**
 * Marks what both sides quote from a passage under review. The sides differ in line, position and word, not only in
 * colour: "yes" is a solid line below, "no" a dashed one above, so that both are visible on text that both quote.
 */
import * as vscode from 'vscode';
import type { DecidedVerdict } from '../../../core/model.ts';
import { DECIDED_VERDICTS } from '../../../core/words.ts';
import { COLORS } from '../../../shared/manifest/contributions.ts';

type Side = DecidedVerdict;

export interface ReviewMarks {
  readonly passage: vscode.Range;
  readonly evidence: Readonly<Record<Side, readonly vscode.Range[]>>;
}

const SIDE_COLORS = { yes: COLORS.evidenceFor, no: COLORS.evidenceAgainst } as const;
const LINES = {
  yes: { borderStyle: 'solid', borderWidth: '0 0 2px 0' },
  no: { borderStyle: 'dashed', borderWidth: '2px 0 0 0' },
} as const;

export class ReviewDecorations implements vscode.Disposable {
  readonly #passage = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor(COLORS.passageBackground),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
  readonly #evidence = { yes: evidenceType('yes'), no: evidenceType('no') };
  #marked: { readonly uri: string; readonly marks: ReviewMarks } | undefined;
  readonly #subscription = vscode.window.onDidChangeVisibleTextEditors((editors) =>
    editors.forEach((editor) => this.#paint(editor)),
  );

  show(editor: vscode.TextEditor, marks: ReviewMarks): void {
    this.#marked = { uri: editor.document.uri.toString(), marks };
    this.#paintAll();
  }

  clear(): void {
    this.#marked = undefined;
    this.#paintAll();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#passage.dispose();
    for (const side of DECIDED_VERDICTS) this.#evidence[side].dispose();
  }

  #paintAll(): void {
    for (const editor of vscode.window.visibleTextEditors) this.#paint(editor);
  }

  #paint(editor: vscode.TextEditor): void {
    const isMarked = this.#marked?.uri === editor.document.uri.toString();
    const marks = isMarked ? this.#marked?.marks : undefined;
    editor.setDecorations(this.#passage, marks ? [marks.passage] : []);
    for (const side of DECIDED_VERDICTS)
      editor.setDecorations(
        this.#evidence[side],
        (marks?.evidence[side] ?? []).map((range) => ({ range, hoverMessage: HOVERS[side]() })),
      );
  }
}

const HOVERS: Readonly<Record<Side, () => string>> = {
  yes: () => vscode.l10n.t('Quoted for "yes": the passage supports the perspective.'),
  no: () => vscode.l10n.t('Quoted for "no": the passage does not support the perspective.'),
};

function evidenceType(side: Side): vscode.TextEditorDecorationType {
  const color = new vscode.ThemeColor(SIDE_COLORS[side]);
  return vscode.window.createTextEditorDecorationType({
    ...LINES[side],
    borderColor: color,
    overviewRulerColor: color,
    overviewRulerLane: side === 'yes' ? vscode.OverviewRulerLane.Left : vscode.OverviewRulerLane.Right,
    before: {
      contentText: ` ${side} `,
      border: '1px solid',
      borderColor: color,
      margin: '0 4px 0 0',
      fontWeight: 'bold',
    },
  });
}
