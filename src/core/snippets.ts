/** Chooses the part of a passage to show if space is limited: the most relevant sentence, as rendered text. */
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

/** A rendered passage with the words of the question in it. */
export interface ReadPassage extends Rendered {
  /** The offset of the sentence with most of the question. 0 if that is the first. */
  readonly from: number;
  /** Words of the question, ascending, without overlaps. */
  readonly words: readonly Span[];
}

/** A window of a passage, and whether text was cut on either side. */
export interface Excerpt {
  readonly start: number;
  readonly end: number;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

/** The words of a text with the characters that join them. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*/gu;
/** A heading of Markdown or AsciiDoc before another line. */
const MARKED_HEADING = /^\s*(?:#{1,6}|={1,6})[ \t][^\n]{0,300}(?=\n)/;
/** An attribute of an AsciiDoc document below its title. */
const ATTRIBUTE = /^\s*:[a-z][\w-]{0,60}:(?:[ \t][^\n`]{0,300})?(?=\n)/;
/** The name of an AsciiDoc entry above its text. */
const ENTRY_NAME = /^\s*\S[^\n]{0,100}::[ \t]*(?=\n)/;
/** Markup before the words of a passage. */
const LEADS = [MARKED_HEADING, ATTRIBUTE, ENTRY_NAME];
/** A line of one repeated character, as used below a heading and optionally above it. */
const RULE = /^([!-/:-@[-`{-~])\1*$/;
/** With these characters any line is a heading, however short the rule. */
const MARKDOWN_UNDERLINE = /^[-=]/;

export interface Reading {
  /** Whether to keep the text as it is except for runs of white space. */
  readonly isCode?: boolean;
  /** Whether it is the first passage of its document. */
  readonly isFirst?: boolean;
}

/** A passage without its markup, and the offset to start reading at. */
export function readPassage(
  passage: string,
  question: string,
  { isCode = false, isFirst = false }: Reading = {},
): ReadPassage {
  const rendered = isCode ? asItStands(passage) : renderMarkdown(passage);
  const questionTerms = subjectOf(question);
  const headings = isCode ? 0 : lengthOfHeadings(passage, isFirst);
  const below = behind(rendered, headings);
  // If only headings or markup remain, show those.
  const whole = rendered.text === '' ? asItStands(passage) : rendered;
  const read = below.text === '' ? whole : below;
  return {
    ...read,
    from: startOf(passage, read, questionTerms, headings),
    words: wordsIn(read.text, questionTerms),
  };
}

/**
 * All of a passage as rendered: Markdown block by block without its markup, other text unchanged.
 *
 * @param name of its file
 */
export function readWhole(passage: string, name: string): Rendered {
  const read = isMarkdown(name) ? renderBlocks(passage) : undefined;
  // If no text is for readers, show what there is.
  if (read && read.text !== '') return read;
  return { text: passage, source: Uint32Array.from(passage, (_, at) => at) };
}

/** The terms of a question that describe its subject, or all terms if there are none. */
function subjectOf(question: string): ReadonlySet<string> {
  const terms = analyze(question, 'english');
  const telling = terms.filter((term) => !ASKING.has(term));
  return new Set(telling.length > 0 ? telling : terms);
}

/** Words that only form the question. Searches count them, but passages do not mark them. */
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
 * Length of the headings at the beginning of a passage, with the front matter before them.
 *
 * @param isFirst whether it is the first of its document, which may begin with the author's notes
 */
function lengthOfHeadings(passage: string, isFirst: boolean): number {
  const frontMatter = frontMatterLength(passage);
  const start = frontMatter === 0 && isFirst ? headLength(passage) : frontMatter;
  let end = start;
  for (let heading = headingAt(passage, end); heading > 0; heading = headingAt(passage, end)) end += heading;
  return end === frontMatter ? 0 : end;
}

/** Length of the heading that begins here with the white space before it. 0 if there is none. */
function headingAt(passage: string, start: number): number {
  const rest = passage.slice(start, start + LONGEST_HEADING);
  for (const lead of LEADS) {
    const match = lead.exec(rest);
    if (match) return match[0].length;
  }
  return underlinedHeading(rest);
}

/** Length of a line with a rule below it, and optionally one above it, before another line. 0 if there is none. */
function underlinedHeading(text: string): number {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const above = lines[first]?.trimEnd() ?? '';
  const place = above.length > 1 && RULE.test(above) ? first + 1 : first;
  const title = lines[place]?.trim() ?? '';
  const rule = lines[place + 1]?.trimEnd() ?? '';
  const isHeading = title !== '' && title.length <= LONGEST_TITLE && RULE.test(rule) && isRuleOf(title, rule);
  // The last line may be cut off, or the only one to show.
  return isHeading && place + 2 < lines.length ? lines.slice(0, place + 2).join('\n').length : 0;
}

/**
 * In reStructuredText a rule is as long as its title. Shorter rules of other characters are something else, such as the
 * end of a block.
 */
function isRuleOf(title: string, rule: string): boolean {
  return MARKDOWN_UNDERLINE.test(rule) || rule.length >= title.length - 1;
}

/** Maps an offset of the source to the rendered text, or to what follows it. */
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

/** The offset after spaces and list markers. */
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

/** The first sentence that has the most of the question. Words that are rare in the passage weigh more. */
function startOf(
  passage: string,
  read: Rendered,
  questionTerms: ReadonlySet<string>,
  headings: number,
): number {
  // Lines that are not rendered, such as link definitions at the end of a page, are not candidates.
  const sentences = [...sentencesOf(passage)]
    .map(({ start, end }) => ({
      start: placeIn(read, Math.max(start, headings)),
      end: placeIn(read, end),
    }))
    .filter(({ start, end }) => read.text.slice(start, end).trim() !== '');
  const terms = sentences.map(
    ({ start, end }) =>
      new Set(analyze(read.text.slice(start, end), 'english').filter((term) => questionTerms.has(term))),
  );
  const counts = new Map<string, number>();
  for (const term of terms.flatMap((each) => [...each])) counts.set(term, (counts.get(term) ?? 0) + 1);
  const worth = terms.map((each) => [...each].reduce((sum, term) => sum + 1 / counts.get(term)!, each.size));
  const best = worth.indexOf(Math.max(...worth));
  if (best < 0) return 0;
  const [first, bestStart] = [sentences[0]!.start, sentences[best]!.start];
  // If the sentence is near the beginning, start there.
  return wordsFrom(read.text, bestStart - first <= NEAR || worth[best] === 0 ? first : bestStart);
}

function wordsIn(text: string, questionTerms: ReadonlySet<string>): Span[] {
  const spans: Span[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const terms = analyze(word, 'english');
    if (terms.length === 1) {
      if (questionTerms.has(terms[0]!)) spans.push({ start: index, end: index + word.length });
    } else
      // Character pairs of a script without spaces.
      for (const pair of new Set(terms.filter((term) => questionTerms.has(term))))
        for (let at = word.indexOf(pair); at >= 0; at = word.indexOf(pair, at + 1))
          spans.push({ start: index + at, end: index + at + pair.length });
  }
  return apart(spans);
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
 * The excerpt of a collapsed passage: about `length` code units from `from`, or from slightly before the first evidence
 * if that would not be in the first lines otherwise. Does not cut words.
 */
export function excerpt(text: string, spans: readonly Span[], from = 0, length = SNIPPET_LENGTH): Excerpt {
  const first = Math.min(...spans.map((span) => span.start));
  const near = first <= NEAR;
  const start = spans.length === 0 ? from : near ? 0 : wordStart(text, first - LEAD);
  const end = wordEnd(text, start + length);
  return { start, end, cutBefore: start > 0, cutAfter: end < text.length };
}

/** Evidence up to this offset is visible in the narrowest panel with the passage's beginning. */
const NEAR = 80;
/** How much text before the first evidence is kept for context. */
const LEAD = 40;
/** Text without spaces (URLs, Chinese) is cut within this distance of the wanted offset. */
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
