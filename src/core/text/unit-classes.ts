/**
 * The context-free part of word splitting, as a table over UTF-16 code units. It lets an indexer scan most text without
 * a string per word. Texts with a {@link COMPLEX} unit or an operator (`hasOperators`) need the analyzer. Both return
 * the same words, as the table is derived from `fold`.
 */
import type { AnalyzerName } from './analyzer.ts';
import { fold } from './words.ts';

/** Values from 0 are the folded code unit of a letter or digit. */
export const SEPARATOR = -1;
/** Part of a word between two letters or digits, otherwise a separator. */
export const APOSTROPHE = -2;
/** Folds to several characters, is half of a surrogate pair, or depends on its neighbours. */
export const COMPLEX = -3;

const SPACE = 0x20;
/** Latin, Greek and Cyrillic letters, punctuation and symbols. These fold character by character. */
const SIMPLE_BLOCKS: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x24f],
  [0x370, 0x52f],
  [0x2000, 0x2bff],
];
/** Its lower case depends on whether it ends the word. */
const CAPITAL_SIGMA = 0x3a3;

/** Cached, as every segment of an index needs it. */
let wordClasses: Int32Array | undefined;

/** `[65536]`: the class of each code unit. Shared, so it must not be modified. */
export function unitClasses(analyzer: AnalyzerName): Int32Array {
  return analyzer === 'whitespace' ? spaceClasses() : (wordClasses ??= foldedClasses());
}

function spaceClasses(): Int32Array {
  const classes = Int32Array.from({ length: 0x10000 }, (_, unit) => unit);
  classes[SPACE] = SEPARATOR;
  return classes;
}

function foldedClasses(): Int32Array {
  const classes = new Int32Array(0x10000).fill(COMPLEX);
  for (const [first, last] of SIMPLE_BLOCKS)
    for (let unit = first; unit <= last; unit++) classes[unit] = classOf(unit);
  classes[CAPITAL_SIGMA] = COMPLEX;
  return classes;
}

function classOf(unit: number): number {
  const folded = fold(String.fromCharCode(unit));
  if (folded === "'") return APOSTROPHE;
  if (/^[\p{L}\p{N}]$/u.test(folded)) return folded.charCodeAt(0);
  const separates = folded !== '' && !/^\p{M}|[\p{L}\p{N}]/u.test(folded);
  return separates ? SEPARATOR : COMPLEX;
}
