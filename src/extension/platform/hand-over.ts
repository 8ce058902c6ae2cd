/** Gives a prompt to an agent: the editor's chat, or any other by the clipboard. */
import * as vscode from 'vscode';

const OPEN_CHAT = 'workbench.action.chat.open';

/** The prompt is never sent: the user reads it first. */
export async function handOver(prompt: string): Promise<void> {
  const chat = vscode.l10n.t('Open in Chat');
  const copy = vscode.l10n.t('Copy the Prompt');
  const title = vscode.l10n.t('Hand This to an Agent');
  const hasChat = (await vscode.commands.getCommands(true)).includes(OPEN_CHAT);
  const chosen = hasChat ? await vscode.window.showQuickPick([chat, copy], { title }) : copy;
  if (chosen === chat)
    await vscode.commands.executeCommand(OPEN_CHAT, { query: prompt, isPartialQuery: true });
  if (chosen !== copy) return;
  await vscode.env.clipboard.writeText(prompt);
  vscode.window.setStatusBarMessage(vscode.l10n.t('The prompt is copied: paste it into your agent.'), 10_000);
}
