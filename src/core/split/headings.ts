/**
 * Headings and sections of the languages that documentation is written in: Markdown as far as CommonMark 0.31 defines
 * them (ATX, `## Title`, and setext, a line of `=` or `-` under a paragraph) with `<h2>` as authors of README files
 * write it; reStructuredText; AsciiDoc. Never from code, comments or front matter.
 */
import type { Span } from '../model.ts';
import { linesOf, type Line } from './lines.ts';
import { frontMatterLength, renderedLine } from './markdown.ts';

export interface Heading extends Span {
  /** From 1, the outermost. */
  readonly level: number;
  /** Without markup. */
  readonly title: string;
}

/** A heading with what follows it up to the next heading. */
export interface Section extends Span {
  /** Titles from the outermost heading inwards, `A › B`; empty before the first heading, and below the title alone. */
  readonly path: string;
}

/** Stands between the titles of a path. */
const PATH_SEPARATOR = ' › ';

/** How headings are marked in a text. */
export type HeadingStyle = 'markdown' | 'rst' | 'asciidoc' | 'none';

/** One blank, and everything behind it: with `[ \t]+` before a dot that stops at U+2028, blanks are tried one by one. */
const ATX = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/s;
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
/** Lines that are not part of a paragraph, so that a line of dashes below them makes no heading. */
const NOT_A_PARAGRAPH = /^(?: {4}|\t| {0,3}(?:[>|<]|[-*+][ \t]|\d{1,9}[.)][ \t]|(?:[-*_][ \t]*){3,}$))/;
/** A "heading" without end, of more code points than these, must not be repeated in every passage below it. */
const SHORT_TITLE = /^.{0,200}/u;
/** A paragraph of more lines above a line of dashes was hardly meant to be a title. */
const MAX_SETEXT_LINES = 3;
const HTML_HEADING = /^ {0,3}<h([1-6])(?:\s[^<>]{0,1000})?>/i;
/** Lines of an `<h1>` that holds a logo and a line of links. */
const MAX_HTML_HEADING_LINES = 12;
/** Closing `#`s, which stand apart from the title, and the signs by which generators link a heading to itself. */
const AFTER_TITLE = /(?:[\s\u00b6\u{1f517}]|(?<=^|\s)#+){1,200}$/u;

/** Blocks of code and of comments: where one begins, and what ends it. */
const RAW_BLOCKS: readonly { readonly opens: RegExp; readonly closes: RegExp }[] = [
  { opens: /^\s*<!--(?!.*-->)/, closes: /-->/ },
  {
    opens: /^\s*<(?:pre|script|style|textarea)\b(?!.*<\/(?:pre|script|style|textarea)>)/i,
    closes: /<\/(?:pre|script|style|textarea)>/i,
  },
  {
    opens: /^\s*\{%-?\s*(?:highlight|raw|comment|codeblock)\b(?!.*\{%-?\s*end)/,
    closes: /\{%-?\s*end(?:highlight|raw|comment|codeblock)/,
  },
  { opens: /^\s*\{\{[<%]\s*highlight\b(?!.*\{\{[<%]\s*\/)/, closes: /\{\{[<%]\s*\/\s*highlight/ },
];

/** The headings of a text in order, up to that of its last line. Takes time in proportion to its length. */
export function* headingsOf(text: string, style: HeadingStyle): Generator<Heading> {
  for (const heading of foundIn(text, style)) yield { ...heading, title: shownTitle(heading.title) };
}

function shownTitle(title: string): string {
  const [short] = SHORT_TITLE.exec(renderedLine(title))!;
  return short.replace(AFTER_TITLE, '');
}

function foundIn(text: string, style: HeadingStyle): Iterable<Heading> {
  switch (style) {
    case 'markdown':
      return new MarkdownHeadings(text).found();
    case 'rst':
      return rstHeadings(text);
    case 'asciidoc':
      return asciidocHeadings(text);
    case 'none':
      return [];
  }
}

/** One walk over the lines of a text in Markdown. */
class MarkdownHeadings {
  readonly #text: string;
  readonly #bodyStart: number;
  /** Recognises the end of the block of code or comments that the line is in. */
  #closes: ((content: string) => boolean) | undefined;
  #paragraph: { readonly start: number; lines: number } | undefined;
  #html: { readonly start: number; readonly level: number; lines: number } | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#bodyStart = frontMatterLength(text);
  }

  *found(): Generator<Heading> {
    for (const line of linesOf(this.#text)) {
      if (line.start < this.#bodyStart) continue;
      const heading = this.#read(line, this.#text.slice(line.start, line.end));
      if (heading) yield heading;
    }
  }

  #read(line: Line, content: string): Heading | undefined {
    if (this.#closes) {
      if (this.#closes(content)) this.#closes = undefined;
      return undefined;
    }
    if (this.#html) return this.#readHtml(line, content);
    const closes = blockBegunBy(content);
    if (closes) {
      this.#closes = closes;
      return this.#endParagraph();
    }
    const atx = ATX.exec(content);
    if (atx) {
      this.#endParagraph();
      return { start: line.start, end: line.end, level: atx[1]!.length, title: atx[2] ?? '' };
    }
    const html = HTML_HEADING.exec(content);
    if (html) {
      this.#endParagraph();
      this.#html = { start: line.start, level: Number(html[1]), lines: 0 };
      return this.#readHtml(line, content);
    }
    return this.#readParagraph(line, content);
  }

  /** A line of a paragraph, or the one below it that makes it a heading. */
  #readParagraph(line: Line, content: string): Heading | undefined {
    const paragraph = this.#paragraph;
    const setext = paragraph && SETEXT.exec(content);
    if (setext) {
      this.#endParagraph();
      if (paragraph.lines > MAX_SETEXT_LINES) return undefined;
      const title = this.#text.slice(paragraph.start, line.start);
      return { start: paragraph.start, end: line.end, level: setext[1]!.startsWith('=') ? 1 : 2, title };
    }
    if (content.trim() === '') return this.#endParagraph();
    if (paragraph) paragraph.lines++;
    else if (!NOT_A_PARAGRAPH.test(content)) this.#paragraph = { start: line.start, lines: 1 };
    return undefined;
  }

  #readHtml(line: Line, content: string): Heading | undefined {
    const html = this.#html!;
    html.lines++;
    if (new RegExp(`</h${html.level}\\s*>`, 'i').test(content)) {
      this.#html = undefined;
      const title = this.#text.slice(html.start, line.end).replace(HTML_HEADING, '');
      return { start: html.start, end: line.end, level: html.level, title };
    }
    if (html.lines >= MAX_HTML_HEADING_LINES) this.#html = undefined;
    return undefined;
  }

  #endParagraph(): undefined {
    this.#paragraph = undefined;
  }
}

/** How the block ends that this line opens; undefined where it opens none. */
function blockBegunBy(content: string): ((later: string) => boolean) | undefined {
  const fence = FENCE.exec(content)?.[1];
  if (fence !== undefined) return (later) => closesFence(fence, later);
  const block = RAW_BLOCKS.find(({ opens }) => opens.test(content));
  return block && ((later) => block.closes.test(later));
}

/** A closing fence is of the same sign, at least as long, and stands alone. */
function closesFence(open: string, line: string): boolean {
  const close = line.trim();
  return close.length >= open.length && [...close].every((sign) => sign === open[0]);
}

const RST_LINE = /^([!-/:-@[-`{-~])\1+\s*$/;
/** These begin like a title and are none: lists, directives, options, tables. */
const NO_RST_TITLE = /^(?:[-*+•]\s|\.\.(?:\s|$)|:[^:]{1,100}:|[|+=])/;

/**
 * Titles of reStructuredText: a line that is underlined at its full length, maybe overlined as well. Which sign is
 * which level, the order says in which the signs appear.
 */
function* rstHeadings(text: string): Generator<Heading> {
  const levels: string[] = [];
  let before: Line | undefined;
  let title: Line | undefined;
  for (const line of linesOf(text)) {
    const content = text.slice(line.start, line.end);
    const sign = RST_LINE.exec(content)?.[1];
    const above = title && text.slice(title.start, title.end);
    if (sign !== undefined && above !== undefined && isRstTitle(above, content)) {
      const overlined =
        before !== undefined && text.slice(before.start, before.end).trimEnd() === content.trimEnd();
      const start = overlined ? before!.start : title!.start;
      const style = `${sign}${overlined}`;
      if (!levels.includes(style)) levels.push(style);
      yield { start, end: line.end, level: levels.indexOf(style) + 1, title: above };
      before = title = undefined;
    } else {
      before = title;
      title = line;
    }
  }
}

function isRstTitle(title: string, underline: string): boolean {
  const trimmed = title.trim();
  if (RST_LINE.test(title) || NO_RST_TITLE.test(trimmed)) return false;
  // An indented title stands under an overline only; an indented text is a quotation or code.
  return [...trimmed].length <= underline.trimEnd().length + 1 && /^ {0,2}\S/.test(title);
}

const ASCIIDOC_HEADING = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/s;
const ASCIIDOC_BLOCK = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|`{3}[^\n]{0,200})$/;

/** Below a title, by its level. */
const ASCIIDOC_UNDERLINES = '=-~^+';
const ASCIIDOC_UNDERLINE = /^([=\-~^+])\1{2,}$/;
/** Lines above a line of dashes that are no titles: anchors, attributes, list items, block titles. */
const NO_ASCIIDOC_TITLE = /^(?:$|[[:.*+|'\s]|\/\/)/;

/**
 * Titles of AsciiDoc, outside of blocks of code and comments: `== Title`, and a line alone above one of signs that is
 * about as long. A line of dashes that is not begins a block.
 */
function* asciidocHeadings(text: string): Generator<Heading> {
  let block: string | undefined;
  let before = '';
  let above: (Line & { readonly title: string }) | undefined;
  for (const line of linesOf(text)) {
    const content = text.slice(line.start, line.end).trimEnd();
    const heading = block === undefined ? asciidocHeading(line, content, above) : undefined;
    above =
      block === undefined && !heading && isAsciidocTitle(content, before)
        ? { ...line, title: content }
        : undefined;
    before = content;
    if (heading) yield heading;
    else if (block !== undefined) block = content === block ? undefined : block;
    else if (ASCIIDOC_BLOCK.test(content)) block = content.startsWith('`') ? '```' : content;
  }
}

/** @param above the line above, where it may be a title */
function asciidocHeading(
  { start, end }: Line,
  content: string,
  above: (Line & { readonly title: string }) | undefined,
): Heading | undefined {
  const heading = ASCIIDOC_HEADING.exec(content);
  if (heading) return { start, end, level: heading[1]!.length, title: heading[2]! };
  const sign = ASCIIDOC_UNDERLINE.exec(content)?.[1];
  if (sign === undefined || !above || Math.abs([...above.title].length - content.length) > 2)
    return undefined;
  return { start: above.start, end, level: ASCIIDOC_UNDERLINES.indexOf(sign) + 1, title: above.title };
}

/** @param before the line above it: a title begins a paragraph, or follows what is said about it */
function isAsciidocTitle(content: string, before: string): boolean {
  return !NO_ASCIIDOC_TITLE.test(content) && (before === '' || /^(?:\[.*\]|\/\/.*|:[^:]+:.*)$/.test(before));
}

/**
 * The sections of a text, which together are the whole text. A heading with nothing but a deeper heading below it
 * shares that one's section, and so does front matter without a text: alone it would be a passage without content.
 *
 * The one heading of the first level that a text begins with is the title of all of it, and part of no path.
 */
export function* sectionsOf(text: string, style: HeadingStyle): Generator<Section> {
  const headings = [...headingsOf(text, style)];
  const title = titleOf(headings);
  const trail: Heading[] = [];
  const bodyStart = style === 'markdown' ? frontMatterLength(text) : 0;
  let current: Section = { start: 0, end: 0, path: '' };
  let previous: Heading | undefined;
  for (const heading of headings) {
    const isAlone = text.slice(previous?.end ?? bodyStart, heading.start).trim() === '';
    const shares = isAlone && (!previous || heading.level > previous.level);
    if (!shares) yield { ...current, end: heading.start };
    while (trail.length > 0 && trail.at(-1)!.level >= heading.level) trail.pop();
    trail.push(heading);
    const path = trail
      .filter((entry) => entry !== title && entry.title !== '')
      .map((entry) => entry.title)
      .join(PATH_SEPARATOR);
    current = { start: shares ? current.start : heading.start, end: heading.start, path };
    previous = heading;
  }
  if (current.start < text.length) yield { ...current, end: text.length };
}

/** The beginning that two paths share, whole titles only. */
export function sharedPath(one: string, other: string): string {
  const others = other.split(PATH_SEPARATOR);
  const titles = one.split(PATH_SEPARATOR);
  const differing = titles.findIndex((title, place) => title !== others[place]);
  return (differing < 0 ? titles : titles.slice(0, differing)).join(PATH_SEPARATOR);
}

/** How many titles a path has. */
export function pathDepth(path: string): number {
  return path === '' ? 0 : path.split(PATH_SEPARATOR).length;
}

function titleOf([first, ...others]: readonly Heading[]): Heading | undefined {
  return first?.level === 1 && others.every(({ level }) => level > 1) ? first : undefined;
}
