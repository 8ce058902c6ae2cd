#!/usr/bin/env node
/**
 * `node dist/cli.js`: runs the command line with a recent enough Node. If the system's Node is older, uses the npm
 * package `node` (a development dependency). Also starts another process if the environment names a proxy, because Node
 * reads proxies only at startup.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { asksProxies, proxyEnvironment } from '../features/web-corpus/core/proxy-environment.ts';
import { unexpectedCode } from './exit-codes.ts';
import { runWith } from './run-with.ts';

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

try {
  await start();
} catch (error) {
  process.stderr.write(`parallax: ${(error as Error).message}\n`);
  process.exitCode = unexpectedCode(process.argv[2] ?? '');
}

async function start(): Promise<void> {
  if (isNewEnough(process.versions.node)) {
    if (asksProxies(env) && !asksProxies(process.env)) await runWith(process.execPath, argv, env);
    else await import(cli);
  } else if (existsSync(bundled)) await runWith(bundled, argv, env);
  else throw new Error(`Node ${NEEDED.join('.')} or newer is needed; this is ${process.versions.node}.`);
}
