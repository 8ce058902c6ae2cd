/**
 * Keeps files that an untrusted workspace names within its folder. `../../.ssh` as a root of a corpus, or a link in a
 * cloned repository, must be neither read nor written before the user trusts the workspace. Labels and validations are
 * never written through a link that leads out: an agent may choose their text.
 */
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import { relativeInside } from './paths.ts';
import { codeOf } from './file-reason.ts';

/** The folder that no path may lead out of. `undefined` for a trusted workspace. */
export type Boundary = string | undefined;

export function boundaryOf({ trusted, base }: Pick<EngineConfig, 'trusted' | 'base'>): Boundary {
  return trusted ? undefined : base;
}

/**
 * @param file absolute; need not exist yet
 * @throws ParallaxError `untrusted` if the file is outside of the boundary, or a link on its path leads out
 */
export async function requireInside(boundary: Boundary, file: string): Promise<void> {
  if (await isInside(boundary, file)) return;
  throw new ParallaxError(
    'untrusted',
    l10n.t`${file} lies outside this folder. Parallax reads and writes there only once you trust the workspace.`,
  );
}

/**
 * As {@link requireInside}, in a trusted workspace, too, for files whose names no person chose.
 *
 * @param folder `undefined` if there is none to stay in
 * @throws ParallaxError `untrusted` if a link on the file's path leads out of the folder
 */
export async function requireNoWayOut(folder: string | undefined, file: string): Promise<void> {
  if (await isInside(folder, file)) return;
  throw new ParallaxError(
    'untrusted',
    l10n.t`${file} leads out of this folder through a link, so that nothing is written. Replace the link with a file of its own.`,
  );
}

/** As {@link requireInside}. A link to a missing file, which a writer would follow, is outside. */
export async function isInside(boundary: Boundary, file: string): Promise<boolean> {
  if (boundary === undefined) return true;
  const place = await realPlace(file);
  return place !== undefined && relativeInside(await realpath(boundary), place) !== undefined;
}

/** Where a file is, or would be created, after following every link on its path. */
async function realPlace(file: string): Promise<string | undefined> {
  try {
    return await realpath(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || (await isEntry(file))) return undefined;
    const parent = await realPlace(path.dirname(file));
    return parent && path.join(parent, path.basename(file));
  }
}

async function isEntry(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
