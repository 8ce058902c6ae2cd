import { constants } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';

const { O_CREAT, O_TRUNC, O_WRONLY } = constants;
/** A repository may contain a link of this name that leads out of the folder. Windows has no such flag. */
const NEW_FILE = O_WRONLY | O_CREAT | O_TRUNC | (constants.O_NOFOLLOW ?? 0);

/**
 * Writes a file so that a crash leaves either the complete file or none under its name.
 *
 * @throws what `write` throws, or an error of the file system; no file is left then
 */
export async function writeDurably(
  file: string,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const temporary = `${file}.tmp`;
  try {
    const handle = await open(temporary, NEW_FILE);
    try {
      await write(handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
