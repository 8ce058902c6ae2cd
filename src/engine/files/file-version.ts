import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { codeOf } from './file-reason.ts';

/**
 * Another text whenever a file was written, empty while there is none. A program can set back the time of its content,
 * and not when it was changed last.
 *
 * @throws the file system's errors
 */
export async function fileVersion(file: string): Promise<string> {
  return versionOf(await fileState(file));
}

/** @returns `undefined` while there is no such file @throws the file system's errors */
export async function fileState(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** As {@link fileVersion}. */
export function versionOf(state: Stats | undefined): string {
  return state === undefined ? '' : `${state.mtimeMs} ${state.ctimeMs} ${state.size} ${state.ino}`;
}
