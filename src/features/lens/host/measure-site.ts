/**
 * "Measure My Retriever…": leads from a call to figures of its retriever, in at most three questions. If the code names
 * its store, Parallax can query the store itself. Otherwise a program that serves the call is written beside the code,
 * and is started once the user has completed it.
 */
import path from 'node:path';
import * as vscode from 'vscode';
import { ParallaxError } from '../../../core/errors.ts';
import { commandRetrieverSchema, type CommandRetriever } from '../../../core/external/spec.ts';
import { withValue } from '../../../core/formats/json-edit.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import { namedStore } from '../../../sites/named-store.ts';
import { servingProgram } from '../../../sites/serving-program.ts';
import { readText } from '../../../extension/platform/read-text.ts';
import { withProgress } from '../../../extension/tasks/with-progress.ts';
import type { MeasureParts } from './measure-parts.ts';
import { measuredStore, storeItem } from './measure-store.ts';
import type { LocatedSite } from './site-documents.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

/**
 * Files that a wizard writes beside the user's. They are deleted if the wizard is cancelled, unless the user has
 * changed them.
 */
export class GeneratedFiles {
  readonly #written: { readonly uri: vscode.Uri; readonly text: string }[] = [];

  /** Keeps an existing file, which the user may have completed. */
  async write(uri: vscode.Uri, text: string): Promise<void> {
    const isThere = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    this.#written.push({ uri, text });
  }

  /** Deletes the written files. Keeps all of them if one was changed, because they belong together. */
  async discard(): Promise<void> {
    for (const { uri, text } of this.#written) if (isBeingEdited(uri) || !(await holds(uri, text))) return;
    for (const { uri } of this.#written) await vscode.workspace.fs.delete(uri, { useTrash: true });
  }
}

function isBeingEdited({ path }: vscode.Uri): boolean {
  return vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.path === path);
}

function holds(uri: vscode.Uri, text: string): Promise<boolean> {
  return readText(uri).then(
    (now) => now === text,
    () => false,
  );
}

const HELPERS = { python: 'parallax_retriever.py', script: 'parallax-retriever.ts' };

/**
 * @returns the name of the pipeline that measures the call, or `undefined` if the user cancels
 * @throws ParallaxError `untrusted`, `not-found` for a notebook cell, which no program can import
 */
export async function measuredRetriever(
  located: LocatedSite,
  parts: MeasureParts,
): Promise<string | undefined> {
  const { site, document } = located;
  const folder = parts.folder();
  if (!vscode.workspace.isTrusted || !folder)
    throw new ParallaxError(
      'untrusted',
      vscode.l10n.t('Parallax searches stores and starts programs only in a workspace that you trust.'),
    );
  const store = namedStore(site, document.getText());
  if (!store) return measuredProgram(located, folder, parts);
  const ways = [
    { ...storeItem(store), asksStore: true },
    {
      label: vscode.l10n.t('Start my program'),
      detail: vscode.l10n.t('Parallax writes a few lines beside this call that serve it. You complete them.'),
      asksStore: false,
    },
  ];
  const way = await vscode.window.showQuickPick(ways, {
    title: vscode.l10n.t('Measure My Retriever (1 of 3)'),
    placeHolder: vscode.l10n.t('Which retriever serves this call?'),
  });
  if (!way) return undefined;
  return way.asksStore
    ? measuredStore(located, store, freeName(site, parts.config()), parts)
    : measuredProgram(located, folder, parts);
}

/** Writes the program, shows it, and starts it on request until it answers. Only then adds it as a pipeline. */
async function measuredProgram(
  located: LocatedSite,
  folder: vscode.Uri,
  parts: MeasureParts,
): Promise<string | undefined> {
  const { site, document } = located;
  if (document.uri.scheme !== folder.scheme)
    throw new ParallaxError(
      'not-found',
      vscode.l10n.t(
        'A notebook cannot be imported. Put what retrieves into a file, or capture what it retrieves.',
      ),
    );
  const name = await askName(freeName(site, parts.config()), parts.config());
  if (name === undefined) return undefined;
  const place = await importable(document, folder);
  const interpreter = await askInterpreter(place, folder);
  if (!interpreter) return undefined;
  const generated = new GeneratedFiles();
  const program = await writtenProgram(located, name, place, generated, parts);
  await vscode.window.showTextDocument(program, { viewColumn: vscode.ViewColumn.Beside });
  const cwd = path.posix.relative(folder.path, place.root.path);
  const retriever = {
    type: 'command' as const,
    command: [...interpreter, path.posix.basename(program.path)],
    ...(cwd === '' ? {} : { cwd }),
  };
  if (!(await startsWhenReady(name, commandRetrieverSchema.parse(retriever), parts))) {
    await generated.discard();
    return undefined;
  }
  const pipeline = { retriever, ...(site.k.value === undefined ? {} : { k: site.k.value }) };
  await parts.editConfig((json) => withValue(json, ['pipelines', name], pipeline));
  return name;
}

/** The folder from which a program can import a file, and the module name. */
interface Importable {
  readonly root: vscode.Uri;
  readonly module: string;
  readonly isPython: boolean;
}

async function writtenProgram(
  { site, document, file }: LocatedSite,
  name: string,
  { root, module, isPython }: Importable,
  generated: GeneratedFiles,
  { extensionUri }: MeasureParts,
): Promise<vscode.Uri> {
  const program = vscode.Uri.joinPath(root, programName(name, document.languageId));
  const line = document.positionAt(site.range.start).line + 1;
  const text = servingProgram(site, { text: document.getText(), isPython, module, place: `${file}:${line}` });
  await generated.write(program, text);
  const helper = HELPERS[isPython ? 'python' : 'script'];
  const shipped = vscode.Uri.joinPath(extensionUri, 'media', 'helpers', helper);
  await generated.write(vscode.Uri.joinPath(root, helper), await readText(shipped));
  return program;
}

/** @returns whether it answers; false if the user cancels */
async function startsWhenReady(
  name: string,
  retriever: CommandRetriever,
  { engine }: MeasureParts,
): Promise<boolean> {
  const start = vscode.l10n.t('Start');
  let message = vscode.l10n.t(
    'Complete {0} and save it. Then start it: Parallax runs "{1}" whenever "{2}" is searched.',
    retriever.command.at(-1)!,
    retriever.command.join(' '),
    name,
  );
  while ((await vscode.window.showInformationMessage(withoutLinks(message), start)) === start) {
    const answer = await withProgress(vscode.l10n.t('Parallax: asking {0}', name), ({ signal }) =>
      engine.request('checkRetriever', { retriever }, { signal }),
    );
    if (answer.ok) return true;
    message = vscode.l10n.t('{0} Fix the program, save it, and start it again.', answer.message);
  }
  return false;
}

/** An unused name for a pipeline: the function that retrieves, in characters that are allowed in a comment. */
function freeName({ within, callee }: LocatedSite['site'], { pipelines }: ParallaxConfig): string {
  const plain = (within || callee).replace(/[^\p{L}\p{N}_-]+/gu, '-');
  let free = plain;
  for (let n = 2; Object.hasOwn(pipelines, free); n++) free = `${plain}-${n}`;
  return free;
}

function askName(suggested: string, { pipelines }: ParallaxConfig): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Measure My Retriever (1 of 2)'),
    prompt: vscode.l10n.t('A name for it, shown in parallax.json and beside its figures.'),
    value: suggested,
    validateInput: (value) => {
      if (!/^[\p{L}\p{N}_-]{1,60}$/u.test(value)) return vscode.l10n.t('Letters, digits, - and _.');
      return Object.hasOwn(pipelines, value) ? vscode.l10n.t('A pipeline with this name exists.') : undefined;
    },
  });
}

