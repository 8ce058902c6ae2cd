// The platforms that Parallax is packaged for, and the native files in each package.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { MODULES, TARGET } from './project.mjs';

/** Runs everywhere, without native parts. The Marketplace installs it on platforms without their own package. */
export const UNIVERSAL = 'universal';

/** As `vsce package --target` names them. */
export const TARGETS = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'win32-x64', 'win32-arm64', UNIVERSAL];

/** The best package for the current platform. */
export const TARGET_AT_HAND = TARGETS.includes(TARGET) ? TARGET : UNIVERSAL;

/**
 * Packages that cannot be bundled, with patterns for the files that they need at run time.
 *
 * @param {string} target one of TARGETS
 * @returns {Record<string, RegExp[]>}
 */
export function unbundledFor(target) {
  if (target === UNIVERSAL) return WEB_ASSEMBLY;
  return { ...onnxruntimeFor(target), ...(hasHnswlib(target) ? HNSWLIB : {}) };
}

/** Compiled on the packaging machine, so only the package for that platform can contain it. */
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

/** The binding and its library, without the extras for CUDA, TensorRT and DirectML, or a second copy. */
function onnxruntimeFor(target) {
  const folder = `bin/napi-v\\d+/${target.replace('-', '/')}`;
  const library = 'onnxruntime_binding\\.node|onnxruntime\\.dll|libonnxruntime\\.(so\\.\\d+|\\d+\\.dylib)';
  return {
    'onnxruntime-node': [/^dist\/.*\.js$/, new RegExp(`^${folder}/(${library})$`)],
    // dist/cjs/package.json declares the files beside it as CommonJS; without it they do not load.
    'onnxruntime-common': [/^dist\/cjs\/.*\.js$/, /^dist\/cjs\/package\.json$/],
  };
}
