/** Dialogs before a validation asks judges. */
import * as vscode from 'vscode';
import { counted } from '../../../core/counted.ts';
import { LABELS_FILE } from '../../../shared/config.ts';
import type { JudgeChoice } from '../../../extension/judging/judge-choice.ts';
import { costText } from '../../../extension/judging/confirmations.ts';
import type { ValidationReport } from '../core/report.ts';
import { saveAs } from '../../../extension/platform/dialogs.ts';
import type { LabelSource, ValidationPlan } from './validation-controller.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

export async function chooseJudges(
  choices: readonly JudgeChoice[],
  likely: string,
): Promise<readonly string[] | undefined> {
  const items = choices.map(({ name, label }) => ({
    label,
    description: label.includes(name) ? '' : name,
    picked: name === likely,
    name,
  }));
  const title = vscode.l10n.t('Which judges should be validated?');
  const placeHolder = vscode.l10n.t('Several are side by side in the report');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, canPickMany: true });
  return chosen?.map(({ name }) => name);
}

/** @param own whether a folder is open, which may have labels */
export async function chooseLabels(own: boolean): Promise<LabelSource | undefined> {
  const file = {
    label: vscode.l10n.t('A file…'),
    detail: vscode.l10n.t('JSONL with question, document, perspective and label (0 or 1) on each line'),
    own: false,
  };
  const workspace = {
    label: vscode.l10n.t('The labels of this workspace'),
    detail: LABELS_FILE,
    own: true,
  };
  const title = vscode.l10n.t('On which labels?');
  const chosen = own ? await vscode.window.showQuickPick([workspace, file], { title }) : file;
  if (!chosen) return undefined;
  return chosen.own ? { own: true } : chooseFile();
}

async function chooseFile(): Promise<LabelSource | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Labels to validate on'),
      filters: { [vscode.l10n.t('Labels')]: ['jsonl', 'json'] },
    })) ?? [];
  return file && { own: false, path: file.fsPath };
}

export async function chooseCorpus(names: readonly string[]): Promise<string | undefined> {
  const title = vscode.l10n.t('Which corpus are the labels about?');
  return vscode.window.showQuickPick(names, { title });
}

export async function confirmValidation({ judges, pairs, of, effort }: ValidationPlan): Promise<boolean> {
  const go = vscode.l10n.t('Validate');
  const question = counted(
    vscode.l10n.t('Ask {0} about up to {1} labelled [1:pair|pairs]?'),
    judges.join(', '),
    pairs,
  );
  const detail = [
    costText(effort),
    ...(of === undefined
      ? []
      : [
          vscode.l10n.t(
            'The budget in your settings allows no more: these are drawn at random from {0}, the same ones every time.',
            of,
          ),
        ]),
  ].join(' ');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, go)) === go;
}

/** Offers to save the report as a file. */
export async function offerJson(report: ValidationReport): Promise<void> {
  const save = vscode.l10n.t('Save as JSON…');
  const message = counted(
    vscode.l10n.t('The judges were validated on {0} labelled [0:pair|pairs].'),
    report.labels.pairs,
  );
  if ((await vscode.window.showInformationMessage(withoutLinks(message), save)) !== save) return;
  await saveAs('judge-validation.json', `${JSON.stringify(report, undefined, 2)}\n`);
}
