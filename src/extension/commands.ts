/** The commands of the palette and the menus. */
import * as vscode from 'vscode';
import {
  ANALYSES,
  COMMANDS,
  STEPS_DONE,
  WALKTHROUGH,
  type CommandId,
} from '../shared/manifest/contributions.ts';
import { keyNames } from '../shared/key-names.ts';
import { ParallaxError } from '../core/errors.ts';
import type { NamedTarget } from '../features/explain/core/explanation.ts';
import type { Building } from '../features/building/host/building.ts';
import type { Capture } from '../features/capture/host/capture.ts';
import type { ComparePanel } from '../features/compare/host/compare-panel.ts';
import type { MapPanel } from '../features/map/host/map.ts';
import type { EngineClient } from './engine-process/engine-client.ts';
import type { Inline } from '../features/lens/host/inline.ts';
import type { Live } from '../features/live/host/live.ts';
import type { InspectorController } from '../features/inspector/host/inspector-controller.ts';
import type { SidePanel } from '../features/inspector/host/side-panel.ts';
import type { ModelSetup } from './judging/model-setup.ts';
import { on, setContext, type CommandHandler } from './platform/contributed.ts';
import type { Memory } from './platform/memory.ts';
import { showFailure } from './platform/remedies.ts';
import { checkBehaviour } from '../features/retrievers/host/check-behaviour.ts';
import { checkRetrievers } from '../features/retrievers/host/check-retrievers.ts';
import type { MeaningSetup } from '../features/retrievers/host/meaning-setup.ts';
import type { Review } from '../features/review/host/review.ts';
import type { Services } from './services/services.ts';
import type { Testing } from '../features/gate/host/testing.ts';
import type { ValidationController } from '../features/validation/host/validation-controller.ts';
import type { WebCorpus } from '../features/web-corpus/host/web-corpus.ts';
import { requireUsableConfig } from './workspace/usable-config.ts';

export interface CommandParts extends Pick<
  Services,
  | 'context'
  | 'workspace'
  | 'reports'
  | 'configFile'
  | 'keys'
  | 'engine'
  | 'decorations'
  | 'log'
  | 'memory'
  | 'ready'
> {
  readonly sidePanel: SidePanel;
  readonly comparePanel: ComparePanel;
  readonly mapPanel: MapPanel;
  readonly inline: Inline;
  readonly building: Building;
  readonly capture: Capture;
  readonly live: Live;
  readonly testing: Testing;
  readonly review: Review;
  readonly validation: ValidationController;
  readonly webCorpus: WebCorpus;
  readonly modelSetup: ModelSetup;
  readonly meaningSetup: MeaningSetup;
}

/** Runs a command. `target` is what a menu or link passes; the handler checks it. */
export type RunCommand = (id: CommandId, target?: unknown) => Promise<void>;

