// The command line as an npm package: `npx parallax-rag gate`. It is what the extension's package holds, without the
// parts of the editor; native modules are optional, as the command line is complete without them but for speed.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { DIST, ROOT } from './project.mjs';

/** Where the command line begins, and what it starts beside itself. */
const ENTRIES = ['cli.mjs', 'derivation.mjs', 'extraction.mjs', 'store-client.mjs'];
const IMPORT = /["']\.{1,2}\/((?:chunks\/)?[\w.-]+\.mjs)["']/gu;
const DATA = /\.wasm$|^encoder$|^ThirdPartyNotices\.txt$/u;

/** Loaded where they are, at the versions that the extension ships. */
const NATIVE = ['onnxruntime-node', 'hnswlib-node'];

/** The pages, what they show, and what they tell people to copy. */
const SHIPPED = [
  'docs',
  'media/screenshots',
  'media/charts',
  'media/examples',
  'media/helpers',
  'media/live',
  'media/skills',
];

/** Node below has no SQLite that needs no flag. */
const NODE = '>=22.13';

/**
 * Puts the package together. What is in `dist` must be up to date.
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

/** The page on the command line, with its links as they are from the top of the package. */
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
    // `npx` takes the name of the package, people the short one.
    bin: { [name]: 'dist/cli.js', parallax: 'dist/cli.js' },
    engines: { node: NODE },
    optionalDependencies: Object.fromEntries(
      NATIVE.map((native) => [native, packages[`node_modules/${native}`].version]),
    ),
  };
}

/** Bundles that these load, and those load, and so on. */
function reached(entries) {
  const found = new Set(entries);
  for (const file of found)
    for (const [, named] of readFileSync(join(DIST, file), 'utf8').matchAll(IMPORT)) {
      const loaded = placeOf(named);
      if (loaded) found.add(loaded);
    }
  return [...found];
}

/** A chunk names its neighbours without their folder; libraries speak of files that nobody has. */
const placeOf = (named) => [named, `chunks/${named}`].find((place) => existsSync(join(DIST, place)));

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true });
}
