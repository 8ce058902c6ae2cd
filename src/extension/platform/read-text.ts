import * as vscode from 'vscode';
import { ParallaxError } from '../../core/errors.ts';
import { staysInside } from './inside-folder.ts';

/** More than people write by hand, and small enough for the extension host's memory. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * Reads the text of a workspace file after checking it: a link to a device would be read forever, and a link out of the
 * folder would reveal other files before the workspace is trusted.
 *
 * @throws ParallaxError `untrusted` if a link leads out of a folder that is not trusted, `bad-file` if it is not a
 *   file, `too-large`; the editor's errors, including `FileNotFound`
 */
export async function readText(uri: vscode.Uri): Promise<string> {
  await requireInside(uri);
  const { type, size } = await vscode.workspace.fs.stat(uri);
  if ((type & vscode.FileType.File) === 0)
    throw new ParallaxError('bad-file', vscode.l10n.t('{0} is not a file.', uri.fsPath));
  if (size > MAX_BYTES)
    throw new ParallaxError(
      'too-large',
      vscode.l10n.t('{0} is larger than {1} MB.', uri.fsPath, MAX_BYTES / 2 ** 20),
    );
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

/** Only the user or Parallax itself names files outside of every folder, never a workspace. */
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
