/**
 * Marks a retrieved passage and the evidence in it, in the colours and letters of the side panel.
 * Marks move with edits (decorations do) and stay until another passage is opened or they are cleared.
 */
import * as vscode from 'vscode';
import { COLORS, CONTEXT_KEYS } from '../../shared/manifest/contributions.ts';
import { PERSPECTIVE_COLORS } from '../../shared/panels/inspector.ts';
import { setContext } from '../platform/contributed.ts';

export interface EvidenceMark {
  readonly range: vscode.Range;
  /** Letter and palette colour of the perspective, as in the panel. */
  readonly letter: string;
  readonly color: number;
  readonly perspective: string;
  readonly verdictBy: string;
}

export class EvidenceDecorations implements vscode.Disposable {
  readonly #passage = vscode.window.createTextEditorDecorationType({
    isWholeLine: false,
    backgroundColor: new vscode.ThemeColor(COLORS.passageBackground),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
  readonly #evidence = Array.from({ length: PERSPECTIVE_COLORS }, (_, index) => evidenceType(index));
  #marked: { uri: string; passage: vscode.Range; marks: readonly EvidenceMark[] } | undefined;
  readonly #subscription = vscode.window.onDidChangeVisibleTextEditors((editors) =>
    editors.forEach((e) => this.#paint(e)),
  );

  show(editor: vscode.TextEditor, passage: vscode.Range, marks: readonly EvidenceMark[]): void {
    this.clear();
    this.#marked = { uri: editor.document.uri.toString(), passage, marks };
    for (const visible of vscode.window.visibleTextEditors) this.#paint(visible);
    void setContext(CONTEXT_KEYS.evidenceShown, true);
  }

  clear(): void {
    this.#marked = undefined;
    for (const editor of vscode.window.visibleTextEditors) this.#paint(editor);
    void setContext(CONTEXT_KEYS.evidenceShown, false);
  }

  #paint(editor: vscode.TextEditor): void {
    const marked = this.#marked?.uri === editor.document.uri.toString() ? this.#marked : undefined;
    editor.setDecorations(this.#passage, marked ? [marked.passage] : []);
    this.#evidence.forEach((type, index) => {
      const marks = marked?.marks.filter(({ color }) => color === index) ?? [];
      editor.setDecorations(type, marks.map(decorationOf));
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#passage.dispose();
    for (const type of this.#evidence) type.dispose();
  }
}

function evidenceType(index: number): vscode.TextEditorDecorationType {
  const color = new vscode.ThemeColor(COLORS.perspective(index));
  return vscode.window.createTextEditorDecorationType({
    borderColor: color,
    borderStyle: 'solid',
    borderWidth: '0 0 2px 0',
    overviewRulerColor: color,
    overviewRulerLane: vscode.OverviewRulerLane.Right,
  });
}

function decorationOf({
  range,
  perspective,
  verdictBy,
  letter,
  color,
}: EvidenceMark): vscode.DecorationOptions {
  const hover = new vscode.MarkdownString();
  hover.appendText(`${letter}: ${perspective}`);
  hover.appendMarkdown('\n\n');
  hover.appendText(verdictBy);
  // Colour alone must not carry the meaning: the letter stands before the evidence, as in the panel.
  const before = {
    contentText: ` ${letter} `,
    border: '1px solid',
    borderColor: new vscode.ThemeColor(COLORS.perspective(color)),
    margin: '0 4px 0 0',
    fontWeight: 'bold',
  };
  return { range, hoverMessage: hover, renderOptions: { before } };
}
