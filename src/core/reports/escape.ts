/**
 * Escapes text for other languages. Query texts, passages and names are untrusted and may contain markup, control
 * characters and lone surrogates.
 */

import { marksAsReferences, withoutControls, withoutMarks } from './log-commands.ts';

/** Replaces characters that a language cannot represent. */
const REPLACEMENT = '\uFFFD';

/** Characters that XML 1.0 does not allow in any form (W3C XML 1.0, production 2). */
const NOT_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/gu;

/**
 * Characters that are parse errors in HTML: controls and noncharacters (HTML Standard, preprocessing the input stream).
 * Also bidirectional controls.
 */
const NOT_HTML =
  /[\u0000-\u0008\u000B\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\p{Noncharacter_Code_Point}]/gu;

const MARKUP: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** For XML 1.0, in attributes and between tags. Character references preserve blanks. */
export function escapeXml(text: string): string {
  const escaped = text
    .toWellFormed()
    .replace(NOT_XML, REPLACEMENT)
    // Some of these are line ends in XML 1.1, as which some parsers read the file; others move a cursor.
    .replace(
      /[&<>"'\t\n\r\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu,
      (sign) => MARKUP[sign] ?? `&#${sign.codePointAt(0)};`,
    );
  return marksAsReferences(escaped);
}

/** For HTML, in quoted attributes and between tags (not in scripts and styles). On one line. */
export function escapeHtml(text: string): string {
  const escaped = text
    .toWellFormed()
    .replace(/\r\n?/gu, '\n')
    .replace(NOT_HTML, REPLACEMENT)
    .replace(/[&<>"'\n]/gu, (sign) => MARKUP[sign]!);
  return marksAsReferences(escaped);
}

/** For GitHub-flavoured Markdown, in running text, list items and table cells, on one line. */
export function escapeMarkdown(text: string): string {
  return (
    oneLine(text)
      .replace(/[&<>]/gu, (sign) => MARKUP[sign]!)
      .replace(/[\\`*_[\]|~$]/gu, (sign) => `\\${sign}`)
      // Characters that begin a list, a heading, a rule or a log command.
      .replace(/^(\s*)([-+#=:]|\d+(?=[.)](?:\s|$)))/u, (_, blank: string, sign: string) =>
        /\d/u.test(sign) ? `${blank}${sign}\\` : `${blank}\\${sign}`,
      )
      // Bare URLs that would become links.
      .replace(/:(?=\/\/)/gu, '\\:')
      .replace(/(www|xmpp|mailto)([.:])/giu, '$1\\$2')
  );
}

const LATEX: Readonly<Record<string, string>> = {
  '\\': String.raw`\textbackslash{}`,
  '~': String.raw`\textasciitilde{}`,
  '^': String.raw`\textasciicircum{}`,
  '<': String.raw`\textless{}`,
  '>': String.raw`\textgreater{}`,
  '|': String.raw`\textbar{}`,
  '"': String.raw`\textquotedbl{}`,
  '·': String.raw`\textperiodcentered{}`,
  '−': '$-$',
  '≥': String.raw`$\ge$`,
  '≤': String.raw`$\le$`,
  α: String.raw`$\alpha$`,
};

/** For LaTeX in UTF-8, on one line, without log commands. */
export function escapeLatex(text: string): string {
  return oneLine(text)
    .replace(/[\\~^<>|"·−≥≤α]|[&%$#_{}]/gu, (sign) => LATEX[sign] ?? `\\${sign}`)
    .replace(/^(\s*):(?=:)/u, '$1:{}');
}

/** Spreadsheets run cells that begin with these characters, or their full-width forms, as formulas. */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/iu;

/** A quoted CSV cell (RFC 4180). Keeps text that a spreadsheet would run as a formula from running. */
export function escapeCsv(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return `"${safe.toWellFormed().replaceAll('"', '""')}"`;
}

/** The message of a workflow command, as decoded by `@actions/core`. */
export function escapeWorkflowData(text: string): string {
  return withoutMarks(withoutControls(text)).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

/** A property of a workflow command, such as its file or title. */
export function escapeWorkflowProperty(text: string): string {
  return escapeWorkflowData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** On one line, without characters that move the cursor or colour a terminal. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/gu, ' ')

    .replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, REPLACEMENT);
}
