/** Text files that are written as a whole: what a command writes beside its output, baselines. */
import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { requireInside, type Boundary } from './boundary.ts';
import { writeDurably } from './durable-file.ts';
import { reasonOf } from './file-reason.ts';

/**
 * The file is there as a whole or not at all: what was there before stays until everything is written.
 *
 * @throws ParallaxError `bad-file` when it cannot be written
 */
export async function replaceText(target: string, text: string): Promise<void> {
  try {
    // Pipes and devices, such as /dev/stdout, cannot be put in the place of each other.
    if (await isSpecial(target)) return await writeFile(target, text);
    await writeDurably(target, (handle) => handle.writeFile(text));
  } catch (error) {
    throw unwritable(target, error);
  }
}

/**
 * As {@link replaceText}; folders that are missing are made.
 *
 * @param boundary what a link in place of the file or its folder must not lead out of
 * @throws ParallaxError `bad-file` when it cannot be written, `untrusted`
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

/** @throws ParallaxError `bad-file` when it cannot be written */
export async function appendText(target: string, text: string): Promise<void> {
  try {
    await appendFile(target, text);
  } catch (error) {
    throw unwritable(target, error);
  }
}

async function isSpecial(target: string): Promise<boolean> {
  const found = await stat(target).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

function unwritable(target: string, error: unknown): ParallaxError {
  return new ParallaxError('bad-file', l10n.t`Cannot write ${target}: ${reasonOf(error)}.`, { cause: error });
}
