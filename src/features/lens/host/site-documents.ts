/** The call sites of open documents and notebooks: detected on request, once per version. */
import * as vscode from 'vscode';
import type { Detection, SiteDetector } from '../../../sites/detector.ts';
import { siteKeys } from '../../../sites/keys.ts';
import type { CallSite, LintId, Place, SiteLink, SiteProblem } from '../../../sites/model.ts';
import type { LibraryRules } from '../../../core/call-sites/schema.ts';
import type { ParameterQuestion } from '../../../sites/workspace/parameter-question.ts';
import type { OtherFiles } from '../../../sites/workspace/other-files.ts';
import { INLINE_LANGUAGES } from './languages.ts';
import type { OpenProgram } from './nearby-files.ts';

export interface LocatedSite {
  /** Stable as long as the call stays in its function; lines may move. */
  readonly key: string;
  /** Path relative to the workspace folder. */
  readonly file: string;
  readonly site: CallSite;
  /** The file or the notebook cell. */
  readonly document: vscode.TextDocument;
  /** The text of the statement with the call. `undefined` while the text around it does not parse. */
  readonly statement: string | undefined;
}

export interface LocatedProblem {
  readonly problem: SiteProblem;
  readonly range: vscode.Range;
}

export interface SiteDocumentsOptions {
  readonly detector: SiteDetector;
  readonly rules: () => readonly LibraryRules[];
  readonly withoutChecks: () => ReadonlySet<LintId>;
  /** What is known so far about the files that a program imports. */
  readonly others: (program: OpenProgram) => OtherFiles | undefined;
  /** Requests the lookup of parameters that callers in other files set. */
  readonly ask: (program: OpenProgram, questions: readonly ParameterQuestion[]) => void;
}

/**
 * A call that runs a retriever, with the place that makes it, or a call of a function that retrieves, with the place
 * where it does.
 */
export interface LocatedUse {
  readonly range: vscode.Range;
  /** Whether the call is of a function of the workspace. */
  readonly isWrapper: boolean;
  /** The function that makes the retriever, e.g. `as_retriever`. `undefined` if it is in another file. */
  readonly callee: string | undefined;
  /** Path relative to the workspace folder. `undefined` for the same file. */
  readonly file: string | undefined;
  readonly creation: vscode.Location;
}

interface Entry {
  readonly version: string;
  readonly otherFiles: OtherFiles | undefined;
  readonly detection: Promise<Detection>;
}

export class SiteDocuments implements vscode.Disposable {
  readonly #options: SiteDocumentsOptions;
  readonly #detector: SiteDetector;
  readonly #entries = new Map<string, Entry>();
  readonly #disposables: vscode.Disposable[];
  /** Counts changes of rules and checks, after which documents are analysed again. */
  #revision = 0;

  constructor(options: SiteDocumentsOptions) {
    this.#options = options;
    this.#detector = options.detector;
    this.#disposables = [
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#entries.delete(uri.toString())),
      vscode.workspace.onDidCloseNotebookDocument(({ uri }) => this.#entries.delete(uri.toString())),
    ];
  }

  static covers({ languageId }: vscode.TextDocument): boolean {
    return (INLINE_LANGUAGES as readonly string[]).includes(languageId);
  }

  get detector(): SiteDetector {
    return this.#detector;
  }

  /** Called when rules or checks have changed. */
  reset(): void {
    this.#revision++;
  }

  /** The call sites of a file or a notebook cell. */
  async sites(document: vscode.TextDocument): Promise<readonly LocatedSite[]> {
    const program = new ProgramDocuments(document);
    const { sites } = await this.#detect(program);
    const keys = siteKeys(program.file, sites);
    return sites.flatMap((site, place) =>
      program.cell(site.range) === document
        ? [{ key: keys[place]!, file: program.file, site, document, statement: statementOf(document, site) }]
        : [],
    );
  }

  async problems(document: vscode.TextDocument): Promise<readonly LocatedProblem[]> {
    const program = new ProgramDocuments(document);
    const { problems } = await this.#detect(program);
    return problems.flatMap((problem) =>
      program.cell(problem.place) === document ? [{ problem, range: rangeOf(document, problem.place) }] : [],
    );
  }

