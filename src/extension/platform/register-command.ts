/** Separate from `contributed.ts`, whose settings are not loaded at activation. */
import * as vscode from 'vscode';
import type { CommandId } from '../../shared/manifest/contributions.ts';

/** Commands report failures themselves; an exception here would show the user a stack trace. */
export function registerCommand(id: CommandId, run: (target: unknown) => Promise<void>): vscode.Disposable {
  return vscode.commands.registerCommand(id, run);
}
