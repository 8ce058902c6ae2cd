/** The detector of call sites on the command line, with the parser from beside the program. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ParallaxError } from '../core/errors.ts';
import { createSiteDetector, type SiteDetector } from '../sites/detector.ts';

export function openSiteDetector(): SiteDetector {
  return createSiteDetector({
    wasm: {
      runtime: () => readWasm('tree-sitter.wasm'),
      grammar: (grammar) => readWasm(`tree-sitter-${grammar}.wasm`),
    },
  });
}

/** Bundled code is in dist or a folder of it; run from source, the files are where npm put them. */
async function readWasm(name: string): Promise<Uint8Array> {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const folders = ['.', '..', '../../node_modules/@vscode/tree-sitter-wasm/wasm'];
  const file = folders.map((folder) => path.resolve(here, folder, name)).find((place) => existsSync(place));
  if (file === undefined)
    throw new ParallaxError(
      'native-missing',
      `dist/${name} is missing. Build Parallax again: npm run build.`,
    );
  return readFile(file);
}
