/**
 * Renders Markdown and common extensions of documentation generators as plain text, without markup. Only removes
 * characters, so that every remaining one has its offset in the source.
 */
import type { Span } from '../model.ts';
import { linesOf } from './lines.ts';

/** Text without its markup. */
export interface Rendered {
  /** Text with runs of white space as single spaces, and none at the ends. */
  readonly text: string;
  /** The source offset of every UTF-16 code unit of `text`, ascending. */
  readonly source: Uint32Array;
}

/** A pattern of markup that is removed, or reduced to one of its groups. */
interface Markup {
  /** With the flags `g`, and `d` if a group is kept. Takes linear time, as every repetition is bounded. */
  readonly pattern: RegExp;
  /** The groups to keep: the first that matched. `undefined` to remove all. */
  readonly keep?: readonly number[];
}

/** The text in the brackets of a link or an image. May contain two nested pairs. */
const LABEL = '([^\\[\\]]{0,300}(?:\\[[^\\[\\]]{0,100}\\][^\\[\\]]{0,200}){0,2})';
/** The target of a link. Encyclopedia URLs contain parentheses. */
const TARGET = '\\([^()]{0,1000}(?:\\([^()]{0,200}\\)[^()]{0,200}){0,2}\\)';
const REFERENCE = '\\[[^\\[\\]]{0,300}\\]';
/** Elements used in Markdown. `Vec<T>` and other types are kept. */
const ELEMENTS = [
  ...['a', 'abbr', 'article', 'aside', 'b', 'big', 'blockquote', 'br', 'button', 'caption', 'center', 'cite'],
  ...[
    'code',
    'col',
    'colgroup',
    'dd',
    'del',
    'details',
    'dfn',
    'div',
    'dl',
    'dt',
    'em',
    'figcaption',
    'figure',
  ],
  ...[
    'font',
    'footer',
    'h[1-6]',
    'header',
    'hr',
    'i',
    'iframe',
    'img',
    'input',
    'ins',
    'kbd',
    'li',
    'main',
    'mark',
  ],
  ...[
    'nav',
    'nobr',
    'ol',
    'p',
    'picture',
    'pre',
    'q',
    's',
    'samp',
    'section',
    'small',
    'source',
    'span',
    'strike',
  ],
  ...[
    'strong',
    'style',
    'sub',
    'summary',
    'sup',
    'svg',
    'table',
    'tbody',
    'td',
    'tfoot',
    'th',
    'thead',
    'tr',
  ],
  ...['tt', 'u', 'ul', 'var', 'video', 'wbr', 'Tabs', 'TabItem', 'Image', 'Link'],
].join('|');

