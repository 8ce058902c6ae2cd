// Finds the dependencies between the repository's files in their text: imports and other mentioned paths.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';

import { ROOT } from './project.mjs';

const CODE = /\.(ts|mts|mjs|cjs|js)$/u;
const ROOMS = ['src', 'webview', 'test', 'bench', 'scripts'];
/** A quoted string on one line; whether it is a path depends on whether a file exists there. */
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
 * The direct dependencies of each file: the paths in its text, relative to its folder or to the root. A folder stands
 * for all of its files. Type imports count, because types also affect what is tested.
 *
 * @param {readonly string[]} files
 * @param {(file: string) => string} read
 * @param {(path: string) => 'file' | 'folder' | undefined} kindOf what exists at a path from the root
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
 * The files that depend on one of `targets` within a number of steps, and `targets` themselves.
 *
 * @param {Map<string, ReadonlySet<string>>} needs
 * @param {Iterable<string>} targets paths from the root; a file also counts if its folder is needed
 * @param {number} [removes] 1 for direct dependents; defaults to all
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
