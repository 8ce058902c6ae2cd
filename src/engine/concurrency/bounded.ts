/**
 * Runs `work(0)`, `work(1)`, … `work(count − 1)`, at most `concurrency` at a time, started in this order. After the
 * signal has fired or one has thrown, starts no further ones and waits for those that are running.
 *
 * @throws what the first failing one threw
 */
export async function runPool(
  count: number,
  concurrency: number,
  signal: AbortSignal | undefined,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    while (next < count && !failure && !signal?.aborted) {
      try {
        await work(next++);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker));
  if (failure) throw failure.error;
}
