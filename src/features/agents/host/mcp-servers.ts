/** Offers the tools as a Model Context Protocol server to agents that cannot use the editor's tools. */
import path from 'node:path';
import * as vscode from 'vscode';
import { MCP_PROVIDER } from '../../../shared/manifest/contributions.ts';
import type { SettingKey } from '../../../shared/manifest/settings.ts';

/** Repeated here because activation loads neither the schema of the file nor the settings. */
const CONFIG_FILE = 'parallax.json';
const ENABLED = 'parallax.mcp.enabled' satisfies SettingKey;

/**
 * Off by default, because agents of the editor have the same tools already. The server is the command line with a
 * request budget of 0: it asks no model and has no keys.
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
    // A separate index, because two processes must not write the same one.
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
