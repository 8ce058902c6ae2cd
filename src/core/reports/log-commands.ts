/**
 * Signs that terminals and the runners of CI take for orders in the midst of any text. Names, questions and passages
 * come from anywhere; in a log they are words.
 */

/** Stands for a character that must not be obeyed, and is put into the marks of commands. */
const REPLACEMENT = '\uFFFD';

/** Controls but for tabs and line ends (C0, DEL, C1), line separators, and marks that turn the text after them around. */
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/**
 * GitHub: `::` at the beginning of a line, `##[` anywhere (`ActionCommand.cs` of actions/runner). Azure Pipelines: `##[`
 * and `##vso[` anywhere. TeamCity: `##teamcity[`. GitLab: `section_start:` and `section_end:` with a time.
 */
const AT_LINE_BEGIN = /^([^\S\r\n\u2028\u2029]*)(?=::)/gmu;
const HASHES = /##(?=\w*\[)/gu;
const SECTIONS = /section_(?=(?:start|end):\d)/giu;

/** The same text for people, without anything that moves a cursor or turns text around; line ends are `\n`. */
export function withoutControls(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replace(CONTROLS, REPLACEMENT);
}

/** The same text, in which no runner finds a command: its marks are broken up, so that they can still be read. */
export function withoutLogCommands(text: string): string {
  return withoutMarks(text).replace(AT_LINE_BEGIN, `$1${REPLACEMENT}`);
}

/** As {@link withoutLogCommands}, for what stands within a line. */
export function withoutMarks(text: string): string {
  return text.replace(HASHES, `#${REPLACEMENT}#`).replace(SECTIONS, `section${REPLACEMENT}_`);
}

/** Whether a terminal or a runner would obey anything in a text. */
export function holdsOrders(text: string): boolean {
  return withoutControls(text) !== text.replaceAll('\r\n', '\n') || withoutLogCommands(text) !== text;
}

/** JSON, or JSON Lines, that says the same and gives no orders: all of them stand within strings, where signs can be numbers. */
export function jsonWithoutOrders(json: string): string {
  return json
    .replace(CONTROLS, (sign) => (sign === '\r' ? sign : numbered(sign)))
    .replace(HASHES, `#${numbered('#')}`)
    .replace(SECTIONS, (mark) => mark.replace('_', numbered('_')));
}

/** As {@link withoutMarks} for HTML and XML, where a sign can be written as its number and stays itself. */
export function marksAsReferences(markup: string): string {
  return markup.replace(HASHES, '#&#35;').replace(SECTIONS, (mark) => mark.replace('_', '&#95;'));
}

const numbered = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
