/** The baseline against which losses are measured: compares with it, and accepts a new one. */
import * as vscode from 'vscode';
import { toMarkdown } from '../../../core/reports/markdown.ts';
import { gateOf, withDefaultBaseline } from '../../../shared/evaluation.ts';
import type { Result } from '../../../shared/rpc.ts';
import { withProgress } from '../../../extension/tasks/with-progress.ts';
import type { WorkspaceFolder } from '../../../extension/workspace/workspace-folder.ts';
import type { Evaluator } from './evaluator.ts';
import type { ReportDocuments } from '../../../extension/platform/report-documents.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

export interface BaselinesParts {
  readonly evaluator: Evaluator;
  readonly workspace: WorkspaceFolder;
  readonly documents: ReportDocuments;
}

export class Baselines {
  readonly #parts: BaselinesParts;

  constructor(parts: BaselinesParts) {
    this.#parts = parts;
  }

  /** Evaluates and shows the comparison with the baseline. */
  async compare(): Promise<void> {
    const options = { ask: false, baseline: 'required' as const, requestBudget: 0 };
    const report = await withProgress(vscode.l10n.t('Comparing with the baseline'), (request) =>
      this.#parts.evaluator.evaluate(options, request),
    );
    await this.#parts.documents.show(vscode.l10n.t('Compared with the baseline'), toMarkdown(report));
  }

  /** Evaluates and writes the result as the baseline. */
  async accept(): Promise<void> {
    if (!(await this.mayReplace())) return;
    const accepted = await withProgress(vscode.l10n.t('Accepting as baseline'), (request) =>
      this.#parts.evaluator.accept(request),
    );
    this.sayAccepted(accepted);
  }

  sayAccepted({ file, isNew, holes }: Result<'acceptBaseline'>): void {
    const message = isNew
      ? vscode.l10n.t('Accepted as baseline: {0}.', file)
      : vscode.l10n.t('{0} says the same already.', file);
    // The command line does not use the default configuration.
    const gate = this.#parts.workspace.snapshot.configured
      ? vscode.l10n.t('Commit it, and "parallax gate" compares with it in CI.')
      : vscode.l10n.t(
          '"parallax gate" compares with it in CI once there is a parallax.json: run "Parallax: Open or Create parallax.json" and save it.',
        );
    const text = [message, ...holes, gate].join(' ');
    if (holes.length > 0) void vscode.window.showWarningMessage(withoutLinks(text));
    else void vscode.window.showInformationMessage(withoutLinks(text));
  }

  /** Asks for confirmation if there is one already. */
  async mayReplace(): Promise<boolean> {
    const { config } = this.#parts.workspace.snapshot;
    const { file } = withDefaultBaseline(gateOf(config)).baseline!;
    const uri = vscode.Uri.joinPath(this.#parts.workspace.openFolder, file);
    const exists = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (!exists) return true;
    const replace = vscode.l10n.t('Replace');
    const question = vscode.l10n.t('Replace the baseline {0}?', file);
    const detail = vscode.l10n.t('From then on, losses are measured against the new figures.');
    return (await vscode.window.showWarningMessage(question, { modal: true, detail }, replace)) === replace;
  }
}
