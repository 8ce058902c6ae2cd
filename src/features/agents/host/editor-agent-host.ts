/** Gives agents' tools the open workspace, its engine, and the inline figures. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { CallBudget } from '../tools/call-budget.ts';
import type { AgentHost, AgentWork, AgentWorkspace, KnownFigures } from '../tools/host.ts';
import {
  FOREIGN_FOLDERS,
  MAX_PROGRAM_BYTES,
  namedProgram,
  notInWorkspace,
  PROGRAM_FILES,
  programOf,
  type Program,
} from '../tools/programs.ts';
import { messageOf, ParallaxError, throwIfCancelled } from '../../../core/errors.ts';
import type { EngineMethod, Params, Result } from '../../../shared/rpc.ts';
import type { SiteDetector } from '../../../sites/detector.ts';
import { MAX_PROGRAMS } from '../../../sites/limits.ts';
import type { CallSite } from '../../../sites/model.ts';
import type { Neighbours } from '../../../sites/workspace/neighbours.ts';
import type { LibraryRules } from '../../../core/call-sites/schema.ts';
import { CONFIG_FILE, type ParallaxConfig } from '../../../shared/config.ts';
import type { CostSettings } from '../../../extension/judging/cost-settings.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import { chooseJudge, judgeChoices } from '../../../extension/judging/judge-choice.ts';
import { staysInside } from '../../../extension/platform/inside-folder.ts';
import { readText } from '../../../extension/platform/read-text.ts';
import type { Agreement } from './agreement.ts';
import { requireUsableConfig } from '../../../extension/workspace/usable-config.ts';
import type { WorkspaceSnapshot } from '../../../extension/workspace/workspace-folder.ts';

/** The calls in the workspace's programs, with the figures shown beside them. */
export interface KnownCalls {
  /** Shared, so that its parser is loaded once. */
  readonly detector: SiteDetector;
  readonly rules: () => readonly LibraryRules[];
  /** As read for the inline figures. */
  readonly neighbours: () => Neighbours;
  /** As shown beside the call. */
  stateOf(call: { readonly key: string; readonly file: string; readonly site: CallSite }): {
    readonly figures: Omit<KnownFigures, 'stale'> | undefined;
    readonly stale: boolean;
  };
}

export interface EditorAgentHostOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly calls: KnownCalls;
  /** Resolves once the workspace has been read. */
  readonly snapshot: () => Promise<WorkspaceSnapshot>;
  /** Reads the workspace again. */
  readonly reread: () => Promise<unknown>;
  /** Setting `parallax.judge`. */
  readonly judgeSetting: () => string;
  readonly costSettings: () => CostSettings;
  /** What a person has allowed in this workspace. */
  readonly agreement: Agreement;
  /** Called after a corpus was indexed. */
  readonly indexed: (corpus: string) => Promise<void>;
}

export class EditorAgentHost implements AgentHost {
  readonly configFile = CONFIG_FILE;
  readonly detector: SiteDetector;
  readonly #options: EditorAgentHostOptions;

  constructor(options: EditorAgentHostOptions) {
    this.#options = options;
    this.detector = options.calls.detector;
  }

  /** @throws ParallaxError `bad-config`, because an agent would mistake defaults for the content of parallax.json */
  async workspace(): Promise<AgentWorkspace> {
    const { config, evalQueries, configProblem, configured } = await this.#options.snapshot();
    requireUsableConfig(configProblem);
    const choices = judgeChoices(config);
    return {
      config,
      evalQueries,
      trusted: vscode.workspace.isTrusted,
      judge: chooseJudge(choices, config, this.#options.judgeSetting()).name,
      judges: Object.fromEntries(choices.map(({ name, config: judge }) => [name, judge])),
      prices: this.#options.costSettings().prices,
      rules: this.#options.calls.rules(),
      configured,
    };
  }

  async readText(file: string): Promise<string> {
    const uri = await this.#placeOf(file);
    try {
      return await readText(uri);
    } catch (error) {
      if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return '';
      throw error;
    }
  }

  async writeText(file: string, text: string): Promise<void> {
    const uri = await this.#placeOf(file);
    try {
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    } catch (error) {
      throw new ParallaxError(
        'bad-file',
        vscode.l10n.t('{0} could not be written: {1}.', file, messageOf(error)),
        { cause: error },
      );
    }
    await this.#options.reread();
  }

  /** @throws ParallaxError `not-found` for a link that leads out of the folder */
  async #placeOf(file: string): Promise<vscode.Uri> {
    const { folder } = await this.#options.snapshot();
    if (!folder) throw notInWorkspace(file);
    const uri = vscode.Uri.joinPath(folder, file);
    if (!(await staysInside(folder.fsPath, uri.fsPath))) throw notInWorkspace(file);
    return uri;
  }

