/**
 * The part of word splitting that needs no look at neighbouring characters, as a table over UTF-16 code
 * units. It lets an indexer scan most text without making a string per word; where a text contains a
 * {@link COMPLEX} unit or an operator (`hasOperators`), the analyzer itself has to be used. Both give the same words by construction: the
 * table is derived from `fold`.
 */
import type { AnalyzerName } from './analyzer.ts';
import { fold } from './words.ts';

/** Any value from 0 is the folded code unit of a letter or digit. */
export const SEPARATOR = -1;
/** Belongs to a word between two letters or digits, and separates elsewhere. */
export const APOSTROPHE = -2;
/** Folds to several characters, is part of a pair or depends on its neighbours. */
export const COMPLEX = -3;

const SPACE = 0x20;
/** Latin, Greek and Cyrillic letters; punctuation and symbols. In these, characters fold one by one. */
const SIMPLE_BLOCKS: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x24f],
  [0x370, 0x52f],
  [0x2000, 0x2bff],
];
/** Lower case depends on whether it ends the word. */
const CAPITAL_SIGMA = 0x3a3;

/** Made once, because every segment of an index asks for it. */
let wordClasses: Int32Array | undefined;

/** `[65536]`: the class of each code unit. Shared: not to be written to. */
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
