/**
 * What every line-based format shares: line numbers for people, tolerance for the odd bad line, and a clear
 * refusal of files that are something else.
 */
import { ParallaxError } from '../errors.ts';

/** A file with more bad lines than this is taken to be in another format. */
const MAX_BAD_LINES = 100;

export interface Line {
  /** Counts from 1. */
  readonly number: number;
  readonly text: string;
}

/** The lines of a text that are not blank; accepts a byte order mark and both kinds of line end. */
export function* linesOf(text: string): Generator<Line> {
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let number = 1; start < text.length; number++) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
    if (line.trim() !== '') yield { number, text: line };
    start = end + 1;
  }
}

/**
 * Hands every line to `accept`, which returns what is wrong with the line, or nothing when it took it.
 * A bad line is reported and skipped.
 *
 * @param format what the file should be, for people: `TREC run (…columns…)`
 * @returns one warning per bad line
 * @throws ParallaxError `bad-file` when no line is good, or too many are bad.
 */
export function readLines(
  lines: Iterable<Line>,
  format: string,
  accept: (line: Line) => string | undefined,
): string[] {
  const problems: string[] = [];
  let good = 0;
  for (const line of lines) {
    const problem = accept(line);
    if (problem === undefined) good++;
    else problems.push(`Line ${line.number}: ${problem}`);
    if (problems.length > MAX_BAD_LINES)
      throw new ParallaxError(
        'bad-file',
        `Not a ${format}: more than ${MAX_BAD_LINES} bad lines. ${problems[0]}.`,
      );
  }
  if (good === 0)
    throw new ParallaxError('bad-file', `Not a ${format}. ${problems[0] ?? 'There are no lines to read'}.`);
  return problems.map((problem) => `${problem}; skipped.`);
}

/** A line as JSON, or what is wrong with it. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `not JSON (${error instanceof Error ? error.message : String(error)})` };
  }
}
