/** Dialogs about a model's endpoint. */
import * as vscode from 'vscode';
import { endpointUrl } from '../../core/external/endpoint-url.ts';
import type { ParallaxError } from '../../core/errors.ts';
import { withoutLinks } from '../../core/text/without-links.ts';
import { askForAddress } from '../platform/ask-address.ts';

export const keyed = (key: string): { key?: string } => (key === '' ? {} : { key });

/** A key name per server, so that keys of different servers do not replace each other. */
export function keyNameOf(baseUrl: string): string {
  return new URL(baseUrl).hostname.replace(/[^a-z0-9]+/giu, '-');
}

/** Shows why an attempt failed. Resolves to true if the user wants to change what they typed. */
export async function wantsToChange({ message }: ParallaxError): Promise<boolean> {
  const change = vscode.l10n.t('Change What I Typed');
  return (await vscode.window.showErrorMessage(withoutLinks(message), change)) === change;
}

export async function askFor(title: string, prompt: string, value = ''): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({ title, prompt, value, ignoreFocusOut: true });
  return typed?.trim() || undefined;
}

export function askWhere(value = 'http://127.0.0.1:8000/v1'): Promise<string | undefined> {
  return askForAddress({
    title: vscode.l10n.t('Where is the endpoint?'),
    prompt: vscode.l10n.t('Its address, which usually ends in /v1'),
    value,
    problemOf: (text) => {
      if (!/^https?:\/\//iu.test(text) || !URL.canParse(text))
        return vscode.l10n.t('It begins with http:// or https://');
      return endpointUrl.safeParse(text).error?.issues[0]?.message;
    },
  });
}

/** @param optional whether the endpoint may need no key, as with self-hosted ones */
export async function askForKey(optional: boolean, value = ''): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('API key'),
    prompt: optional
      ? vscode.l10n.t("Kept in the editor's secret storage. Leave empty if the endpoint needs none.")
      : vscode.l10n.t("Kept in the editor's secret storage, never in a file."),
    value,
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) =>
      optional || text.trim() !== '' ? undefined : vscode.l10n.t('The endpoint wants a key.'),
  });
  return typed?.trim();
}
