/**
 * A test runner for the extension host, where node:test cannot run. Suites register their cases when they are loaded;
 * all run one after the other.
 */

export interface HostResult {
  name: string;
  milliseconds: number;
  /** `undefined` if the case passed. */
  error?: string;
}

interface HostCase {
  name: string;
  body: () => unknown;
  timeout: number;
}

const cases: HostCase[] = [];

/** The time that a late case has to restore what it changed before the next one begins, in milliseconds. */
const GRACE = 60_000;

/** How many times as long as on an idle machine a case may take. */
const BUSY = 5;

export function hostTest(name: string, body: () => unknown, { timeout = 30_000 } = {}): void {
  cases.push({ name, body, timeout });
}

export async function runHostTests(): Promise<HostResult[]> {
  const results: HostResult[] = [];
  for (const { name, body, timeout } of cases) {
    const begun = performance.now();
    const error = await failureOf(body, BUSY * timeout);
    results.push({ name, milliseconds: performance.now() - begun, ...(error !== undefined && { error }) });
  }
  return results;
}

async function failureOf(body: () => unknown, timeout: number): Promise<string | undefined> {
  const running = Promise.resolve()
    .then(body)
    .then(() => undefined, messageOf);
  const late = await endedWithin(running, timeout);
  if (late === undefined) return running;
  const ended = await endedWithin(running, GRACE);
  return ended === undefined ? `${late}: ${(await running) ?? 'it was only slow'}` : late;
}

/** Returns whether the work ended in time. The work goes on either way. */
async function endedWithin(work: Promise<unknown>, milliseconds: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`not done after ${milliseconds} ms`), milliseconds);
  });
  const outcome = await Promise.race([work.then(() => undefined), late]);
  clearTimeout(timer);
  return outcome;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
