/** The editor's string-typed registries, narrowed to the names of src/shared/manifest/contributions.ts. */
import * as vscode from 'vscode';
import type { ContextKey } from '../../shared/manifest/contributions.ts';
import { settingValue, type SettingKey, type SettingValue } from '../../shared/manifest/settings.ts';

/** Runs for a command, on whatever a menu, a link, a keybinding or another extension hands over. */
export type CommandHandler = (target: unknown) => unknown;

/**
 * The handler of a command that is given on something.
 *
 * @param read checks what was handed over; the editor's own menus may hand over other things, such as an address
 */
export function on<Target>(
  read: (target: unknown) => Target,
  run: (target: Target) => unknown,
): CommandHandler {
  return (target) => run(read(target));
}

/** A setting as it is now; a plain value, where the editor's own cannot be sent to another process. */
export function readSetting<Key extends SettingKey>(key: Key): SettingValue<Key> {
  const value = settingValue(key, vscode.workspace.getConfiguration().get(key));
  return typeof value === 'object' ? (JSON.parse(JSON.stringify(value)) as SettingValue<Key>) : value;
}

export async function setContext(key: ContextKey, value: boolean): Promise<void> {
  await vscode.commands.executeCommand('setContext', key, value);
}
