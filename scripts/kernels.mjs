// Compiles the kernels: `node scripts/kernels.mjs [outFile]`.
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import asc from 'assemblyscript/asc';

import { Failure, isMain, main } from './lib/processes.mjs';
import { DIST, ROOT } from './lib/project.mjs';

const SOURCE = 'src/engine/kernels/assembly/index.ts';

/** The memory is imported, so that threads can share it; the importer decides how much of the 4 GiB it uses. */
const FLAGS = [
  ...['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd,threads'],
  ...['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'],
];

/** Writes the WebAssembly module. Atomic: readers of `outFile` see the old file or the new one. */
export async function buildKernels(outFile) {
  await mkdir(dirname(outFile), { recursive: true });
  const unfinished = resolve(`${outFile}.${process.pid}`);
  const { error, stderr } = await asc.main([SOURCE, '--outFile', unfinished, '--baseDir', ROOT, ...FLAGS]);
  if (error) throw new Failure(`The kernels do not compile: ${error.message}\n${stderr}`);
  await rename(unfinished, outFile);
}

if (isMain(import.meta.url)) await main(() => buildKernels(process.argv[2] ?? join(DIST, 'kernels.wasm')));
