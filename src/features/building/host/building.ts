/** The commands that build an eval set, with the dialogs of the editor around the controller. */
import * as vscode from 'vscode';
import { rejection } from '../core/review-draft.ts';
import { DRAFTS_FILE } from '../../../shared/config.ts';
import { COMMANDS, type CommandId } from '../../../shared/manifest/contributions.ts';
import type { CommandHandler } from '../../../extension/platform/contributed.ts';
import type { Services } from '../../../extension/services/services.ts';
import { withProgress } from '../../../extension/tasks/with-progress.ts';
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
import { askForReason, reviewSelected } from './drafts-editor.ts';
import { DraftsReview, type DraftsPanel } from './drafts-panel.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

export interface BuildingParts extends Pick<
  BuildOptions,
  'asked' | 'requestBudget' | 'suggesting' | 'workspace'
> {
  readonly services: Pick<Services, 'context' | 'log' | 'ready' | 'workspace' | 'engine'>;
  /** Called when pairs were queued for review. */
  readonly onQueued: () => void;
}

export class Building {
  readonly #parts: BuildingParts;
  readonly #controller: BuildController;
  readonly #review: DraftsReview;

  constructor(parts: BuildingParts) {
    const { asked, requestBudget, suggesting, workspace, services, onQueued } = parts;
    const { engine, workspace: folder } = services;
    this.#parts = parts;
    this.#review = new DraftsReview(services, () => this.#controller.addAccepted());
    this.#controller = new BuildController({
      engine,
      workspace,
      asked,
      requestBudget,
      suggesting,
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

  get draftsPanel(): DraftsPanel {
    return this.#review.panel;
  }

  readonly handlers = {
    [COMMANDS.buildEvalSet]: () => this.#controller.build(),
    [COMMANDS.reviewDrafts]: () => this.#review.show(),
    [COMMANDS.buildLabelSet]: () => this.#controller.labelSet(),
    [COMMANDS.acceptDraft]: () => reviewSelected({ review: 'accepted' }),
    [COMMANDS.rejectDraft]: () => this.#reject(),
    [COMMANDS.addAcceptedDrafts]: () => this.#controller.addAccepted(),
  } satisfies Partial<Record<CommandId, CommandHandler>>;

  async #reject(): Promise<void> {
    const because = await askForReason();
    if (because !== undefined) await reviewSelected(rejection(because));
  }

  get #drafts(): vscode.Uri {
    return vscode.Uri.joinPath(this.#parts.services.workspace.openFolder, DRAFTS_FILE);
  }

  /** Eval sets with questions, relative to the folder. */
  get #evalSets(): string[] {
    return [...new Set(this.#parts.services.workspace.snapshot.evalQueries.map(({ evalSet }) => evalSet))];
  }

  async #saveDrafts(): Promise<void> {
    const path = this.#drafts.toString();
    const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === path);
    if (open?.isDirty) await open.save();
  }

  async #showDrafts(message: string): Promise<void> {
    void vscode.window.showInformationMessage(withoutLinks(message));
    await this.#review.show();
  }
}
