/** The thread that detects calls on the command line, with the parser that lies beside the program. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ParallaxError } from '../core/errors.ts';
import { SiteThread } from '../site-thread/site-thread.ts';

/** Started with the first program. */
export function openSiteThread(log: (message: string) => void): SiteThread {
  return new SiteThread({
    program: placeOf('call-sites.cjs', '../site-thread/thread.ts'),
    wasmFolder: path.dirname(
      placeOf('tree-sitter.wasm', '../../node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter.wasm'),
    ),
    texts: undefined,
    log,
  });
}

/** Bundled code is in dist or a subfolder; run from source, the file is elsewhere. */
function placeOf(name: string, fromSource: string): string {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const places = [name, `../${name}`, fromSource].map((place) => path.resolve(here, place));
  const existingPlace = places.find((place) => existsSync(place));
  if (existingPlace === undefined)
    throw new ParallaxError(
      'native-missing',
      `dist/${name} is missing. Build Parallax again: npm run build.`,
    );
  return existingPlace;
}
