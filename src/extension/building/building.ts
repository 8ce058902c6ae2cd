/** Building an eval set in the editor: its commands, around the controller. */
import * as vscode from 'vscode';
import { DRAFTS_FILE } from '../../shared/config.ts';
import { COMMANDS, type CommandId } from '../../shared/manifest/contributions.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import type { CommandHandler } from '../platform/contributed.ts';
import { withProgress } from '../tasks/with-progress.ts';
import type { WorkspaceFolder } from '../workspace/workspace-folder.ts';
import { BuildController, type BuildOptions } from './build-controller.ts';
import {
  chooseCount,
  chooseEvalSet,
  chooseJudge,
  chooseMaterial,
  choosePipelines,
  confirmBuild,
  tellQueued,
  tellUnlisted,
} from './build-dialogs.ts';
import { askForReason, goToWaiting, reviewSelected } from './drafts-editor.ts';

export interface BuildingParts extends Pick<BuildOptions, 'asked' | 'requestBudget' | 'workspace'> {
  readonly engine: EngineClient;
  readonly folder: WorkspaceFolder;
  /** Pairs were put up for review. */
  readonly onQueued: () => void;
}

export class Building {
  readonly #parts: BuildingParts;
  readonly #controller: BuildController;

  constructor(parts: BuildingParts) {
    const { asked, requestBudget, workspace, engine, folder, onQueued } = parts;
    this.#parts = parts;
    this.#controller = new BuildController({
      engine,
      workspace,
      asked,
      requestBudget,
      trusted: () => vscode.workspace.isTrusted,
      draftsFile: () => this.#drafts.fsPath,
      actions: {
        chooseMaterial,
        chooseJudge,
        chooseCount,
        choosePipelines,
        confirm: confirmBuild,
        progress: withProgress,
        saveDrafts: () => this.#saveDrafts(),
        showDrafts: (message) => this.#showDrafts(message),
        chooseEvalSet: () => chooseEvalSet(folder.openFolder, this.#evalSets),
        showAccepted: async (message, evalSet, queued) => {
          onQueued();
          await folder.read();
          const listed = this.#evalSets.includes(vscode.workspace.asRelativePath(evalSet, false));
          if (listed) tellQueued(message, queued);
          else tellUnlisted(message);
        },
        showLabelSet: async (message, queued) => {
          onQueued();
          tellQueued(message, queued);
        },
      },
    });
  }

  /** The commands of building. */
  readonly handlers = {
    [COMMANDS.buildEvalSet]: () => this.#controller.build(),
    [COMMANDS.buildLabelSet]: () => this.#controller.labelSet(),
    [COMMANDS.acceptDraft]: () => reviewSelected({ review: 'accepted' }),
    [COMMANDS.rejectDraft]: () => this.#reject(),
    [COMMANDS.addAcceptedDrafts]: () => this.#controller.addAccepted(),
  } satisfies Partial<Record<CommandId, CommandHandler>>;

  async #reject(): Promise<void> {
    const because = await askForReason();
    if (because === undefined) return;
    const reason = because.trim();
    await reviewSelected({ review: 'rejected', ...(reason === '' ? {} : { because: reason }) });
  }

  get #drafts(): vscode.Uri {
    return vscode.Uri.joinPath(this.#parts.folder.openFolder, DRAFTS_FILE);
  }

  /** Those that hold questions, relative to the folder. */
  get #evalSets(): string[] {
    return [...new Set(this.#parts.folder.snapshot.evalQueries.map(({ evalSet }) => evalSet))];
  }

  async #saveDrafts(): Promise<void> {
    const path = this.#drafts.toString();
    const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === path);
    if (open?.isDirty) await open.save();
  }

  /** Where nothing was proposed there is no file to open. */
  async #showDrafts(message: string): Promise<void> {
    void vscode.window.showInformationMessage(message);
    const exists = await vscode.workspace.fs.stat(this.#drafts).then(
      () => true,
      () => false,
    );
    if (exists) goToWaiting(await vscode.window.showTextDocument(this.#drafts), 0);
  }
}