  requireAgreed(config: ParallaxConfig): Promise<void> {
    return this.#options.agreement.require(config);
  }

  request<M extends EngineMethod>(method: M, params: Params<M>, work: AgentWork): Promise<Result<M>> {
    return this.#options.engine.request(method, params, work);
  }

  /** An existing index is kept up to date automatically. */
  async prepareCorpus(corpus: string, work: AgentWork): Promise<void> {
    const { indexed } = await this.request('status', { corpus }, work);
    if (indexed) return;
    await this.request('index', { corpus, rebuild: false }, work);
    await this.#options.indexed(corpus);
  }

  async *programs(file: string | undefined, signal: AbortSignal | undefined): AsyncIterable<Program> {
    const { folder } = await this.#options.snapshot();
    if (!folder) return;
    if (file !== undefined) {
      const uri = await inside(folder, file);
      const text = await readProgram(uri).catch(() => undefined);
      if (text === undefined) throw notInWorkspace(file);
      yield namedProgram(nameOf(uri), text);
      return;
    }
    const files = await vscode.workspace.findFiles(
      new vscode.RelativePattern(folder, PROGRAM_FILES),
      `**/{${FOREIGN_FOLDERS.join(',')}}/**`,
      MAX_PROGRAMS,
    );
    for (const uri of files.sort((a, b) => a.path.localeCompare(b.path))) {
      throwIfCancelled(signal);
      // A link may be broken or lead out of the folder; the other programs still count.
      const text = await inside(folder, uri.fsPath)
        .then(readWhereSmall)
        .catch(() => undefined);
      const program = text === undefined ? undefined : programOf(nameOf(uri), text);
      if (program) yield program;
    }
  }

  neighbours(): Neighbours {
    return this.#options.calls.neighbours();
  }

  figuresOf(key: string, file: string, site: CallSite): KnownFigures | undefined {
    const { figures, stale } = this.#options.calls.stateOf({ key, file, site });
    return figures && { ...figures, stale };
  }

  /** Each run of judging has its own budget, as in the panels. */
  budget(): CallBudget {
    const { requestBudget } = this.#options.costSettings();
    return new CallBudget({
      ...(requestBudget > 0 ? { limit: requestBudget } : {}),
      setBy: vscode.l10n.t('the setting parallax.requestBudget'),
      beyond: 'stop',
    });
  }
}

/** @throws ParallaxError `not-found` for a path or link that leads out of the folder */
async function inside(folder: vscode.Uri, file: string): Promise<vscode.Uri> {
  const place = path.resolve(folder.fsPath, file);
  const real = await realpath(place).catch(() => undefined);
  const relative = real === undefined ? '' : path.relative(await realpath(folder.fsPath), real);
  const isOutside = relative === '' || relative === '..' || relative.startsWith(`..${path.sep}`);
  if (isOutside || path.isAbsolute(relative)) throw notInWorkspace(file);
  return vscode.Uri.file(place);
}

/** The text in the editor, saved or not. Notebooks are read from disk. */
async function readProgram(uri: vscode.Uri): Promise<string> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  return open?.getText() ?? (await readText(uri));
}

async function readWhereSmall(uri: vscode.Uri): Promise<string | undefined> {
  const { size } = await vscode.workspace.fs.stat(uri);
  return size <= MAX_PROGRAM_BYTES ? readProgram(uri) : undefined;
}

function nameOf(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri, false);
}
