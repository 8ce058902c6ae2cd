/** Programs as the detector of call sites reads them: files of the known languages, and notebooks. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../core/errors.ts';
import { readNotebook } from '../core/formats/notebook.ts';
import type { Cell } from '../sites/detector.ts';
import { ENDINGS, languageIdOf } from '../sites/syntax/language.ts';

export interface Program {
  /** Relative to the workspace, with slashes. */
  readonly file: string;
  /** A plain file is one cell. */
  readonly cells: readonly Cell[];
  readonly isNotebook: boolean;
}

const NOTEBOOK = 'ipynb';

/** Which files of a workspace may be programs. */
export const PROGRAM_FILES = `**/*.{${[...Object.keys(ENDINGS), NOTEBOOK].join(',')}}`;
/** Folders of packages and of what builds leave behind; the user's own code is elsewhere. */
export const FOREIGN_FOLDERS = [
  'node_modules',
  'site-packages',
  '.git',
  '.venv',
  'venv',
  '__pycache__',
  'dist',
  'build',
  'out',
];
/** Longer texts are generated, or data. */
export const MOST_PROGRAM_BYTES = 2_000_000;

/** @returns nothing where the file's name says that it is no program */
export function programOf(file: string, text: string): Program | undefined {
  if (file.toLowerCase().endsWith(`.${NOTEBOOK}`))
    return { file, cells: notebookCells(text), isNotebook: true };
  const languageId = languageIdOf(file);
  return languageId === undefined ? undefined : { file, cells: [{ languageId, text }], isNotebook: false };
}

/**
 * The program that somebody named.
 *
 * @throws ParallaxError `not-found` where the file's name says that it is no program
 */
export function namedProgram(file: string, text: string): Program {
  const program = programOf(file, text);
  if (program) return program;
  const endings = [...Object.keys(ENDINGS), NOTEBOOK].map((ending) => `.${ending}`).join(', ');
  throw new ParallaxError(
    'not-found',
    l10n.t`${file} is no program in which calls are looked for: ${endings}.`,
  );
}

/** The same sentence on every host. */
export function notInWorkspace(file: string): ParallaxError {
  return new ParallaxError('not-found', l10n.t`There is no file ${file} in the workspace.`);
}

/** Every cell, so that cells keep their numbers. A file that is no notebook has none. */
function notebookCells(text: string): Cell[] {
  const notebook = readNotebook(jsonOf(text));
  if (!notebook) return [];
  const language = notebook.language?.toLowerCase() ?? 'python';
  return notebook.cells.map(({ type, source, languageId }) => ({
    languageId: type === 'code' ? (languageId ?? language) : 'markdown',
    text: source,
  }));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Half written, or merged with conflicts: it has no cells until it can be read again.
    return undefined;
  }
}
