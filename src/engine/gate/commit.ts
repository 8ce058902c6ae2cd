import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The commit that is checked out; nothing where the folder is in no repository, or git is not there. */
export async function commitOf(folder: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', '--verify', 'HEAD'], { cwd: folder });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
