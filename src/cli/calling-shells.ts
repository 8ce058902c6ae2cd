/** Finds the shells between npm and this process, to detect whether npm is still running. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { askProc, type Caller } from '../engine/concurrency/process-tree.ts';

/** Shells in which npm and its scripts start programs. */
const SHELLS = new Set(['sh', 'ash', 'bash', 'dash', 'fish', 'ksh', 'zsh']);

/** Looks up the parent of a process. `undefined` if the process is gone or the system does not provide it. */
export type AskSystem = (pid: number) => Caller | undefined | Promise<Caller | undefined>;

/** The system's look-up and its minimum interval in milliseconds. `undefined` if there is none. */
export function systemHere(): { readonly ask: AskSystem; readonly everyMs: number } | undefined {
  if (process.platform === 'win32') return undefined;
  // Slim containers have no `ps`, and starting a program every few seconds costs more than reading a file.
  return process.platform === 'linux' ? { ask: askProc, everyMs: 100 } : { ask: askPs, everyMs: 5000 };
}

/** Looks up `ps`, as specified by POSIX. Some systems output the path of the program, and mark login shells. */
export async function askPs(pid: number): Promise<Caller | undefined> {
  const output = await promisify(execFile)('ps', ['-o', 'ppid=', '-o', 'comm=', '-p', `${pid}`]).catch(
    () => undefined,
  );
  const match = /^\s{0,20}(\d+)\s(.*)/u.exec(output?.stdout ?? '');
  if (!match) return undefined;
  const [, parent, program = ''] = match;
  return { parent: Number(parent), name: program.trim().split('/').at(-1)!.replace(/^-/u, '') };
}

/**
 * The shells from a process upwards, each with its parent. Empty if the process is no shell: then npm started the
 * program directly, and the shell above npm may deliberately leave it running.
 *
 * @param pid parent of this process
 */
export async function shellsFrom(pid: number, ask: AskSystem): Promise<Map<number, number>> {
  const shells = new Map<number, number>();
  for (let at = pid; !shells.has(at);) {
    const caller = await ask(at);
    if (!caller || !SHELLS.has(caller.name)) break;
    shells.set(at, caller.parent);
    at = caller.parent;
  }
  return shells;
}
