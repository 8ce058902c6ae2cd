/** Keeps captured retrievals tied to the calls of the open documents, as both come and go. */
import * as vscode from 'vscode';
import type { CapturedRun } from '../../shared/capture/captured.ts';
import type { ParallaxConfig } from '../../shared/config.ts';
import { boundPipeline, capturedName } from '../../sites/rebuild.ts';
import { siteCaptured, tieRuns, type OpenSite, type SiteCaptured } from './captured-sites.ts';
import { rangeOf, SiteDocuments, type LocatedSite } from './site-documents.ts';

export interface CapturedTiesOptions {
  readonly documents: SiteDocuments;
  /** Newest first; nothing while none are captured and none are there. */
  readonly runs: () => readonly CapturedRun[] | undefined;
  readonly config: () => ParallaxConfig;
  /** Something that is shown changed. */
  readonly changed: () => void;
  readonly log: (message: string) => void;
}

/** After the last keystroke. */
const SETTLE_MS = 250;

export class CapturedTies implements vscode.Disposable {
  readonly #options: CapturedTiesOptions;
  readonly #disposables: vscode.Disposable[];
  /** Keys of calls by the ids of retrievals. */
  #ties: ReadonlyMap<string, string> = new Map();
  #runs: readonly CapturedRun[] | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Counts refreshes, so that a slow one does not overwrite a newer one. */
  #refresh = 0;

  constructor(options: CapturedTiesOptions) {
    this.#options = options;
    const later = (document: vscode.TextDocument): void => {
      if (options.runs() === undefined || !SiteDocuments.covers(document)) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.refresh(), SETTLE_MS);
    };
    this.#disposables = [
      vscode.workspace.onDidOpenTextDocument(later),
      vscode.workspace.onDidCloseTextDocument(later),
      vscode.workspace.onDidChangeTextDocument(({ document }) => later(document)),
    ];
  }

  /** From memory alone; nothing while nothing is, and nothing was, captured. */
  of({ key, site }: LocatedSite): SiteCaptured | undefined {
    if (!this.#runs) return undefined;
    return siteCaptured(
      this.#runs.filter(({ id }) => this.#ties.get(id) === key),
      site.k.value,
    );
  }

  /** Retrievals, programs or bindings changed. Failures are logged: nothing is tied then. */
  refresh(): void {
    const refresh = ++this.#refresh;
    this.#tie().then(
      ({ runs, ties }) => {
        const same = runs === this.#runs && sameEntries(ties, this.#ties);
        if (refresh !== this.#refresh || same) return;
        this.#runs = runs;
        this.#ties = ties;
        this.#options.changed();
      },
      (error: unknown) =>
        this.#options.log(`Captured retrievals could not be tied to calls: ${String(error)}`),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #tie(): Promise<{ runs: readonly CapturedRun[] | undefined; ties: ReadonlyMap<string, string> }> {
    const runs = this.#options.runs();
    if (!runs || runs.length === 0) return { runs, ties: new Map() };
    return { runs, ties: tieRuns(runs, await this.#openSites(), this.#ties) };
  }

  async #openSites(): Promise<OpenSite[]> {
    const documents = vscode.workspace.textDocuments.filter(
      (document) => SiteDocuments.covers(document) && OPEN_SCHEMES.has(document.uri.scheme),
    );
    const located = await Promise.all(documents.map((document) => this.#options.documents.sites(document)));
    return located.flat().map((each) => this.#openSite(each));
  }

  #openSite({ key, file, site, document }: LocatedSite): OpenSite {
    const { pipelines, bindings } = this.#options.config();
    const places = [site.statement, ...site.uses].filter(({ cell }) => cell === site.range.cell);
    return {
      key,
      path: document.uri.scheme === 'file' ? document.uri.fsPath : undefined,
      language: document.languageId,
      site,
      lines: places.map((place) => {
        const { start, end } = rangeOf(document, place);
        return { first: start.line + 1, last: end.line + 1 };
      }),
      bound: capturedName(boundPipeline(site, file, bindings), pipelines),
    };
  }
}

/** Not the documents that compare or preview a program. */
const OPEN_SCHEMES = new Set(['file', 'untitled', 'vscode-notebook-cell']);

function sameEntries(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}
