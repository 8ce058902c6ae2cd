// The packages, and whether they are still up to date.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';

import { run } from './processes.mjs';
import { DIST, NODE, ROOT } from './project.mjs';
import { TARGET_AT_HAND } from './targets.mjs';

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** The path of the package for a target. */
export function vsixFor(target) {
  return join(DIST, `parallax-${target}-${MANIFEST.version}.vsix`);
}

/** The package for the current platform. */
export const VSIX = vsixFor(TARGET_AT_HAND);

const INPUTS = [
  ...['src', 'webview', 'media', 'schemas', 'l10n', 'scripts'],
  ...['package.json', 'package-lock.json', 'package.nls.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
  ...['esbuild.mjs', 'tsconfig.json', '.vscodeignore'],
];

/** Pictures for the README are written by the tests and do not ship. */
const NOT_INPUT = join(ROOT, 'media', 'screenshots') + sep;

/** Builds and packages, unless no input of the packages has changed. */
export async function ensurePackaged(targets = [TARGET_AT_HAND]) {
  const hash = inputsHash();
  const stale = targets.filter((target) => !isPackaged(target, hash));
  if (stale.length === 0) return;
  console.log('Building and packaging the extension…');
  const options = stale.flatMap((target) => ['--target', target]);
  const failure = 'The extension could not be packaged.';
  await run(NODE, [join(ROOT, 'scripts', 'package.mjs'), ...options], { cwd: ROOT, failure, quiet: true });
}

function isPackaged(target, hash) {
  const stamp = stampFor(target);
  return existsSync(vsixFor(target)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

/** `hash` is of the inputs before the build, in case they changed during it. */
export function markPackaged(target, hash) {
  writeFileSync(stampFor(target), hash);
}

function stampFor(target) {
  return `${vsixFor(target)}.inputs`;
}

export function inputsHash() {
  return hashOf(INPUTS.map((name) => join(ROOT, name)).filter(existsSync));
}

/** A hash over the names and contents of files, and of all files in folders. */
export function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesIn).sort()) {
    const content = readFileSync(path);
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => !file.startsWith(NOT_INPUT));
}
