/**
 * Registers the tools for agents at activation; the first call loads the extension. Also offers the Model Context
 * Protocol server. Some editors support neither, and nothing else depends on them.
 */
import * as vscode from 'vscode';
import { AGENT_TOOL_NAMES, editorToolName } from '../tools/names.ts';
import type { AgentSurface } from './agent-surface.ts';
import { McpServers } from './mcp-servers.ts';

/** @param load loads the extension, on the first call of a tool */
export function registerAgents(
  context: vscode.ExtensionContext,
  load: () => Promise<AgentSurface>,
): vscode.Disposable {
  return vscode.Disposable.from(registerTools(load), registerServers(context));
}

function registerTools(load: () => Promise<AgentSurface>): vscode.Disposable {
  if (typeof vscode.lm?.registerTool !== 'function') return vscode.Disposable.from();
  return vscode.Disposable.from(
    ...AGENT_TOOL_NAMES.map((name) =>
      vscode.lm.registerTool<object>(editorToolName(name), {
        prepareInvocation: async ({ input }, token) => (await load()).prepare(name, input, token),
        invoke: async ({ input }, token) => (await load()).invoke(name, input, token),
      }),
    ),
  );
}

function registerServers(context: vscode.ExtensionContext): vscode.Disposable {
  if (typeof vscode.lm?.registerMcpServerDefinitionProvider !== 'function') return vscode.Disposable.from();
  const servers = new McpServers(context);
  return vscode.Disposable.from(
    servers,
    vscode.lm.registerMcpServerDefinitionProvider(McpServers.id, servers),
  );
}
