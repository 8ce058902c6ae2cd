/**
 * Expensive foreign input: parts of a format repeated a hundred thousand times, nested or never closed. An input with
 * more than linear cost does not finish.
 */
import fc from 'fast-check';

/** Pieces that open without closing, separate, or are searched from every place. */
const PIECES = [
  ...['[', '{"a":', '(', '<', '<a b="', '<!--', '"', "'", '`', '```\n', '\\', '/*', '${', '{', '{a,', '**/'],
  ...[' ', '\t', '\n', '\r\n', '\u2028', '\u00a0', '# ', '> ', '- ', '* ', '1. ', '| ', '_', '*', '~', '!['],
  ...[
    'a',
    'é',
    '\ud800',
    '😀',
    '0',
    '9',
    '.',
    ',',
    ':',
    ';',
    '&',
    '&#',
    '=',
    '\0',
    '%',
    '%25',
    'a.',
    'a@',
    '://',
  ],
];
const CHARACTERS = [4_000, 30_000, 120_000];

/** @param examples that the parser accepts */
export function expensiveInputs(examples: readonly string[]): fc.Arbitrary<string> {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const part = fc.record({
    example: fc.constantFrom(...examples),
    start: share,
    length: fc.integer({ min: 1, max: 80 }),
  });
  const own = part.map(({ example, start, length }) => {
    const at = Math.floor(start * example.length);
    return example.slice(at, at + length) || ' ';
  });
  const piece = fc.oneof({ arbitrary: fc.constantFrom(...PIECES), weight: 3 }, { arbitrary: own, weight: 2 });
  return fc
    .record({
      pieces: fc.array(piece, { minLength: 1, maxLength: 2 }),
      characters: fc.constantFrom(...CHARACTERS),
      example: fc.constantFrom(...examples),
      at: share,
      second: fc.option(piece),
      alone: fc.boolean(),
      end: fc.constantFrom('', '\u2028', '!', '\n'),
    })
    .map(({ pieces, second, characters, example, at, alone, end }) => {
      const unit = pieces.join('');
      // Two halves, for input whose parts are compared with each other: rows with columns, rules with robots.
      const [first, rest] = second === null ? [characters, ''] : [characters / 2, second];
      const half = unit.repeat(Math.ceil(first / unit.length));
      const long = half + (rest === '' ? '' : `\n${`${rest}\n`.repeat(first / (rest.length + 1))}`) + end;
      const place = Math.floor(at * example.length);
      return alone ? long : example.slice(0, place) + long + example.slice(place);
    });
}

/** The same for parsers of bytes, with one character for each byte. @param examples one byte per character */
export function expensiveBytes(examples: readonly string[]): fc.Arbitrary<string> {
  return expensiveInputs(examples).map((text) =>
    // Characters of an example are bytes.
    [...text].every((character) => character.charCodeAt(0) < 256 && character.length === 1)
      ? text
      : Buffer.from(text).toString('latin1'),
  );
}
