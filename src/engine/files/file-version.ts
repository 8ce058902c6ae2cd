import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { codeOf } from './file-reason.ts';

/**
 * Changes whenever a file is written. Empty if it does not exist. A program can set back the modification time, but
 * not the time of the last change.
 *
 * @throws errors of the file system
 */
export async function fileVersion(file: string): Promise<string> {
  return versionOf(await fileState(file));
}

/** @returns undefined if there is no such file @throws errors of the file system */
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
