/** `# parallax: k=5 eval=faq retriever=prod`: a developer's settings for a call site, in a comment. */
import * as l10n from '@vscode/l10n';
import type { Place, SiteComment, SiteProblem } from './model.ts';
import type { Program } from './resolve/program.ts';

/** A comment with the text offsets of the line that it refers to. */
export interface Spoken {
  readonly comment: SiteComment;
  /** Offsets of the line of code that it is on or above, half-open. */
  readonly line: { readonly start: number; readonly end: number };
}

const COMMENT = /(?:#|\/\/|\/\*)[ \t]*parallax:[ \t]*([^\n]*)/gu;
const PAIR = /^([A-Za-z]+)(?:=(?:"([^"]*)"|(\S+)))?$/u;
/** A line without code: blank or a comment. */
const NO_CODE = /^[ \t]*(?:#|\/\/|\/\*|\*|$)/u;

export function readComments(program: Program): {
  readonly spoken: readonly Spoken[];
  readonly problems: readonly SiteProblem[];
} {
  const { text } = program.source;
  const spoken: Spoken[] = [];
  const problems: SiteProblem[] = [];
  for (const match of text.matchAll(COMMENT)) {
    const node = program.root.descendantForIndex(match.index);
    if (!node || !program.dialect.isComment(node)) continue;
    const place = program.source.place(match.index, match.index + match[0].length);
    const { comment, wrong } = parse(match[1] ?? '', place);
    spoken.push({ comment, line: lineMeant(text, match.index) });
    problems.push(...wrong.map((word) => notUnderstood(word, place)));
  }
  return { spoken, problems };
}

function parse(
  written: string,
  place: Place,
): { readonly comment: SiteComment; readonly wrong: readonly string[] } {
  const fields: { k?: number; eval?: string; retriever?: string; ignore?: boolean } = {};
  const wrong: string[] = [];
  const content = written.split(/\s(?:#|\/\/)|\*\//u)[0] ?? '';
  for (const word of content.match(/[^\s"]+(?:"[^"]*")?/gu) ?? []) {
    const [, key, quoted, plain] = PAIR.exec(word) ?? [];
    const value = quoted ?? plain;
    if (key === 'ignore' && value === undefined) fields.ignore = true;
    else if (key === 'k' && /^[1-9]\d*$/u.test(value ?? '')) fields.k = Number(value);
    else if ((key === 'eval' || key === 'retriever') && value !== undefined && value !== '')
      fields[key] = value;
    else wrong.push(word);
  }
  return { comment: { ...fields, place }, wrong };
}

function notUnderstood(word: string, place: Place): SiteProblem {
  return {
    id: 'comment-not-understood',
    message: l10n.t`"${word}" is not valid here. A parallax comment takes k=5, eval=name, retriever=name or ignore.`,
    place,
    docs: undefined,
    fix: undefined,
  };
}

/** The line of the comment if code precedes it, else the next line with code. */
function lineMeant(text: string, comment: number): { readonly start: number; readonly end: number } {
  let start = text.lastIndexOf('\n', comment - 1) + 1;
  let end = lineEnd(text, start);
  while (NO_CODE.test(text.slice(start, end)) && end < text.length) {
    start = end + 1;
    end = lineEnd(text, start);
  }
  return { start, end };
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

/** The comment for a call whose callee and statement start at these offsets. */
export function commentFor(
  spoken: readonly Spoken[],
  callee: number,
  statement: number,
): SiteComment | undefined {
  return spoken.find(
    ({ line }) =>
      (callee >= line.start && callee <= line.end) || (statement >= line.start && statement <= line.end),
  )?.comment;
}
