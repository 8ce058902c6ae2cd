/** Resolves imports to files of the workspace. Paths are relative to the workspace folder, with `/`. */
import type { Language } from '../syntax/language.ts';

const JAVASCRIPT_ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'] as const;
/** Usual aliases of bundlers for the root of the sources: `@/lib/store`. */
const ALIAS = /^(?:@|~|#)\//u;

/**
 * `undefined` for a module that is no file of the workspace.
 *
 * @param importer the file that imports it
 * @param module as written: `.store`, `app.store`, `./store`, `@/lib/store`
 * @param files every source file of the workspace
 */
export function moduleFile(
  importer: string,
  module: string,
  language: Language,
  files: ReadonlySet<string>,
): string | undefined {
  const candidates =
    language === 'python' ? pythonCandidates(importer, module) : javascriptCandidates(importer, module);
  return candidates.find((each) => files.has(each));
}

/** Names of the folders and files of a workspace, with any of which a module may begin. */
export function namesOfPaths(files: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...files].flatMap((file) => file.replace(/\.\w+$/u, '').split('/')));
}

/**
 * Whether a module is certainly no file of the workspace, whatever its paths are.
 *
 * @param names of its folders and files; see `namesOfPaths`
 */
export function isForeignModule(module: string, language: Language, names: ReadonlySet<string>): boolean {
  if (/^(?:[.~#@$/]|$)/u.test(module)) return false;
  return !module.split(language === 'python' ? '.' : '/').some((each) => names.has(each));
}

function pythonCandidates(importer: string, module: string): readonly string[] {
  const dots = /^\.*/u.exec(module)![0].length;
  const below = module.slice(dots).split('.').filter(Boolean);
  const folders = dots > 0 ? [above(importer, dots)] : rootsOf(importer);
  return folders.flatMap((folder) => {
    if (folder === undefined) return [];
    const path = [...folder, ...below];
    return [`${path.join('/')}.py`, [...path, '__init__.py'].join('/')];
  });
}

function javascriptCandidates(importer: string, module: string): readonly string[] {
  const isRelative = /^\.{1,2}(?:\/|$)/u.test(module);
  if (!isRelative && !ALIAS.test(module)) return [];
  const folders = isRelative
    ? [above(importer, 1)]
    : rootsOf(importer).flatMap((root) => [root, [...root, 'src']]);
  return folders.flatMap((folder) => {
    const path = folder && joined(folder, isRelative ? module : module.replace(ALIAS, ''));
    if (path === undefined) return [];
    // TypeScript imports `store.ts` as `./store.js`.
    const bare = path.replace(/\.[cm]?jsx?$/u, '');
    return [
      path,
      ...JAVASCRIPT_ENDINGS.map((ending) => `${bare}${ending}`),
      ...JAVASCRIPT_ENDINGS.map((ending) => `${path}/index${ending}`),
    ];
  });
}

/** The folder of a file, or one above it; `levels` of 1 is the folder itself. */
function above(file: string, levels: number): readonly string[] | undefined {
  const parts = file.split('/');
  return levels <= parts.length ? parts.slice(0, parts.length - levels) : undefined;
}

/** Every folder above the file, nearest first, because the program may be started in any of them. */
function rootsOf(file: string): readonly (readonly string[])[] {
  const folders = file.split('/').slice(0, -1);
  return Array.from({ length: folders.length + 1 }, (_, out) => folders.slice(0, folders.length - out));
}

/** `undefined` if the path leaves the workspace. */
function joined(folder: readonly string[], relative: string): string | undefined {
  const path = [...folder];
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') path.push(part);
    else if (path.pop() === undefined) return undefined;
  }
  return path.join('/');
}
