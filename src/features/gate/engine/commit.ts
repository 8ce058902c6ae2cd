import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

/** The commit that is checked out. `undefined` if the folder is in no repository, or git is missing. */
export async function commitOf(folder: string): Promise<string | undefined> {
  try {
    // Does not start in the folder: Windows would look for git there first, and run a file of that name in
    // the repository.
    const cwd = path.dirname(process.execPath);
    const { stdout } = await promisify(execFile)('git', ['-C', folder, 'rev-parse', '--verify', 'HEAD'], {
      cwd,
    });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
