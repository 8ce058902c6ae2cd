/** Finds files that lie beside the program. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ParallaxError } from '../core/errors.ts';

/**
 * Bundled code is in dist or a subfolder; run from source, the file is elsewhere.
 *
 * @param name in dist
 * @param fromSource relative to this folder
 * @throws ParallaxError `native-missing` if it was not built
 */
export function shippedFile(name: string, fromSource: string): string {
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
