// The command line as an npm package: `npx parallax-rag gate`. It contains the extension's package without the parts
// for the editor. Native modules are optional, because they only make the command line faster.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { DIST, ROOT } from './project.mjs';

/** The entry point of the command line, and the processes and threads that it starts. */
const ENTRIES = ['cli.mjs', 'derivation.mjs', 'extraction.mjs', 'store-client.mjs'];
const IMPORT = /["']\.{1,2}\/((?:chunks\/)?[\w.-]+\.mjs)["']/gu;
const DATA = /\.wasm$|^encoder$|^ThirdPartyNotices\.txt$/u;

/** Not bundled; at the versions that the extension ships. */
const NATIVE = ['onnxruntime-node', 'hnswlib-node'];

/** The pages, their pictures, and the files that they tell users to copy. */
const SHIPPED = [
  'docs',
  'media/screenshots',
  'media/charts',
  'media/examples',
  'media/helpers',
  'media/live',
  'media/plugin',
];

/** SQLite in earlier versions of Node needs a flag. */
const NODE = '>=22.13';

/**
 * Assembles the package. `dist` must be up to date.
 *
 * @param {string} folder that is empty
 */
export function stageNpmPackage(folder) {
  const files = ['cli.js', ...reached(ENTRIES), ...readdirSync(DIST).filter((name) => DATA.test(name))];
  for (const file of files) copy(join(DIST, file), join(folder, 'dist', file));
  for (const file of ['LICENSE', 'CHANGELOG.md', 'action.yml']) copy(join(ROOT, file), join(folder, file));
  for (const part of SHIPPED)
    cpSync(join(ROOT, part), join(folder, part), {
      recursive: true,
      filter: (from) => !from.endsWith('__pycache__'),
    });
  writeFileSync(join(folder, 'README.md'), readme());
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

/** The page on the command line, with links relative to the top of the package. */
function readme() {
  const page = readFileSync(join(ROOT, 'docs', 'command-line.md'), 'utf8');
  return page.replaceAll(/(?<=\]\()(?!\w+:|#)/gu, 'docs/');
}

function manifest() {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const { name, version, license, keywords, repository, bugs, homepage } = own;
  return {
    ...{ name, version, license, keywords, repository, bugs, homepage },
    description:
      'Shows which parts of the answer a retrieval never sees, and fails a pull request that loses one.',
    type: 'module',
    // `npx` uses the name of the package, people the short one.
    bin: { [name]: 'dist/cli.js', parallax: 'dist/cli.js' },
    engines: { node: NODE },
    optionalDependencies: Object.fromEntries(
      NATIVE.map((native) => [native, packages[`node_modules/${native}`].version]),
    ),
  };
}

/** Bundles that these load, directly or indirectly. */
function reached(entries) {
  const found = new Set(entries);
  for (const file of found)
    for (const [, named] of readFileSync(join(DIST, file), 'utf8').matchAll(IMPORT)) {
      const loaded = placeOf(named);
      if (loaded) found.add(loaded);
    }
  return [...found];
}

/** A chunk names other chunks without their folder; libraries also mention files that do not exist. */
const placeOf = (named) => [named, `chunks/${named}`].find((place) => existsSync(join(DIST, place)));

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true });
}
