/** Writes a developer's settings for a call site into the comment beside it. */
import type { CallSite, CodeEdit } from './model.ts';

export interface CommentFields {
  readonly k?: number | undefined;
  /** Name of a pipeline of `parallax.json`. */
  readonly retriever?: string | undefined;
}

/**
 * @param text of the cell that contains the site
 * @param languageId of that cell, as in the editor
 */
export function commentEdit(
  text: string,
  site: CallSite,
  languageId: string,
  fields: CommentFields,
): CodeEdit {
  const words = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${quoted(String(value))}`],
  );
  return site.comment
    ? amended(text, site.comment.place, fields, words)
    : above(text, site, `${languageId === 'python' ? '#' : '//'} parallax: ${words.join(' ')}`);
}

function amended(
  text: string,
  place: CodeEdit['place'],
  fields: CommentFields,
  words: readonly string[],
): CodeEdit {
  const before = text.slice(place.start, place.end).trimEnd();
  const remainder = Object.keys(fields).reduce(
    (comment, key) => comment.replace(new RegExp(`\\s+${key}=(?:"[^"]*"|\\S+)`, 'u'), ''),
    before,
  );
  const open = remainder.endsWith('*/') ? remainder.slice(0, -2).trimEnd() : remainder;
  const closing = remainder.slice(open.length);
  return {
    place: { ...place, end: place.start + before.length },
    text: `${open} ${words.join(' ')}${closing}`,
  };
}

/** A new line above the statement, with the same indentation. */
function above(text: string, { statement }: CallSite, comment: string): CodeEdit {
  const start = text.lastIndexOf('\n', statement.start - 1) + 1;
  const indent = /^[ \t]*/u.exec(text.slice(start))?.[0] ?? '';
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  return { place: { cell: statement.cell, start, end: start }, text: `${indent}${comment}${newline}` };
}

function quoted(value: string): string {
  return /^[^\s"#*/]+$/u.test(value) ? value : `"${value.replaceAll('"', '')}"`;
}
