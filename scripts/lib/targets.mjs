// The platforms that Parallax is packaged for, and which native files each package carries.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { MODULES, TARGET } from './project.mjs';

/** Runs everywhere, without native parts. The Marketplace gives it to platforms without a package of their own. */
export const UNIVERSAL = 'universal';

/** As `vsce package --target` names them. */
export const TARGETS = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'win32-x64', 'win32-arm64', UNIVERSAL];

/** The package that fits the machine at hand best. */
export const TARGET_AT_HAND = TARGETS.includes(TARGET) ? TARGET : UNIVERSAL;

/**
 * Packages that cannot be bundled, by name, with patterns for those of their files that run time needs.
 *
 * @param {string} target one of TARGETS
 * @returns {Record<string, RegExp[]>}
 */
export function unbundledFor(target) {
  if (target === UNIVERSAL) return WEB_ASSEMBLY;
  return { ...onnxruntimeFor(target), ...(hasHnswlib(target) ? HNSWLIB : {}) };
}

/** It is compiled where the package is made, so that only the package for that platform can carry it. */
export function hasHnswlib(target) {
  return target === TARGET && existsSync(join(MODULES, 'hnswlib-node'));
}

const WEB_ASSEMBLY = {
  'onnxruntime-web': [/^dist\/ort\.node\.min\.mjs$/, /^dist\/ort-wasm-simd-threaded\.(mjs|wasm)$/],
  'onnxruntime-common': [/^dist\/esm\/.*\.js$/, /^dist\/esm\/package\.json$/],
};

const HNSWLIB = {
  'hnswlib-node': [/^lib\/.*\.js$/, /^build\/Release\/addon\.node$/],
  bindings: [/^bindings\.js$/],
  'file-uri-to-path': [/^index\.js$/],
};

/** The binding and the library that it names, without the extras for CUDA, TensorRT and DirectML, or a second copy. */
function onnxruntimeFor(target) {
  const folder = `bin/napi-v\\d+/${target.replace('-', '/')}`;
  const library = 'onnxruntime_binding\\.node|onnxruntime\\.dll|libonnxruntime\\.(so\\.\\d+|\\d+\\.dylib)';
  return {
    'onnxruntime-node': [/^dist\/.*\.js$/, new RegExp(`^${folder}/(${library})$`)],
    // dist/cjs/package.json says that the files beside it are CommonJS: without it they do not load.
    'onnxruntime-common': [/^dist\/cjs\/.*\.js$/, /^dist\/cjs\/package\.json$/],
  };
}
