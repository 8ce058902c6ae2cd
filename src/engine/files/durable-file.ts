import { open, rename, rm, type FileHandle } from 'node:fs/promises';

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
    const handle = await open(temporary, 'w');
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
