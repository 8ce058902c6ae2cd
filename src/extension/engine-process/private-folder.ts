import { chmod, mkdir } from 'node:fs/promises';
import { messageOf } from '../../core/errors.ts';

/** Passages, judgements and model output are private to the user. */
const OWNER_ONLY = 0o700;

/**
 * Creates a folder if it is missing, and removes access for other users of the machine. On Windows it inherits the
 * permissions of the user's profile.
 *
 * @param warn called with the reason if permissions cannot be changed, as on a disk without permissions; the index is
 *   still stored there
 */
export async function makePrivate(folder: string, warn: (message: string) => void): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
    await chmod(folder, OWNER_ONLY);
  } catch (error) {
    warn(`${folder} could not be closed to other users of this machine: ${messageOf(error)}`);
  }
}
