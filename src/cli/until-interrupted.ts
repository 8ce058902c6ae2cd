/**
 * Work that Ctrl+C cancels instead of ending the process, so that what was paid for or fetched is kept.
 *
 * @param given a signal to heed in place of Ctrl+C
 */
export async function untilInterrupted<T>(
  work: (signal: AbortSignal) => Promise<T>,
  given?: AbortSignal,
): Promise<T> {
  if (given) return work(given);
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  process.once('SIGINT', interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', interrupt);
  }
}
