import { chmod, mkdir } from 'node:fs/promises';
import { messageOf } from '../../core/errors.ts';

/** Passages, judgements and what models wrote are nobody's business but the user's. */
const OWNER_ONLY = 0o700;

/**
 * Makes a folder where it is missing, and closes it to other users of the machine; on Windows it inherits the rights
 * of the user's profile.
 *
 * @param warn told why it could not be closed, as on a disk without rights; the index is still kept there
 */
export async function makePrivate(folder: string, warn: (message: string) => void): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
    await chmod(folder, OWNER_ONLY);
  } catch (error) {
    warn(`${folder} could not be closed to other users of this machine: ${messageOf(error)}`);
  }
}
