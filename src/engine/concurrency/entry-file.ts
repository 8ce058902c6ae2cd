/** Finds the code of another process or thread. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';

/**
 * Beside the caller, or bundled: in `dist/`, whose chunks are in a separate folder.
 *
 * @param caller the `import.meta.url` of the calling module
 * @param source the name of the file beside it
 * @param bundle the name in `dist/`
 * @throws ParallaxError `internal` if it was not built
 */
export function entryFile(caller: string, source: string, bundle: string): string {
  const here = path.dirname(fileURLToPath(caller));
  const bundled = [here, path.dirname(here)].map((folder) => path.join(folder, bundle));
  const file = [path.join(here, source), ...bundled].find((place) => existsSync(place));
  if (file !== undefined) return file;
  throw new ParallaxError(
    'internal',
    l10n.t`${`dist/${bundle}`} is missing. Build Parallax again: npm run build.`,
  );
}
