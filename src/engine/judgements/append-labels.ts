/** Adds lines to a labels file in such a way that two branches with new lines merge without a conflict. */
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

/** Makes Git keep the lines of both sides. The order of labels does not matter. */
const ATTRIBUTES = '# Lines of people on two branches are kept, all of them.\n*.jsonl merge=union\n';

/** An attribute that decides how a file is merged: `merge=lfs`, `-merge`, or `binary`, which implies it. */
const DECIDES = /^(?:[-!]?merge|merge=.*|binary)$/u;

/**
 * As {@link appendLines}. In a Git repository, writes a `.gitattributes` beside the file that sets how it is merged,
 * unless one there or in a folder above sets it. Keeps an existing file, even an empty one.
 *
 * @throws ParallaxError `bad-file` if the file cannot be written
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
    // Keeps an existing .gitignore. If it cannot be written, the labels are stored all the same.
    if (!['EEXIST', 'EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(codeOf(error))) throw error;
  }
}

/**
 * Whether an attributes file sets how the file is merged.
 *
 * @param above the folders above the file's folder, the repository's root first
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

/** The patterns of lines that set how files are merged. Git allows no exceptions (`!`) there. */
function decidingPatterns(text: string): string[] {
  return text.split(/\r?\n/u).flatMap((line) => {
    const [pattern = '', ...attributes] = line.trim().split(/[ \t]+/u);
    const counts = !/^[#!]/u.test(pattern) && attributes.some((attribute) => DECIDES.test(attribute));
    return counts && globProblem(pattern) === undefined ? [pattern] : [];
  });
}
