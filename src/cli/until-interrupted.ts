import { ENDING_SIGNALS } from './end-with-caller.ts';

/**
 * Two signals within this time in milliseconds are the same Ctrl+C: a terminal sends it to the whole group, and a
 * launcher forwards it.
 */
const SAME_KEY_MS = 500;

/**
 * Cancels work on Ctrl+C or another ending signal instead of exiting, so that paid or fetched results are stored. A
 * second signal ends the process.
 *
 * @param replacement a signal that replaces Ctrl+C
 */
export async function untilInterrupted<T>(
  work: (signal: AbortSignal) => Promise<T>,
  replacement?: AbortSignal,
): Promise<T> {
  if (replacement) return work(replacement);
  const controller = new AbortController();
  let first: number | undefined;
  const interrupt = (): void => {
    const now = performance.now();
    first ??= now;
    controller.abort();
    if (now - first > SAME_KEY_MS) process.exit(1);
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    // The second signal of the same key may arrive after the work, and must not interrupt pending writes.
    if (!controller.signal.aborted) for (const signal of ENDING_SIGNALS) process.off(signal, interrupt);
  }
}
