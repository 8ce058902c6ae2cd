/** Apart from the other registries, whose settings the start of the editor does not load. */
import * as vscode from 'vscode';
import type { CommandId } from '../../shared/manifest/contributions.ts';

/** Commands report failures themselves: an exception here would reach the user with a stack trace. */
export function registerCommand(id: CommandId, run: (target: unknown) => Promise<void>): vscode.Disposable {
  return vscode.commands.registerCommand(id, run);
}
