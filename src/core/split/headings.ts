/**
 * Headings and sections in documentation languages: Markdown as in CommonMark 0.31 (ATX, `## Title`, and setext, a line
 * of `=` or `-` below a paragraph) with `<h2>` as in README files; reStructuredText; AsciiDoc. Ignores code, comments
 * and front matter.
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

/** A heading with the text up to the next heading. */
export interface Section extends Span {
  /**
   * Titles from the outermost heading inwards, `A › B`. Empty before the first heading, and directly below the title.
   */
  readonly path: string;
}

/** Separates the titles of a path. */
const PATH_SEPARATOR = ' › ';

/** How headings are marked in a text. */
export type HeadingStyle = 'markdown' | 'rst' | 'asciidoc' | 'none';

/**
 * One blank and everything after it. With `[ \t]+` before a dot that stops at U+2028, the blanks would be tried one by
 * one.
 */
const ATX = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/s;
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
/** Lines that are not part of a paragraph, so that dashes below them do not make a heading. */
const NOT_A_PARAGRAPH = /^(?: {4}|\t| {0,3}(?:[>|<]|[-*+][ \t]|\d{1,9}[.)][ \t]|(?:[-*_][ \t]*){3,}$))/;
/** Longer titles, in code points, are cut, as every passage below repeats them. */
const SHORT_TITLE = /^.{0,200}/u;
/** Longer paragraphs above a line of dashes are hardly titles. */
const MAX_SETEXT_LINES = 3;
const HTML_HEADING = /^ {0,3}<h([1-6])(?:\s[^<>]{0,1000})?>/i;
/** Enough lines for an `<h1>` with a logo and a line of links. */
const MAX_HTML_HEADING_LINES = 12;
/** Closing `#`s, and the characters that generators use to link a heading to itself. */
const AFTER_TITLE = /(?:[\s\u00b6\u{1f517}]|(?<=^|\s)#+){1,200}$/u;

/** Beginnings and ends of code and comment blocks. */
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

/** The headings of a text in order. Takes linear time. */
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
      return new MarkdownHeadings(text).headings();
    case 'rst':
      return rstHeadings(text);
    case 'asciidoc':
      return asciidocHeadings(text);
    case 'none':
      return [];
  }
}

/** Collects headings in one pass over the lines of Markdown. */
class MarkdownHeadings {
  readonly #text: string;
  readonly #bodyStart: number;
  /** Recognises the end of the current code or comment block. */
  #closes: ((content: string) => boolean) | undefined;
  #paragraph: { readonly start: number; lines: number } | undefined;
  #html: { readonly start: number; readonly level: number; lines: number } | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#bodyStart = frontMatterLength(text);
  }

  *headings(): Generator<Heading> {
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

  /** Reads a line of a paragraph, or the line below that makes it a heading. */
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

/** The end condition of the block that a line opens. `undefined` if it opens none. */
function blockBegunBy(content: string): ((later: string) => boolean) | undefined {
  const fence = FENCE.exec(content)?.[1];
  if (fence !== undefined) return (later) => closesFence(fence, later);
  const block = RAW_BLOCKS.find(({ opens }) => opens.test(content));
  return block && ((later) => block.closes.test(later));
}

/** A closing fence uses the same character, is at least as long, and is alone on its line. */
function closesFence(open: string, line: string): boolean {
  const close = line.trim();
  return close.length >= open.length && [...close].every((sign) => sign === open[0]);
}

const RST_LINE = /^([!-/:-@[-`{-~])\1+\s*$/;
/** Lines that look like titles but are not: lists, directives, options, tables. */
const NO_RST_TITLE = /^(?:[-*+•]\s|\.\.(?:\s|$)|:[^:]{1,100}:|[|+=])/;

/**
 * Titles of reStructuredText: a line with an underline of its full length, and optionally an overline. The order of
 * first appearance of the characters defines the levels.
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
  // Only titles with an overline may be indented. Other indented text is a quotation or code.
  return [...trimmed].length <= underline.trimEnd().length + 1 && /^ {0,2}\S/.test(title);
}

const ASCIIDOC_HEADING = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/s;
const ASCIIDOC_BLOCK = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|`{3}[^\n]{0,200})$/;

/** Characters below a title, by level. */
const ASCIIDOC_UNDERLINES = '=-~^+';
const ASCIIDOC_UNDERLINE = /^([=\-~^+])\1{2,}$/;
/** Lines above a line of dashes that are not titles: anchors, attributes, list items, block titles. */
const NO_ASCIIDOC_TITLE = /^(?:$|[[:.*+|'\s]|\/\/)/;

/**
 * Titles of AsciiDoc outside of code and comment blocks: `== Title`, and a single line with an underline of about its
 * length. Other lines of dashes begin a block.
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

/** @param above the line above, if it may be a title */
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

/** @param before the line above; a title begins a paragraph, or follows its attributes */
function isAsciidocTitle(content: string, before: string): boolean {
  return !NO_ASCIIDOC_TITLE.test(content) && (before === '' || /^(?:\[.*\]|\/\/.*|:[^:]+:.*)$/.test(before));
}

/**
 * The sections of a text, which cover it completely. A heading that is directly followed by a deeper one shares its
 * section, and so does front matter without text, as it would otherwise be an empty passage.
 *
 * If the first heading is the only one of level 1, it is the title of the text and not part of any path.
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

/** The common beginning of two paths, in whole titles. */
export function sharedPath(one: string, other: string): string {
  const otherTitles = other.split(PATH_SEPARATOR);
  const titles = one.split(PATH_SEPARATOR);
  const differing = titles.findIndex((title, place) => title !== otherTitles[place]);
  return (differing < 0 ? titles : titles.slice(0, differing)).join(PATH_SEPARATOR);
}

/** The number of titles in a path. */
export function pathDepth(path: string): number {
  return path === '' ? 0 : path.split(PATH_SEPARATOR).length;
}

function titleOf([first, ...laterHeadings]: readonly Heading[]): Heading | undefined {
  return first?.level === 1 && laterHeadings.every(({ level }) => level > 1) ? first : undefined;
}
