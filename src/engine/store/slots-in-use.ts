/**
 * How far the indexes derived from a store have come: the highest slot that they may hold, on disk before they
 * hold it. A store that has given out fewer slots has lost something (a power cut takes the last transactions, a
 * damaged log all that stood in it) and will give the same slots to other passages.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { writeDurably } from '../files/durable-file.ts';
import type { Slot } from '../types.ts';
import type { Store } from './store.ts';
import { asOnlyWriter } from './writer-lock.ts';

const FILE = 'slots-in-use';
/** Held by who writes that file. */
const LOCK = `${FILE}.lock`;

/**
 * The highest slot that anything in a folder of derived indexes may hold.
 *
 * @returns `Infinity` where that is not known
 */
export async function slotsInUse(folder: string): Promise<Slot> {
  const names = await readdir(folder).catch(() => []);
  // The file is written before anything else: whoever sees an index without it looks at what is left of one.
  if (names.every((name) => name.endsWith('.tmp') || name === LOCK)) return 0;
  const content = await readFile(path.join(folder, FILE), 'utf8').catch(() => '');
  const slot = Number(content.split(' ')[0]);
  return slot >= 0 && content === contentOf(slot) ? slot : Infinity;
}

/** As much of a store as is asked for here. */
type SlotGiver = Pick<Store, 'lastSlot' | 'sync'>;

/**
 * Writes down the highest slot that the store has given out: one window at a time, and each what is true then, so
 * that the number never goes down.
 *
 * @returns what was written
 * @throws ParallaxError `store-unusable`, also where another window has removed the folder
 */
export async function writeSlotsInUse(folder: string, store: SlotGiver): Promise<Slot> {
  try {
    return await asOnlyWriter(path.join(folder, LOCK), {}, async () => {
      const { lastSlot } = store;
      store.sync();
      await writeDurably(path.join(folder, FILE), async (handle) => handle.writeFile(contentOf(lastSlot)));
      return lastSlot;
    });
  } catch (error) {
    if (ParallaxError.is(error)) throw error;
    throw new ParallaxError(
      'store-unusable',
      l10n.t`The index in ${folder} cannot be written: ${messageOf(error)}. Make room on that disk, or try again.`,
      { cause: error },
    );
  }
}

const contentOf = (slot: Slot): string => `${slot} ${crc32(String(slot)).toString(16)}\n`;
