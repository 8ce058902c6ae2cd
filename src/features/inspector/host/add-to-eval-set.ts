/** Adds questions as tests to an eval set, which the Testing view shows. */
import * as vscode from 'vscode';
import { counted, counts } from '../../../core/counted.ts';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { withQuery, type AddedQuery } from '../../../core/formats/eval-set-add.ts';
import { withValue } from '../../../core/formats/json-edit.ts';
import type { EvalQuery } from '../../../shared/eval-query.ts';
import { readText } from '../../../extension/platform/read-text.ts';
import type { Services } from '../../../extension/services/services.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

type QuestionParts = Pick<EvalQuery, 'text' | 'perspectives'>;

/** The file of the first eval set. */
const FIRST_SET = 'eval/questions.parallax.jsonl';
const ENDING = '.parallax.jsonl';

/**
 * Asks for a new or existing eval set, and adds each question with the perspectives that the set lacks.
 *
 * @throws ParallaxError `not-found` if no folder is open, `bad-file` if the eval set cannot be read or written
 */
export async function addToEvalSet(
  { workspace, configFile }: Pick<Services, 'workspace' | 'configFile'>,
  queries: readonly QuestionParts[],
): Promise<void> {
  const folder = workspace.openFolder;
  const sets = Map.groupBy(workspace.snapshot.evalQueries, ({ evalSet }) => evalSet);
  const evalSet = await chooseSet(new Map([...sets].map(([name, queries]) => [name, queries.length])));
  if (evalSet === undefined) return;
  const added = await write(vscode.Uri.joinPath(folder, evalSet), evalSet, queries);
  const { evalQueries } = await workspace.read();
  if (!evalQueries.some((each) => each.evalSet === evalSet))
    await configFile.edit((json) => withValue(json, ['evalSets', -1], evalSet));
  const [first, ...more] = added;
  tell(first && more.length === 0 ? addedText(evalSet, first) : allAddedText(evalSet, added));
}

/** @param sets number of questions by path */
async function chooseSet(sets: ReadonlyMap<string, number>): Promise<string | undefined> {
  const known = [...sets].map(([path, questions]) => ({
    label: path,
    description: counts.questions(questions),
    path,
  }));
  const first = { label: FIRST_SET, description: vscode.l10n.t('new'), path: FIRST_SET };
  const newSet = { label: vscode.l10n.t('$(add) New eval set…'), description: '', path: undefined };
  const items = [...(known.length === 0 ? [first] : known), newSet];
  const title = vscode.l10n.t('Add the question to which eval set?');
  const chosen = await vscode.window.showQuickPick(items, { title });
  return chosen && (chosen.path ?? nameSet());
}

async function nameSet(): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('What should the eval set be called?'),
    value: 'questions',
    validateInput: (text) =>
      /^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,80}$/u.test(text)
        ? undefined
        : vscode.l10n.t('Letters, digits, dots, dashes and underscores'),
  });
  if (name === undefined) return undefined;
  return name.endsWith('.jsonl') ? `eval/${name}` : `eval/${name}${ENDING}`;
}

async function write(
  uri: vscode.Uri,
  name: string,
  queries: readonly QuestionParts[],
): Promise<readonly AddedQuery[]> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open?.isDirty) await open.save();
  let text = await textOf(uri);
  const added = queries.map((query) => {
    const one = withQuery(text, name, query);
    text = one.text;
    return one;
  });
  try {
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  } catch (error) {
    throw new ParallaxError(
      'bad-file',
      vscode.l10n.t('{0} could not be written: {1}.', name, messageOf(error)),
      { cause: error },
    );
  }
  return added;
}

/** Empty if the file does not exist. */
async function textOf(uri: vscode.Uri): Promise<string> {
  try {
    return await readText(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return '';
    throw error;
  }
}

function tell(text: string): void {
  const show = vscode.l10n.t('Show in Testing');
  void vscode.window.showInformationMessage(withoutLinks(text), show).then((chosen) => {
    if (chosen === show) void vscode.commands.executeCommand('workbench.view.testing.focus');
  });
}

function addedText(evalSet: string, { known, added }: AddedQuery): string {
  if (!known) return vscode.l10n.t('The question is a test now, in {0}.', evalSet);
  if (added === 0) return vscode.l10n.t('{0} has the question with these perspectives already.', evalSet);
  return counted(
    vscode.l10n.t('{1} had the question; {0} [0:perspective was|perspectives were] added to it.'),
    added,
    evalSet,
  );
}

function allAddedText(evalSet: string, all: readonly AddedQuery[]): string {
  const isNew = all.filter(({ known }) => !known).length;
  return counted(
    vscode.l10n.t(
      '{0} [0:question is a test|questions are tests] now, in {1}; {2} of them [2:was|were] there before.',
    ),
    all.length,
    evalSet,
    all.length - isNew,
  );
}
