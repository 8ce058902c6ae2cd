import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ENDING_SIGNALS, endWithNpm } from './end-with-caller.ts';

/** Time that a child has to end on a signal; a busy one does not notice it. */
const GRACE_MS = 5000;

/**
 * Runs a program with another Node and exits like it. Forwards signals. The channel between the two closes when this
 * process is killed, so that the child ends as well (`end-with-caller.ts`) and causes no further cost.
 */
export async function runWith(
  node: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const child = spawn(node, argv, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  endWithNpm();
  let end: NodeJS.Timeout | undefined;
  for (const signal of ENDING_SIGNALS)
    process.on(signal, () => {
      child.kill(signal);
      end ??= setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    });
  // It received the signal, and may take its time to store paid answers.
  child.on('message', () => {
    clearTimeout(end);
    end = undefined;
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  clearTimeout(end);
  for (const each of ENDING_SIGNALS) process.removeAllListeners(each);
  if (signal) process.kill(process.pid, signal);
  process.exitCode = code ?? 1;
}
