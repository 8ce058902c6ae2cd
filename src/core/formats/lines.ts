/**
 * Common rules of line-based formats: line numbers, tolerance for a few bad lines, and a clear error for files in
 * another format.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';

/** With more bad lines, a file is taken to be in another format. */
const MAX_BAD_LINES = 100;

export interface Line {
  /** Counts from 1. */
  readonly number: number;
  readonly text: string;
}

/** The lines of a text that are not blank. Accepts a byte order mark and both kinds of line end. */
export function* linesOf(text: string): Generator<Line> {
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let number = 1; start < text.length; number++) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, text[end - 1] === '\r' ? end - 1 : end);
    if (line.trim() !== '') yield { number, text: line };
    start = end + 1;
  }
}

/**
 * Passes every line to `accept`, see {@link LinesReading}.
 *
 * @param refusal for files in another format, a sentence without its full stop: `Not a TREC run (…columns…)`
 * @returns one warning per bad line
 * @throws ParallaxError `bad-file` if no line is good, or too many are bad.
 */
export function readLines(
  lines: Iterable<Line>,
  refusal: string,
  accept: (line: Line) => string | undefined,
): string[] {
  const reading = new LinesReading(refusal, accept);
  for (const line of lines) reading.take(line);
  return reading.end();
}

/**
 * Incremental reading of lines. `accept` returns the problem of a line, or `undefined` if the line is good. Bad lines
 * are reported and skipped.
 */
export class LinesReading {
  readonly #refusal: string;
  readonly #accept: (line: Line) => string | undefined;
  readonly #problems: string[] = [];
  #hasGood = false;

  /** @param refusal see {@link readLines} */
  constructor(refusal: string, accept: (line: Line) => string | undefined) {
    this.#refusal = refusal;
    this.#accept = accept;
  }

  /** @throws ParallaxError `bad-file` if too many lines are bad */
  take(line: Line): void {
    const problem = this.#accept(line);
    if (problem === undefined) this.#hasGood = true;
    else this.#problems.push(l10n.t`Line ${line.number}: ${problem}`);
    if (this.#problems.length > MAX_BAD_LINES)
      throw new ParallaxError(
        'bad-file',
        l10n.t`${this.#refusal}: more than ${MAX_BAD_LINES} bad lines. ${this.#problems[0]!}.`,
      );
  }

  /**
   * @returns one warning per bad line
   * @throws ParallaxError `bad-file` if no line was good
   */
  end(): string[] {
    const [problem] = this.#problems;
    if (!this.#hasGood)
      throw new ParallaxError(
        'bad-file',
        problem === undefined
          ? l10n.t`${this.#refusal}. There are no lines to read.`
          : l10n.t`${this.#refusal}. ${problem}.`,
      );
    return this.#problems.map((each) => l10n.t`${each}; skipped.`);
  }
}

/** Git's conflict markers. */
const CONFLICT_MARK = /^(?:<{7}|>{7}|\|{7}|={7})(?: |$)/u;

/** Like {@link parseJson}, for lines that people write and merge: a repeated key is an error. */
export function parseJsonOnce(text: string): ReturnType<typeof parseJson> {
  const json = parseJson(text);
  if ('problem' in json || keysWritten(text) === keysIn(json.value)) return json;
  return { problem: l10n.t('a key occurs twice') };
}

/** The number of keys in a valid JSON text. Each colon outside of a string follows one. */
function keysWritten(text: string): number {
  let keys = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (isInString && sign === '\\') at++;
    else if (sign === '"') isInString = !isInString;
    else if (sign === ':' && !isInString) keys++;
  }
  return keys;
}

/** Iterative, as a line may be nested arbitrarily deep. */
function keysIn(json: unknown): number {
  let keys = 0;
  const left = [json];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    const values: unknown[] = Object.values(value);
    if (!Array.isArray(value)) keys += values.length;
    for (const each of values) left.push(each);
  }
  return keys;
}

/** The value of a JSON line, or a clause about the problem. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (CONFLICT_MARK.test(text))
      return { problem: l10n.t('left by a merge whose conflict is not resolved') };
    return { problem: l10n.t`not JSON (${error instanceof Error ? error.message : String(error)})` };
  }
}
