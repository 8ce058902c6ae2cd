/** The processes behind an editor, if the system shows them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const PROCESSES = '/proc';

/** Whether processes can be looked at: on Linux. */
export const showsProcesses = existsSync(path.join(PROCESSES, 'self', 'cmdline'));

/** The processes that run scripts of extensions in this folder, by their ids. */
export function processesOf(extensions: string): number[] {
  const isScript = (argument: string): boolean =>
    argument.startsWith(extensions) && argument.endsWith('.mjs');
  return readdirSync(PROCESSES)
    .filter((name) => /^\d+$/u.test(name) && told(name, 'cmdline').split('\0').some(isScript))
    .map(Number);
}

/** The parent of a process. `undefined` if it has ended. */
export function parentOf(pid: number): number | undefined {
  const parent = /^PPid:\s*(\d+)/mu.exec(told(String(pid), 'status'))?.[1];
  return parent === undefined ? undefined : Number(parent);
}

function told(pid: string, file: string): string {
  try {
    return readFileSync(path.join(PROCESSES, pid, file), 'utf8');
  } catch {
    // It has ended since.
    return '';
  }
}