/** Asks for the program that runs it, with its arguments. */
async function askInterpreter(
  { root, isPython }: Importable,
  folder: vscode.Uri,
): Promise<readonly string[] | undefined> {
  const own = isPython ? await environmentsIn(folder) : [];
  const usual = isPython ? ['python3', 'python'] : ['node', 'npx tsx'];
  const items: readonly (vscode.QuickPickItem & { readonly command: readonly string[] | undefined })[] = [
    ...own.map((file) => ({
      label: file,
      description: vscode.l10n.t('the environment of this workspace'),
      command: [path.posix.join(path.posix.relative(root.path, folder.path), file)],
    })),
    ...usual.map((label) => ({
      label,
      ...(label === 'node' ? { description: vscode.l10n.t('22.18 or later, for TypeScript') } : {}),
      command: label.split(' '),
    })),
    { label: vscode.l10n.t('Another program…'), command: undefined },
  ];
  const title = vscode.l10n.t('Measure My Retriever (2 of 2)');
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('What runs your program?'),
  });
  if (!chosen || chosen.command) return chosen?.command;
  const typed = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('A program in your PATH, or the path of one.'),
  });
  return typed ? [typed] : undefined;
}

/** The virtual environments in the usual places of Python tools. */
async function environmentsIn(folder: vscode.Uri): Promise<readonly string[]> {
  const inside = process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python';
  const files = ['.venv', 'venv', 'env'].map((name) => `${name}/${inside}`);
  const presence = await Promise.all(files.map((file) => exists(vscode.Uri.joinPath(folder, file))));
  return files.filter((_, at) => presence[at]);
}

/** Python modules are imported from the folder above the outermost package of the file. */
async function importable({ uri, languageId }: vscode.TextDocument, folder: vscode.Uri): Promise<Importable> {
  let root = vscode.Uri.joinPath(uri, '..');
  if (languageId !== 'python') return { root, module: `./${path.posix.basename(uri.path)}`, isPython: false };
  while (root.path !== folder.path && (await exists(vscode.Uri.joinPath(root, '__init__.py'))))
    root = vscode.Uri.joinPath(root, '..');
  const module = path.posix.relative(root.path, uri.path).replace(/\.py$/u, '').replaceAll('/', '.');
  return { root, module, isPython: true };
}

function programName(name: string, languageId: string): string {
  if (languageId === 'python') return `parallax_${name.replaceAll('-', '_')}.py`;
  return `parallax-${name}.${languageId.startsWith('typescript') ? 'ts' : 'mjs'}`;
}

function exists(uri: vscode.Uri): Thenable<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
