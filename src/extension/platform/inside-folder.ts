/**
 * Checks whether a path stays in a folder once its links are followed. Before a workspace is trusted, nothing outside
 * of it is accessed, not even to check whether it exists, because a repository may contain links.
 */
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';

/** @param file absolute; if it does not exist, its nearest existing parent folder decides */
export async function staysInside(folder: string, file: string): Promise<boolean> {
  const place = await realPlace(file);
  if (place === undefined) return false;
  const relative = path.relative(await realpath(folder), place);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** @returns `undefined` if the path cannot be read, and for a broken link */
async function realPlace(file: string): Promise<string | undefined> {
  try {
    return await realpath(file);
  } catch (error) {
    if (!isMissing(error) || (await isEntry(file))) return undefined;
    const parent = await realPlace(path.dirname(file));
    return parent && path.join(parent, path.basename(file));
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function isEntry(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
