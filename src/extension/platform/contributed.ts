/** The editor's string-typed registries, narrowed to the names of src/shared/manifest/contributions.ts. */
import * as vscode from 'vscode';
import type { ContextKey } from '../../shared/manifest/contributions.ts';
import { settingValue, type SettingKey, type SettingValue } from '../../shared/manifest/settings.ts';

/** Runs for a command with the value that a menu, link, keybinding or other extension passes. */
export type CommandHandler = (target: unknown) => unknown;

/**
 * The handler of a command that takes a value.
 *
 * @param read checks the value; the editor's own menus may pass other values, such as a URI
 */
export function on<Target>(
  read: (target: unknown) => Target,
  run: (target: Target) => unknown,
): CommandHandler {
  return (target) => run(read(target));
}

/**
 * The current value of a setting, as a plain object, because the editor's proxies cannot be sent to another process.
 */
export function readSetting<Key extends SettingKey>(key: Key): SettingValue<Key> {
  const value = settingValue(key, vscode.workspace.getConfiguration().get(key));
  return typeof value === 'object' ? (JSON.parse(JSON.stringify(value)) as SettingValue<Key>) : value;
}

export async function setContext(key: ContextKey, value: boolean): Promise<void> {
  await vscode.commands.executeCommand('setContext', key, value);
}
