/**
 * Whether a path stays in a folder once its links are followed. Before a workspace is trusted, nothing outside is asked
 * for, not even whether it is there: a repository may bring links along.
 */
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';

/** @param file absolute; it need not be there: what counts is the nearest folder on the way that is */
export async function staysInside(folder: string, file: string): Promise<boolean> {
  const place = await realPlace(file);
  if (place === undefined) return false;
  const relative = path.relative(await realpath(folder), place);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** @returns nothing for what cannot be looked at, and for a link that leads nowhere */
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
