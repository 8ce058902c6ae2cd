import * as vscode from 'vscode';
import type { EditorProxies } from '../../features/web-corpus/core/proxy-environment.ts';

/** The proxies of the editor's settings. Empty if the settings turn proxies off. */
export function editorProxies(): EditorProxies {
  const settings = vscode.workspace.getConfiguration('http');
  if (settings.get<string>('proxySupport') === 'off') return {};
  return {
    // Only the user's value, so that a workspace cannot redirect requests.
    proxy: settings.inspect<string>('proxy')?.globalValue,
    noProxy: settings.get<string[]>('noProxy'),
  };
}
