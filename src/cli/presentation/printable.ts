/**
 * Titles, passages and answers of models come from anywhere. What a terminal or the log of a CI job would take for an
 * order is shown as a character of its own, so that nobody writes over the lines of others or turns text around.
 */
import { fstatSync } from 'node:fs';
import { ParallaxError } from '../../core/errors.ts';
import {
  holdsOrders,
  jsonWithoutOrders,
  withoutControls,
  withoutLogCommands,
} from '../../core/reports/log-commands.ts';

/** Each is set by runners of CI, the first by nearly all of them. */
const RUNNERS = ['CI', 'GITHUB_ACTIONS', 'GITLAB_CI', 'TF_BUILD', 'TEAMCITY_VERSION', 'BUILDKITE'];

/** Whether a runner of CI reads what is written. */
export function isInWorkflow(environment: Readonly<Record<string, string | undefined>>): boolean {
  return RUNNERS.some((name) => !['', '0', 'false', undefined].includes(environment[name]?.toLowerCase()));
}

/** Whether what is written goes into a file, which no runner reads. */
export function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/**
 * Text for people, without anything that acts.
 *
 * @param inWorkflow whether the output is read by a CI runner
 */
export function printable(text: string, inWorkflow = false): string {
  const shown = withoutControls(text);
  return inWorkflow ? withoutLogCommands(shown) : shown;
}

/** A name or a title, which has to stand in one line among others: those of files may have line breaks in them. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]/gu, '\uFFFD');
}

/**
 * Data for programs, in a log that a CI runner reads along: JSON says the same in other signs.
 *
 * @throws ParallaxError `bad-argument` for any other form that holds an order, since it cannot say the same without
 */
export function dataInLog(text: string): string {
  if (!holdsOrders(text)) return text;
  if (isJson(text)) return jsonWithoutOrders(text);
  throw new ParallaxError(
    'bad-argument',
    'The output holds what the log of a CI job takes for a command. Write it to a file.',
  );
}

/** One value, or one a line. */
function isJson(text: string): boolean {
  const first = /^\s*[[{]/u.test(text) ? text : undefined;
  return first !== undefined && (parses(text) || text.trimEnd().split('\n').every(parses));
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
