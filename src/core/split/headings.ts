/**
 * Headings and sections of Markdown, as far as CommonMark 0.31 defines them: ATX (`## Title`) and
 * setext (a line of `=` or `-` under a paragraph), not inside fenced code or YAML front matter.
 */
import type { Span } from '../model.ts';
import { linesOf } from './lines.ts';

export interface Heading extends Span {
  /** 1 to 6. */
  readonly level: number;
  readonly title: string;
}

/** A heading with what follows it up to the next heading. */
export interface Section extends Span {
  /** Titles from the outermost heading inwards, `A › B`; empty before the first heading. */
  readonly path: string;
}

/** One blank, and everything behind it: with `[ \t]+` before a dot that stops at U+2028, blanks are tried one by one. */
const ATX = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/s;
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
/** Lines that are not part of a paragraph, so that a line of dashes below them makes no heading. */
const NOT_A_PARAGRAPH = /^(?: {4}|\t| {0,3}(?:[>|<]|[-*+][ \t]|\d{1,9}[.)][ \t]|(?:[-*_][ \t]*){3,}$))/;
/** The first 200 code points: a "heading" without end must not be repeated in every passage below it. */
const SHORT_TITLE = /^.{0,200}/u;
const FRONT_MATTER_OPEN = /^---[ \t]*$/;
const FRONT_MATTER_CLOSE = /^(?:---|\.\.\.)[ \t]*$/;

/** The headings of a Markdown text in order; a setext heading begins with its paragraph. */
export function* headingsOf(text: string): Generator<Heading> {
  const bodyStart = frontMatterEnd(text);
  let fence: string | undefined;
  let paragraphStart: number | undefined;
  for (const line of linesOf(text)) {
    if (line.start < bodyStart) continue;
    const content = text.slice(line.start, line.end);
    const marker = FENCE.exec(content)?.[1];
    if (fence !== undefined) {
      if (marker !== undefined && closesFence(fence, content)) fence = undefined;
      continue;
    }
    const atx = ATX.exec(content);
    const setext = paragraphStart === undefined ? null : SETEXT.exec(content);
    if (marker !== undefined) {
      fence = marker;
      paragraphStart = undefined;
    } else if (atx) {
      yield { start: line.start, end: line.end, level: atx[1]!.length, title: atxTitle(atx[2] ?? '') };
      paragraphStart = undefined;
    } else if (setext && paragraphStart !== undefined) {
      const title = shortTitle(text.slice(paragraphStart, line.start));
      yield { start: paragraphStart, end: line.end, level: setext[1]!.startsWith('=') ? 1 : 2, title };
      paragraphStart = undefined;
    } else if (content.trim() === '') paragraphStart = undefined;
    else if (paragraphStart === undefined && !NOT_A_PARAGRAPH.test(content)) paragraphStart = line.start;
  }
}

/** Without the closing `#`s, which stand apart from the title by a space. */
function atxTitle(rest: string): string {
  const trimmed = rest.trim();
  let end = trimmed.length;
  while (end > 0 && trimmed[end - 1] === '#') end--;
  const closes = end === 0 || /\s/.test(trimmed[end - 1]!);
  return shortTitle(closes ? trimmed.slice(0, end) : trimmed);
}

function shortTitle(title: string): string {
  return SHORT_TITLE.exec(title.replace(/\s+/g, ' ').trim())?.[0] ?? '';
}

/** A closing fence is of the same sign, at least as long, and stands alone. */
function closesFence(open: string, line: string): boolean {
  const close = line.trim();
  return close.length >= open.length && [...close].every((sign) => sign === open[0]);
}

/** Where the text goes on after YAML front matter; 0 when there is none. */
function frontMatterEnd(text: string): number {
  for (const line of linesOf(text)) {
    const content = text.slice(line.start, line.end);
    if (line.start === 0) {
      if (!FRONT_MATTER_OPEN.test(content)) return 0;
    } else if (FRONT_MATTER_CLOSE.test(content)) return line.next;
  }
  return 0;
}

/**
 * The sections of a Markdown text, which together are the whole text. A heading with nothing but a
 * deeper heading below it shares that one's section: alone it would be a passage without content.
 */
export function* sectionsOf(text: string): Generator<Section> {
  const trail: Heading[] = [];
  let current: Section = { start: 0, end: 0, path: '' };
  let previous: Heading | undefined;
  for (const heading of headingsOf(text)) {
    const headingOnly = previous && text.slice(previous.end, heading.start).trim() === '';
    const shares = headingOnly && heading.level > previous!.level;
    if (!shares && heading.start > current.start) yield { ...current, end: heading.start };
    while (trail.length > 0 && trail.at(-1)!.level >= heading.level) trail.pop();
    trail.push(heading);
    const path = trail
      .map((entry) => entry.title)
      .filter(Boolean)
      .join(' › ');
    current = { start: shares ? current.start : heading.start, end: heading.start, path };
    previous = heading;
  }
  if (current.start < text.length) yield { ...current, end: text.length };
}
