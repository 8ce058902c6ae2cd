// Builds the extension and packages it as dist/parallax-<target>-<version>.vsix. Defaults to the current platform;
// `npm run package -- --target <target>` selects another, or `all` (lib/targets.mjs). Then unpacks and checks each
// package, because a missing file would otherwise only be noticed on a user's machine.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, posix } from 'node:path';
import { parseArgs } from 'node:util';

import { faultsOf } from './lib/check-package.mjs';
import { Failure, main, run } from './lib/processes.mjs';
import { DIST, MODULES, NODE, ROOT } from './lib/project.mjs';
import { hasHnswlib, TARGET_AT_HAND, TARGETS, unbundledFor, UNIVERSAL } from './lib/targets.mjs';
import { inputsHash, markPackaged, vsixFor } from './lib/vsix.mjs';
import { readZip, unpack } from './lib/zip.mjs';
import { setUp } from './setup.mjs';

/** vsce ignores the root's node_modules here, but Node finds packages beside the bundles. */
const STAGED_MODULES = join(DIST, 'node_modules');

const ALWAYS = [/^package\.json$/, /^licen[cs]e(\.\w+)?$/i];

/** Keys of the manifest whose values are paths of required files. */
const PATH_KEYS = new Set([
  ...['main', 'browser', 'icon', 'light', 'dark', 'url', 'path', 'image', 'svg', 'markdown'],
]);

/** Has a folder and an extension, because a theme colour such as `charts.blue` may also be the value of `dark`. */
const PATH = /^[\w.-]+\/[\w./-]+\.\w+$/;

const LOAD_ONNXRUNTIME = "require('onnxruntime-node').InferenceSession.create;";
const LOAD_HNSWLIB = "new (require('hnswlib-node').HierarchicalNSW)('l2', 3);";
/** Only a loaded runtime can report that one byte is no model. */
const LOAD_WEB_ASSEMBLY = `import('onnxruntime-web').then(({ InferenceSession }) =>
  InferenceSession.create(new Uint8Array(1), { logSeverityLevel: 4 })).catch((error) => {
    if (!/protobuf/.test(error.message)) throw error;
  });`;

await main(async () => {
  const targets = chosenTargets();
  await setUp();
  const hash = inputsHash();
  for (const target of targets) rmSync(vsixFor(target), { force: true });
  await run(NODE, ['esbuild.mjs'], { cwd: ROOT, failure: 'The extension could not be built.' });
  for (const target of targets) {
    await packageFor(target);
    markPackaged(target, hash);
  }
});

function chosenTargets() {
  let wanted;
  try {
    wanted = parseArgs({ options: { target: { type: 'string', multiple: true } } }).values.target ?? [];
  } catch (error) {
    throw new Failure(error.message);
  }
  const unknown = wanted.find((name) => name !== 'all' && !TARGETS.includes(name));
  if (unknown)
    throw new Failure(`There is no target "${unknown}": choose from ${TARGETS.join(', ')}, or all.`);
  if (wanted.includes('all')) return TARGETS;
  return wanted.length ? TARGETS.filter((name) => wanted.includes(name)) : [TARGET_AT_HAND];
}

async function packageFor(target) {
  stageModules(target);
  try {
    await vsce(target);
  } finally {
    rmSync(STAGED_MODULES, { recursive: true, force: true });
  }
  await verify(target);
}

function stageModules(target) {
  rmSync(STAGED_MODULES, { recursive: true, force: true });
  for (const [name, needed] of Object.entries(unbundledFor(target))) {
    const source = join(MODULES, name);
    if (!existsSync(source))
      throw new Failure(`The package ${name} is missing: run "npm run setup" and see why.`);
    for (const file of readdirSync(source, { recursive: true })) {
      if ([...ALWAYS, ...needed].some((pattern) => pattern.test(posixPath(file)))) {
        mkdirSync(dirname(join(STAGED_MODULES, name, file)), { recursive: true });
        cpSync(join(source, file), join(STAGED_MODULES, name, file), { dereference: true });
      }
    }
  }
}

async function vsce(target) {
  const tool = join(MODULES, '@vscode', 'vsce', 'vsce');
  const options = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
  const platform = target === UNIVERSAL ? [] : ['--target', target];
  await run(NODE, [tool, 'package', ...options, ...platform, '--out', vsixFor(target)], {
    cwd: ROOT,
    failure: `The extension could not be packaged for ${target}.`,
    quiet: true,
  });
}

async function verify(target) {
  const vsix = vsixFor(target);
  const entries = readZip(vsix);
  const packedBytes = statSync(vsix).size;
  const faults = faultsOf(entries, target, { packedBytes, also: namedFiles() });
  if (faults.length) throw new Failure(`${basename(vsix)} must not ship: ${faults.join('; ')}.`);
  const isTried = target === UNIVERSAL || target === TARGET_AT_HAND;
  if (isTried) await loadModules(entries, target);
  const megabytes = (packedBytes / 1024 / 1024).toFixed(1);
  const without = target === UNIVERSAL || hasHnswlib(target) ? '' : ', without approximate search';
  console.log(
    `${basename(vsix)}: ${entries.length} files, ${megabytes} MB${without}; checked${isTried ? ', modules load' : ''}.`,
  );
}

/** Files named in the manifest, and the panels, which it does not name. */
function namedFiles() {
  const { main: entry, icon, contributes } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return [
    ...panels().map((name) => `dist/webview/${name}.js`),
    ...pathsIn(contributes),
    ...pathsIn({ main: entry, icon }),
  ];
}

/** Every folder of webview/ with a main file is a panel, except for the page that agents show, `dist/answer.html`. */
function panels() {
  const folder = join(ROOT, 'webview');
  return readdirSync(folder).filter((name) => name !== 'agents' && existsSync(join(folder, name, 'main.ts')));
}

function pathsIn(value, key = '') {
  if (typeof value === 'string')
    return PATH_KEYS.has(key) && PATH.test(value) ? [posix.normalize(value)] : [];
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, key));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, item]) => pathsIn(item, name));
}

/**
 * A binary may be missing, or lack a library beside it, so the files that ship are loaded outside of the repository.
 */
async function loadModules(entries, target) {
  const native = LOAD_ONNXRUNTIME + (hasHnswlib(target) ? LOAD_HNSWLIB : '');
  const folder = mkdtempSync(join(tmpdir(), 'parallax-package-'));
  try {
    unpack(entries, folder);
    const load = target === UNIVERSAL ? LOAD_WEB_ASSEMBLY : native;
    await run(NODE, ['--input-type=commonjs', '--eval', load], {
      cwd: join(folder, 'extension', 'dist'),
      failure: `A module of the package for ${target} does not load.`,
      quiet: true,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function posixPath(path) {
  return path.replaceAll('\\', '/');
}
