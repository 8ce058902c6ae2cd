/**
 * Marks a retrieved passage and its evidence in the colours and letters of the side panel. Decorations move with edits
 * and stay until another passage is opened or they are cleared.
 */
import * as vscode from 'vscode';
import { COLORS, CONTEXT_KEYS } from '../../shared/manifest/contributions.ts';
import { PERSPECTIVE_COLORS } from '../../features/inspector/contract/panel.ts';
import { setContext } from '../platform/contributed.ts';
import { letterIcon } from './letter-icon.ts';

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
  /** For evidence of several perspectives, whose colours would hide each other. */
  readonly #shared = vscode.window.createTextEditorDecorationType({
    border: '2px double currentcolor',
    borderWidth: '0 0 3px 0',
  });
  /** By the letters in the gutter. */
  readonly #letters = new Map<string, vscode.TextEditorDecorationType>();
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
    const groups = groupsOf(marked?.marks ?? []);
    const shared = groups.filter(({ length }) => length > 1);
    editor.setDecorations(this.#shared, shared.map(decorationOf));
    this.#evidence.forEach((type, index) => {
      const groupsOfColor = groups.filter((group) => group.length === 1 && group[0]!.color === index);
      editor.setDecorations(type, groupsOfColor.map(decorationOf));
    });
    this.#paintLetters(editor, marked?.marks ?? []);
  }

  /** Shows the letters of a line in its gutter, because colour must not be the only cue. */
  #paintLetters(editor: vscode.TextEditor, marks: readonly EvidenceMark[]): void {
    const lines = Map.groupBy(marks, ({ range }) => range.start.line);
    const ranges = Map.groupBy(lines, ([, lineMarks]) => lettersOf(lineMarks).join(' '));
    for (const letters of ranges.keys())
      if (!this.#letters.has(letters)) this.#letters.set(letters, letterType(letters.split(' ')));
    for (const [letters, type] of this.#letters)
      editor.setDecorations(
        type,
        (ranges.get(letters) ?? []).map(([line]) => new vscode.Range(line, 0, line, 0)),
      );
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#passage.dispose();
    for (const type of [this.#shared, ...this.#evidence, ...this.#letters.values()]) type.dispose();
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

function groupsOf(marks: readonly EvidenceMark[]): EvidenceMark[][] {
  const key = ({ range: { start, end } }: EvidenceMark): string =>
    `${start.line}:${start.character}-${end.line}:${end.character}`;
  return [...Map.groupBy(marks, key).values()];
}

const lettersOf = (marks: readonly EvidenceMark[]): string[] => [
  ...new Set(marks.map(({ letter }) => letter)),
];

/** An image cannot use theme colours. */
const DARK_GRAY = '#424242';
const LIGHT_GRAY = '#c5c5c5';

function letterType(letters: readonly string[]): vscode.TextEditorDecorationType {
  const icon = (color: string): vscode.Uri =>
    vscode.Uri.parse(
      `data:image/svg+xml;base64,${Buffer.from(letterIcon(letters, color)).toString('base64')}`,
    );
  return vscode.window.createTextEditorDecorationType({
    light: { gutterIconPath: icon(DARK_GRAY) },
    dark: { gutterIconPath: icon(LIGHT_GRAY) },
    gutterIconSize: 'contain',
  });
}

function decorationOf(marks: readonly EvidenceMark[]): vscode.DecorationOptions {
  const hover = new vscode.MarkdownString();
  for (const { letter, perspective, verdictBy } of marks) {
    hover.appendText(`${letter}: ${perspective}`);
    hover.appendMarkdown('\n\n');
    hover.appendText(verdictBy);
    hover.appendMarkdown('\n\n');
  }
  return { range: marks[0]!.range, hoverMessage: hover };
}
