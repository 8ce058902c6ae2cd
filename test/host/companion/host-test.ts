/**
 * A test runner for inside the extension host, where node:test cannot run: suites register their cases
 * when they are loaded, and all run one after the other.
 */

export interface HostResult {
  name: string;
  milliseconds: number;
  /** Absent when the case passed. */
  error?: string;
}

interface HostCase {
  name: string;
  body: () => unknown;
  timeout: number;
}

const cases: HostCase[] = [];

export function hostTest(name: string, body: () => unknown, { timeout = 30_000 } = {}): void {
  cases.push({ name, body, timeout });
}

export async function runHostTests(): Promise<HostResult[]> {
  const results: HostResult[] = [];
  for (const { name, body, timeout } of cases) {
    const begun = performance.now();
    const error = await failureOf(body, timeout);
    results.push({ name, milliseconds: performance.now() - begun, ...(error !== undefined && { error }) });
  }
  return results;
}

async function failureOf(body: () => unknown, timeout: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${timeout} ms`)), timeout);
  });
  try {
    await Promise.race([body(), late]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } finally {
    clearTimeout(timer);
  }
}
