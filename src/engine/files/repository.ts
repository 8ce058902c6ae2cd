/** The Git repository around a folder, and its files for Git. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from './boundary.ts';
import { errorCode } from './paths.ts';
import { readText } from './reading.ts';

/** Longer than any list written by hand. */
const MAX_BYTES = 2 ** 20;

/** Options of the pattern matcher: Git ignores case where the file system does. */
export const PATTERN_OPTIONS = { ignorecase: process.platform === 'win32' || process.platform === 'darwin' };

/**
 * The folders above `folder`, from the repository's root on. Empty for that root, `undefined` outside of a
 * repository.
 */
export async function foldersOfRepository(folder: string): Promise<string[] | undefined> {
  const above: string[] = [];
  for (let at = folder; ; at = path.dirname(at)) {
    if (at !== folder) above.unshift(at);
    if (await exists(path.join(at, '.git'))) return above;
    if (path.dirname(at) === at) return undefined;
  }
}

/**
 * The text of a list. `undefined` if it is missing, unreadable, a folder, or a link out of the folder: like Git,
 * works without it.
 */
export async function readList(folder: string, name: string): Promise<string | undefined> {
  const file = path.join(folder, name);
  try {
    return (await isInside(folder, file)) ? await readText(file, { maxBytes: MAX_BYTES }) : undefined;
  } catch (error) {
    if (errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (errorCode(error) !== undefined) return false;
    throw error;
  }
}
