/** Splits the text of a document into passages. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { LineRange, Span } from '../model.ts';
import { sectionsOf, sharedPath, pathDepth, type HeadingStyle, type Section } from './headings.ts';
import { LineIndex } from './lines.ts';
import { packed } from './packing.ts';
import { sentencesOf } from './sentences.ts';
import { trimSpan, windows } from './spans.ts';
import type { SplitSpec, WindowSpec } from './spec.ts';
import { hasAtMostWords, wordsOf } from './words.ts';

/** Share of the passage size: with 120 words, a heading and one short line. */
const TINY = 1 / 8;

/**
 * The sections, with tiny ones joined to the next section, or to the preceding one if the next belongs to another
 * branch or does not exist.
 *
 * @param size words of a passage
 */
function joinTiny(text: string, sections: readonly Section[], size: number): Span[] {
  const joined: { readonly start: number; end: number; waits: boolean }[] = [];
  for (const [place, { start, end, path }] of sections.entries()) {
    const last = joined.at(-1);
    const isTiny = hasAtMostWords(text.slice(last?.waits ? last.start : start, end), size * TINY);
    const next = sections[place + 1];
    const goesOn = next !== undefined && pathDepth(next.path) >= pathDepth(path);
    if (last && (last.waits || (isTiny && !goesOn))) {
      last.end = end;
      last.waits = isTiny && goesOn;
    } else joined.push({ start, end, waits: isTiny && goesOn });
  }
  return joined;
}

/** External functions for splitting. */
export interface SplitTools {
  /**
   * The end offset of every token of the text in order. A token that ends inside a character counts to that character's
   * end. Only needed to split by tokens.
   */
  readonly tokenEnds?: ((text: string) => Iterable<number>) | undefined;
}

/** Properties of a text besides its characters. */
export interface TextForm {
  /** How headings are marked. Without it there are none. */
  readonly headings?: HeadingStyle | undefined;
  /** Pages, ascending, covering the whole text. They name passages but do not separate them. */
  readonly pages?: readonly Section[] | undefined;
  /** Whether the text is code or data, which has no sentences. */
  readonly isCode?: boolean | undefined;
}

export interface SplitPassage {
  /** Exactly `text.slice(span.start, span.end)` of the document: trimmed and never empty. */
  readonly text: string;
  readonly span: Span;
  readonly lines: LineRange;
  /** Path of the section with most of the passage, `A › B`. `undefined` without sections. */
  readonly section?: string;
}

/**
 * Generates the passages of a text in order, so that long texts can be split in steps. Passages are trimmed, except for
 * unsplit texts. Every character except whitespace is in exactly one passage, or with overlap in at least one. Takes
 * time linear in the text (times the overlap).
 *
 * @throws ParallaxError `bad-config` if the overlap is not smaller than the size
 * @throws ParallaxError `bad-argument` for a split by tokens without a tokenizer
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
    const trimmedSpan = trimSpan(text, piece);
    // Skips windows that only advanced over whitespace, or within a character of several tokens.
    if (!trimmedSpan || trimmedSpan.end <= coveredTo) continue;
    // An unsplit text stays untrimmed, as a trailing space is a word to some analyzers (PIR, Table 2).
    const span = spec.type === 'none' ? piece : trimmedSpan;
    coveredTo = span.end;
    const passage = { text: text.slice(span.start, span.end), span, lines: index.linesOf(span) };
    const section = pathOf(span);
    yield section ? { ...passage, section } : passage;
  }
}

/**
 * Finds the path of the section with most of a span. Spans must be passed in ascending order.
 *
 * @param shared if no section has more than half of a span, returns the common beginning of its sections' paths
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
 * Whether a text is at most `factor` times as long as a passage of this split may be. Stops counting at that length.
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

/** The units that a window counts. Together they contain every character except whitespace. */
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
