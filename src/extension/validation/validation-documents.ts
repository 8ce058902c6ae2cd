/** Reports of validations as read-only Markdown documents, shown as a preview. They last as long as the window. */
import * as vscode from 'vscode';
import { VALIDATION_SCHEME } from '../../shared/manifest/contributions.ts';
import type { ValidationReport } from '../../core/validation/report.ts';
import { saveAs } from '../platform/dialogs.ts';
import { showMarkdown } from '../platform/show-markdown.ts';

export class ValidationDocuments implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.#texts.get(uri.toString()) ??
      vscode.l10n.t(
        'Reports are not kept over a restart. Run "Parallax: Validate Judge…" again: answers of judges are remembered and not paid for twice.',
      )
    );
  }

  async show(text: string, report: ValidationReport): Promise<void> {
    const path = `/Validation ${this.#texts.size + 1}.md`;
    const uri = vscode.Uri.from({ scheme: VALIDATION_SCHEME, path });
    this.#texts.set(uri.toString(), text);
    await showMarkdown(uri);
    void offerJson(report);
  }
}

async function offerJson(report: ValidationReport): Promise<void> {
  const save = vscode.l10n.t('Save as JSON…');
  const message = vscode.l10n.t('The judges were validated on {0} labelled pairs.', report.labels.pairs);
  if ((await vscode.window.showInformationMessage(message, save)) !== save) return;
  await saveAs('judge-validation.json', `${JSON.stringify(report, undefined, 2)}\n`);
}
