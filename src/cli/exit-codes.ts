/** The meaning of each command's exit codes; docs/command-line.md has the same table. */

export const DONE = 0;
export const FAILED = 1;
export const USAGE = 2;
export const NOT_EVALUATED = 3;

interface CommandCodes {
  /** The exit code of an unexpected failure. */
  readonly unexpected: number;
  readonly 0: string;
  readonly 1: string;
  readonly 3?: string;
}

const BUDGET = 'the budget was spent before all was judged: the same command continues from there';

/** For commands that are not listed, 0 means done and 1 failed. For all commands, 2 means wrong usage. */
export const EXIT_CODES: Readonly<Record<string, CommandCodes>> = {
  gate: {
    unexpected: NOT_EVALUATED,
    0: 'passed',
    1: 'a check was missed',
    3: 'not evaluated, or the run failed: every report has the reasons, and none of it is accepted as a baseline',
  },
  eval: {
    unexpected: FAILED,
    0: 'done',
    1: 'failed; nothing is judged, pairs have no answer, or queries or pipelines failed',
    3: BUDGET,
  },
  build: {
    unexpected: FAILED,
    0: 'done',
    1: 'failed',
    3: 'the budget was spent: the same command continues from there',
  },
  capture: {
    unexpected: FAILED,
    0: 'retrievals came, and the program ended with 0',
    1: 'none came, a request with spans could not be read, or the program failed',
  },
  explain: {
    unexpected: FAILED,
    0: 'explained',
    1: 'failed, or the corpus has no such document, or several',
  },
  'mcp-proxy': { unexpected: FAILED, 0: 'that of the server', 1: 'that of the server, or a signal ended it' },
  check: { unexpected: FAILED, 0: 'every check passed', 1: 'a check failed' },
  run: {
    unexpected: FAILED,
    0: 'that of the program; with `--measure`, that of `eval` if it is not 0',
    1: 'that of the program; with `--measure` also if no question has an answer, or the program was ended by `--end-after`',
  },
  search: { unexpected: FAILED, 0: 'found', 1: 'failed, or the judge left passages unanswered' },
  web: { unexpected: FAILED, 0: 'done', 1: 'failed, or a query could not be searched for' },
};

/** @returns the exit code of an unexpected failure of a command */
export function unexpectedCode(command: string): number {
  return Object.hasOwn(EXIT_CODES, command) ? EXIT_CODES[command]!.unexpected : FAILED;
}
