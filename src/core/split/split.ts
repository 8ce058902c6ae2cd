/**
 * Cuts the text of a document into passages.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import type { LineRange, Span } from '../model.ts';
import { sectionsOf } from './headings.ts';
import { LineIndex } from './lines.ts';
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

export interface SplitPassage {
  /** Exactly `text.slice(span.start, span.end)` of the document: no whitespace at its ends, never empty. */
  readonly text: string;
  readonly span: Span;
  readonly lines: LineRange;
  /** Titles of the Markdown headings above the passage, `A › B`, when the text was split by headings. */
  readonly headingPath?: string;
}

/** A span before trimming, with the headings above it where these were looked for. */
interface Piece extends Span {
  readonly headingPath?: string;
}

/**
 * The passages of a text in order, made one by one so that long texts can be cut in steps.
 * Without overlap every character that is not whitespace is in exactly one passage; with overlap in
 * at least one. Takes time linear in the text (times the share of overlap).
 *
 * @throws ParallaxError `bad-config` when the overlap is not smaller than the size
 * @throws ParallaxError `bad-argument` when a split by tokens comes without a tokenizer
 */
export function* eachPassage(text: string, spec: SplitSpec, tools: SplitTools = {}): Generator<SplitPassage> {
  const index = new LineIndex(text);
  let coveredTo = 0;
  for (const { headingPath, ...piece } of piecesOf(text, spec, tools)) {
    const span = trimSpan(text, piece);
    // A window that moved on by whitespace, or within one character of several tokens, holds nothing new.
    if (!span || span.end <= coveredTo) continue;
    coveredTo = span.end;
    const passage = { text: text.slice(span.start, span.end), span, lines: index.linesOf(span) };
    yield headingPath ? { ...passage, headingPath } : passage;
  }
}

/**
 * Whether a text is at most `factor` times as long as one passage of this split may be.
 * Stops counting as soon as it is longer.
 */
export function fitsOnePassage(text: string, spec: SplitSpec, tools: SplitTools, factor: number): boolean {
  if (spec.type === 'none') return true;
  const limit = factor * (spec.type === 'headings' ? spec.maxWords : spec.size);
  if (spec.type === 'headings' || spec.type === 'words') return hasAtMostWords(text, limit);
  const iterator = unitsOf(text, spec, tools)[Symbol.iterator]();
  for (let count = 0; count <= limit; count++) if (iterator.next().done) return true;
  return false;
}

function* piecesOf(text: string, spec: SplitSpec, tools: SplitTools): Generator<Piece> {
  switch (spec.type) {
    case 'none':
      yield { start: 0, end: text.length };
      return;
    case 'headings':
      for (const section of sectionsOf(text))
        for (const span of windows(wordsOf(text, section), spec.maxWords, 0))
          yield { ...span, headingPath: section.path };
      return;
    case 'words':
    case 'tokens':
    case 'sentences':
      checkOverlap(spec);
      yield* windows(unitsOf(text, spec, tools), spec.size, spec.overlap);
  }
}

type WindowSpec = Extract<SplitSpec, { size: number }>;

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
