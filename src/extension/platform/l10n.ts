/** The editor's language, for code that is independent of the editor. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { setLanguage } from '../../core/counted.ts';

/** Each bundle of the extension host calls this first, because each has its own copy of the texts. */
export function speakEditorLanguage(): void {
  const { bundle } = vscode.l10n;
  if (!bundle) return;
  l10n.config({ contents: bundle });
  setLanguage(vscode.env.language);
}
