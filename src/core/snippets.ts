/**
 * Chooses the part of a passage to show where there is no room for all of it: the sentence that matters, as it is read.
 */
import { headLength } from './likeness/document-fields.ts';
import type { Span } from './model.ts';
import {
  frontMatterLength,
  ITEM_SIGN,
  renderBlocks,
  renderMarkdown,
  type Rendered,
} from './split/markdown.ts';
import { sentencesOf } from './split/sentences.ts';
import { analyze } from './text/analyzer.ts';
import { isMarkdown } from './text/file-kinds.ts';

const SNIPPET_LENGTH = 280;

/** A passage as it is read, and where in it the question is spoken of. */
export interface ReadPassage extends Rendered {
  /** Where the sentence begins that speaks of the question most; 0 where that is the first. */
  readonly from: number;
  /** Words of the question, ascending, apart. */
  readonly words: readonly Span[];
}

/** A window on a passage, with what was cut off. */
export interface Excerpt {
  readonly start: number;
  readonly end: number;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

/** The words of a text, with what joins them. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*/gu;
/** A heading of Markdown or AsciiDoc, before a further line. */
const MARKED_HEADING = /^\s*(?:#{1,6}|={1,6})[ \t][^\n]{0,300}(?=\n)/;
/** An attribute of an AsciiDoc document, below its title. */
const ATTRIBUTE = /^\s*:[a-z][\w-]{0,60}:(?:[ \t][^\n`]{0,300})?(?=\n)/;
/** The name of an entry of AsciiDoc, whose text stands below it. */
const ENTRY_NAME = /^\s*\S[^\n]{0,100}::[ \t]*(?=\n)/;
/** Marks before the words of a passage that are no part of them. */
const LEADS = [MARKED_HEADING, ATTRIBUTE, ENTRY_NAME];
/** A line of signs of one kind, as it stands under a heading, and above it at will. */
const RULE = /^([!-/:-@[-`{-~])\1*$/;
/** Under these signs any line is a heading, be the rule as short as it likes. */
const MARKDOWN_UNDERLINE = /^[-=]/;

export interface Reading {
  /** The text is shown as it stands, runs of white space apart. */
  readonly isCode?: boolean;
  /** It is the first passage of its document. */
  readonly isFirst?: boolean;
}

/** A passage without its markup, and where in it to begin reading. */
export function readPassage(
  passage: string,
  question: string,
  { isCode = false, isFirst = false }: Reading = {},
): ReadPassage {
  const rendered = isCode ? asItStands(passage) : renderMarkdown(passage);
  const asked = subjectOf(question);
  const headings = isCode ? 0 : lengthOfHeadings(passage, isFirst);
  const below = behind(rendered, headings);
  // Nothing but a heading, or what is there for programs: better that than nothing.
  const whole = rendered.text === '' ? asItStands(passage) : rendered;
  const read = below.text === '' ? whole : below;
  return { ...read, from: startOf(passage, read, asked, headings), words: wordsIn(read.text, asked) };
}

/**
 * All of a passage as it is read: Markdown without its signs, block by block; anything else as it stands.
 *
 * @param name of its file
 */
export function readWhole(passage: string, name: string): Rendered {
  const read = isMarkdown(name) ? renderBlocks(passage) : undefined;
  // A text for programs alone is better than nothing.
  if (read && read.text !== '') return read;
  return { text: passage, source: Uint32Array.from(passage, (_, at) => at) };
}

/** The terms of a question that say what it is about; all of them where none does. */
function subjectOf(question: string): ReadonlySet<string> {
  const terms = analyze(question, 'english');
  const telling = terms.filter((term) => !ASKING.has(term));
  return new Set(telling.length > 0 ? telling : terms);
}

/** Words that make a question of what it is about. Searches count them; in a passage they mark nothing. */
const ASKING = new Set(
  analyze(
    `how what when where which who whom whose why can could do does did may might must shall should will would
     am been being had has have i me my mine we us our you your he him his she her its them those than from about`,
    'english',
  ),
);

/** A heading, its rules and the white space before it. */
const LONGEST_HEADING = 1_000;
const LONGEST_TITLE = 200;

/**
 * How long the headings are that a passage begins with, and the front matter before them.
 *
 * @param isFirst of its document: what its author noted of it stands there, too
 */
function lengthOfHeadings(passage: string, isFirst: boolean): number {
  const frontMatter = frontMatterLength(passage);
  const start = frontMatter === 0 && isFirst ? headLength(passage) : frontMatter;
  let end = start;
  for (let heading = headingAt(passage, end); heading > 0; heading = headingAt(passage, end)) end += heading;
  return end === frontMatter ? 0 : end;
}

/** How long the heading is that begins here, white space before it included; 0 where none does. */
function headingAt(passage: string, start: number): number {
  const rest = passage.slice(start, start + LONGEST_HEADING);
  for (const lead of LEADS) {
    const found = lead.exec(rest);
    if (found) return found[0].length;
  }
  return underlinedHeading(rest);
}

/** How long a line is with a rule under it, and perhaps one above it, before a further line; 0 where there is none. */
function underlinedHeading(text: string): number {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const above = lines[first]?.trimEnd() ?? '';
  const place = above.length > 1 && RULE.test(above) ? first + 1 : first;
  const title = lines[place]?.trim() ?? '';
  const rule = lines[place + 1]?.trimEnd() ?? '';
  const isHeading = title !== '' && title.length <= LONGEST_TITLE && RULE.test(rule) && isRuleOf(title, rule);
  // The last line may be cut off, or all that there is to show.
  return isHeading && place + 2 < lines.length ? lines.slice(0, place + 2).join('\n').length : 0;
}

/** In reStructuredText a rule is as long as its title; other signs are something else, such as the end of a block. */
function isRuleOf(title: string, rule: string): boolean {
  return MARKDOWN_UNDERLINE.test(rule) || rule.length >= title.length - 1;
}

/** Where a place in the source is in the text that is read, or what comes after it. */
export function placeIn({ source }: Pick<Rendered, 'source'>, at: number): number {
  let low = 0;
  let high = source.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (source[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function behind({ text, source }: Rendered, at: number): Rendered {
  const place = wordsFrom(text, placeIn({ source }, at));
  return { text: text.slice(place), source: source.subarray(place) };
}

/** The place behind the spaces, and the sign of an item, that stand at this one. */
function wordsFrom(text: string, at: number): number {
  let place = at;
  while (text[place] === ' ' || text[place] === ITEM_SIGN) place++;
  return place;
}

function asItStands(text: string): Rendered {
  const lead = text.length - text.trimStart().length;
  const source: number[] = [];
  const parts: string[] = [];
  for (const { 0: run, index } of text.trim().matchAll(/\s+|\S+/gu))
    if (run.trim() === '') {
      parts.push(' ');
      source.push(lead + index);
    } else {
      parts.push(run);
      for (let at = 0; at < run.length; at++) source.push(lead + index + at);
    }
  return { text: parts.join(''), source: Uint32Array.from(source) };
}

/** The first sentence that has as much of the question as any, words that are rare in the passage before others. */
function startOf(passage: string, read: Rendered, asked: ReadonlySet<string>, headings: number): number {
  // Lines that nobody reads, such as the addresses of links at the end of a page, are no sentence to begin with.
  const sentences = [...sentencesOf(passage)]
    .map(({ start, end }) => ({
      start: placeIn(read, Math.max(start, headings)),
      end: placeIn(read, end),
    }))
    .filter(({ start, end }) => read.text.slice(start, end).trim() !== '');
  const terms = sentences.map(
    ({ start, end }) =>
      new Set(analyze(read.text.slice(start, end), 'english').filter((term) => asked.has(term))),
  );
  const counts = new Map<string, number>();
  for (const term of terms.flatMap((each) => [...each])) counts.set(term, (counts.get(term) ?? 0) + 1);
  const worth = terms.map((each) => [...each].reduce((sum, term) => sum + 1 / counts.get(term)!, each.size));
  const best = worth.indexOf(Math.max(...worth));
  if (best < 0) return 0;
  const [first, found] = [sentences[0]!.start, sentences[best]!.start];
  // The words before a sentence that is near the beginning are worth their room.
  return wordsFrom(read.text, found - first <= NEAR || worth[best] === 0 ? first : found);
}

function wordsIn(text: string, asked: ReadonlySet<string>): Span[] {
  const found: Span[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const terms = analyze(word, 'english');
    if (terms.length === 1) {
      if (asked.has(terms[0]!)) found.push({ start: index, end: index + word.length });
    } else
      // Pairs of letters of a script without spaces.
      for (const pair of new Set(terms.filter((term) => asked.has(term))))
        for (let at = word.indexOf(pair); at >= 0; at = word.indexOf(pair, at + 1))
          found.push({ start: index + at, end: index + at + pair.length });
  }
  return apart(found);
}

function apart(spans: readonly Span[]): Span[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && start <= last.end && end > last.start) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/**
 * The part of a passage to show while it is folded: about `length` code units, from `from`, or from a
 * little before the first evidence when that would else not stand in the first lines. Words are not cut.
 */
export function excerpt(text: string, spans: readonly Span[], from = 0, length = SNIPPET_LENGTH): Excerpt {
  const first = Math.min(...spans.map((span) => span.start));
  const near = first <= NEAR;
  const start = spans.length === 0 ? from : near ? 0 : wordStart(text, first - LEAD);
  const end = wordEnd(text, start + length);
  return { start, end, cutBefore: start > 0, cutAfter: end < text.length };
}

/** Evidence that begins up to here is seen in the narrowest panel without leaving out the passage's beginning. */
const NEAR = 80;
/** How much of the text before the first evidence is kept, for context. */
const LEAD = 40;
/** Text without spaces (URLs, Chinese) is cut anyway, this far from the wanted place. */
const LONGEST_WORD = 40;

function wordStart(text: string, from: number): number {
  for (let at = from; at < Math.min(from + LONGEST_WORD, text.length); at++)
    if (at === 0 || isSpace(text[at - 1]!)) return at;
  return wholeCharacter(text, from);
}

function wordEnd(text: string, from: number): number {
  if (from >= text.length) return text.length;
  for (let at = from; at > Math.max(from - LONGEST_WORD, 0); at--) if (isSpace(text[at]!)) return at;
  return wholeCharacter(text, from);
}

function isSpace(character: string): boolean {
  return /\s/u.test(character);
}

/** Moves an offset out of the middle of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
