// Which files of the repository need which, read from their text: what they import, and what they name by its path.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';

import { ROOT } from './project.mjs';

const CODE = /\.(ts|mts|mjs|cjs|js)$/u;
const ROOMS = ['src', 'webview', 'test', 'bench', 'scripts'];
/** In quotes of any kind, on one line; whether it is a path is seen by what lies there. */
const QUOTED = /(['"`])((?:\.{1,2}\/|[\w@-]+\/|[\w-]+\.(?:ts|mjs|json|md|cjs)\b)[^'"`\n$]*)\1/gu;

/** The files of code, as paths from the root with forward slashes. */
export function codeFiles() {
  const files = ROOMS.filter((room) => existsSync(join(ROOT, room))).flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && CODE.test(entry.name))
      .map((entry) => fromRoot(join(entry.parentPath, entry.name))),
  );
  return [...files, 'esbuild.mjs'].sort();
}

function fromRoot(path) {
  return relative(ROOT, path).split(sep).join('/');
}

/**
 * Reads what each file needs by itself: the paths in its text, from where it lies or from the root. One may be a
 * folder, all of which is needed then; type imports count, since a type decides what is tested as well.
 *
 * @param {readonly string[]} files
 * @param {(file: string) => string} read
 * @param {(path: string) => 'file' | 'folder' | undefined} kindOf what lies at a path from the root
 * @returns {Map<string, Set<string>>}
 */
export function needsOf(files, read = readFromRoot, kindOf = kindFromRoot) {
  return new Map(files.map((file) => [file, needsOfText(file, read(file), kindOf)]));
}

function needsOfText(file, text, kindOf) {
  const needs = new Set();
  for (const [, , path] of text.matchAll(QUOTED)) {
    const beside = posix.normalize(posix.join(posix.dirname(file), path));
    const places = path.startsWith('.') ? [beside] : [posix.normalize(path), beside];
    const place = places.map((one) => one.replace(/\/$/u, '')).find((one) => isInside(one) && kindOf(one));
    if (place !== undefined && place !== file) needs.add(place);
  }
  return needs;
}

function isInside(path) {
  return path !== '' && path !== '.' && !path.startsWith('..') && !path.startsWith('node_modules');
}

function readFromRoot(file) {
  return readFileSync(join(ROOT, file), 'utf8');
}

function kindFromRoot(path) {
  const stats = statSync(join(ROOT, path), { throwIfNoEntry: false });
  return stats && (stats.isDirectory() ? 'folder' : 'file');
}

/**
 * Those files that need one of `targets`, at so many removes, and `targets` themselves.
 *
 * @param {Map<string, ReadonlySet<string>>} needs
 * @param {Iterable<string>} targets paths from the root; that of a file within a folder that is needed counts
 * @param {number} [removes] 1 are those that name one of them, all by default
 * @returns {Set<string>}
 */
export function dependents(needs, targets, removes = Infinity) {
  const users = usersOf(needs);
  const found = new Set(targets);
  let latest = [...found];
  for (let remove = 0; remove < removes && latest.length > 0; remove++) {
    const next = new Set(latest.flatMap(withFolders).flatMap((place) => users.get(place) ?? []));
    latest = [...next].filter((file) => !found.has(file));
    for (const file of latest) found.add(file);
  }
  return found;
}

function usersOf(needs) {
  const users = new Map();
  for (const [file, paths] of needs) {
    for (const path of paths) {
      if (!users.has(path)) users.set(path, []);
      users.get(path).push(file);
    }
  }
  return users;
}

function withFolders(path) {
  const places = [path];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) places.push(folder);
  return places;
}
