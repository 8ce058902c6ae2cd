import * as vscode from 'vscode';
import type { EditorProxies } from '../../core/web/proxy-environment.ts';

/** The proxies of the editor's settings; none where these switch them off. */
export function editorProxies(): EditorProxies {
  const settings = vscode.workspace.getConfiguration('http');
  if (settings.get<string>('proxySupport') === 'off') return {};
  return {
    // That of the user: no workspace leads requests elsewhere.
    proxy: settings.inspect<string>('proxy')?.globalValue,
    noProxy: settings.get<string[]>('noProxy'),
  };
}
