/** Lines added to a labels file, so that two branches that both add some merge without a conflict. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import ignore from 'ignore';
import { globProblem } from '../../core/text/glob-limits.ts';
import { appendLines } from '../files/append-lines.ts';
import { codeOf } from '../files/file-reason.ts';
import { relativeInside } from '../files/paths.ts';
import { foldersOfRepository, PATTERN_OPTIONS, readList } from '../files/repository.ts';

const LIST = '.gitattributes';

/** Tells Git to keep the lines of both sides; the order of labels is no matter. */
const ATTRIBUTES = '# Lines of people on two branches are kept, all of them.\n*.jsonl merge=union\n';

/** An attribute that decides how a file is merged: `merge=lfs`, `-merge`, or `binary`, which stands for it. */
const DECIDES = /^(?:[-!]?merge|merge=.*|binary)$/u;

/**
 * As {@link appendLines}. In a Git repository Git is told beside the file how it is merged, unless somebody has said it
 * there or in a folder above; a list that is there stays as it is, be it empty.
 *
 * @throws ParallaxError `bad-file` when the file cannot be written
 */
export async function appendLabels(file: string, lines: readonly string[]): Promise<Buffer> {
  const written = await appendLines(file, lines);
  if (written.length > 0) await tellGit(file);
  return written;
}

async function tellGit(file: string): Promise<void> {
  const folder = path.dirname(file);
  const list = path.join(folder, LIST);
  if (existsSync(list)) return;
  const above = await foldersOfRepository(folder);
  if (!above || (await isDecided(file, above))) return;
  try {
    await writeFile(list, ATTRIBUTES, { flag: 'wx' });
  } catch (error) {
    // A .gitignore of somebody's own stays; and where none can be written, the labels are there all the same.
    if (!['EEXIST', 'EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(codeOf(error))) throw error;
  }
}

/**
 * Whether a list says how the file is merged.
 *
 * @param above the folders above that of the file, the repository's root first
 */
async function isDecided(file: string, above: readonly string[]): Promise<boolean> {
  const lists = [
    ...above.map((folder) => ({ folder, name: LIST })),
    { folder: above[0] ?? path.dirname(file), name: path.join('.git', 'info', 'attributes') },
  ];
  for (const { folder, name } of lists) {
    const patterns = decidingPatterns((await readList(folder, name)) ?? '');
    const place = relativeInside(folder, file);
    if (place && ignore(PATTERN_OPTIONS).add(patterns).ignores(place)) return true;
  }
  return false;
}

/** The patterns of lines that say how files are merged. Git allows no exceptions (`!`) there. */
function decidingPatterns(text: string): string[] {
  return text.split(/\r?\n/u).flatMap((line) => {
    const [pattern = '', ...attributes] = line.trim().split(/[ \t]+/u);
    const counts = !/^[#!]/u.test(pattern) && attributes.some((attribute) => DECIDES.test(attribute));
    return counts && globProblem(pattern) === undefined ? [pattern] : [];
  });
}
