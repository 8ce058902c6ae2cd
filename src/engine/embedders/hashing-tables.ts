/**
 * Tables of characters and words for the hashing encoder. Its kernels read a text as the UTF-16 code units of its
 * words, in lower case and in Unicode's composed form (NFC), with a separator for every unit between them.
 */

/** The number of code units, and of entries in a table of them. */
const UNITS = 0x10000;
/** Units that are processed together: most blocks have no character with a lower case. */
const BLOCK = 0x100;
const SEPARATOR = '\u0001';

/** Letters, marks, digits, and everything beyond the basic plane are parts of words. This is the rest. */
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}\p{Cs}]/gu;
/** Marks, and the parts of Korean syllables, compose with their neighbours. A sigma may be the last of its word. */
const DEPENDS_ON_NEIGHBOURS = /[\p{M}\p{Cs}\u1100-\u11ffΣ]/u;

export const STOP_WORDS =
  'a about after all also an and any are as at be because been before but by can could did do does for from had ' +
  'has have he her his how i if in into is it its more most no not of on only or other our out over she should so ' +
  'some such than that the their them then there these they this those to up was we were what when where which who ' +
  'why will with would you your';

export interface UnitTables {
  /** `[65536]` the replacement of each unit of any text. 0 if its neighbours, or more than one unit, decide. */
  readonly any: Uint16Array;
  /** `[65536]` the replacement of each unit of a text that {@link normalized} returned. */
  readonly normalized: Uint16Array;
}

/** The text in the form for comparing words: lower case, with accents composed. */
export function normalized(text: string): string {
  return text.toLowerCase().normalize('NFC');
}

let tables: UnitTables | undefined;

/** Computed once, in some milliseconds. */
export function unitTables(): UnitTables {
  if (tables) return tables;
  const forNormalized = tableOf((block) => codes(block.replace(BETWEEN_WORDS, SEPARATOR)));
  const forAny = tableOf((block, first) =>
    isSettled(block)
      ? forNormalized.subarray(first, first + BLOCK)
      : Array.from({ length: BLOCK }, (_, i) => unitOfAny(block.charAt(i), forNormalized)),
  );
  return (tables = { any: forAny, normalized: forNormalized });
}

/** @param entries computes those of a block of units, given with the first of them */
function tableOf(entries: (block: string, first: number) => ArrayLike<number>): Uint16Array {
  const table = new Uint16Array(UNITS);
  for (let first = 0; first < UNITS; first += BLOCK)
    table.set(
      entries(String.fromCharCode(...Array.from({ length: BLOCK }, (_, i) => first + i)), first),
      first,
    );
  return table;
}

function unitOfAny(unit: string, forNormalized: Uint16Array): number {
  const alone = normalized(unit);
  const decided =
    alone.length === 1 && !DEPENDS_ON_NEIGHBOURS.test(unit) && !DEPENDS_ON_NEIGHBOURS.test(alone);
  return decided ? forNormalized[alone.charCodeAt(0)]! : 0;
}

/** Whether normalising changes no unit of the block, whatever its neighbours are. */
function isSettled(block: string): boolean {
  return !DEPENDS_ON_NEIGHBOURS.test(block) && normalized(block) === block;
}

function codes(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
}
