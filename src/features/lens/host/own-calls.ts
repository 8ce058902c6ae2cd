/** "This call retrieves…": adds a function of the workspace to parallax.json, so that its calls get inline figures. */
import * as vscode from 'vscode';
import { ParallaxError } from '../../../core/errors.ts';
import type { Wrapper } from '../../../core/call-sites/wrappers.ts';
import { withWrapper } from '../core/wrapper-edit.ts';
import { COMMANDS } from '../../../shared/manifest/contributions.ts';
import { calledHere, likelyK, mayBeSearch, type CalledHere } from '../../../sites/call-at.ts';
import { on, type CommandHandler } from '../../../extension/platform/contributed.ts';
import * as z from 'zod';
import type { SiteDocuments } from './site-documents.ts';

/** The place of the code action. Defaults to the cursor. */
const placeSchema = z.object({ uri: z.string(), offset: z.number().int().min(0) }).optional();

export interface OwnCallsParts {
  readonly documents: SiteDocuments;
  readonly edit: (edit: (json: string) => string) => Promise<void>;
}

export function ownCallCommands({
  edit,
}: OwnCallsParts): Record<typeof COMMANDS.callRetrieves, CommandHandler> {
  return {
    [COMMANDS.callRetrieves]: on(
      (target) => placeSchema.safeParse(target).data,
      async (place) => {
        const called = place ? await calledIn(place.uri, place.offset) : calledAtCursor();
        if (!called)
          throw new ParallaxError('not-found', vscode.l10n.t('The cursor is not in the name of a call.'));
        const wrapper = await askFor(called);
        if (wrapper) await edit((json) => withWrapper(json, wrapper));
      },
    ),
  };
}

/** Offered on a call that may retrieve and that no rule detects. */
export async function ownCallAction(
  documents: SiteDocuments,
  document: vscode.TextDocument,
  { start }: vscode.Range,
): Promise<vscode.CodeAction | undefined> {
  if (!vscode.workspace.isTrusted) return undefined;
  const offset = document.offsetAt(start);
  const called = calledHere(document.getText(), offset);
  if (!called || !mayBeSearch(called)) return undefined;
  const sites = await documents.sites(document);
  if (
    sites.some(({ site: { range, uses } }) =>
      [range, ...uses].some((at) => at.start <= offset && offset <= at.end),
    )
  )
    return undefined;
  const title = vscode.l10n.t('This call retrieves…');
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.RefactorRewrite);
  action.command = {
    title,
    command: COMMANDS.callRetrieves,
    arguments: [{ uri: document.uri.toString(), offset }],
  };
  return action;
}

async function calledIn(uri: string, offset: number): Promise<CalledHere | undefined> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  return calledHere(document.getText(), offset);
}

function calledAtCursor(): CalledHere | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor && calledHere(editor.document.getText(), editor.document.offsetAt(editor.selection.active));
}

/** The most positional arguments that are offered. */
const MAX_POSITIONS = 4;
const MAX_OF_AN_ARGUMENT = 60;

/** The beginning of an argument, short enough for a list. */
function firstLine(written: string): string {
  const [line = ''] = written.split('\n', 1);
  return line.length === written.length && line.length <= MAX_OF_AN_ARGUMENT
    ? line
    : `${line.slice(0, MAX_OF_AN_ARGUMENT).trimEnd()}…`;
}

/** `undefined` if the user cancels. */
async function askFor(called: CalledHere): Promise<Wrapper | undefined> {
  const likely = likelyK(called);
  const named = [...called.names].toSorted((a, b) => Number(b === likely) - Number(a === likely));
  const items: readonly (vscode.QuickPickItem & { readonly k: string | undefined })[] = [
    ...named.map((name) => ({ label: name, k: name, description: vscode.l10n.t('argument by name') })),
    ...called.unnamed.slice(0, MAX_POSITIONS).map((written, at) => ({
      label: firstLine(written),
      k: `#${at}`,
      description: vscode.l10n.t('argument {0} of the call, #{1} in parallax.json', at + 1, at),
    })),
    { label: vscode.l10n.t('None of them'), k: undefined, description: vscode.l10n.t('k is not known') },
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('{0} retrieves', called.name),
    placeHolder: vscode.l10n.t(
      'Which argument says how many passages come back? It is written to parallax.json.',
    ),
  });
  return chosen && { name: called.name, ...(chosen.k === undefined ? {} : { k: chosen.k }) };
}
