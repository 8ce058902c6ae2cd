/**
 * Titles, passages and model answers come from anywhere. Control characters, and text that a CI runner would
 * interpret as a command, are replaced by visible characters, so that they cannot overwrite other lines or reverse text.
 */
import { fstatSync } from 'node:fs';
import { ParallaxError } from '../../core/errors.ts';
import {
  holdsOrders,
  jsonWithoutOrders,
  withoutControls,
  withoutLogCommands,
} from '../../core/reports/log-commands.ts';

/** Each is set by CI runners, the first by nearly all of them. */
const RUNNERS = ['CI', 'GITHUB_ACTIONS', 'GITLAB_CI', 'TF_BUILD', 'TEAMCITY_VERSION', 'BUILDKITE'];

/** Whether a CI runner reads the output. */
export function isInWorkflow(environment: Readonly<Record<string, string | undefined>>): boolean {
  return RUNNERS.some((name) => !['', '0', 'false', undefined].includes(environment[name]?.toLowerCase()));
}

/** Whether the output goes to a file, which no runner reads. */
export function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/**
 * Text for people, without control sequences and commands.
 *
 * @param inWorkflow whether a CI runner reads the output
 */
export function printable(text: string, inWorkflow = false): string {
  const shown = withoutControls(text);
  return inWorkflow ? withoutLogCommands(shown) : shown;
}

/** Keeps a name or title on one line, because names of files may contain line breaks. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]/gu, '\uFFFD');
}

/**
 * Data for programs in a log that a CI runner also reads: JSON can escape commands.
 *
 * @throws ParallaxError `bad-argument` for any other format that contains a command, because it cannot be escaped
 */
export function dataInLog(text: string): string {
  if (!holdsOrders(text)) return text;
  if (isJson(text)) return jsonWithoutOrders(text);
  throw new ParallaxError(
    'bad-argument',
    'The output contains text that a CI runner would run as a log command. Write the output to a file.',
  );
}

/** One JSON value, or one per line. */
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
