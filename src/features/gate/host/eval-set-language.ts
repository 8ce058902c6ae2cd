/** Editing support for eval sets: diagnostics while typing, and completion and hovers for their fields. */
import * as vscode from 'vscode';
import { completionsAt, fieldHelpAt, type Completion } from '../../../core/formats/eval-set-fields.ts';
import { evalSetProblems, type EvalSetProblem } from '../../../core/formats/eval-set-problems.ts';

const SELECTOR: vscode.DocumentSelector = { pattern: '**/*.jsonl' };
/** A pause after the last keystroke, because text being typed is incomplete. */
const QUIET_MS = 400;

export class EvalSetLanguage implements vscode.Disposable {
  readonly #isEvalSet: (uri: vscode.Uri) => boolean;
  readonly #diagnostics = vscode.languages.createDiagnosticCollection('parallax-eval-sets');
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #subscriptions: vscode.Disposable[];

  /** @param isEvalSet whether parallax.json names the file; `*.parallax.jsonl` files are always eval sets */
  constructor(isEvalSet: (uri: vscode.Uri) => boolean) {
    this.#isEvalSet = (uri) => uri.path.endsWith('.parallax.jsonl') || isEvalSet(uri);
    this.#subscriptions = [
      this.#diagnostics,
      vscode.workspace.onDidOpenTextDocument((document) => this.#check(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#checkSoon(document)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#forget(uri)),
      vscode.languages.registerCompletionItemProvider(
        SELECTOR,
        { provideCompletionItems: (document, position) => this.#completions(document, position) },
        '"',
      ),
      vscode.languages.registerHoverProvider(SELECTOR, {
        provideHover: (document, position) => this.#hover(document, position),
      }),
    ];
  }

  /** Checks the open documents again after the eval sets may have changed. */
  update(): void {
    vscode.workspace.textDocuments.forEach((document) => this.#check(document));
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #check(document: vscode.TextDocument): void {
    if (document.isClosed || !this.#isEvalSet(document.uri)) return this.#forget(document.uri);
    this.#diagnostics.set(document.uri, evalSetProblems(document.getText()).map(diagnosticOf));
  }

  #checkSoon(document: vscode.TextDocument): void {
    if (!this.#isEvalSet(document.uri)) return;
    const key = document.uri.toString();
    clearTimeout(this.#timers.get(key));
    const check = (): void => {
      this.#timers.delete(key);
      this.#check(document);
    };
    this.#timers.set(key, setTimeout(check, QUIET_MS));
  }

  #forget(uri: vscode.Uri): void {
    clearTimeout(this.#timers.get(uri.toString()));
    this.#timers.delete(uri.toString());
    this.#diagnostics.delete(uri);
  }

  #completions(document: vscode.TextDocument, position: vscode.Position): vscode.CompletionItem[] {
    if (!this.#isEvalSet(document.uri)) return [];
    const { text, range } = document.lineAt(position.line);
    const replaced = wordAt(text, position);
    const follows = text.slice(replaced.end.character, range.end.character);
    return completionsAt(text, position.character).map((completion, place) => {
      const item = itemOf(completion, /^\s*:/u.test(follows));
      item.range = replaced;
      item.sortText = String(place).padStart(2, '0');
      return item;
    });
  }

  #hover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    if (!this.#isEvalSet(document.uri)) return undefined;
    const help = fieldHelpAt(document.lineAt(position.line).text, position.character);
    if (!help) return undefined;
    const range = new vscode.Range(position.line, help.start, position.line, help.end);
    return new vscode.Hover(new vscode.MarkdownString(help.field.about), range);
  }
}

/** The quoted word around a position, complete or not. */
function wordAt(text: string, { line, character }: vscode.Position): vscode.Range {
  const before = /"?[\w-]*$/u.exec(text.slice(0, character))![0];
  const after = /^[\w-]*"?/u.exec(text.slice(character))![0];
  return new vscode.Range(line, character - before.length, line, character + after.length);
}

/** @param hasValue whether the replaced key has a value already */
function itemOf(completion: Completion, hasValue: boolean): vscode.CompletionItem {
  if (completion.kind === 'value') {
    const item = new vscode.CompletionItem(completion.value, vscode.CompletionItemKind.EnumMember);
    item.filterText = item.insertText = JSON.stringify(completion.value);
    return item;
  }
  const { name, about, value } = completion.field;
  const item = new vscode.CompletionItem(name, vscode.CompletionItemKind.Property);
  const key = JSON.stringify(name);
  item.documentation = new vscode.MarkdownString(about);
  item.filterText = key;
  item.insertText = hasValue ? key : `${key}: ${value}`;
  return item;
}

function diagnosticOf({ line, start, end, severity, message }: EvalSetProblem): vscode.Diagnostic {
  const { Error, Warning } = vscode.DiagnosticSeverity;
  const range = new vscode.Range(line, start, line, end);
  const diagnostic = new vscode.Diagnostic(range, message, severity === 'error' ? Error : Warning);
  diagnostic.source = 'Parallax';
  return diagnostic;
}
