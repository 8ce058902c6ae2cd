/** Files that a command writes beside its output. */
import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, ParallaxError } from '../core/errors.ts';
import { writeDurably } from '../engine/bm25/durable-file.ts';

/**
 * The file is there as a whole or not at all: what was there before stays until everything is written. Folders
 * that are missing are made.
 *
 * @throws ParallaxError `bad-file` when it cannot be written
 */
export async function writeText(target: string, text: string): Promise<void> {
  try {
    // Pipes and devices cannot be put in the place of each other.
    if (await isSpecial(target)) return await writeFile(target, text);
    await mkdir(path.dirname(target), { recursive: true });
    await writeDurably(target, (handle) => handle.writeFile(text));
  } catch (error) {
    throw unwritable(target, error);
  }
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
  return new ParallaxError('bad-file', `Cannot write ${target}: ${messageOf(error)}.`, { cause: error });
}
