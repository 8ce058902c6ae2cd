/** Ties captured retrievals to the calls of the open documents, and updates the ties when either changes. */
import * as vscode from 'vscode';
import type { CapturedRun } from '../../capture/contract/captured.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import { boundPipeline, capturedName } from '../../../sites/rebuild.ts';
import {
  askedBy,
  firstTies,
  outdatedRuns,
  siteCaptured,
  tieRuns,
  type FirstTie,
  type OpenSite,
  type SiteCaptured,
} from './captured-sites.ts';
import { rangeOf, SiteDocuments, type LocatedSite } from './site-documents.ts';

export interface CapturedTiesOptions {
  readonly documents: SiteDocuments;
  /** Newest first. `undefined` if capturing is off and nothing was captured. */
  readonly runs: () => readonly CapturedRun[] | undefined;
  readonly config: () => ParallaxConfig;
  /** Called when the shown captured retrievals may have changed. */
  readonly changed: () => void;
  readonly log: (message: string) => void;
}

interface Tied {
  readonly runs: readonly CapturedRun[] | undefined;
  /** Keys of calls by ids of retrievals. */
  readonly ties: ReadonlyMap<string, string>;
  readonly first: ReadonlyMap<string, FirstTie>;
  /** Ids of retrievals. */
  readonly outdated: ReadonlySet<string>;
}

const NOTHING_TIED: Tied = { runs: undefined, ties: new Map(), first: new Map(), outdated: new Set() };

/** Time after the last keystroke, in milliseconds. */
const SETTLE_MS = 250;

export class CapturedTies implements vscode.Disposable {
  readonly #options: CapturedTiesOptions;
  readonly #disposables: vscode.Disposable[];
  #tied: Tied = NOTHING_TIED;
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

  /** Reads only memory. `undefined` if capturing is off and nothing was captured. */
  of({ key, site }: LocatedSite): SiteCaptured | undefined {
    const { runs, ties, outdated } = this.#tied;
    const siteRuns = runs?.filter(({ id }) => ties.get(id) === key);
    return siteRuns && siteCaptured(siteRuns, site.k.value, outdated);
  }

  /**
   * Updates the ties after a change of retrievals, programs or bindings. Failures are logged and leave nothing tied.
   */
  refresh(): void {
    const refresh = ++this.#refresh;
    this.#tie().then(
      (tied) => {
        if (refresh !== this.#refresh) return;
        const same = isSame(tied, this.#tied);
        this.#tied = tied;
        if (!same) this.#options.changed();
      },
      (error: unknown) =>
        this.#options.log(`Captured retrievals could not be tied to calls: ${String(error)}`),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #tie(): Promise<Tied> {
    const runs = this.#options.runs();
    if (!runs || runs.length === 0) return { ...NOTHING_TIED, runs };
    const sites = await this.#openSites();
    const ties = tieRuns(runs, sites, this.#tied.ties);
    const first = firstTies(runs, ties, sites, this.#tied.first);
    return { runs, ties, first, outdated: outdatedRuns(sites, first) };
  }

  async #openSites(): Promise<OpenSite[]> {
    const documents = vscode.workspace.textDocuments.filter(
      (document) => SiteDocuments.covers(document) && OPEN_SCHEMES.has(document.uri.scheme),
    );
    const located = await Promise.all(documents.map((document) => this.#options.documents.sites(document)));
    return located.flat().map((each) => this.#openSite(each));
  }

  #openSite({ key, file, site, document, statement }: LocatedSite): OpenSite {
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
      asked: statement === undefined ? undefined : askedBy(site, statement),
    };
  }
}

/** Leaves out documents of the diff editor and of previews. */
const OPEN_SCHEMES = new Set(['file', 'untitled', 'vscode-notebook-cell']);

function isSame(a: Tied, b: Tied): boolean {
  return a.runs === b.runs && sameEntries(a.ties, b.ties) && sameMembers(a.outdated, b.outdated);
}

function sameEntries(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

function sameMembers(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((one) => b.has(one));
}
