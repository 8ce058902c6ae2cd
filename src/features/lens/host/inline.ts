/** The inline figures: connects the detection of calls, their figures, and the surfaces that show them. */
import path from 'node:path';
import * as vscode from 'vscode';
import type { SiteDetector } from '../../../sites/detector.ts';
import { builtInRules, rulesOf } from '../../../sites/rules/library.ts';
import type { Neighbours } from '../../../sites/workspace/neighbours.ts';
import type { LibraryRules } from '../../../core/call-sites/schema.ts';
import { SiteThread } from '../../../site-thread/site-thread.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import type { Memory } from '../../../extension/platform/memory.ts';
import { readSetting } from '../../../extension/platform/contributed.ts';
import type { WorkspaceSnapshot } from '../../../extension/workspace/workspace-folder.ts';
import type { CapturedRun } from '../../capture/contract/captured.ts';
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import type { LivePrograms } from '../../../extension/services/live-programs.ts';
import { CapturedTies } from './captured-ties.ts';
import { CodePreview } from './code-preview.ts';
import { LintDiagnostics } from './lint-diagnostics.ts';
import type { MeasureParts } from './measure-parts.ts';
import { NearbyFiles } from './nearby-files.ts';
import { ownCallAction, ownCallCommands } from './own-calls.ts';
import { siteCommands } from './site-commands.ts';
import type { RunState, SiteState } from './lens-text.ts';
import { SiteDocuments, type LocatedSite } from './site-documents.ts';
import { SiteEvaluations, type KnownSite } from './site-evaluations.ts';
import { SiteSurfaces } from './site-surfaces.ts';
import { isPlanned } from '../../../sites/plan.ts';
import { whatIfEdit } from '../../../sites/what-if-edit.ts';

export interface InlineOptions {
  readonly extensionUri: vscode.Uri;
  readonly engine: Pick<EngineClient, 'request'>;
  readonly snapshot: () => WorkspaceSnapshot;
  readonly memory: Memory;
  /** Captured retrievals, newest first. `undefined` if capturing is off and nothing was captured. */
  readonly captured: () => readonly CapturedRun[] | undefined;
  /** Has captured retrievals judged. @param ids newest first */
  readonly judgeCaptured: (ids: readonly string[]) => Promise<void>;
  readonly live: () => LivePrograms;
  readonly indexed: (corpus: string) => Promise<void>;
  readonly showComparison: (id: string) => Promise<void>;
  readonly editConfig: (edit: (json: string) => string) => Promise<void>;
  readonly addKey: MeasureParts['addKey'];
  readonly log: (message: string) => void;
}

export class Inline implements vscode.Disposable {
  readonly surfaces: SiteSurfaces;
  readonly diagnostics: LintDiagnostics;
  readonly handlers: ReturnType<typeof siteCommands> & ReturnType<typeof ownCallCommands>;
  readonly #changed = new vscode.EventEmitter<void>();
  /** Fires once per run and per change of the configuration, never per keystroke. */
  readonly onDidChange = this.#changed.event;
  /** The built-in rules, and those of a trusted workspace. */
  readonly rules: () => readonly LibraryRules[];
  /** Shared, so that its parser is loaded once. */
  readonly detector: SiteDetector;
  readonly #thread: SiteThread;
  readonly #documents: SiteDocuments;
  readonly #evaluations: SiteEvaluations;
  readonly #ties: CapturedTies;
  readonly #nearby: NearbyFiles;
  readonly #preview = new CodePreview();
  readonly #folder: () => vscode.Uri | undefined;

