/** One writer at a time among all windows, and the command line, that share a folder. */
import { setTimeout as delay } from 'node:timers/promises';
import { throwIfCancelled } from '../../core/errors.ts';
import type { WorkOptions } from '../types.ts';
import { openLock } from './database.ts';

const RETRY_MS = 50;

/**
 * Runs work while nobody else holds the lock at this path, and waits for that as long as it takes; who waits is
 * told so as progress. Not re-entrant.
 *
 * @param path of a file that is made for this, and stays
 * @throws ParallaxError `store-unusable` when there can be no such file, `cancelled`; what `work` throws
 */
export async function asOnlyWriter<T>(
  path: string,
  { signal, onProgress }: WorkOptions,
  work: () => Promise<T>,
): Promise<T> {
  const lock = openLock(path);
  try {
    while (!lock.take()) {
      onProgress?.({ done: 0, detail: 'Waiting for another window that writes to this index' });
      await delay(RETRY_MS);
      throwIfCancelled(signal);
    }
    return await work();
  } finally {
    lock.close();
  }
}

/**
 * Runs work if nobody holds the lock at this path, and does nothing otherwise.
 *
 * @throws ParallaxError `store-unusable` when there can be no such file; what `work` throws
 */
export async function ifOnlyWriter(path: string, work: () => Promise<void>): Promise<void> {
  const lock = openLock(path);
  try {
    if (lock.take()) await work();
  } finally {
    lock.close();
  }
}
