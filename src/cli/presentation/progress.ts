/** Lines on standard error about work that goes on, and about files that it left out. */
import type { ProgressNote } from '../../shared/rpc.ts';
import { printable } from './printable.ts';
import type { Io } from './terminal.ts';
import { oneLine } from './printable.ts';

/** How far some work is; `total` is absent where nobody knows it. */
export interface Progress {
  readonly done: number;
  readonly total?: number | undefined;
}

/** A line that is rewritten while work goes on; nothing where standard error is no terminal. */
export function progressLine(io: Io, title: string): (progress: Progress) => void {
  if (!process.stderr.isTTY) return () => undefined;
  return ({ done, total }) =>
    io.stderr(`\r${printable(title)} ${done}${total === undefined ? '' : ` of ${total}`}\u001b[K`, 'live');
}

/** The first few files by name, and how many more there are. */
export function formatSkipped(files: readonly { path: string; message: string }[]): string[] {
  const SHOWN = 10;
  const lines = files
    .slice(0, SHOWN)
    .map(({ path: file, message }) => `skipped ${oneLine(file)}: ${oneLine(message)}\n`);
  return files.length > SHOWN ? [...lines, `… and ${files.length - SHOWN} more.\n`] : lines;
}

/** Shows the warnings of a request as those about a file. */
export function warningsAbout(file: string, io: Io): (note: ProgressNote) => void {
  return (note) => {
    if (note.type === 'warning') io.stderr(`warning: ${file}: ${note.message}\n`);
  };
}
