/** The folder of the user's caches. */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';

export function caches(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (XDG_CACHE_HOME) return XDG_CACHE_HOME;
  if (process.platform === 'win32' && LOCALAPPDATA) return LOCALAPPDATA;
  return path.join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache');
}

/** A name for a folder in the caches. */
export const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);
