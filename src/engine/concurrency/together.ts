import type { WorkOptions } from '../types.ts';

/**
 * Works on several things at the same time. If one fails, the others are cancelled.
 *
 * @returns the results in the order of the things
 * @throws the first failure, once all have ended
 */
export async function together<T, R>(
  items: readonly T[],
  work: (item: T, options: WorkOptions) => Promise<R>,
  { signal, onProgress }: WorkOptions,
): Promise<R[]> {
  const stop = new AbortController();
  const options = { signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal, onProgress };
  const running = items.map(async (item) => {
    try {
      return await work(item, options);
    } catch (error) {
      stop.abort();
      throw error;
    }
  });
  try {
    return await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
  }
}
