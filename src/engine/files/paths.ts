/**
 * Paths of the file system as the slash-separated names that globs and document ids are made of.
 */
import path from 'node:path';

export function toSlashes(name: string): string {
  return path.sep === '/' ? name : name.replaceAll(path.sep, '/');
}

/** `file` relative to `folder` with slashes; `undefined` when it does not lie inside. `''` for the folder itself. */
export function relativeInside(folder: string, file: string): string | undefined {
  const relative = path.relative(folder, file);
  if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
    return undefined;
  return toSlashes(relative);
}

/** By UTF-16 code units, so that the order is the same on every machine. */
export function comparePaths(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The code of a file system error, `ENOENT` and the like; `undefined` for errors from elsewhere. */
export function errorCode(error: unknown): string | undefined {
  const isFromSystem = error instanceof Error && 'syscall' in error && 'code' in error;
  return isFromSystem ? String(error.code) : undefined;
}
