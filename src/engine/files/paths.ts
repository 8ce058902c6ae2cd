/** Converts paths of the file system to the slash-separated names of globs and document ids. */
import path from 'node:path';

export function toSlashes(name: string): string {
  return path.sep === '/' ? name : name.replaceAll(path.sep, '/');
}

/** `file` relative to `folder` with slashes. `''` for the folder itself, `undefined` if the file is not inside. */
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

/** The code of a file system error, such as `ENOENT`. `undefined` for other errors. */
export function errorCode(error: unknown): string | undefined {
  const isFromSystem = error instanceof Error && 'syscall' in error && 'code' in error;
  return isFromSystem ? String(error.code) : undefined;
}
