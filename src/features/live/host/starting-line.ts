import type { TextDocument, Uri } from 'vscode';

/** The command that starts a program in a terminal. `undefined` if it is unclear how the document is run. */
export function startingLine(
  document: Pick<TextDocument, 'uri' | 'languageId'> | undefined,
  nameOf: (uri: Uri, withFolder: boolean) => string,
): string | undefined {
  if (document?.uri.scheme !== 'file') return undefined;
  const file = quoted(nameOf(document.uri, false));
  switch (document.languageId) {
    case 'python':
      return `${process.platform === 'win32' ? 'python' : 'python3'} ${file}`;
    case 'javascript':
    case 'typescript':
      return `node ${file}`;
    default:
      return undefined;
  }
}

function quoted(name: string): string {
  return /^[\w./\\-]+$/u.test(name) ? name : `"${name.replaceAll('"', '\\"')}"`;
}
