/** Packs whole sentences of a section into passages of a given size. */
import type { Span } from '../model.ts';
import { linesOf } from './lines.ts';
import { sentencesOf } from './sentences.ts';
import { windows } from './spans.ts';
import { hasAtMostWords, wordsOf } from './words.ts';

/** Passages may be this many times larger than their size, so that slightly longer texts stay whole. */
const LARGEST = 1.5;

/** Text that is not split if it fits into a passage. */
interface Unit extends Span {
  readonly words: number;
}

/**
 * Cuts a section into passages of similar length with about `size` words: between sentences, code blocks and lines of
 * code. Only longer pieces are cut between words.
 *
 * @param lines whether the section is code or data, which is cut between lines
 */
export function* packed(text: string, section: Span, size: number, lines = false): Generator<Span> {
  const content = text.slice(section.start, section.end);
  if (hasAtMostWords(content, size * LARGEST)) {
    yield { start: section.start, end: section.end };
    return;
  }
  const units = [...unitsOf(content, size, lines)];
  const total = units.reduce((sum, { words }) => sum + words, 0);
  const rows = Math.max(1, Math.round(total / size));
  for (const { start, end } of joined(units, total / rows, size * LARGEST))
    yield { start: section.start + start, end: section.start + end };
}

/**
 * Groups consecutive units. The n-th group ends as close as possible to n times the target, so that the last one is not
 * tiny.
 */
function* joined(units: readonly Unit[], target: number, largest: number): Generator<Span> {
  let row: { start: number; end: number; words: number } | undefined;
  let before = 0;
  let ended = 0;
  for (const { start, end, words } of units) {
    const isFull = row && (row.words + words > largest || before + words / 2 > target * (ended + 1));
    if (row && isFull) {
      yield row;
      row = undefined;
      ended++;
    }
    before += words;
    row = row ? { start: row.start, end, words: row.words + words } : { start, end, words };
  }
  if (row) yield row;
}

function* unitsOf(content: string, size: number, lines: boolean): Generator<Unit> {
  for (const block of lines ? [{ start: 0, end: content.length, isCode: true }] : blocksOf(content)) {
    if (block.isCode) yield* unitsOfCode(content, block, size);
    else
      for (const { start, end } of sentencesOf(content.slice(block.start, block.end)))
        yield* sized(content, { start: block.start + start, end: block.start + end }, size);
  }
}

/** Keeps a code block whole if it fits. */
function* unitsOfCode(content: string, block: Span, size: number): Generator<Unit> {
  const code = content.slice(block.start, block.end);
  if (hasAtMostWords(code, size * LARGEST)) {
    yield* sized(content, block, size);
    return;
  }
  for (const { start, next } of linesOf(code))
    yield* sized(content, { start: block.start + start, end: block.start + next }, size);
}

function* sized(content: string, span: Span, size: number): Generator<Unit> {
  const words = [...wordsOf(content, span)];
  if (words.length <= size * LARGEST) yield { ...span, words: words.length };
  else for (const part of windows(words, size, 0)) yield { ...part, words: size };
}

const FENCE = /^\s*(`{3,}|~{3,})/;

/** Alternating prose and fenced code. */
function* blocksOf(content: string): Generator<Span & { readonly isCode: boolean }> {
  let start = 0;
  let fence: string | undefined;
  for (const line of linesOf(content)) {
    const marker = FENCE.exec(content.slice(line.start, line.end))?.[1];
    if (marker === undefined) continue;
    if (fence === undefined) {
      if (line.start > start) yield { start, end: line.start, isCode: false };
      start = line.start;
      fence = marker;
    } else if (marker.startsWith(fence)) {
      yield { start, end: line.next, isCode: true };
      start = line.next;
      fence = undefined;
    }
  }
  if (start < content.length) yield { start, end: content.length, isCode: fence !== undefined };
}
