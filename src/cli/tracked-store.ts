/** Refuses a store that is part of the checkout, because the author of a pull request may have written its answers. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ParallaxError } from '../core/errors.ts';

/**
 * @param env where runners identify themselves
 * @throws ParallaxError `bad-argument` in a CI job, if git tracks the store or a file in it
 */
export async function requireUntracked(
  store: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (store === undefined || !isJob(env) || !(await isTracked(path.resolve(store)))) return;
  throw new ParallaxError(
    'bad-argument',
    `${store} is not trusted: git tracks files of it, so that a pull request may bring answers that no judge gave. Remove it from the repository.`,
  );
}

function isJob({ CI: ci = '' }: Readonly<Record<string, string | undefined>>): boolean {
  return !['', '0', 'false'].includes(ci.toLowerCase());
}

/** If git cannot answer, the store counts as untracked: without a repository there is no pull request. */
async function isTracked(folder: string): Promise<boolean> {
  // A runner may have checked it out as another user, and the repository's settings may name programs.
  const options = ['-c', 'safe.directory=*', '-c', 'core.fsmonitor=false', '-C', path.dirname(folder)];
  // Ignores case, like some file systems.
  const pattern = `:(icase,literal)${path.basename(folder)}`;
  try {
    const { stdout } = await promisify(execFile)('git', [...options, 'ls-files', '--', pattern], {
      // Not started in the folder, because Windows would look for git there first.
      cwd: path.dirname(process.execPath),
      maxBuffer: 2 ** 28,
    });
    return stdout !== '';
  } catch {
    return false;
  }
}
