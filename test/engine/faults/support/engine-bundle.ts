/** The engine and its threads in bundles, as they ship: they start four times as fast as their sources. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.join(import.meta.dirname, '../../../..');

let bundled: Promise<string> | undefined;

/** Path of the bundle, which is built once per process and removed at its end. */
export function engineBundle(): Promise<string> {
  return (bundled ??= bundle());
}

async function bundle(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-engine-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build({
    absWorkingDir: ROOT,
    entryPoints: { engine: 'src/engine/main.ts', derivation: 'src/engine/derivation/thread.ts' },
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    splitting: true,
    keepNames: true,
    logLevel: 'warning',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    external: ['vscode', 'onnxruntime-node', 'onnxruntime-web', 'hnswlib-node'],
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  });
  // Native packages and the vector kernels are found beside the bundle.
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  cpSync(path.join(ROOT, 'dist/kernels.wasm'), path.join(folder, 'kernels.wasm'));
  return path.join(folder, 'engine.mjs');
}
