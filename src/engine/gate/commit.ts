import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

/** The commit that is checked out; nothing where the folder is in no repository, or git is not there. */
export async function commitOf(folder: string): Promise<string | undefined> {
  try {
    // Not started in the folder: Windows would look for git there first, and run what a repository calls so.
    const cwd = path.dirname(process.execPath);
    const { stdout } = await promisify(execFile)('git', ['-C', folder, 'rev-parse', '--verify', 'HEAD'], {
      cwd,
    });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
