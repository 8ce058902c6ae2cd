/** The tools as a server of the Model Context Protocol, for agents that know no tools of the editor. */
import path from 'node:path';
import * as vscode from 'vscode';
import { MCP_PROVIDER } from '../../shared/manifest/contributions.ts';
import type { SettingKey } from '../../shared/manifest/settings.ts';

/** Named here, too: neither the schema of the file nor the settings are part of what the start of the editor loads. */
const CONFIG_FILE = 'parallax.json';
const ENABLED = 'parallax.mcp.enabled' satisfies SettingKey;

/**
 * Off until the setting says otherwise, since agents of the editor have the same tools already. The server is
 * the command line with a budget of nothing: it asks no model, and knows no key.
 */
export class McpServers
  implements vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition>, vscode.Disposable
{
  static readonly id = MCP_PROVIDER;
  readonly #context: vscode.ExtensionContext;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeMcpServerDefinitions = this.#changed.event;
  readonly #disposables: vscode.Disposable[];

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
    const changed = (): void => this.#changed.fire();
    this.#disposables = [
      this.#changed,
      vscode.workspace.onDidChangeConfiguration(
        (event) => event.affectsConfiguration('parallax.mcp') && changed(),
      ),
      vscode.workspace.onDidGrantWorkspaceTrust(changed),
      vscode.workspace.onDidChangeWorkspaceFolders(changed),
    ];
  }

  async provideMcpServerDefinitions(): Promise<vscode.McpStdioServerDefinition[]> {
    if (vscode.workspace.getConfiguration().get(ENABLED) !== true || !vscode.workspace.isTrusted) return [];
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      const config = vscode.Uri.joinPath(uri, CONFIG_FILE);
      if (await exists(config)) return [this.#definition(config)];
    }
    return [];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #definition(config: vscode.Uri): vscode.McpStdioServerDefinition {
    const { extensionPath, storageUri, globalStorageUri, extension } = this.#context;
    const cli = path.join(extensionPath, 'dist', 'cli.mjs');
    // An index of its own: two processes do not write the same one.
    const store = path.join((storageUri ?? globalStorageUri).fsPath, 'mcp');
    const { version } = extension.packageJSON as { readonly version: string };
    return new vscode.McpStdioServerDefinition(
      'Parallax',
      process.execPath,
      [cli, 'mcp', '--config', config.fsPath, '--store', store],
      { ELECTRON_RUN_AS_NODE: '1' },
      version,
    );
  }
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
