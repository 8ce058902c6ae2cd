/** The services that all features of the extension share. */
import path from 'node:path';
import * as vscode from 'vscode';
import { Changes, type Part } from './changes.ts';
import type { CostSettings } from '../judging/cost-settings.ts';
import { rememberedJudge } from '../judging/judge-choice.ts';
import { watchEngine } from './watch-engine.ts';
import { EngineClient } from '../engine-process/engine-client.ts';
import { EngineConfiguration } from '../engine-process/engine-configuration.ts';
import type { WorkspaceState } from '../workspace/workspace-state.ts';
import type { Memory } from '../platform/memory.ts';
import { ApiKeys } from '../models/api-keys.ts';
import { completeWithEditorModel } from '../models/editor-models.ts';
import { EvidenceDecorations } from '../passages/evidence-decorations.ts';
import { readSetting, setContext } from '../platform/contributed.ts';
import { ReportDocuments } from '../platform/report-documents.ts';
import { ConfigFile } from '../workspace/config-file.ts';
import { admitRequest } from '../workspace/usable-config.ts';
import { WorkspaceFolder } from '../workspace/workspace-folder.ts';
import type { EditorProxies } from '../../features/web-corpus/core/proxy-environment.ts';

export interface Services {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly workspace: WorkspaceFolder;
  readonly configFile: ConfigFile;
  readonly keys: ApiKeys;
  readonly configuration: EngineConfiguration;
  readonly engine: EngineClient;
  readonly changes: Changes;
  readonly decorations: EvidenceDecorations;
  readonly memory: Memory;
  readonly reports: ReportDocuments;
  /** Settles once the workspace has been read, after the window has settled. Requests made earlier wait for it. */
  readonly ready: Promise<void>;
  /**
   * The engine for a part. When the part's requests change what figures depend on, all parts except itself and
   * `knowing` are notified.
   */
  engineOf(part: Part, ...knowing: readonly Part[]): Pick<EngineClient, 'request'>;
  inspected(): WorkspaceState;
  trusted(): boolean;
  judgeSetting(): string;
  costSettings(): CostSettings;
  note(message: string): void;
}

export function createServices(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Services {
  const workspace = new WorkspaceFolder();
  const keys = new ApiKeys(context.secrets);
  const decorations = new EvidenceDecorations();
  const changes = new Changes();
  const configuration = new EngineConfiguration(context, workspace, keys, (message) => log.warn(message));
  const engine = new EngineClient({
    enginePath: path.join(context.extensionPath, 'dist', 'engine.mjs'),
    texts: vscode.l10n.uri && { file: vscode.l10n.uri.fsPath, language: vscode.env.language },
    admit: (method) =>
      admitRequest(method, {
        trusted: vscode.workspace.isTrusted,
        configProblem: workspace.snapshot.configProblem,
      }),
    config: () => configuration.current(),
    complete: completeWithEditorModel,
    log,
    proxies: editorProxies,
  });
  const memory: Memory = {
    get: (key) => context.workspaceState.get(key),
    set: (key, value) => void context.workspaceState.update(key, value),
  };
  const judgeSetting = (): string => readSetting('parallax.judge');
  const chosenJudge = (): string => {
    return rememberedJudge(workspace.snapshot.config, memory.get<string>('judge'), judgeSetting()).name;
  };
  context.subscriptions.push(workspace, decorations, { dispose: () => engine.dispose() });
  return {
    context,
    log,
    workspace,
    keys,
    configuration,
    engine,
    changes,
    decorations,
    memory,
    reports: new ReportDocuments(),
    configFile: new ConfigFile(workspace, chosenJudge),
    ready: workspace.read().then(
      ({ problems }) => problems.forEach((problem) => log.warn(problem)),
      (error: unknown) => log.error(`The workspace could not be read: ${String(error)}`),
    ),
    engineOf: (part, ...knowing) =>
      watchEngine(engine, part, {
        onChange: () => changes.figuresChanged(part, ...knowing),
        onStep: (key) => {
          memory.set(key, true);
          void setContext(key, true);
        },
      }),
    inspected: () => ({
      open: workspace.snapshot.folder !== undefined,
      config: workspace.snapshot.config,
      evalQueries: workspace.snapshot.evalQueries,
      configProblem: workspace.snapshot.configProblem,
    }),
    trusted: () => vscode.workspace.isTrusted,
    judgeSetting,
    costSettings: () => ({
      confirmCallsAbove: readSetting('parallax.confirmCallsAbove'),
      requestBudget: readSetting('parallax.requestBudget'),
      prices: readSetting('parallax.prices'),
    }),
    note: (message) => log.info(message),
  };
}

/** The proxies of the editor's settings. Empty if the settings turn proxies off. */
function editorProxies(): EditorProxies {
  const settings = vscode.workspace.getConfiguration('http');
  if (settings.get<string>('proxySupport') === 'off') return {};
  return {
    // Only the user's value, so that a workspace cannot redirect requests.
    proxy: settings.inspect<string>('proxy')?.globalValue,
    noProxy: settings.get<string[]>('noProxy'),
  };
}
