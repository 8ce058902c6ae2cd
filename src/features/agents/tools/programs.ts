/** Programs as the detector of call sites reads them: files in supported languages, and notebooks. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { readNotebook } from '../../../core/formats/notebook.ts';
import type { Cell } from '../../../sites/detector.ts';
import { ENDINGS, languageIdOf } from '../../../sites/syntax/language.ts';

export interface Program {
  /** Relative to the workspace, with slashes. */
  readonly file: string;
  /** A plain file is one cell. */
  readonly cells: readonly Cell[];
  readonly isNotebook: boolean;
}

const NOTEBOOK = 'ipynb';

/** Matches the files of a workspace that may be programs. */
export const PROGRAM_FILES = `**/*.{${[...Object.keys(ENDINGS), NOTEBOOK].join(',')}}`;
/** Folders of packages and build output, which contain no code of the user. */
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
export const MAX_PROGRAM_BYTES = 2_000_000;

/** @returns `undefined` if the file name shows that it is no program */
export function programOf(file: string, text: string): Program | undefined {
  if (file.toLowerCase().endsWith(`.${NOTEBOOK}`))
    return { file, cells: notebookCells(text), isNotebook: true };
  const languageId = languageIdOf(file);
  return languageId === undefined ? undefined : { file, cells: [{ languageId, text }], isNotebook: false };
}

/**
 * The program in a given file.
 *
 * @throws ParallaxError `not-found` if the file name shows that it is no program
 */
export function namedProgram(file: string, text: string): Program {
  const program = programOf(file, text);
  if (program) return program;
  const endings = [...Object.keys(ENDINGS), NOTEBOOK].map((ending) => `.${ending}`).join(', ');
  throw new ParallaxError(
    'not-found',
    l10n.t`${file} is not a program that Parallax looks for calls in: ${endings}.`,
  );
}

/** The same message on every host. */
export function notInWorkspace(file: string): ParallaxError {
  return new ParallaxError('not-found', l10n.t`There is no file ${file} in the workspace.`);
}

/** All cells, so that they keep their numbers. Empty if the file is no notebook. */
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
    // A partly written file, or one with merge conflicts, has no cells until it can be read again.
    return undefined;
  }
}
