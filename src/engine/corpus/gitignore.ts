/**
 * `.gitignore` files: every folder's own, those of the folders above it up to the repository's root, and
 * the repository's `.git/info/exclude`. The deepest file that says something about a path decides.
 */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { globProblem } from './glob-limits.ts';
import { errorCode, relativeInside } from '../files/paths.ts';

/** Git folds case where the file system does. */
const IGNORE_OPTIONS = { ignorecase: process.platform === 'win32' || process.platform === 'darwin' };

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
    await readIfPresent(path.join(folder, '.git', 'info', 'exclude')),
    await readIfPresent(path.join(folder, '.gitignore')),
  ].filter((text) => text !== undefined);
  return texts.map((text) => ({ folder, matcher: ignore(IGNORE_OPTIONS).add(usable(text)) }));
}

/** Without the lines that could take for ever: what they would ignore is then read. */
function usable(text: string): string[] {
  return text.split(/\r?\n/u).filter((line) => globProblem(line) === undefined);
}

/** Missing, unreadable or a folder: like Git, go on without it. */
async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
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
