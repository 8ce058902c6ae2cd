/** The editor's side of the agent settings: reads and writes them, and asks for consent. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { AGENT_SETTINGS_FILE } from '../contract/environment.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';
import { readText } from '../../../extension/platform/read-text.ts';
import { AGENT_SETTINGS, type AgentSettingsHost } from './agent-settings.ts';

/** @param storage folder of the extension, shared by all windows */
export function agentSettingsHost(storage: string, log: (message: string) => void): AgentSettingsHost {
  const file = path.join(storage, AGENT_SETTINGS_FILE);
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration();
  return {
    inspect(name) {
      const inspection = settings().inspect(name);
      // Settings that no extension declares have no default.
      if (inspection?.defaultValue === undefined) return undefined;
      const { defaultValue, globalValue, workspaceValue, workspaceFolderValue } = inspection;
      return {
        user: globalValue,
        isDefault: (value) => value === defaultValue,
        elsewhere: workspaceValue !== undefined || workspaceFolderValue !== undefined,
      };
    },
    update: async (name, value) => settings().update(name, value, vscode.ConfigurationTarget.Global),
    kept: () => readKept(file),
    keep: (value) => (value ? writeKept(file, JSON.stringify(value)) : rm(file, { force: true })),
    process: process.pid,
    isRunning,
    booted: () => Date.now() - uptime() * 1000,
    // Not awaited, because the message may stay open for long.
    onPutBack: () => void offerReload(),
    log: (message) => log(`Settings of agents: ${message}`),
  };
}

async function readKept(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readText(vscode.Uri.file(file)));
  } catch {
    // There is no file, or an editor that exited while writing it left it incomplete. In both cases no setting was
    // changed.
    return undefined;
  }
}

/** Written to disk before any setting is changed. */
async function writeKept(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, text, { mode: 0o600, flush: true });
  await rename(partial, file);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It belongs to another user, but it exists.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function offerReload(): Promise<void> {
  const reload = vscode.l10n.t('Reload Window');
  const answer = await vscode.window.showWarningMessage(
    withoutLinks(
      vscode.l10n.t(
        'A window that captured VS Code’s agents is gone. Your settings are put back; agents of this window may still send to the port that Parallax has closed. Reload the window.',
      ),
    ),
    reload,
  );
  if (answer === reload) await vscode.commands.executeCommand('workbench.action.reloadWindow');
}

/** The folder of this window. Empty if there is none. */
export const windowFolder = (): string => vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '';

/** Explains which settings are changed and what they cause, and asks for consent. */
export async function agreesToAgentSettings(): Promise<boolean> {
  const set = vscode.l10n.t('Set Them While Capturing');
  const chosen = await vscode.window.showQuickPick(
    [
      {
        label: set,
        detail: vscode.l10n.t(
          'In your user settings, {0} are set so that GitHub Copilot Chat, and sessions of Copilot, Claude and Codex, send what they ask, read and answer, in full, to this machine alone. The editor then offers to reload the window, as they read their settings when it is loaded. Stopping puts your values back.',
          AGENT_SETTINGS.map((family) => `${family}.*`).join(', '),
        ),
      },
      { label: vscode.l10n.t('Leave My Settings as They Are') },
    ],
    { title: vscode.l10n.t('Capture VS Code’s Agents') },
  );
  return chosen?.label === set;
}
