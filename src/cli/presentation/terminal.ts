/**
 * Shared by the commands: where they write, how they read options, and how they print tables.
 */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { messageOf } from '../../core/errors.ts';
import { oneLine } from '../../core/reports/escape.ts';
import type { Rows } from '../../core/reports/tables.ts';
import { replaceText } from '../../engine/files/output-file.ts';

/** For programs, whom it reaches as it is; `commands` are those of a CI runner, and of our own making. */
export type OutputKind = 'data' | 'commands';

/** Where a command writes: results to `stdout`, everything else to `stderr`. */
export interface Io {
  /** Without a kind it is for people (printable.ts). */
  readonly stdout: (text: string, kind?: OutputKind) => void;
  /** `live` is a line of our own making that moves the cursor. */
  readonly stderr: (text: string, kind?: 'live') => void;
}

/** The command was called wrongly; `message` is one sentence. Ends in exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Exit code of a command whose budget was spent before it was done: run again, it goes on from there. */
export const BUDGET_SPENT = 3;

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Reads `--name value` options; positional arguments only where the command takes them.
 *
 * @throws UsageError for unknown options, missing values and surplus arguments.
 */
export function readOptions<const T extends Options, const P extends boolean = false>(
  argv: readonly string[],
  options: T,
  allowPositionals: P = false as P,
) {
  try {
    return parseArgs<{ args: string[]; options: T; allowPositionals: P; strict: true }>({
      args: [...argv],
      options,
      allowPositionals,
      strict: true,
    });
  } catch (error) {
    // Node adds advice after the first sentence.
    throw new UsageError(`${messageOf(error).split(/[.\n]/)[0]}.`, { cause: error });
  }
}

/**
 * @throws UsageError when the option was left out.
 */
export function required(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing.`);
  return value;
}

/**
 * Cutoffs such as `1,5,10`: distinct, in the given order.
 *
 * @throws UsageError for anything but whole numbers from 1.
 */
export function parseCutoffs(text: string): number[] {
  const cutoffs = text.split(',').map((part) => part.trim());
  const bad = cutoffs.find((cutoff) => !/^[1-9]\d{0,8}$/.test(cutoff));
  if (bad !== undefined)
    throw new UsageError(`--k takes whole numbers from 1, separated by commas, not "${bad}" (in "${text}").`);
  return [...new Set(cutoffs.map(Number))];
}

/**
 * One cutoff, for commands whose output has room for one.
 *
 * @throws UsageError for several, and as {@link parseCutoffs}
 */
export function parseCutoff(text: string): number {
  const [cutoff, ...more] = parseCutoffs(text);
  if (cutoff === undefined || more.length > 0)
    throw new UsageError(`--k takes one cutoff here, not "${text}".`);
  return cutoff;
}

/**
 * Writes a value as JSON to a file, or to standard output for `-`. The file is there as a whole or not at
 * all: what was there before stays until everything is written.
 *
 * @throws ParallaxError `bad-file` when the file cannot be written.
 */
export async function writeJson(target: string, value: unknown, io: Io): Promise<void> {
  const json = `${JSON.stringify(value, null, 2)}\n`;
  if (target === '-') return io.stdout(json, 'data');
  await replaceText(target, json);
}

/**
 * A table in plain text: the first columns to the left, all others, which hold numbers, to the right.
 *
 * @param rows as long as `header`; empty cells are empty strings
 * @param names how many columns hold names
 */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  names = 1,
): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? '';
        return column < names ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  const rule = '─'.repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return [line(header), rule, ...rows.map(line)].map((text) => `${text}\n`).join('');
}

/** The same of a report's rows, in which names and texts come from anywhere and must not reach the terminal's controls. */
export function tableText({ header, rows, names }: Rows): string {
  return formatTable(
    header,
    rows.map((cells) => cells.map(oneLine)),
    names,
  );
}

/** A share as a percentage without its sign: 0.5838 → `58.4`. */
export function percent(share: number): string {
  return (share * 100).toFixed(1);
}

/** A difference of shares in percentage points: 0.012 → `+1.2`. */
export function pointsOf(difference: number): string {
  return `${difference < 0 ? '−' : '+'}${percent(Math.abs(difference))}`;
}