/** Runs commands by their ids; failures are logged and shown. */
export function commandRunner(parts: CommandParts): RunCommand {
  const {
    sidePanel,
    comparePanel,
    mapPanel,
    validation,
    workspace,
    reports,
    keys,
    engine,
    decorations,
    log,
    ready,
  } = parts;
  const { inspector, view } = sidePanel;
  const handlers: Record<CommandId, CommandHandler> = {
    ...parts.review.handlers,
    ...parts.inline.handlers,
    ...parts.building.handlers,
    ...parts.capture.handlers,
    ...parts.live.handlers,
    ...parts.testing.handlers,
    ...parts.webCorpus.handlers,
    [COMMANDS.openInspector]: () => view.focusQuery(),
    [COMMANDS.analyse]: () => analyse(parts.context),
    [COMMANDS.ask]: () => view.focusQuery(selectedText()),
    [COMMANDS.indexCorpus]: on(corpusName, (corpus) => index(parts, false, corpus)),
    [COMMANDS.rebuildIndex]: () => index(parts, true),
    [COMMANDS.showSkippedFiles]: () => inspector.showSkipped(),
    [COMMANDS.judgeResults]: () => inspector.judgeResults({ ask: true }),
    [COMMANDS.proposeStances]: () => inspector.proposeStances(),
    [COMMANDS.lookDeeper]: () => sidePanel.lookDeeper(),
    [COMMANDS.explainMissing]: (target) => sidePanel.explainMissing(missingDocument(target)),
    [COMMANDS.comparePipelines]: () => comparePanel.show(),
    [COMMANDS.showMap]: () => mapPanel.show(),
    [COMMANDS.validateJudge]: () => validation.run(),
    [COMMANDS.checkRetrievers]: () => checkRetrievers(engine, workspace.snapshot.config),
    [COMMANDS.checkBehaviour]: () =>
      checkBehaviour({ engine, config: workspace.snapshot.config, reports, asked: sidePanel.asked }),
    [COMMANDS.openConfig]: () => parts.configFile.open(),
    [COMMANDS.setUpModel]: () => parts.modelSetup.run(),
    [COMMANDS.setUpMeaning]: () => parts.meaningSetup.run(),
    [COMMANDS.setApiKey]: () => keys.prompt(keyNames(workspace.snapshot.config)),
    [COMMANDS.clearHistory]: () => inspector.clearHistory(),
    [COMMANDS.clearEvidence]: () => decorations.clear(),
    [COMMANDS.restartEngine]: () => restart(engine, inspector),
    [COMMANDS.showLog]: () => log.show(),
    [COMMANDS.getStarted]: () => getStarted(parts.memory),
  };
  return async (id, target) => {
    try {
      await ready;
      await handlers[id](target);
    } catch (error) {
      log.error(error instanceof Error ? error : String(error));
      if (!ParallaxError.is(error, 'cancelled')) showFailure(error);
    }
  };
}

/**
 * The editor completes a step only if its key becomes true after the walkthrough was opened, so what was done before is
 * set again.
 */
async function getStarted(memory: Memory): Promise<void> {
  const done = STEPS_DONE.filter((key) => memory.get<boolean>(key) === true);
  await Promise.all(done.map((key) => setContext(key, false)));
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH);
  await Promise.all(done.map((key) => setContext(key, true)));
}

/** Offers the analyses under the titles of their commands, and runs the chosen one. */
async function analyse({ extension }: vscode.ExtensionContext): Promise<void> {
  const { contributes } = extension.packageJSON as {
    contributes: { commands: readonly { command: string; title: string }[] };
  };
  const titles = new Map(contributes.commands.map(({ command, title }) => [command, title]));
  const items = ANALYSES.flatMap((group, place) => [
    ...(place === 0 ? [] : [{ label: '', kind: vscode.QuickPickItemKind.Separator }]),
    ...group.map((name) => ({ label: titles.get(COMMANDS[name]) ?? name, command: COMMANDS[name] })),
  ]);
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Analyse') });
  if (chosen && 'command' in chosen) await vscode.commands.executeCommand(chosen.command);
}

/** The panel that shows progress may be hidden, so a `parallax.json` that cannot be used is reported here. */
async function index(
  { workspace, sidePanel }: CommandParts,
  rebuild: boolean,
  corpus?: string,
): Promise<void> {
  requireUsableConfig(workspace.snapshot.configProblem);
  const { inspector } = sidePanel;
  if (corpus === undefined || corpus === inspector.corpus) await inspector.indexing.index(rebuild);
  else await sidePanel.index(corpus);
}

/** Remedies of a failure pass its corpus; menus pass other values. */
const corpusName = (target: unknown): string | undefined => (typeof target === 'string' ? target : undefined);

/** The selection in the editor is the question. `undefined` without a selection, so that the box keeps its text. */
function selectedText(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  const text = editor?.document.getText(editor.selection).trim();
  return text ? text : undefined;
}

/** A file of the explorer, the selection in the editor, or else the document in it. */
function missingDocument(target: unknown): NamedTarget | undefined {
  const editor = vscode.window.activeTextEditor;
  const selected = editor?.document.getText(editor.selection).trim();
  const file = target instanceof vscode.Uri ? target : editor?.document.uri;
  const isInEditor = file?.toString() === editor?.document.uri.toString();
  if (file?.scheme !== 'file') return isInEditor && selected ? { document: selected } : undefined;
  return isInEditor && selected ? { document: selected, within: file.fsPath } : { document: file.fsPath };
}

async function restart(engine: EngineClient, inspector: InspectorController): Promise<void> {
  engine.stop();
  await inspector.indexing.refreshStatus();
}
