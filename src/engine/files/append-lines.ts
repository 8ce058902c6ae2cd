/** Appends lines to a text file that people edit, too. */
import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { reasonOf, RefusedFile } from './file-reason.ts';

/** As `a+`, but does not wait for the other end of a pipe. */
const APPENDING =
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_RDWR |
  ((constants as Partial<typeof constants>).O_NONBLOCK ?? 0);

/**
 * Adds lines in one write. Existing content is not changed; a last line without a line end gets one.
 *
 * @param lines each with its line end
 * @returns what was written
 * @throws ParallaxError `bad-file` if the file cannot be written
 */
export async function appendLines(file: string, lines: readonly string[]): Promise<Buffer> {
  if (lines.length === 0) return Buffer.alloc(0);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    const handle = await open(file, APPENDING);
    try {
      const written = Buffer.from(((await endsOpen(handle)) ? '\n' : '') + lines.join(''));
      await handle.appendFile(written);
      return written;
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new ParallaxError('bad-file', l10n.t`Cannot write ${file}: ${reasonOf(error)}.`, { cause: error });
  }
}

/** Whether the last line lacks its end, as after some editors, merges and killed processes. */
async function endsOpen(handle: FileHandle): Promise<boolean> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new RefusedFile('ENOTREG');
  if (stats.size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, stats.size - 1);
  return buffer.toString() !== '\n';
}
