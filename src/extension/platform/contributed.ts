/** The editor's string-typed registries, narrowed to the names of src/shared/contributions.ts. */
import * as vscode from 'vscode';
import type { CommandId, ContextKey, SettingKey, SettingValue } from '../../shared/contributions.ts';

/** Commands report failures themselves: an exception here would reach the user with a stack trace. */
export function registerCommand(id: CommandId, run: (...args: unknown[]) => unknown): vscode.Disposable {
  return vscode.commands.registerCommand(id, run);
}

export function readSetting<K extends SettingKey>(key: K): SettingValue<K> {
  const value = vscode.workspace.getConfiguration().get<SettingValue<K>>(key);
  if (value === undefined) throw new Error(`${key} is not contributed by package.json.`);
  // Objects are the editor's proxies, which cannot be sent to another process.
  return typeof value === 'object' ? (JSON.parse(JSON.stringify(value)) as SettingValue<K>) : value;
}

export async function setContext(key: ContextKey, value: boolean): Promise<void> {
  await vscode.commands.executeCommand('setContext', key, value);
}
