/**
 * `.gitignore` files: every folder's own, those of the folders above it up to the repository's root, and
 * the repository's `.git/info/exclude`. The deepest file that says something about a path decides.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { globProblem } from '../../core/text/glob-limits.ts';
import { isInside } from '../files/boundary.ts';
import { errorCode, relativeInside } from '../files/paths.ts';
import { readText } from '../files/reading.ts';

/** Git folds case where the file system does. */
const IGNORE_OPTIONS = { ignorecase: process.platform === 'win32' || process.platform === 'darwin' };

/** No list that people wrote is as long. */
const MOST_BYTES = 2 ** 20;

interface Rules {
  readonly folder: string;
  readonly matcher: Ignore;
}

/** The rules that hold inside one folder. */
export class GitIgnore {
  /** Outermost first. */
  readonly #rules: readonly Rules[];

  private constructor(rules: readonly Rules[]) {
    this.#rules = rules;
  }

  /**
   * The rules for a root of a corpus. A root that is ignored itself was named on purpose: what the
   * folders above say does not count then.
   */
  static async forRoot(root: string): Promise<GitIgnore> {
    const rules: Rules[] = [];
    for (const folder of await foldersOfRepository(root)) rules.push(...(await rulesOf(folder)));
    const above = new GitIgnore(rules);
    return (above.ignores(root, true) ? new GitIgnore([]) : above).inside(root);
  }

  /** These rules and those of a folder below. */
  async inside(folder: string): Promise<GitIgnore> {
    const own = await rulesOf(folder);
    return own.length > 0 ? new GitIgnore([...this.#rules, ...own]) : this;
  }

  ignores(file: string, isFolder: boolean): boolean {
    for (const { folder, matcher } of this.#rules.toReversed()) {
      const relative = relativeInside(folder, file);
      if (!relative) continue;
      const { ignored, unignored } = matcher.test(isFolder ? `${relative}/` : relative);
      if (ignored) return true;
      if (unignored) return false;
    }
    return false;
  }
}

/** The folders above `root` from the repository's root on; empty outside a repository. */
async function foldersOfRepository(root: string): Promise<string[]> {
  const above: string[] = [];
  for (let folder = root; ; folder = path.dirname(folder)) {
    if (folder !== root) above.unshift(folder);
    if (await exists(path.join(folder, '.git'))) return above;
    if (path.dirname(folder) === folder) return [];
  }
}

async function rulesOf(folder: string): Promise<Rules[]> {
  const texts = [
    await readIfPresent(folder, path.join('.git', 'info', 'exclude')),
    await readIfPresent(folder, '.gitignore'),
  ].filter((text) => text !== undefined);
  return texts.map((text) => ({ folder, matcher: ignore(IGNORE_OPTIONS).add(usable(text)) }));
}

/** Without the lines that could take for ever: what they would ignore is then read. */
function usable(text: string): string[] {
  return text.split(/\r?\n/u).filter((line) => globProblem(line) === undefined);
}

/** Missing, unreadable, a folder or a link that leads out of the folder: like Git, go on without it. */
async function readIfPresent(folder: string, name: string): Promise<string | undefined> {
  const file = path.join(folder, name);
  try {
    return (await isInside(folder, file)) ? await readText(file, { maxBytes: MOST_BYTES }) : undefined;
  } catch (error) {
    if (errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (errorCode(error) !== undefined) return false;
    throw error;
  }
}
