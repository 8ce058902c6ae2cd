/** Dialogs before building an eval set, and messages about the result. */
import * as vscode from 'vscode';
import type { PerspectiveForm } from '../core/effort.ts';
import type { NamedPipeline, Pipeline } from '../../../core/pipeline.ts';
import type { MaterialRequest } from '../contract/building.ts';
import { COMMANDS } from '../../../shared/manifest/contributions.ts';
import type { JudgeChoice } from '../../../extension/judging/judge-choice.ts';
import { askForCount } from '../../../extension/platform/dialogs.ts';
import type { BuildPlan } from './build-text.ts';
import { planText } from './build-text.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

/**
 * @param corpus in view
 * @param questions past questions, newest first
 */
export async function chooseMaterial(
  corpus: string,
  questions: readonly string[],
): Promise<MaterialRequest | undefined> {
  const history = {
    label: vscode.l10n.t('Questions you asked'),
    detail: vscode.l10n.t('{0} in the side panel', questions.length),
    from: 'asked' as const,
  };
  const sources = [
    ...(questions.length > 0 ? [history] : []),
    {
      label: vscode.l10n.t('Passages that disagree'),
      detail: vscode.l10n.t('Looks for them in {0}, and asks what they disagree about', corpus),
      from: 'corpus' as const,
    },
    {
      label: vscode.l10n.t('A list of questions…'),
      detail: vscode.l10n.t('One per line, or JSONL, CSV, TSV; in this order'),
      from: 'questions' as const,
    },
    {
      label: vscode.l10n.t('A query log…'),
      detail: vscode.l10n.t('The same, most often asked first'),
      from: 'log' as const,
    },
  ];
  const title = vscode.l10n.t('What should the eval set be built from?');
  const source = await vscode.window.showQuickPick(sources, { title });
  if (!source) return undefined;
  if (source.from === 'corpus') return { from: 'corpus', corpus };
  return source.from === 'asked' ? chooseAsked(questions) : chooseQuestions(source.from);
}

async function chooseAsked(asked: readonly string[]): Promise<MaterialRequest | undefined> {
  const items = asked.map((label) => ({ label, picked: true }));
  const title = vscode.l10n.t('Which questions?');
  const chosen = await vscode.window.showQuickPick(items, { title, canPickMany: true });
  const form = chosen && chosen.length > 0 ? await chooseForm() : undefined;
  if (!chosen || !form) return undefined;
  const questions = chosen.map(({ label }) => label);
  // A user who picks the questions has filtered them already.
  return { from: 'asked', questions, form, filter: false };
}

async function chooseQuestions(from: 'questions' | 'log'): Promise<MaterialRequest | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Questions'),
      filters: { [vscode.l10n.t('Questions')]: ['txt', 'jsonl', 'ndjson', 'csv', 'tsv', 'log'] },
    })) ?? [];
  if (!file) return undefined;
  const field = /\.(?:jsonl|ndjson|csv|tsv)$/iu.test(file.path) ? await askForField() : '';
  const form = field === undefined ? undefined : await chooseForm();
  const filter = form && (await chooseFilter());
  if (field === undefined || !form || filter === undefined) return undefined;
  return {
    from,
    file: file.fsPath,
    form,
    filter,
    ...(field.trim() === '' ? {} : { field: field.trim() }),
  };
}

function askForField(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Which field has the question?'),
    prompt: vscode.l10n.t(
      'Leave it empty for question, query or text. A path such as request.query is fine.',
    ),
  });
}

async function chooseForm(): Promise<PerspectiveForm | undefined> {
  const forms: readonly (vscode.QuickPickItem & { readonly form: PerspectiveForm })[] = [
    {
      label: vscode.l10n.t('A statement and its negation'),
      detail: vscode.l10n.t('For yes-or-no questions'),
      form: 'negation',
    },
    { label: vscode.l10n.t('Several answers'), form: 'answers' },
    {
      label: vscode.l10n.t('Several answers, and the side of each'),
      form: 'stances',
    },
    {
      label: vscode.l10n.t('Contrasting perspectives with passages'),
      detail: vscode.l10n.t('Each with passages of the corpus that support no other one; asks a judge'),
      form: 'contrast',
    },
  ];
  const title = vscode.l10n.t('Which perspectives should a question get?');
  return (await vscode.window.showQuickPick(forms, { title }))?.form;
}

