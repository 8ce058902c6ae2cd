/** Carries out the remedy that the user chose for a failure. */
import * as vscode from 'vscode';
import { asParallaxError, messageOf, ParallaxError } from '../../core/errors.ts';
import { COMMANDS } from '../../shared/manifest/contributions.ts';
import { remediesFor, remedyTitle, type Remedy } from '../../shared/remedies.ts';
import { withoutLinks } from '../../core/text/without-links.ts';

/** A command with its arguments. */
const COMMAND_OF: Readonly<Record<Remedy, readonly [command: string, ...args: readonly string[]]>> = {
  index: [COMMANDS.indexCorpus],
  'open-config': [COMMANDS.openConfig],
  'build-eval-set': [COMMANDS.buildEvalSet],
  'open-settings': ['workbench.action.openSettings', 'parallax.'],
  'set-key': [COMMANDS.setApiKey],
  'set-up-model': [COMMANDS.setUpModel],
  'set-up-meaning': [COMMANDS.setUpMeaning],
  'manage-trust': ['workbench.trust.manage'],
  'show-log': [COMMANDS.showLog],
};

/** @param corpus the corpus to index, for `index`; defaults to the chosen one */
export async function applyRemedy(remedy: Remedy, corpus?: string): Promise<void> {
  const [command, ...args] = COMMAND_OF[remedy];
  await vscode.commands.executeCommand(command, ...args, ...(remedy === 'index' ? [corpus] : []));
}

/** Shows a failure in a message with a button for each remedy. */
export function showFailure(error: unknown): void {
  const { id, corpus } = asParallaxError(error);
  const remedies = ParallaxError.is(error) ? remediesFor(id) : [];
  const buttons = remedies.map((remedy) => ({ title: remedyTitle(remedy), remedy }));
  void vscode.window
    .showErrorMessage(withoutLinks(messageOf(error)), ...buttons)
    .then((chosen) => chosen && applyRemedy(chosen.remedy, corpus));
}
