/** Ends a program together with the programs that it started. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Interval in milliseconds at which ending processes are checked. */
const LOOK_MS = 20;

/**
 * Sends a signal to a process and its descendants, and kills those that still run after some time.
 *
 * @param signal `undefined` if they have received one
 */
export async function endTree(
  root: number,
  signal: NodeJS.Signals | undefined,
  graceMs: number,
): Promise<void> {
  if (process.platform === 'win32') return killTree(root);
  const tree = await treeOf(root);
  if (signal) for (const pid of tree) send(pid, signal);
  const end = performance.now() + graceMs;
  const running = (): number[] => [...tree].filter((pid) => send(pid, 0));
  while (running().length > 0 && performance.now() < end) await delay(LOOK_MS);
  for (const pid of running()) await killTree(pid);
}

/** Kills a process and its descendants, except for those whose parent has ended. */
export async function killTree(root: number): Promise<void> {
  if (process.platform === 'win32')
    await promisify(execFile)('taskkill', ['/pid', `${root}`, '/T', '/F']).catch(() => undefined);
  // A stopped process starts no others while they are listed.
  else for (const pid of await treeOf(root, (each) => send(each, 'SIGSTOP'))) send(pid, 'SIGKILL');
}

/** @param visit called with each process, before its descendants are listed */
async function treeOf(root: number, visit: (pid: number) => void = () => undefined): Promise<Set<number>> {
  const tree = new Set<number>();
  for (let added = [root]; added.length > 0;) {
    for (const pid of added) {
      tree.add(pid);
      visit(pid);
    }
    added = (await parents()).flatMap(([pid, parent]) => (tree.has(parent) && !tree.has(pid) ? [pid] : []));
  }
  return tree;
}

/** @returns false if the process is gone, or belongs to another user */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** All processes with their parents. Slim containers of Linux have no `ps`. */
async function parents(): Promise<[pid: number, parent: number][]> {
  if (process.platform === 'linux')
    return readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name))
      .map((name) => [Number(name), askProc(Number(name))?.parent ?? 0]);
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=', '-o', 'ppid=']);
  return stdout.split('\n').map((line) => {
    const [pid = 0, parent = 0] = line.trim().split(/\s+/u).map(Number);
    return [pid, parent];
  });
}

export interface Caller {
  /** Id of the parent process. */
  readonly parent: number;
  /** Name of its program, without a folder. */
  readonly name: string;
}

/**
 * Looks up Linux's /proc. A name may contain blanks and brackets, but the fields after its last bracket contain
 * neither.
 */
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
