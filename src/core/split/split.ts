/**
 * Cuts the text of a document into passages.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { LineRange, Span } from '../model.ts';
import { joinTiny } from './tiny-sections.ts';
import { sectionsOf, sharedPath, type HeadingStyle, type Section } from './headings.ts';
import { LineIndex } from './lines.ts';
import { packed } from './packing.ts';
import { sentencesOf } from './sentences.ts';
import { trimSpan, windows } from './spans.ts';
import type { SplitSpec } from './spec.ts';
import { hasAtMostWords, wordsOf } from './words.ts';

/** Functions that splitting takes from outside. */
export interface SplitTools {
  /**
   * For every token of the text, in order, the offset at which it ends; a token that ends inside a
   * character ends where that character ends. Needed to split by tokens only.
   */
  readonly tokenEnds?: ((text: string) => Iterable<number>) | undefined;
}

/** Facts about a text beside its letters. */
export interface TextForm {
  /** How its headings are marked; there are none when left out. */
  readonly headings?: HeadingStyle | undefined;
  /** Its pages, which name passages and part none: ascending, together the whole text. */
  readonly pages?: readonly Section[] | undefined;
  /** It is code or data: sentences mean nothing in it. */
  readonly isCode?: boolean | undefined;
}

export interface SplitPassage {
  /** Exactly `text.slice(span.start, span.end)` of the document: no whitespace at its ends, never empty. */
  readonly text: string;
  readonly span: Span;
  readonly lines: LineRange;
  /** Path of the section that most of the passage stands in, `A › B`; absent where there is none. */
  readonly section?: string;
}

/**
 * The passages of a text in order, made one by one so that long texts can be cut in steps.
 * Passages begin and end with something else than whitespace, but for those of texts that are not split.
 * Without overlap every character that is not whitespace is in exactly one passage; with overlap in
 * at least one. Takes time linear in the text (times the share of overlap).
 *
 * @throws ParallaxError `bad-config` when the overlap is not smaller than the size
 * @throws ParallaxError `bad-argument` when a split by tokens comes without a tokenizer
 */
export function* eachPassage(
  text: string,
  spec: SplitSpec,
  tools: SplitTools = {},
  form: TextForm = {},
): Generator<SplitPassage> {
  const index = new LineIndex(text);
  const sections = [...sectionsOf(text, form.headings ?? 'none')];
  const pathOf = pathFinder(form.pages ?? sections, spec.type === 'sections' && !form.pages);
  let coveredTo = 0;
  for (const piece of piecesOf(text, spec, tools, sections, form.isCode)) {
    const said = trimSpan(text, piece);
    // A window that moved on by whitespace, or within one character of several tokens, holds nothing new.
    if (!said || said.end <= coveredTo) continue;
    // A text that is not split stays as it is: a space at its end is a word to some analyzers (PIR, Table 2).
    const span = spec.type === 'none' ? piece : said;
    coveredTo = span.end;
    const passage = { text: text.slice(span.start, span.end), span, lines: index.linesOf(span) };
    const section = pathOf(span);
    yield section ? { ...passage, section } : passage;
  }
}

/**
 * Finds the path of the section that most of a span stands in; spans are asked for in ascending order.
 *
 * @param shared where no section holds more than half of a span, what the paths of its sections begin with
 */
function pathFinder(sections: readonly Section[], shared: boolean): (span: Span) => string {
  let from = 0;
  return (span) => {
    while (from + 1 < sections.length && sections[from]!.end <= span.start) from++;
    let most = 0;
    let path = '';
    let common: string | undefined;
    for (let at = from; at < sections.length && sections[at]!.start < span.end; at++) {
      const section = sections[at]!;
      const held = Math.min(section.end, span.end) - Math.max(section.start, span.start);
      if (held > most) [most, path] = [held, section.path];
      common = common === undefined ? section.path : sharedPath(common, section.path);
    }
    return shared && common && most * 2 <= span.end - span.start ? common : path;
  };
}

/**
 * Whether a text is at most `factor` times as long as one passage of this split may be.
 * Stops counting as soon as it is longer.
 */
export function fitsOnePassage(text: string, spec: SplitSpec, tools: SplitTools, factor: number): boolean {
  if (spec.type === 'none') return true;
  const limit = factor * (spec.type === 'headings' ? spec.maxWords : spec.size);
  if (spec.type !== 'tokens' && spec.type !== 'sentences') return hasAtMostWords(text, limit);
  const iterator = unitsOf(text, spec, tools)[Symbol.iterator]();
  for (let count = 0; count <= limit; count++) if (iterator.next().done) return true;
  return false;
}

function* piecesOf(
  text: string,
  spec: SplitSpec,
  tools: SplitTools,
  sections: readonly Section[],
  isCode: boolean | undefined,
): Generator<Span> {
  switch (spec.type) {
    case 'none':
      yield { start: 0, end: text.length };
      return;
    case 'headings':
      for (const section of sections) yield* windows(wordsOf(text, section), spec.maxWords, 0);
      return;
    case 'sections':
      for (const section of joinTiny(text, sections, spec.size))
        yield* packed(text, section, spec.size, isCode);
      return;
    case 'words':
    case 'tokens':
    case 'sentences':
      checkOverlap(spec);
      yield* windows(unitsOf(text, spec, tools), spec.size, spec.overlap);
  }
}

type WindowSpec = Extract<SplitSpec, { overlap: number }>;

/** The units a window counts; together they hold every character that is not whitespace. */
function unitsOf(text: string, spec: WindowSpec, tools: SplitTools): Iterable<Span> {
  switch (spec.type) {
    case 'words':
      return wordsOf(text);
    case 'sentences':
      return sentencesOf(text);
    case 'tokens':
      return tokensOf(text, tools);
  }
}

function* tokensOf(text: string, { tokenEnds }: SplitTools): Generator<Span> {
  if (!tokenEnds) throw new ParallaxError('bad-argument', l10n.t('Splitting by tokens needs a tokenizer.'));
  let start = 0;
  for (const end of tokenEnds(text)) {
    yield { start, end };
    start = end;
  }
}

function checkOverlap(spec: WindowSpec): void {
  if (spec.overlap >= spec.size)
    throw new ParallaxError(
      'bad-config',
      l10n.t`Split by ${spec.type}: the overlap (${spec.overlap}) must be smaller than the size (${spec.size}).`,
    );
}
