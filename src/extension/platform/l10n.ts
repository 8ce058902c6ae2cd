/** The editor's language for code that does not know the editor. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { writeNumbersIn } from './numbers.ts';

/** To be called before anything else by each bundle of the extension host: each has its own copy of the texts. */
export function speakEditorLanguage(): void {
  const { bundle } = vscode.l10n;
  if (!bundle) return;
  l10n.config({ contents: bundle });
  writeNumbersIn(vscode.env.language);
}
