import * as vscode from 'vscode';
import { ParallaxError } from '../../core/errors.ts';
import { staysInside } from './inside-folder.ts';

/** More than people write by hand, and little enough for the extension host to hold. */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * The text of a file of a workspace, looked at before it is read: a link to a device would be read for ever, and one that
 * leads out of the folder says before trust what it has no business to know.
 *
 * @throws ParallaxError `untrusted` where a link leads out of a folder that is not trusted, `bad-file` for anything but a
 *   file, `too-large`; the editor's errors, `FileNotFound` among them
 */
export async function readText(uri: vscode.Uri): Promise<string> {
  await requireInside(uri);
  const { type, size } = await vscode.workspace.fs.stat(uri);
  if ((type & vscode.FileType.File) === 0)
    throw new ParallaxError('bad-file', vscode.l10n.t('{0} is not a file.', uri.fsPath));
  if (size > MOST_BYTES)
    throw new ParallaxError(
      'too-large',
      vscode.l10n.t('{0} is larger than {1} MB.', uri.fsPath, MOST_BYTES / 2 ** 20),
    );
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

/** Files outside of every folder are named by the user or by Parallax itself, never by a workspace. */
async function requireInside(uri: vscode.Uri): Promise<void> {
  const folder = vscode.workspace.isTrusted ? undefined : vscode.workspace.getWorkspaceFolder(uri);
  if (!folder || uri.scheme !== 'file' || (await staysInside(folder.uri.fsPath, uri.fsPath))) return;
  throw new ParallaxError(
    'untrusted',
    vscode.l10n.t(
      '{0} lies outside this folder. Parallax reads and writes there only once you trust the workspace.',
      uri.fsPath,
    ),
  );
}