  /** Calls of the document that run retrievers made on other lines of the program or in other files. */
  async uses(document: vscode.TextDocument): Promise<readonly LocatedUse[]> {
    const program = new ProgramDocuments(document);
    const { sites, links } = await this.#detect(program);
    const wrappers = links.flatMap((link) => this.#wrapperAt(document, program, link));
    const uses = sites.flatMap((site): LocatedUse[] => {
      const elsewhere = site.madeIn && program.cell(site.range) === document ? [site.madeIn] : [];
      const creation = this.locate(document, site.range);
      const here = site.uses.filter((use) => program.cell(use) === document);
      return [
        ...elsewhere.flatMap(({ file, line }): LocatedUse[] => {
          const uri = program.besides(file);
          const at = new vscode.Position(line - 1, 0);
          const range = rangeOf(document, site.range);
          const otherCreation = uri && new vscode.Location(uri, at);
          return otherCreation
            ? [{ range, isWrapper: false, callee: undefined, file, creation: otherCreation }]
            : [];
        }),
        ...here.flatMap((use): LocatedUse[] => {
          const range = rangeOf(document, use);
          const isBeside = creation?.uri === document.uri && creation.range.start.line === range.start.line;
          return creation && !isBeside
            ? [{ range, isWrapper: false, callee: site.callee, file: undefined, creation }]
            : [];
        }),
      ];
    });
    return [...uses, ...wrappers];
  }

  #wrapperAt(
    document: vscode.TextDocument,
    program: ProgramDocuments,
    { range: place, to }: SiteLink,
  ): LocatedUse[] {
    if (program.cell(place) !== document) return [];
    const range = rangeOf(document, place);
    const link = { range, isWrapper: true, callee: undefined };
    if (to.kind === 'here') {
      const creation = this.locate(document, to.place);
      return creation ? [{ ...link, file: undefined, creation }] : [];
    }
    const uri = program.besides(to.file);
    const creation = uri && new vscode.Location(uri, new vscode.Position(to.line - 1, 0));
    return creation ? [{ ...link, file: to.file, creation }] : [];
  }

  /** The location of a place in the program of a document. */
  locate(document: vscode.TextDocument, place: Place): vscode.Location | undefined {
    const cellDocument = new ProgramDocuments(document).cell(place);
    return cellDocument && new vscode.Location(cellDocument.uri, rangeOf(cellDocument, place));
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
    this.#entries.clear();
  }

  #detect(program: ProgramDocuments): Promise<Detection> {
    const version = `${this.#revision}:${program.version}`;
    const entry = this.#entries.get(program.key);
    const otherFiles = this.#options.others(program);
    if (entry?.version === version && entry.otherFiles === otherFiles) return entry.detection;
    const { notebook, first } = program;
    const text = first.getText();
    const cells = notebook?.getCells().map(({ document }) => ({
      languageId: document.languageId,
      text: document.getText(),
    }));
    // One after the other, because call sites of the previous version persist while code is typed.
    const detection = settled(entry?.detection).then((previous) => {
      const options = {
        rules: this.#options.rules(),
        without: this.#options.withoutChecks(),
        previous,
        otherFiles,
        file: program.file,
      };
      return cells
        ? this.#detector.detectNotebook(cells, options)
        : this.#detector.detect(text, first.languageId, options);
    });
    this.#entries.set(program.key, { version, otherFiles, detection });
    const opened = { uri: program.uri, text: program.text, languageId: program.languageId };
    void settled(detection).then((result) => {
      if (result && this.#entries.get(program.key)?.detection === detection)
        this.#options.ask(opened, result.questions);
    });
    return detection;
  }
}

/** The detection, or `undefined` if it failed; its caller gets the error. */
async function settled(detection: Promise<Detection> | undefined): Promise<Detection | undefined> {
  const [result] = await Promise.allSettled([detection]);
  return result.status === 'fulfilled' ? result.value : undefined;
}

/** A file counts as one cell; the cells of a notebook form one program. */
class ProgramDocuments {
  readonly first: vscode.TextDocument;
  readonly notebook: vscode.NotebookDocument | undefined;

  constructor(document: vscode.TextDocument) {
    this.first = document;
    this.notebook =
      document.uri.scheme === 'vscode-notebook-cell'
        ? vscode.workspace.notebookDocuments.find((notebook) =>
            notebook.getCells().some((cell) => cell.document === document),
          )
        : undefined;
  }

  get uri(): vscode.Uri {
    return this.notebook?.uri ?? this.first.uri;
  }

  get key(): string {
    return this.uri.toString();
  }

  get file(): string {
    return vscode.workspace.asRelativePath(this.uri, false);
  }

  get version(): string {
    const documents = this.notebook?.getCells().map(({ document }) => document) ?? [this.first];
    return documents
      .map(({ uri, version, languageId }) => `${uri.fragment}/${version}/${languageId}`)
      .join(',');
  }

  /** The text of all cells in a supported language whose imports are read. */
  get text(): string {
    return this.#spoken.map((document) => document.getText()).join('\n');
  }

  get languageId(): string {
    return this.#spoken[0]?.languageId ?? this.first.languageId;
  }

  /** A file of the same workspace folder. */
  besides(file: string): vscode.Uri | undefined {
    const folder = vscode.workspace.getWorkspaceFolder(this.uri);
    return folder && vscode.Uri.joinPath(folder.uri, file);
  }

  get #spoken(): readonly vscode.TextDocument[] {
    if (!this.notebook) return [this.first];
    return this.notebook
      .getCells()
      .map(({ document }) => document)
      .filter((document) => SiteDocuments.covers(document));
  }

  cell({ cell }: Place): vscode.TextDocument | undefined {
    return this.notebook ? this.notebook.getCells()[cell]?.document : this.first;
  }
}

function statementOf(document: vscode.TextDocument, { held, statement }: CallSite): string | undefined {
  return held ? undefined : document.getText(rangeOf(document, statement));
}

export function rangeOf(document: vscode.TextDocument, { start, end }: Place): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}
