/**
 * Characters that terminals and CI runners interpret as commands within any text. Names, questions and passages are
 * untrusted and must stay text in a log.
 */

/** Replaces control characters, and breaks up command markers. */
const REPLACEMENT = '\uFFFD';

/** Control characters except tabs and line ends (C0, DEL, C1), line separators, and bidirectional controls. */
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/**
 * GitHub: `::` at the beginning of a line, `##[` anywhere (`ActionCommand.cs` of actions/runner). Azure Pipelines:
 * `##[` and `##vso[` anywhere. TeamCity: `##teamcity[`. GitLab: `section_start:` and `section_end:` with a time.
 */
const AT_LINE_BEGIN = /^([^\S\r\n\u2028\u2029]*)(?=::)/gmu;
const HASHES = /##(?=\w*\[)/gu;
const SECTIONS = /section_(?=(?:start|end):\d)/giu;

/** The text without characters that move a cursor or change its direction. Line ends become `\n`. */
export function withoutControls(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replace(CONTROLS, REPLACEMENT);
}

/** The text with all command markers of runners broken up. It stays readable. */
export function withoutLogCommands(text: string): string {
  return withoutMarks(text).replace(AT_LINE_BEGIN, `$1${REPLACEMENT}`);
}

/** {@link withoutLogCommands} for text within a line. */
export function withoutMarks(text: string): string {
  return text.replace(HASHES, `#${REPLACEMENT}#`).replace(SECTIONS, `section${REPLACEMENT}_`);
}

/** Whether a terminal or a runner would interpret a part of the text. */
export function holdsOrders(text: string): boolean {
  return withoutControls(text) !== text.replaceAll('\r\n', '\n') || withoutLogCommands(text) !== text;
}

/**
 * Equivalent JSON or JSON Lines without commands. Commands can only occur in strings, where characters can be escaped.
 */
export function jsonWithoutOrders(json: string): string {
  return json
    .replace(CONTROLS, (sign) => (sign === '\r' ? sign : numbered(sign)))
    .replace(HASHES, `#${numbered('#')}`)
    .replace(SECTIONS, (mark) => mark.replace('_', numbered('_')));
}

/** {@link withoutMarks} for HTML and XML, where character references preserve the text. */
export function marksAsReferences(markup: string): string {
  return markup.replace(HASHES, '#&#35;').replace(SECTIONS, (mark) => mark.replace('_', '&#95;'));
}

const numbered = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
