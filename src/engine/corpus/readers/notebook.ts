/**
 * Jupyter notebooks: the sources of Markdown and code cells in order, without outputs. Code is in fences, so that its
 * comments are not taken for Markdown headings.
 */
import * as l10n from '@vscode/l10n';
import { messageOf } from '../../../core/errors.ts';
import { MAX_CELLS, readNotebook, type Notebook, type NotebookCell } from '../../../core/formats/notebook.ts';
import { decodeText } from '../decode.ts';
import { firstHeading } from './verbatim.ts';
import { FileSkipped, type ReadItem, type WholeReader } from './reader.ts';

export const notebookReader: WholeReader = {
  streamed: false,
  read(bytes, { name }): ReadItem[] {
    const { cells, language = '' } = parseNotebook(decodeText(bytes));
    const text = cells
      .map((cell) => cellText(cell, language))
      .filter((part) => part !== '')
      .join('\n\n');
    return [{ document: { title: firstHeading(text) ?? name, text, verbatim: false } }];
  },
};

function parseNotebook(text: string): Notebook {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new FileSkipped('broken', l10n.t`It is not a notebook: ${messageOf(error)}.`, { cause: error });
  }
  const notebook = readNotebook(json);
  if (notebook) return notebook;
  throw new FileSkipped(
    'broken',
    l10n.t`It is not a notebook: it has no list of cells, or one of more than ${MAX_CELLS}.`,
  );
}

function cellText({ type, level, source: rawSource }: NotebookCell, language: string): string {
  const source = rawSource.trim();
  if (source === '') return '';
  if (type === 'heading') return `${'#'.repeat(level)} ${source}`;
  return type === 'code' ? fenced(source, language) : source;
}

/** A fence longer than any run of backticks within. */
function fenced(source: string, language: string): string {
  const runs = source.match(/`+/g) ?? [];
  const fence = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
  return `${fence}${language}\n${source}\n${fence}`;
}
