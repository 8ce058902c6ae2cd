// The npm packages that ship, in whole or in part: imported by the sources, copied by the build, and their
// dependencies. Many are devDependencies, because the build bundles them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from './project.mjs';

const SOURCES = ['src', 'webview'];
const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"]([^'"]+)['"]/gu;
/** Types are removed before run time. */
const IMPORT_OF_TYPES = /\bimport type\b[^;]*;/gu;
const COPIED = /node_modules\/((?:@[^/'"`]+\/)?[^/'"`$]+)/gu;
/** Provided by the editor or the runtime. */
const BUILT_IN = /^(?:node:|vscode$|\.|\/)/u;

/**
 * @param {{ packages: Record<string, any> }} lock package-lock.json
 * @returns {Map<string, any>} entries of the lock file by their place, `node_modules/a/node_modules/b`
 */
export function shippedPackages(lock) {
  const found = new Map();
  const open = [...rootNames(lock)].map((name) => ['', name]);
  for (let next = open.pop(); next; next = open.pop()) {
    const place = placeOf(lock, ...next);
    if (place === undefined || found.has(place)) continue;
    const entry = lock.packages[place];
    found.set(place, entry);
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = entry;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      open.push([place, name]);
  }
  return found;
}

/** `node_modules/a/node_modules/@b/c` → `@b/c` */
export function packageName(place) {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function rootNames(lock) {
  const { dependencies = {}, optionalDependencies = {} } = lock.packages[''];
  const copied = [...readFileSync(join(ROOT, 'esbuild.mjs'), 'utf8').matchAll(COPIED)].map(
    ([, name]) => name,
  );
  return new Set([...Object.keys({ ...dependencies, ...optionalDependencies }), ...copied, ...imported()]);
}

function* imported() {
  for (const folder of SOURCES)
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(?:ts|css)$/u.test(entry.name)) continue;
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8').replaceAll(IMPORT_OF_TYPES, '');
      for (const [, specifier] of text.matchAll(IMPORT))
        if (!BUILT_IN.test(specifier)) yield nameOf(specifier);
    }
}

/** `@a/b/c.js` → `@a/b` */
function nameOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Where Node resolves a package for the one at `from`. */
function placeOf({ packages }, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const place = `${folder}${folder && '/'}node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === '') return undefined;
  }
}
