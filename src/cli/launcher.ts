#!/usr/bin/env node
/**
 * `node dist/cli.js`: runs the command line with a Node that is new enough. Where the system's Node is
 * older, the npm package `node` (a development dependency) brings one. Where the environment names a proxy, another process
 * is started as well: Node takes note of proxies while it starts.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { asksProxies, proxyEnvironment } from '../core/web/proxy-environment.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ENDING_SIGNALS, endWithNpm } from './end-with-caller.ts';

/** How long a child may take to end on a signal: one that is busy does not hear it. */
const GRACE_MS = 5000;

/**
 * Runs a program with another Node and ends as it does. Signals are passed on, and the channel between the two closes
 * when this process is killed, on which the child ends as well (`end-with-caller.ts`): nobody goes on paying for a
 * run that was ended.
 */
async function runWith(
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
  // It heard the signal, and may take its time to keep what was paid for.
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

/** The first Node whose SQLite needs no flag. */
const NEEDED = [22, 13] as const;

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

const cli = fileURLToPath(new URL('./cli.mjs', import.meta.url));
const bundled = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));

const env = proxyEnvironment(process.env);
const argv = [cli, ...process.argv.slice(2)];

if (isNewEnough(process.versions.node)) {
  if (asksProxies(env) && !asksProxies(process.env)) await runWith(process.execPath, argv, env);
  else await import(cli);
} else if (existsSync(bundled)) {
  await runWith(bundled, argv, env);
} else {
  process.stderr.write(
    `parallax: Node ${NEEDED.join('.')} or newer is needed; this is ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
}
