import { stat } from 'node:fs/promises';
import { codeOf } from './file-reason.ts';

/**
 * Another text whenever a file was written, empty while there is none. A program can set back the time of its content,
 * and not when it was changed last.
 *
 * @throws the file system's errors
 */
export async function fileVersion(file: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
