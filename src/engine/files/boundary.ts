/**
 * Files that an untrusted workspace names stay within its folder: `../../.ssh` as a root of a corpus, or a
 * link that a cloned repository brings along, must neither be read nor written before the user trusts the
 * workspace.
 */
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import { relativeInside } from './paths.ts';
import { codeOf } from './file-reason.ts';

/** The folder that nothing may lead out of; undefined where the workspace is trusted. */
export type Boundary = string | undefined;

export function boundaryOf({ trusted, base }: Pick<EngineConfig, 'trusted' | 'base'>): Boundary {
  return trusted ? undefined : base;
}

/**
 * @param file absolute; it need not be there yet
 * @throws ParallaxError `untrusted` when the file lies outside the boundary, or a link on the way to it leads out
 */
export async function requireInside(boundary: Boundary, file: string): Promise<void> {
  if (await isInside(boundary, file)) return;
  throw new ParallaxError(
    'untrusted',
    l10n.t`${file} lies outside this folder. Parallax reads and writes there only once you trust the workspace.`,
  );
}

/** As {@link requireInside}. A link that leads nowhere, which a writer would follow, is outside. */
export async function isInside(boundary: Boundary, file: string): Promise<boolean> {
  if (boundary === undefined) return true;
  const place = await realPlace(file);
  return place !== undefined && relativeInside(await realpath(boundary), place) !== undefined;
}

/** Where a file is, or would be made, once every link on the way is followed. */
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
