import * as vscode from 'vscode';
import type { EditorProxies } from '../../core/web/proxy-environment.ts';

/** What the editor's settings say of proxies; nothing where they switch them off. */
export function editorProxies(): EditorProxies {
  const settings = vscode.workspace.getConfiguration('http');
  if (settings.get<string>('proxySupport') === 'off') return {};
  return {
    // That of the user: no workspace leads requests elsewhere.
    proxy: settings.inspect<string>('proxy')?.globalValue,
    noProxy: settings.get<string[]>('noProxy'),
  };
}
