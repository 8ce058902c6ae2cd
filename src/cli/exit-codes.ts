/** Exit codes of commands; docs/command-line.md says what they mean for each. */

export const DONE = 0;
export const FAILED = 1;
export const USAGE = 2;
export const NOT_EVALUATED = 3;

/** @returns the exit code of an unexpected failure: a gate that fails to run has not been missed */
export function unexpectedCode(command: string): number {
  return command === 'gate' ? NOT_EVALUATED : FAILED;
}
