// Checks every file of an unpacked package for what it must and must not contain.
import { posix } from 'node:path';

import { isBinary, platformOf } from './binaries.mjs';
import { hasHnswlib, UNIVERSAL } from './targets.mjs';

const MEGABYTE = 1024 * 1024;
export const MAX_MEGABYTES = 30;

/** Required in the package for every target. */
export const REQUIRED = [
  ...['package.json', 'package.nls.json', 'l10n/bundle.l10n.json'],
  ...['readme.md', 'changelog.md', 'LICENSE.txt', 'dist/ThirdPartyNotices.txt'],
  ...[
    'extension.cjs',
    'app.cjs',
    'known-imports.cjs',
    'engine.mjs',
    'extraction.mjs',
    'store-client.mjs',
    'derivation.mjs',
    'cli.js',
    'cli.mjs',
  ].map((name) => `dist/${name}`),
  ...['kernels', 'tree-sitter', 'tree-sitter-python', 'tree-sitter-typescript', 'tree-sitter-tsx'].map(
    (name) => `dist/${name}.wasm`,
  ),
  ...['dist/answer.html', 'dist/encoder/model.onnx', 'dist/encoder/pieces.json'],
  ...['sitecustomize', 'parallax_live/__init__', 'parallax_live/asking', 'parallax_live/connection'].map(
    (name) => `media/live/python/${name}.py`,
  ),
  ...[
    'parallax_live/instrument',
    'parallax_live/loading',
    'parallax_live/observe',
    'parallax_live/values',
  ].map((name) => `media/live/python/${name}.py`),
  ...['dist/webview/codicon.css', 'dist/webview/codicon.ttf'],
];

const MODULES = 'dist/node_modules';

const WEB_ASSEMBLY = [
  `${MODULES}/onnxruntime-web/package.json`,
  ...['ort.node.min.mjs', 'ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm'].map(
    (name) => `${MODULES}/onnxruntime-web/dist/${name}`,
  ),
  `${MODULES}/onnxruntime-common/dist/esm/index.js`,
  `${MODULES}/onnxruntime-common/dist/esm/package.json`,
];

const BINDING = /\/bin\/napi-v\d+\/[^/]+\/[^/]+\/onnxruntime_binding\.node$/;

/** A binding loads the named libraries from its own folder. */
const LIBRARY_NAMES = /(?:lib)?onnxruntime\.(?:dll|so\.\d+|\d[\d.]*\.dylib|dylib)/g;

/** Allowed folders and files at the top level; anything else is included by accident. */
const TOP =
  /^(dist|media|schemas|l10n|docs)\/|^(package(\.nls(\.[\w-]+)?)?\.json|readme\.md|changelog\.md|LICENSE\.txt|action\.yml)$/;

/** Pages at the top level or in docs. The sample's documents are not checked. */
const PAGE = /^(docs\/)?[^/]+\.md$/i;

/** A Markdown link to a file, up to its anchor. */
const LINK = /\]\((?!\w+:|#)([^)#\s]+)[^)]*\)/g;

/** Parts of the package format itself, beside the folder of the extension. */
const FORMAT = ['[Content_Types].xml', 'extension.vsixmanifest'];

/** Development files: maps of bundles, tests, sources. Programs that the user's own program may run are in media/. */
const DEVELOPMENT = [
  /\.map$/,
  /\.(test|spec|suite)\.\w+$/,
  /^dist\/.*\/(tests?|__tests__|fixtures)\//,
  /^dist\/.*\.c?ts$/,
];

/**
 * The faults of a package, as sentences without a full stop.
 *
 * @param {{ name: string, size: number, read: () => Buffer }[]} entries of readZip
 * @param {string} target one of TARGETS
 * @param {{ packedBytes: number, also?: string[] }} options `also` names files that are required in addition to those
 *   that every package of the target has
 */
export function faultsOf(entries, target, { packedBytes, also = [] }) {
  const files = new Map(
    entries
      .filter(({ name }) => !FORMAT.includes(name))
      .map((entry) => [entry.name.replace(/^extension\//, ''), entry]),
  );
  const megabytes = packedBytes / MEGABYTE;
  return [
    ...missing(files, [...REQUIRED, ...requiredFor(target), ...also]),
    ...[...files.keys()].filter((name) => !TOP.test(name)).map((name) => `${name} is not meant to ship`),
    ...[...files.keys()].filter(isForDevelopment).map((name) => `${name} is for development`),
    ...foreign(files, target),
    ...(target === UNIVERSAL ? [] : lostLibraries(files)),
    ...wrongManifest(entries, target),
    ...deadLinks(files),
    ...(megabytes > MAX_MEGABYTES ? [`it has ${megabytes.toFixed(1)} MB, more than ${MAX_MEGABYTES}`] : []),
  ];
}

function requiredFor(target) {
  if (target === UNIVERSAL) return WEB_ASSEMBLY;
  return [
    `${MODULES}/onnxruntime-node/package.json`,
    `${MODULES}/onnxruntime-common/dist/cjs/package.json`,
    ...(hasHnswlib(target) ? [`${MODULES}/hnswlib-node/build/Release/addon.node`] : []),
  ];
}

function missing(files, required) {
  return [...new Set(required)]
    .filter((name) => !files.get(name)?.size)
    .map((name) => `${name} is missing or empty`);
}

function isForDevelopment(name) {
  return DEVELOPMENT.some((pattern) => pattern.test(name));
}

/** Detected by the header, whatever the name of the file. */
function foreign(files, target) {
  return [...files]
    .map(([name, { read }]) => [name, platformOf(read())])
    .filter(([name, platform]) => (isBinary(name) || platform !== undefined) && platform !== target)
    .map(([name, platform]) => `${name} is for ${platform ?? 'no known platform'}, not for ${target}`);
}

function lostLibraries(files) {
  const bindings = [...files].filter(([name]) => BINDING.test(name));
  if (bindings.length !== 1) return [`it has ${bindings.length} bindings of onnxruntime-node, not one`];
  const [[binding, { read }]] = bindings;
  const folder = binding.slice(0, binding.lastIndexOf('/') + 1);
  const named = new Set(read().toString('latin1').match(LIBRARY_NAMES) ?? []);
  if (named.size === 0) return [`${binding} names no library of onnxruntime`];
  return [...named]
    .filter((library) => !files.has(folder + library))
    .map((library) => `${binding} needs ${library}, which is not beside it`);
}

/**
 * Links and pictures in the pages of a package whose target is not in it. Web addresses are not followed.
 * Case-sensitive, like file names on Linux.
 *
 * @param {Map<string, { read: () => Buffer }>} files by their path in the package
 */
export function deadLinks(files) {
  return [...files]
    .filter(([name]) => PAGE.test(name))
    .flatMap(([page, { read }]) =>
      [...read().toString('utf8').matchAll(LINK)]
        .map(([, target]) => target)
        .filter((target) => !files.has(posix.join(posix.dirname(page), target)))
        .map((target) => `${page} links to ${target}, which is not in it`),
    );
}

/** The Marketplace uses the manifest. */
function wrongManifest(entries, target) {
  const manifest =
    entries
      .find(({ name }) => name === 'extension.vsixmanifest')
      ?.read()
      .toString() ?? '';
  const said = /TargetPlatform="([^"]*)"/.exec(manifest)?.[1] ?? UNIVERSAL;
  return said === target ? [] : [`its manifest says ${said}, not ${target}`];
}