  constructor(options: InlineOptions) {
    const { extensionUri, snapshot, log } = options;
    const metrics = (): readonly string[] => readSetting('parallax.inline.metrics');
    this.rules = workspaceRules(snapshot);
    this.#folder = () => snapshot().folder;
    this.#thread = siteThread(extensionUri, log);
    this.detector = this.#thread;
    this.#documents = new SiteDocuments({
      detector: this.detector,
      rules: this.rules,
      withoutChecks: () => new Set(readSetting('parallax.diagnostics.disabled')),
      others: (program) => this.#nearby.of(program),
      ask: (program, questions) => this.#nearby.ask(program, questions),
    });
    this.#nearby = new NearbyFiles({
      exports: (text, languageId, { file }) =>
        this.detector.exports(text, languageId, { rules: this.rules(), file }),
      callers: (...args) => this.detector.callers(...args),
      changed: () => {
        this.#show();
        this.diagnostics.refresh();
      },
      log,
    });
    this.#evaluations = new SiteEvaluations({
      engine: options.engine,
      workspace: () => ({
        config: snapshot().config,
        evalQueries: snapshot().evalQueries,
        configProblem: snapshot().configProblem,
        trusted: vscode.workspace.isTrusted,
        judge: readSetting('parallax.judge'),
      }),
      memory: options.memory,
      changed: () => this.#show(),
      indexed: options.indexed,
    });
    this.#ties = new CapturedTies({
      documents: this.#documents,
      runs: options.captured,
      config: () => snapshot().config,
      changed: () => this.#show(),
      log,
    });
    const state = (located: LocatedSite): SiteState => {
      const known = this.#evaluations.state(located);
      return {
        ...known,
        editable: editableWhatIf(located, known),
        captured: this.#ties.of(located),
        run: runState(located, options),
      };
    };
    this.surfaces = new SiteSurfaces({
      documents: this.#documents,
      state,
      display: () => readSetting('parallax.inline.display'),
      metrics,
      log,
    });
    this.diagnostics = new LintDiagnostics(this.#documents, log);
    const siteHandlers = siteCommands({
      documents: this.#documents,
      evaluations: this.#evaluations,
      state,
      preview: this.#preview,
      measuring: {
        engine: options.engine,
        extensionUri,
        folder: this.#folder,
        config: () => snapshot().config,
        editConfig: options.editConfig,
        addKey: options.addKey,
      },
      live: options.live,
      judgeCaptured: options.judgeCaptured,
      config: () => snapshot().config,
      metrics,
      showComparison: options.showComparison,
    });
    this.handlers = {
      ...siteHandlers,
      ...ownCallCommands({ documents: this.#documents, edit: options.editConfig }),
    };
  }

  /** The code action for a call that no rule detects. */
  ownCallAction(document: vscode.TextDocument, range: vscode.Range): Promise<vscode.CodeAction | undefined> {
    return ownCallAction(this.#documents, document, range);
  }

  /** Facts shared by the programs of the workspace. */
  neighbours(): Neighbours {
    return this.#nearby.neighboursOf(this.#folder());
  }

  /** The state of a call, also if its file is not open. */
  stateOf(known: KnownSite): SiteState {
    return this.#evaluations.state(known);
  }

  /** The configuration, settings, trust or eval sets changed. */
  workspaceChanged(): void {
    this.#thread.tryAgain();
    this.#documents.reset();
    this.#nearby.reset();
    this.#evaluations.workspaceChanged();
    this.#ties.refresh();
    this.diagnostics.refresh();
  }

  figuresChanged(): void {
    this.#evaluations.figuresChanged();
  }

  /** A comparison was run again because more of it is judged now. */
  comparedAgain(before: Evaluation, after: Evaluation): void {
    this.#evaluations.comparedAgain(before, after);
  }

  /** Whether an open document has a call that retrieves. */
  async isNearCall(): Promise<boolean> {
    for (const document of vscode.workspace.textDocuments)
      if (SiteDocuments.covers(document) && (await this.#documents.sites(document)).length > 0) return true;
    return false;
  }

  /** Captured retrievals, their judgements, or the state of capturing changed. */
  capturedChanged(): void {
    this.#ties.refresh();
  }

  /** Observing programs started or stopped, or other calls can be asked again. */
  observedChanged(): void {
    this.#show();
  }

  dispose(): void {
    this.#evaluations.dispose();
    this.#ties.dispose();
    this.surfaces.dispose();
    this.diagnostics.dispose();
    this.#preview.dispose();
    this.#nearby.dispose();
    this.#documents.dispose();
    void this.#thread.dispose();
    this.#changed.dispose();
  }

  #show(): void {
    this.#changed.fire();
    void this.surfaces.drawLineEnds();
  }
}

/**
 * Rules of a workspace contain regular expressions, which may run forever, so they apply only if the workspace is
 * trusted.
 */
function workspaceRules(snapshot: () => WorkspaceSnapshot): () => readonly LibraryRules[] {
  let known: { readonly config: unknown; readonly rules: readonly LibraryRules[] } | undefined;
  return () => {
    const { config } = snapshot();
    const isPlain = config.callSites.length === 0 && config.sites.calls.length === 0;
    if (isPlain || !vscode.workspace.isTrusted) return builtInRules();
    if (known?.config !== config) known = { config, rules: rulesOf(config) };
    return known.rules;
  };
}

function siteThread(extensionUri: vscode.Uri, log: (message: string) => void): SiteThread {
  const dist = vscode.Uri.joinPath(extensionUri, 'dist').fsPath;
  return new SiteThread({
    program: path.join(dist, 'call-sites.cjs'),
    wasmFolder: dist,
    texts: vscode.l10n.bundle,
    log,
  });
}

function runState(
  { key, document }: LocatedSite,
  { snapshot, live }: Pick<InlineOptions, 'snapshot' | 'live'>,
): RunState | undefined {
  const canRun = vscode.workspace.isTrusted && snapshot().folder !== undefined;
  if (!canRun || !RUN_SCHEMES.has(document.uri.scheme)) return undefined;
  const programs = live();
  if (!programs.observing) return 'possible';
  if (programs.canMeasure(key)) return 'alive';
  return programs.hasEnded(key) ? 'ended' : 'observing';
}

/** Schemes of documents on disk, which can be run. */
const RUN_SCHEMES = new Set(['file', 'vscode-notebook-cell']);

/** The name of the what-if that can be applied as an edit. Reads the text only of calls that can be edited. */
function editableWhatIf({ document, site }: LocatedSite, { planned }: SiteState): string | undefined {
  if (!site.takesMmr || !isPlanned(planned)) return undefined;
  const text = document.getText();
  return planned.whatIfs.find((whatIf) => whatIfEdit(text, site, whatIf) !== undefined)?.name;
}
