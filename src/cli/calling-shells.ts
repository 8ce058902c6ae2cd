/** Which shells stand between npm and this process, and whether npm is still above them. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** Shells that npm, and scripts that it runs, start programs in. */
const SHELLS = new Set(['sh', 'ash', 'bash', 'dash', 'fish', 'ksh', 'zsh']);

export interface Caller {
  /** The number of the process that started it, or that took it over. */
  readonly parent: number;
  /** Its program, without a folder. */
  readonly name: string;
}

/** Says of a process who started it; undefined where it is gone, or the system does not say. */
export type AskSystem = (pid: number) => Caller | undefined | Promise<Caller | undefined>;

/** How the system is asked, and how often it may be, in milliseconds; undefined where it cannot be. */
export function systemHere(): { readonly ask: AskSystem; readonly everyMs: number } | undefined {
  if (process.platform === 'win32') return undefined;
  // Slim containers have no `ps`, and a program started every few seconds is dearer than a file that is read.
  return process.platform === 'linux' ? { ask: askProc, everyMs: 100 } : { ask: askPs, everyMs: 5000 };
}

/** Asks Linux. A name may hold blanks and brackets, the fields behind its last bracket hold neither. */
export function askProc(pid: number): Caller | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  const end = stat.lastIndexOf(')');
  const [, parent] = stat.slice(end + 2).split(' ');
  return { parent: Number(parent), name: stat.slice(stat.indexOf('(') + 1, end) };
}

/** Asks `ps`, as POSIX describes it. Some systems say where the program lies, and mark the shell of a login. */
export async function askPs(pid: number): Promise<Caller | undefined> {
  const asked = await promisify(execFile)('ps', ['-o', 'ppid=', '-o', 'comm=', '-p', `${pid}`]).catch(
    () => undefined,
  );
  const said = /^\s{0,20}(\d+)\s(.*)/u.exec(asked?.stdout ?? '');
  if (!said) return undefined;
  const [, parent, program = ''] = said;
  return { parent: Number(parent), name: program.trim().split('/').at(-1)!.replace(/^-/u, '') };
}

/**
 * The shells from a process upwards, each with who started it: nothing where that process is none, since npm itself then
 * started the program, and who started npm may leave it alone.
 *
 * @param pid the process that started this one
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
