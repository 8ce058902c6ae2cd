/** Diagnostics with quick fixes for arguments that have no effect. They never rate figures. */
import * as vscode from 'vscode';
import { mayBeIntended } from './code-faults.ts';
import { SiteDocuments, type LocatedProblem } from './site-documents.ts';

const SOURCE = 'Parallax';
/** Time after the last keystroke, in milliseconds. */
const SETTLE_MS = 300;

export class LintDiagnostics implements vscode.CodeActionProvider, vscode.Disposable {
  readonly #documents: SiteDocuments;
  readonly #collection = vscode.languages.createDiagnosticCollection('parallax');
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  readonly #log: (message: string) => void;
  readonly #disposables: vscode.Disposable[];

  constructor(documents: SiteDocuments, log: (message: string) => void) {
    this.#documents = documents;
    this.#log = log;
    this.#disposables = [
      this.#collection,
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#soon(document)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#collection.delete(uri)),
    ];
  }

  /** Checks all visible documents again. */
  refresh(): void {
    for (const { document } of vscode.window.visibleTextEditors) void this.update(document);
  }

  async update(document: vscode.TextDocument): Promise<void> {
    if (!SiteDocuments.covers(document) || document.isClosed) return;
    try {
      const version = document.version;
      const problems = await this.#documents.problems(document);
      if (document.version === version && !document.isClosed)
        this.#collection.set(document.uri, problems.map(diagnosticOf));
    } catch (error) {
      this.#log(`${document.uri.path} could not be checked: ${String(error)}`);
    }
  }

  async provideCodeActions(
    document: vscode.TextDocument,
    _range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): Promise<vscode.CodeAction[]> {
    const lints = diagnostics.filter(({ source }) => source === SOURCE);
    if (lints.length === 0) return [];
    const problems = await this.#documents.problems(document);
    return lints.flatMap((diagnostic) => {
      const match = problems.find(
        ({ problem, range }) => problem.id === idOf(diagnostic) && range.isEqual(diagnostic.range),
      );
      return match?.problem.fix ? [this.#fix(document, diagnostic, match.problem.fix)] : [];
    });
  }

  dispose(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #fix(
    document: vscode.TextDocument,
    diagnostic: vscode.Diagnostic,
    fix: NonNullable<LocatedProblem['problem']['fix']>,
  ): vscode.CodeAction {
    const action = new vscode.CodeAction(fix.title, vscode.CodeActionKind.QuickFix);
    const edit = new vscode.WorkspaceEdit();
    for (const { place, text } of fix.edits) {
      const where = this.#documents.locate(document, place);
      if (where) edit.replace(where.uri, where.range, text);
    }
    action.edit = edit;
    action.diagnostics = [diagnostic];
    action.isPreferred = true;
    return action;
  }

  #soon(document: vscode.TextDocument): void {
    if (!SiteDocuments.covers(document)) return;
    const key = document.uri.toString();
    clearTimeout(this.#waiting.get(key));
    const timer = setTimeout(() => {
      this.#waiting.delete(key);
      void this.update(document);
    }, SETTLE_MS);
    this.#waiting.set(key, timer);
  }
}

function diagnosticOf({ problem, range }: LocatedProblem): vscode.Diagnostic {
  const { Information, Warning } = vscode.DiagnosticSeverity;
  const severity = mayBeIntended(problem.id) ? Information : Warning;
  const diagnostic = new vscode.Diagnostic(range, problem.message, severity);
  diagnostic.source = SOURCE;
  if (problem.id === 'replaced-call') diagnostic.tags = [vscode.DiagnosticTag.Deprecated];
  diagnostic.code =
    problem.docs === undefined ? problem.id : { value: problem.id, target: vscode.Uri.parse(problem.docs) };
  return diagnostic;
}

function idOf({ code }: vscode.Diagnostic): unknown {
  return typeof code === 'object' ? code.value : code;
}