async function chooseFilter(): Promise<boolean | undefined> {
  const choices = [
    { label: vscode.l10n.t('Filter out questions about personal experience'), filter: true },
    { label: vscode.l10n.t('Keep all questions'), filter: false },
  ];
  const title = vscode.l10n.t('“Have you ever …?” has no perspectives to retrieve');
  return (await vscode.window.showQuickPick(choices, { title }))?.filter;
}

/** @param needed leaves out the choice to ask no judge */
export async function chooseJudge(
  choices: readonly JudgeChoice[],
  needed: boolean,
): Promise<JudgeChoice | 'nobody' | undefined> {
  const nobody = {
    label: vscode.l10n.t('Nobody'),
    detail: vscode.l10n.t('The answer of the model counts until you review it'),
    judge: 'nobody' as const,
  };
  const judges = choices.map((judge) => ({
    label: judge.label,
    judge,
  }));
  const title = vscode.l10n.t('Who should check the passages of a draft?');
  const chosen = await vscode.window.showQuickPick(needed ? judges : [nobody, ...judges], { title });
  return chosen?.judge;
}

export function chooseCount(): Promise<number | undefined> {
  return askForCount(vscode.l10n.t('How many drafts should wait for your review?'), 20, 1000);
}

export async function confirmBuild(plan: BuildPlan): Promise<boolean> {
  const go = vscode.l10n.t('Build');
  const { question, detail } = planText(plan);
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, go)) === go;
}

/** @param known eval sets of the workspace, relative to `folder` */
export async function chooseEvalSet(
  folder: vscode.Uri,
  known: readonly string[],
): Promise<string | undefined> {
  const other = { label: vscode.l10n.t('Another file…'), path: undefined };
  const sets = known.map((path) => ({ label: path, path }));
  const title = vscode.l10n.t('Which eval set should the accepted drafts join?');
  const chosen = sets.length === 0 ? other : await vscode.window.showQuickPick([...sets, other], { title });
  if (!chosen) return undefined;
  if (chosen.path !== undefined) return vscode.Uri.joinPath(folder, chosen.path).fsPath;
  const file = await vscode.window.showSaveDialog({
    title,
    defaultUri: vscode.Uri.joinPath(folder, 'eval', 'built.parallax.jsonl'),
    saveLabel: vscode.l10n.t('Add'),
  });
  return file?.fsPath;
}

export async function choosePipelines(
  pipelines: readonly NamedPipeline[],
): Promise<readonly Pipeline[] | undefined> {
  const items = pipelines.map(({ name, pipeline }, place) => ({ label: name, pipeline, picked: place < 2 }));
  const title = vscode.l10n.t('Label the first five passages of which pipelines? Usually two');
  const chosen = await vscode.window.showQuickPick(items, { title, canPickMany: true });
  return chosen?.map(({ pipeline }) => pipeline);
}

/** Shows the result, and offers the review if pairs are queued. */
export function tellQueued(message: string, queued: number): void {
  const review = vscode.l10n.t('Review');
  void vscode.window
    .showInformationMessage(withoutLinks(message), ...(queued > 0 ? [review] : []))
    .then((chosen) => (chosen === review ? vscode.commands.executeCommand(COMMANDS.reviewNext) : undefined));
}

/** Shows the result for an eval set that is not yet listed in the workspace. */
export function tellUnlisted(message: string): void {
  const open = vscode.l10n.t('Open parallax.json');
  const hint = vscode.l10n.t('Name the file in "evalSets" of parallax.json, so that it is read.');
  void vscode.window
    .showInformationMessage(withoutLinks(`${message} ${hint}`), open)
    .then((chosen) => (chosen === open ? vscode.commands.executeCommand(COMMANDS.openConfig) : undefined));
}
