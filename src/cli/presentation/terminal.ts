/** Shared by the commands: output, options, and tables. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { messageOf } from '../../core/errors.ts';
import { oneLine } from '../../core/reports/escape.ts';
import type { Rows } from '../../core/reports/tables.ts';
import { replaceText } from '../../engine/files/output-file.ts';

/** Output for programs, which is not changed; `commands` are our own commands to a CI runner. */
export type OutputKind = 'data' | 'commands';

/** The output of a command: results go to `stdout`, everything else to `stderr`. */
export interface Io {
  /** Without a kind the text is for people (printable.ts). */
  readonly stdout: (text: string, kind?: OutputKind) => void;
  /** `live` is a line of ours that moves the cursor. */
  readonly stderr: (text: string, kind?: 'live') => void;
}

/** Wrong usage of a command; `message` is one sentence. Results in exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Exit code of a command whose budget ran out. Running it again continues from there. */
export const BUDGET_SPENT = 3;

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Reads `--name value` options, and positional arguments if the command takes them.
 *
 * @throws UsageError for unknown options, missing values and surplus arguments
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

/** @throws UsageError if the option is missing */
export function required(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing.`);
  return value;
}

/**
 * Cutoffs such as `1,5,10`: distinct, in the given order.
 *
 * @throws UsageError for anything but whole numbers from 1
 */
export function parseCutoffs(text: string): number[] {
  const cutoffs = text.split(',').map((part) => part.trim());
  const bad = cutoffs.find((cutoff) => !/^[1-9]\d{0,8}$/.test(cutoff));
  if (bad !== undefined)
    throw new UsageError(`--k takes whole numbers from 1, separated by commas, not "${bad}" (in "${text}").`);
  return [...new Set(cutoffs.map(Number))];
}

/**
 * A single cutoff.
 *
 * @throws UsageError for several, and the errors of {@link parseCutoffs}
 */
export function parseCutoff(text: string): number {
  const [cutoff, ...more] = parseCutoffs(text);
  if (cutoff === undefined || more.length > 0)
    throw new UsageError(`--k takes one cutoff here, not "${text}".`);
  return cutoff;
}

/**
 * Writes a value as JSON to a file, or to standard output for `-`. Atomic: an existing file stays until everything is
 * written.
 *
 * @throws ParallaxError `bad-file` if the file cannot be written
 */
export async function writeJson(target: string, value: unknown, io: Io): Promise<void> {
  const json = `${JSON.stringify(value, null, 2)}\n`;
  if (target === '-') return io.stdout(json, 'data');
  await replaceText(target, json);
}

/**
 * A plain text table: the first columns are left-aligned, all others, which contain numbers, right-aligned.
 *
 * @param rows as long as `header`; empty cells are empty strings
 * @param names number of left-aligned columns
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

/** A table of a report's rows. Names and texts come from anywhere, so control characters are removed. */
export function tableText({ header, rows, names }: Rows): string {
  return formatTable(
    header,
    rows.map((cells) => cells.map(oneLine)),
    names,
  );
}

/** A share as a percentage without the sign: 0.5838 → `58.4`. */
export function percent(share: number): string {
  return (share * 100).toFixed(1);
}

/** A difference of shares in percentage points: 0.012 → `+1.2`. */
export function pointsOf(difference: number): string {
  return `${difference < 0 ? '−' : '+'}${percent(Math.abs(difference))}`;
}
