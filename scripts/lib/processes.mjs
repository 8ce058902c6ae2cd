// Starts, observes and ends other programs.
import { spawn } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** A failure that its message explains; shown without a stack. */
export class Failure extends Error {}

/** Runs a script's main function. Prints the message of a `Failure`, and the stack of any other error. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof Failure ? error.message : error);
    process.exitCode = 1;
  }
}

/** Whether `moduleUrl` is the script that Node was started with. */
export function isMain(moduleUrl) {
  return process.argv[1] !== undefined && moduleUrl === pathToFileURL(realpathSync(process.argv[1])).href;
}

/**
 * Runs a program to its end. With `quiet`, shows its output only if it fails. `failure` is the message for a non-zero
 * exit code.
 */
export async function run(command, args, { failure, quiet = false, ...options } = {}) {
  const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'];
  const child = spawn(command, args, { stdio, ...options });
  const output = quiet ? collect(child) : undefined;
  const { code, signal, error } = await ended(child);
  if (code === 0) return output?.() ?? '';
  if (output) process.stderr.write(output());
  const ending = error ? error.message : signal ? `ended by ${signal}` : `exit code ${code}`;
  throw new Failure(`${failure ?? `${command} ${args.join(' ')} failed.`} (${ending})`);
}

/** Collects the output of a child on both streams. */
export function collect(child) {
  const chunks = [];
  child.stdout?.on('data', (chunk) => chunks.push(chunk));
  child.stderr?.on('data', (chunk) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

/** How a child ended. The outcome has `error` if the program could not be started. */
export function ended(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

/** All full paths of a program on the PATH, in order. */
export function onPath(name) {
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .flatMap((folder) => suffixes.map((suffix) => join(folder, name + suffix)))
    .filter(isExecutable);
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Starts a program as the leader of a new process group, so that it can be ended with all its children. The group also
 * ends with this process.
 */
export function startGroup(command, args, options = {}) {
  const child = spawn(command, args, { detached: process.platform !== 'win32', ...options });
  groups.add(child);
  child.once('close', () => groups.delete(child));
  return child;
}

/** Ends a group: with SIGTERM first, with SIGKILL after `patience` milliseconds. */
export async function endGroup(child, patience = 5000) {
  signalGroup(child, 'SIGTERM');
  for (const until = Date.now() + patience; groupIsAlive(child) && Date.now() < until;) await sleep(50);
  signalGroup(child, 'SIGKILL');
  groups.delete(child);
}

const groups = new Set();

process.once('exit', killAllGroups);

/** Ends all groups at once with SIGKILL. */
export function killAllGroups() {
  for (const child of groups) signalGroup(child, 'SIGKILL');
}

function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function groupIsAlive(child) {
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Ends every running group that this process started. */
export async function endAllGroups() {
  await Promise.all([...groups].map((child) => endGroup(child)));
}

/**
 * Exits normally on signals such as Ctrl-C, after cleaning up.
 *
 * @param {() => unknown} cleanUp
 */
export function exitOnSignals(cleanUp = endAllGroups) {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
  for (const [signal, code] of Object.entries(codes)) {
    process.once(signal, async () => {
      await cleanUp();
      process.exit(code);
    });
  }
}
