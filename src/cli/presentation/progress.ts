/** Progress lines on standard error, and lists of files that were left out. */
import type { ProgressNote } from '../../shared/rpc.ts';
import { printable } from './printable.ts';
import type { Io } from './terminal.ts';
import { oneLine } from './printable.ts';

/** The progress of work; `total` is `undefined` if unknown. */
export interface Progress {
  readonly done: number;
  readonly total?: number | undefined;
}

/** A line that is overwritten as work progresses. No output if standard error is not a terminal. */
export function progressLine(io: Io, title: string): (progress: Progress) => void {
  if (!process.stderr.isTTY) return () => undefined;
  return ({ done, total }) =>
    io.stderr(`\r${printable(title)} ${done}${total === undefined ? '' : ` of ${total}`}\u001b[K`, 'live');
}

/** The names of the first few files, and the number of the rest. */
export function formatSkipped(files: readonly { path: string; message: string }[]): string[] {
  const SHOWN = 10;
  const lines = files
    .slice(0, SHOWN)
    .map(({ path: file, message }) => `skipped ${oneLine(file)}: ${oneLine(message)}\n`);
  return files.length > SHOWN ? [...lines, `… and ${files.length - SHOWN} more.\n`] : lines;
}

/** Shows the warnings of a request as warnings about a file. */
export function warningsAbout(file: string, io: Io): (note: ProgressNote) => void {
  return (note) => {
    if (note.type === 'warning') io.stderr(`warning: ${file}: ${note.message}\n`);
  };
}
