import { mkdir } from 'node:fs/promises';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';

/**
 * Creates a folder of the index if it is missing.
 *
 * @throws ParallaxError `store-unusable`
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new ParallaxError(
      'store-unusable',
      l10n.t`The index cannot be kept in ${folder}: ${messageOf(error)}. Make room for it there, or make it writable.`,
      { cause: error },
    );
  }
}
