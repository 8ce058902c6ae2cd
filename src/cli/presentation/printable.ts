/**
 * Titles, passages and answers of models come from anywhere. What a terminal or a workflow would take for an order
 * is shown as a character of its own, so that nobody writes over the lines of others or turns text around.
 */

/** Stands for a character that must not reach a terminal. */
const REPLACEMENT = '\uFFFD';

/** Controls but for tabs and line ends (C0, DEL, C1), line separators, and marks that turn the text after them around. */
const ORDERS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** GitHub takes lines that begin with `::` for commands, and `##[` (Azure Pipelines: `##vso[`) anywhere in a line. */
const WORKFLOW_COMMANDS = [/^([^\S\r\n\u2028\u2029]*)(::)/gmu, /()(##(?:vso)?\[)/giu];

/**
 * Text for people, without anything that acts.
 *
 * @param inWorkflow whether the output is read by a CI runner
 */
export function printable(text: string, inWorkflow = false): string {
  const shown = text.toWellFormed().replaceAll('\r\n', '\n').replace(ORDERS, REPLACEMENT);
  if (!inWorkflow) return shown;
  return WORKFLOW_COMMANDS.reduce((safe, command) => safe.replace(command, `$1${REPLACEMENT}$2`), shown);
}

/**
 * JSON for programs, which says the same and holds no command: `##[` can stand only within its strings, where a sign
 * may be written as its number.
 */
export function withoutCommands(json: string): string {
  return /^\s*[[{]/u.test(json) ? json.replace(/##(?=(?:vso)?\[)/giu, '#\\u0023') : json;
}
