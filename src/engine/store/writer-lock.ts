/** Allows one writer at a time among all windows and command lines that share a folder. */
import { setTimeout as delay } from 'node:timers/promises';
import { throwIfCancelled } from '../../core/errors.ts';
import type { WorkOptions } from '../types.ts';
import { openLock } from './database.ts';

const RETRY_MS = 50;

/**
 * Waits for the lock at this path, however long it takes, and runs work while holding it. Reports waiting as
 * progress. Not re-entrant.
 *
 * @param path of a file that exists only for this purpose, and stays
 * @throws ParallaxError `store-unusable` if the file cannot be created, `cancelled`; what `work` throws
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
 * Runs work if the lock at this path is free, and does nothing otherwise.
 *
 * @throws ParallaxError `store-unusable` if the file cannot be created; what `work` throws
 */
export async function ifOnlyWriter(path: string, work: () => Promise<void>): Promise<void> {
  const lock = openLock(path);
  try {
    if (lock.take()) await work();
  } finally {
    lock.close();
  }
}
