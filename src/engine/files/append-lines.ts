/** Lines added to a text file that people edit too. */
import { appendFile, mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';

/**
 * Adds lines in one write. What the file held stays as it is; a last line without its end gets one.
 *
 * @param lines each with its line end
 * @throws ParallaxError `bad-file` when the file cannot be written
 */
export async function appendLines(file: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await appendFile(file, ((await endsOpen(file)) ? '\n' : '') + lines.join(''));
  } catch (error) {
    throw new ParallaxError('bad-file', l10n.t`Cannot write ${file}: ${messageOf(error)}.`, { cause: error });
  }
}

/** Whether the last line lacks its end, as editors, merges and killed processes leave it. */
async function endsOpen(file: string): Promise<boolean> {
  const handle = await open(file, 'a+');
  try {
    const { size } = await handle.stat();
    if (size === 0) return false;
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer.toString() !== '\n';
  } finally {
    await handle.close();
  }
}
