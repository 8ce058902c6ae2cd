import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ParallaxApi } from '../../../src/extension/main.ts';
import { hostTest } from '../companion/host-test.ts';

const extension = vscode.extensions.getExtension<ParallaxApi>('parallax.parallax-rag');

interface Contributions {
  commands: { command: string }[];
  views: Record<string, { id: string }[]>;
}

hostTest('Parallax is installed and activates', async () => {
  assert.ok(extension, 'the extension is not installed');
  await extension.activate();
  assert.equal(extension.isActive, true);
});

hostTest('activation starts no engine', () => {
  assert.equal(extension?.exports.engineState(), 'not started');
});

hostTest('every contributed command is registered', async () => {
  const registered = new Set(await vscode.commands.getCommands(true));
  const missing = contributedCommands().filter((command) => !registered.has(command));
  assert.deepEqual(missing, []);
});

hostTest('every registered command is contributed', async () => {
  const contributed = new Set(contributedCommands());
  const own = (await vscode.commands.getCommands(true)).filter((command) => command.startsWith('parallax.'));
  const unknown = own.filter((command) => !contributed.has(command) && !belongsToView(command));
  assert.deepEqual(unknown, []);
});

hostTest(
  'the first use starts the engine',
  async () => {
    await vscode.commands.executeCommand('parallax.indexCorpus');
    assert.equal(extension?.exports.engineState(), 'running');
  },
  { timeout: 60_000 },
);

function contributions(): Contributions {
  assert.ok(extension, 'the extension is not installed');
  return (extension.packageJSON as { contributes: Contributions }).contributes;
}

function contributedCommands(): string[] {
  return contributions().commands.map(({ command }) => command);
}

/** The editor registers commands for every view, such as `parallax.inspector.focus`. */
function belongsToView(command: string): boolean {
  const views = Object.values(contributions().views).flat();
  return views.some(({ id }) => command.startsWith(`${id}.`));
}
