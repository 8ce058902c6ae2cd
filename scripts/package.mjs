// Builds the extension and packages it for the platform at hand: dist/parallax-<target>-<version>.vsix.
// Then unpacks the package and checks it: what is missing there would only show on a user's machine.
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

import { isBinary, platformOf } from './lib/binaries.mjs';
import { Failure, main, run } from './lib/processes.mjs';
import { DIST, MODULES, NODE, ROOT, TARGET } from './lib/project.mjs';
import { inputsHash, markPackaged, VSIX } from './lib/vsix.mjs';
import { readZip, unpack } from './lib/zip.mjs';
import { setUp } from './setup.mjs';

const MEGABYTE = 1024 * 1024;
const MOST_MEGABYTES = 30;

/** vsce never looks into the root's node_modules here, but Node finds packages beside the bundles. */
const NATIVE_MODULES = join(DIST, 'node_modules');

const ONNX_LIBRARY = /\/(onnxruntime_binding\.node|(lib)?onnxruntime\.(so|dll|.*dylib).*)$/;

/** What cannot be bundled, and which of its files are needed at run time. */
const UNBUNDLED = {
  'onnxruntime-node': [/^dist\/.*\.js$/, onnxBinary],
  // dist/cjs/package.json says that the files beside it are CommonJS: without it they do not load.
  'onnxruntime-common': [/^dist\/cjs\/.*\.js$/, /^dist\/cjs\/package\.json$/],
  'hnswlib-node': [/^lib\/.*\.js$/, /^build\/Release\/addon\.node$/],
  bindings: [/^bindings\.js$/],
  'file-uri-to-path': [/^index\.js$/],
};

const ALWAYS = [/^package\.json$/, /^licen[cs]e(\.\w+)?$/i];

const REQUIRED = [
  ...['package.json', 'readme.md', 'changelog.md', 'LICENSE.txt'],
  ...[
    'dist/extension.cjs',
    'dist/app.cjs',
    'dist/engine.mjs',
    'dist/cli.js',
    'dist/cli.mjs',
    'dist/kernels.wasm',
    ...['', '-python', '-typescript', '-tsx'].map((name) => `dist/tree-sitter${name}.wasm`),
  ],
  ...['dist/webview/codicon.css', 'dist/webview/codicon.ttf'],
  'dist/node_modules/hnswlib-node/build/Release/addon.node',
  'dist/node_modules/onnxruntime-common/dist/cjs/package.json',
];

/** Keys of the manifest whose values are paths of files that must ship. */
const PATH_KEYS = new Set([
  'main',
  'browser',
  'icon',
  'light',
  'dark',
  'url',
  'path',
  'image',
  'svg',
  'markdown',
]);

/** With a folder and an ending; a theme colour such as `charts.blue` also stands under `dark`. */
const PATH = /^[\w.-]+\/[\w./-]+\.\w+$/;

await main(async () => {
  await setUp();
  const hash = inputsHash();
  rmSync(VSIX, { force: true });
  await run(NODE, ['esbuild.mjs'], { cwd: ROOT, failure: 'The extension could not be built.' });
  stageNatives();
  try {
    await vsce();
  } finally {
    rmSync(NATIVE_MODULES, { recursive: true, force: true });
  }
  await verify(VSIX);
  markPackaged(hash);
});

function stageNatives() {
  rmSync(NATIVE_MODULES, { recursive: true, force: true });
  for (const [name, needed] of Object.entries(UNBUNDLED)) {
    const source = join(MODULES, name);
    if (!existsSync(source))
      throw new Failure(`The package ${name} is missing: run "npm run setup" and see why.`);
    for (const file of readdirSync(source, { recursive: true })) {
      if ([...ALWAYS, ...needed].some((pattern) => matches(pattern, posixPath(file)))) {
        mkdirSync(dirname(join(NATIVE_MODULES, name, file)), { recursive: true });
        cpSync(join(source, file), join(NATIVE_MODULES, name, file), { dereference: true });
      }
    }
  }
}

function matches(pattern, file) {
  return typeof pattern === 'function' ? pattern(file) : pattern.test(file);
}

/** The binding and the library itself, without the extras for CUDA, TensorRT and DirectML. */
function onnxBinary(file) {
  const folder = new RegExp(`^bin/napi-v\\d+/${process.platform}/${process.arch}/[^/]+$`);
  return folder.test(file) && ONNX_LIBRARY.test(file);
}

async function vsce() {
  const tool = join(MODULES, '@vscode', 'vsce', 'vsce');
  const options = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
  await run(NODE, [tool, 'package', ...options, '--target', TARGET, '--out', VSIX], {
    cwd: ROOT,
    failure: 'The extension could not be packaged.',
  });
}

async function verify(vsix) {
  const entries = readZip(vsix);
  const files = new Map(entries.map((entry) => [entry.name.replace(/^extension\//, ''), entry]));
  const megabytes = statSync(vsix).size / MEGABYTE;
  const faults = [...missing(files), ...foreign(files)];
  if (megabytes > MOST_MEGABYTES)
    faults.push(`it has ${megabytes.toFixed(1)} MB, more than ${MOST_MEGABYTES}`);
  if (faults.length) throw new Failure(`The package must not ship: ${faults.join('; ')}.`);
  await loadNatives(entries);
  console.log(`${basename(vsix)}: ${files.size} files, ${megabytes.toFixed(1)} MB, checked.`);
}

function missing(files) {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const required = new Set([
    ...REQUIRED,
    ...panels().map((name) => `dist/webview/${name}.js`),
    ...pathsIn(manifest.contributes),
    ...pathsIn({ main: manifest.main, icon: manifest.icon }),
  ]);
  return [...required].filter((file) => !files.get(file)?.size).map((file) => `${file} is missing or empty`);
}

/** Every folder of webview/ with a main file is a panel of its own. */
function panels() {
  const folder = join(ROOT, 'webview');
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, 'main.ts')));
}

function pathsIn(value, key = '') {
  if (typeof value === 'string')
    return PATH_KEYS.has(key) && PATH.test(value) ? [posix.normalize(value)] : [];
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, key));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, item]) => pathsIn(item, name));
}

function foreign(files) {
  return [...files]
    .filter(([name]) => isBinary(name))
    .map(([name, { read }]) => [name, platformOf(read())])
    .filter(([, platform]) => platform !== TARGET)
    .map(([name, platform]) => `${name} is for ${platform ?? 'no known platform'}, not for ${TARGET}`);
}

/** A binary may be missing, or lack a library beside it: load what will be shipped, away from the repository. */
async function loadNatives(entries) {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-package-'));
  try {
    unpack(entries, folder);
    const load =
      "require('onnxruntime-node').InferenceSession.create; new (require('hnswlib-node').HierarchicalNSW)('l2', 3)";
    await run(NODE, ['--input-type=commonjs', '--eval', load], {
      cwd: join(folder, 'extension', 'dist'),
      failure: 'A native module of the package does not load.',
      quiet: true,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function posixPath(path) {
  return path.replaceAll('\\', '/');
}
