import { ENDING_SIGNALS } from './end-with-caller.ts';

/** Two of the same Ctrl+C, in milliseconds: a terminal sends it to the whole group, and a launcher passes it on. */
const SAME_KEY_MS = 500;

/**
 * Work that Ctrl+C, or another signal to end, cancels instead of ending the process, so that what was paid for or
 * fetched is kept. A second one ends the process.
 *
 * @param given a signal to heed in place of Ctrl+C
 */
export async function untilInterrupted<T>(
  work: (signal: AbortSignal) => Promise<T>,
  given?: AbortSignal,
): Promise<T> {
  if (given) return work(given);
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
    // The second of the same key may come when the work is done already, and must not end what is still written.
    if (!controller.signal.aborted) for (const signal of ENDING_SIGNALS) process.off(signal, interrupt);
  }
}