/** A reStructuredText link. Matched before code spans. */
const RST_LINK: Markup = {
  pattern: /(?<=[a-z]:)`([^`<>]{1,300})\s<[^`<>]{1,500}>`|`([^`<>]{1,300})\s<[^`<>]{1,500}>`__?/dg,
  keep: [1, 2],
};
/** In order: the content of a link is processed after the link. */
const INLINE: readonly Markup[] = [
  // Hugo: the displayed text of a shortcode, and the heading it names.
  { pattern: /\{\{[<%][^{}]{0,500}?\btext="([^"{}]{1,300})"[^{}]{0,500}[>%]\}\}/dg, keep: [1] },
  { pattern: /\{\{[<%]\s*heading\s+"([^"{}]{1,300})"\s*[>%]\}\}/dg, keep: [1] },
  { pattern: /\{\{[<%][^{}]{0,1000}[>%]\}\}/g },
  // MDN macros: the second text is displayed, if there is one.
  {
    pattern:
      /\{\{\s*\w{1,60}\(\s*["'][^"'{}]{0,300}["']\s*,\s*["']([^"'{}]{1,300})["'][^{}]{0,300}\)\s*\}\}/dg,
    keep: [1],
  },
  { pattern: /\{\{\s*\w{1,60}\(\s*["']([^"'{}]{1,300})["'][^{}]{0,300}\)\s*\}\}/dg, keep: [1] },
  { pattern: /\{\{[^{}]{0,500}\}\}/g },
  { pattern: /\{%[^{}%]{0,500}%\}/g },
  // Roles of reStructuredText, links of AsciiDoc.
  { pattern: /(?<![\w:]):[a-z][\w:+-]{0,60}:(?=`)/g },
  { pattern: /(?:link|xref|image|footnote|https?|mailto):[^\s[\]()]{0,500}\[([^[\]]{0,300})\]/dg, keep: [1] },
  { pattern: /<<[^<>,\n]{1,200},([^<>\n]{1,300})>>/dg, keep: [1] },
  { pattern: new RegExp(`!\\[${LABEL}\\](?:${TARGET}|${REFERENCE})`, 'g') },
  { pattern: new RegExp(`\\[${LABEL}\\](?:${TARGET}|${REFERENCE})`, 'dg'), keep: [1] },
  { pattern: /\[\^[^\]\s]{1,100}\]:?/g },
  { pattern: /(?<=&)amp;|&(?:nbsp|zwj|zwnj|shy|#160|#xa0);/gi },
  { pattern: /<((?:https?|mailto):[^<>\s]{1,1000})>/dg, keep: [1] },
  { pattern: new RegExp(`</?(?:${ELEMENTS})(?:\\s[^<>]{0,1000})?/?>`, 'g') },
  // MDX components with any name. Unlike them, `Vec<T>` has no attribute, no slash and no separate line.
  {
    pattern:
      /<\/[A-Z][\w.]{0,60}>|<[A-Z][\w.]{0,60}(?:\s[^<>]{0,1000})?\/>|<[A-Z][\w.]{0,60}\s{1,20}[a-z][\w-]{0,60}=[^<>]{0,1000}>/g,
  },
  // Attributes of a block: `{#anchor}`, and `{ #anchor .class }` as in MkDocs.
  { pattern: /\{(?:[#.:]| {1,3}[#.](?=[^\s{}.]))[^{}\n]{0,200}\}/g },
  // MDX comments, which may also define a heading's anchor.
  { pattern: /\{\s{0,20}\/\*(?:[^*]|\*(?!\/)){0,2000}\*\/\s{0,20}\}/g },
  {
    pattern:
      /(?<![\p{L}\p{N}\\])(?:\*{1,3}|_{1,3}|~~)(?=[^\s*_~])|(?<=[^\s*_~\\])(?:\*{1,3}|_{1,3}|~~)(?![\p{L}\p{N}])/gu,
  },
  { pattern: /\\(?=[!-/:-@[-`{-~])/g },
];
const CODE_SPAN = /(?<!`)(?:``(?!`)[^`]{1,300}(?:`[^`]{1,300}){0,20}``(?!`)|`([^`]{1,1000})`(?!`))/g;

/** Lines without readable text. */
const UNREAD_LINE: readonly RegExp[] = [
  /^\s*(?:[-*_=~^"'#+.:]\s?){3,}$/,
  // Link reference definitions, and table rules.
  /^ {0,3}\[[^\]]{1,300}\]:\s/,
  /^[\s|:+=-]+$/,
  // Directives of reStructuredText without text, their options and targets, and block attributes of AsciiDoc.
  /^\s*\.\. (?:_[^:]{1,200}:|(?:toctree|image|figure|contents|code-block|highlight|currentmodule|module|index|include|literalinclude)::)/,
  /^\s*:[a-z][\w-]{0,60}:(?:\s[^`]{0,300})?$/,
  /^\s*\[\[[^\]]{1,300}\]\]\s*$/,
  /^\s*\[(?:source|NOTE|TIP|WARNING|IMPORTANT|CAUTION|horizontal|cols|subs|options|role|id|,|#|\.|%)[^\]]{0,300}\]\s*$/,
  // MDX.
  /^\s*<[A-Z][\w.]{0,60}>\s*$/,
  /^(?:import\s[^;]{1,300}\sfrom\s["'][^"']{1,300}["'];?|export\s(?:const|default)\s.{0,300})$/,
];
/** Markup at the beginning of a line: quotes, list markers, headings, admonitions. */
const LINE_HEAD =
  /^\s*(?:(?:>|[-*+•]|\d{1,9}[.)])\s+){0,6}(?:\[[ xX]\]\s+)?(?:(?:#{1,6}|={1,6}(?=\s\S)|:{3,4}\s?(?:\w{1,30}(?:\s|$))?|!{3}\s\w{1,30}|\?{3}\+?\s\w{1,30}|\.\. [a-z-]{1,40}::)\s*)?/;
const ALERT = /^\s*>\s*\[!\w{1,20}\]\s*$/;
const CLOSING_HASHES = /\s#{1,6}\s*$/;
const FRONT_MATTER =
  /^\uFEFF?(?:---[ \t]*\r?\n(?=\s*(?:[\w"'$-][^\n:]{0,200}:|#|---))[^]{0,20000}?\n(?:---|\.\.\.)|\+\+\+[ \t]*\r?\n[^]{0,20000}?\n\+\+\+)[ \t]*(?:\r?\n|$)/;
/** A list marker, with the quotes before it and the checkbox after it. */
const ITEM = /^(\s*(?:>\s+){0,6})(?:[-*+•]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/;
const ATX_HEADING = /^ {0,3}#{1,6}\s/;
/** An intended line break within a paragraph. */
const HARD_BREAK = / {2}$|\\$/;
const TABLE_ROW = /^\s*\|.*\|\s*$/;
const WHITESPACE = /\s/;

/** Characters of inline markup. Lines without them are unchanged. */
const MARKUP_SIGNS = /[`*_~[\]<>{}\\]/;

const KEPT = 0;
const DROPPED = 1;
/** In code spans, where no later rule applies. */
const FIXED = 2;
/** Beginning of a list marker. */
const ITEM_MARK = 3;

/** Separates list items that are rendered on one line. */
export const ITEM_SIGN = '•';

/**
 * Renders Markdown, or a similar language, on one line, with `ITEM_SIGN` before every list item except at the
 * beginning. Takes linear time.
 */
export function renderMarkdown(markdown: string): Rendered {
  const state = new Uint8Array(markdown.length);
  drop(state, 0, frontMatterLength(markdown));
  for (const { item } of renderLines(markdown, state)) if (item) state[item.start] = ITEM_MARK;
  renderInline(markdown, state);
  return collected(markdown, state);
}

/**
 * Renders Markdown block by block: each paragraph is one line, items keep their markers, code keeps its white space,
 * and empty lines are reduced to one. Takes linear time.
 */
export function renderBlocks(markdown: string): Rendered {
  const state = new Uint8Array(markdown.length);
  drop(state, 0, frontMatterLength(markdown));
  const lines = renderLines(markdown, state);
  for (const { item } of lines) if (item) state.fill(FIXED, item.start, item.end);
  renderInline(markdown, state);
  return collectedBlocks(markdown, state, lines);
}

/** Renders one line of Markdown, such as a heading's title. */
export function renderedLine(markdown: string): string {
  if (!MARKUP_SIGNS.test(markdown)) return markdown.replace(/\s+/g, ' ').trim();
  const state = new Uint8Array(markdown.length);
  renderInline(markdown, state);
  return collected(markdown, state).text;
}

/** Length of a text's front matter, in UTF-16 code units. 0 if there is none. */
export function frontMatterLength(text: string): number {
  return FRONT_MATTER.exec(text)?.[0].length ?? 0;
}

/**
 * The relation of a line to its neighbours: it continues the line above, begins a block, is a block, is code, or has no
 * readable text.
 */
type LineRole = 'goes-on' | 'begins' | 'alone' | 'code' | 'unread';

interface RenderedLine extends Span {
  readonly role: LineRole;
  /** Range of the list marker. */
  readonly item?: Span | undefined;
}

function renderLines(text: string, state: Uint8Array): RenderedLine[] {
  let inFence = false;
  return [...linesOf(text)].map(({ start, end }): RenderedLine => {
    const line = text.slice(start, end);
    const isFence = /^\s*(?:`{3,}|~{3,})/.test(line);
    if (isFence) inFence = !inFence;
    if (isFence || (!inFence && (ALERT.test(line) || UNREAD_LINE.some((pattern) => pattern.test(line))))) {
      drop(state, start, end);
      return { start, end, role: 'unread' };
    }
    if (inFence) {
      state.fill(FIXED, start, end);
      return { start, end, role: 'code' };
    }
    const [head] = LINE_HEAD.exec(line)!;
    drop(state, start, start + head.length);
    const closing = line[0] === '#' ? CLOSING_HASHES.exec(line) : null;
    if (closing) drop(state, start + closing.index, end);
    const isRow = TABLE_ROW.test(line);
    if (isRow) dropOuterBorders(line, start, state);
    const isAlone = isRow || ATX_HEADING.test(line);
    const role = isAlone ? 'alone' : head.trim() === '' ? 'goes-on' : 'begins';
    return { start, end, role, item: itemMark(line, start) };
  });
}

function itemMark(line: string, start: number): Span | undefined {
  const item = ITEM.exec(line);
  if (!item) return undefined;
  const [all, before] = item;
  return { start: start + before!.length, end: start + all.length };
}

/** Borders between cells stay. */
function dropOuterBorders(line: string, start: number, state: Uint8Array): void {
  for (const at of [line.indexOf('|'), line.lastIndexOf('|')]) state[start + at] = DROPPED;
}

function renderInline(text: string, state: Uint8Array): void {
  applyMarkup(text, RST_LINK, state);
  for (const { 0: code, index, 1: single } of text.matchAll(CODE_SPAN)) {
    if (state[index] !== KEPT) continue;
    const ticks = single === undefined ? 2 : 1;
    drop(state, index, index + ticks);
    drop(state, index + code.length - ticks, index + code.length);
    state.fill(FIXED, index + ticks, index + code.length - ticks);
  }
  dropComments(text, state);
  for (const markup of INLINE) applyMarkup(text, markup, state);
}

function dropComments(text: string, state: Uint8Array): void {
  for (let start = text.indexOf('<!--'); start >= 0;) {
    const close = text.indexOf('-->', start + 4);
    const end = close < 0 ? text.length : close + 3;
    if (state[start] !== FIXED) drop(state, start, end);
    start = text.indexOf('<!--', end);
  }
}

function applyMarkup(text: string, { pattern, keep = [] }: Markup, state: Uint8Array): void {
  for (const match of text.matchAll(pattern)) {
    const { index } = match;
    // Skips code and the rest of markup that an earlier pattern took apart.
    if (state[index] !== KEPT) continue;
    const end = index + match[0].length;
    const content = keep.map((group) => match.indices![group]).find((span) => span !== undefined);
    if (!content) drop(state, index, end);
    else {
      drop(state, index, content[0]);
      drop(state, content[1], end);
    }
  }
}

function drop(state: Uint8Array, start: number, end: number): void {
  state.fill(DROPPED, start, end);
}

/** Collects the kept characters, with one space for each run of white space or markup between two words. */
function collected(text: string, state: Uint8Array): Rendered {
  const source = new Uint32Array(text.length);
  const parts: string[] = [];
  const put = (at: number, character: string): void => {
    source[parts.length] = at;
    parts.push(character);
  };
  let space = -1;
  let item = -1;
  for (let at = 0; at < text.length; at++) {
    if (WHITESPACE.test(text[at]!)) {
      // The line break of a removed line separates words too.
      if (space < 0) space = at;
      // The item has no readable text.
      if (text[at] === '\n') item = -1;
      continue;
    }
    if (state[at] === ITEM_MARK) item = at;
    if (state[at] === ITEM_MARK || state[at] === DROPPED) continue;
    if (space >= 0 && parts.length > 0) {
      put(space, ' ');
      if (item >= 0) {
        put(item, ITEM_SIGN);
        put(at - 1, ' ');
      }
    }
    space = -1;
    item = -1;
    put(at, text[at]!);
  }
  return { text: parts.join(''), source: source.slice(0, parts.length) };
}

/** Collects the kept characters line by line, with line breaks between blocks. */
function collectedBlocks(text: string, state: Uint8Array, lines: readonly RenderedLine[]): Rendered {
  const source: number[] = [];
  const parts: string[] = [];
  const put = (at: number, character: string): void => {
    source.push(at);
    parts.push(character);
  };
  let above: RenderedLine | undefined;
  let between: RenderedLine[] = [];
  for (const line of lines) {
    const places = placesOf(text, state, line);
    if (places.length === 0) {
      between.push(line);
      continue;
    }
    if (above) {
      const blank = between.find(({ start, end }) => text.slice(start, end).trim() === '');
      const isOne = between.length === 0 && goesOn(text, above, line);
      put(above.end, isOne ? ' ' : '\n');
      if (blank) put(blank.end, '\n');
    }
    for (const at of places) put(at, line.role !== 'code' && WHITESPACE.test(text[at]!) ? ' ' : text[at]!);
    above = line;
    between = [];
  }
  return { text: parts.join(''), source: Uint32Array.from(source) };
}

function goesOn(text: string, above: RenderedLine, { role }: RenderedLine): boolean {
  if (role !== 'goes-on' || above.role === 'alone') return false;
  return !HARD_BREAK.test(text.slice(above.start, above.end));
}

/**
 * Offsets of the kept characters of a line, without white space at its end and without meaningless white space at its
 * beginning.
 */
function placesOf(text: string, state: Uint8Array, { start, end, role, item }: RenderedLine): number[] {
  const places: number[] = [];
  let spaces: number[] = [];
  for (let at = start; at < end; at++) {
    if (WHITESPACE.test(text[at]!)) spaces.push(at);
    else if (state[at] !== DROPPED) {
      const isIndented = role === 'code' || at === item?.start;
      places.push(...(isIndented ? spaces : places.length > 0 ? spaces.slice(0, 1) : []), at);
      spaces = [];
    }
  }
  return places;
}
