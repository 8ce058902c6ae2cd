/**
 * Reads `.gitignore` files: those of every folder, those of the folders above it up to the repository's root, and the
 * repository's `.git/info/exclude`. The deepest file with a rule for a path decides.
 */
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { globProblem } from '../../core/text/glob-limits.ts';
import { relativeInside } from '../files/paths.ts';
import { foldersOfRepository, PATTERN_OPTIONS, readList } from '../files/repository.ts';

interface Rules {
  readonly folder: string;
  readonly matcher: Ignore;
}

/** The rules that apply inside one folder. */
export class GitIgnore {
  /** Outermost first. */
  readonly #rules: readonly Rules[];

  private constructor(rules: readonly Rules[]) {
    this.#rules = rules;
  }

  /**
   * The rules of the folders above a root of a corpus. If they ignore the root itself, the user named it on purpose,
   * so they do not apply.
   */
  static async above(root: string): Promise<GitIgnore> {
    const rules: Rules[] = [];
    for (const folder of (await foldersOfRepository(root)) ?? []) rules.push(...(await rulesOf(folder)));
    const above = new GitIgnore(rules);
    return above.ignores(root, true) ? new GitIgnore([]) : above;
  }

  /**
   * These rules and those of the root, or of a folder below.
   *
   * @param names of all entries of the folder; nothing is read if none of them is a rule file
   */
  async inside(folder: string, names: Iterable<string>): Promise<GitIgnore> {
    if (!holdsRules(names)) return this;
    const rules = await rulesOf(folder);
    return rules.length > 0 ? new GitIgnore([...this.#rules, ...rules]) : this;
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

/** Ignores case, since some file systems do. */
function holdsRules(names: Iterable<string>): boolean {
  for (const name of names) if (/^\.git(?:ignore)?$/iu.test(name)) return true;
  return false;
}

async function rulesOf(folder: string): Promise<Rules[]> {
  const texts = [
    await readList(folder, path.join('.git', 'info', 'exclude')),
    await readList(folder, '.gitignore'),
  ].filter((text) => text !== undefined);
  return texts.map((text) => ({ folder, matcher: ignore(PATTERN_OPTIONS).add(usable(text)) }));
}

/** Drops lines that could take forever, so that files they ignore are read. */
function usable(text: string): string[] {
  return text.split(/\r?\n/u).filter((line) => globProblem(line) === undefined);
}
