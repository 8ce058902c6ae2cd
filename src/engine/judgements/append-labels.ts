/** Lines added to a labels file, so that two branches that both add some merge without a conflict. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../files/file-reason.ts';
import { appendLines } from '../files/append-lines.ts';

/** Tells Git to keep the lines of both sides; the order of labels is no matter. */
const ATTRIBUTES = '# Lines of people on two branches are kept, all of them.\n*.jsonl merge=union\n';

/**
 * As {@link appendLines}. Beside a new file of a Git repository Git is told how it is merged, unless it is told already.
 *
 * @throws ParallaxError `bad-file` when the file cannot be written
 */
export async function appendLabels(file: string, lines: readonly string[]): Promise<Buffer> {
  const isNew = !existsSync(file);
  const written = await appendLines(file, lines);
  if (isNew && written.length > 0 && isInRepository(file)) await writeAttributes(path.dirname(file));
  return written;
}

async function writeAttributes(folder: string): Promise<void> {
  try {
    await writeFile(path.join(folder, '.gitattributes'), ATTRIBUTES, { flag: 'wx' });
  } catch (error) {
    // What somebody says there stays; and where it cannot be written, the labels are there all the same.
    if (!['EEXIST', 'EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(codeOf(error))) throw error;
  }
}

function isInRepository(file: string): boolean {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.git'))) return true;
    if (folder === path.dirname(folder)) return false;
  }
}
