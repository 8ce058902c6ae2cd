/** Text files that are written as a whole: files that a command writes beside its output, and baselines. */
import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { requireInside, requireNoWayOut, type Boundary } from './boundary.ts';
import { writeDurably } from './durable-file.ts';
import { reasonOf } from './file-reason.ts';

/**
 * Replaces the file completely or not at all: the old one stays until everything is written.
 *
 * @throws ParallaxError `bad-file` if it cannot be written
 */
export async function replaceText(target: string, text: string): Promise<void> {
  try {
    // Pipes and devices, such as /dev/stdout, cannot be replaced by a file.
    if (await isSpecial(target)) return await writeFile(target, text);
    await writeDurably(target, (handle) => handle.writeFile(text));
  } catch (error) {
    throw unwritable(target, error);
  }
}

/**
 * As {@link replaceText}. Creates missing folders.
 *
 * @param boundary that a link instead of the file or its folder must not lead out of
 * @throws ParallaxError `bad-file` if it cannot be written, `untrusted`
 */
export async function writeText(target: string, text: string, boundary?: Boundary): Promise<void> {
  await requireInside(boundary, target);
  try {
    await mkdir(path.dirname(target), { recursive: true });
  } catch (error) {
    throw unwritable(target, error);
  }
  await replaceText(target, text);
}

/**
 * Creates missing folders.
 *
 * @param folder that a link on the file's path must not lead out of
 * @throws ParallaxError `bad-file` if it cannot be written, `untrusted`
 */
export async function appendText(target: string, text: string, folder?: string): Promise<void> {
  await requireNoWayOut(folder, path.resolve(target));
  try {
    await mkdir(path.dirname(target), { recursive: true });
    await appendFile(target, text);
  } catch (error) {
    throw unwritable(target, error);
  }
}

async function isSpecial(target: string): Promise<boolean> {
  const stats = await stat(target).catch(() => undefined);
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

function unwritable(target: string, error: unknown): ParallaxError {
  return new ParallaxError('bad-file', l10n.t`Cannot write ${target}: ${reasonOf(error)}.`, { cause: error });
}
