import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { inOrder, locateEvidence } from '../../../src/core/judging/replies/evidence.ts';
import { neutralise } from '../../../src/core/judging/prompts/fence.ts';

const PASSAGE =
  'Cities differ. “Congestion charges cut traffic by 20%,” the report says; it doesn’t  say\nfor whom. 😀 Critics call them unfair. The café owners lost trade.';

/** The text under the spans. */
function located(passage: string, quote: string): string[] {
  return locateEvidence(passage, quote).map(({ start, end }) => passage.slice(start, end));
}

describe('locateEvidence', () => {
  const found: readonly [name: string, quote: string, expected: string][] = [
    ['letter by letter', 'Critics call them unfair', 'Critics call them unfair'],
    ['after a surrogate pair', 'critics call them unfair.', 'Critics call them unfair'],
    [
      'other quote marks and apostrophes',
      '"Congestion charges cut traffic by 20%," the report says; it doesn\'t',
      'Congestion charges cut traffic by 20%,” the report says; it doesn’t',
    ],
    ['other white space', "it doesn't say for whom", 'it doesn’t  say\nfor whom'],
    ['no accents', 'The cafe owners lost trade', 'The café owners lost trade'],
    ['accents as characters of their own', 'The cafe\u0301 owners', 'The café owners'],
    ['quote marks around it', '"Cities differ."', 'Cities differ'],
  ];
  for (const [name, quote, expected] of found)
    test(`finds: ${name}`, () => assert.deepEqual(located(PASSAGE, quote), [expected]));

  test('finds text despite hidden characters and neutralising', () => {
    const passage = 'They sup\u00adport <|im_end|> the p\u200blan\u3164 fully. Others do not.';
    const shown = neutralise(passage);
    assert.notEqual(shown, passage);
    assert.deepEqual(located(passage, shown.slice(0, shown.indexOf('.'))), [
      passage.slice(0, passage.indexOf('.')),
    ]);
  });

  test('covers a combining accent', () => {
    assert.deepEqual(located('To the cafe\u0301 we go.', 'the café'), ['the cafe\u0301']);
  });

  test('finds the parts of a shortened quotation', () => {
    for (const [before, between] of [
      ['', '...'],
      ['… ', '[…..]'],
    ] as const)
      assert.deepEqual(
        located(PASSAGE, `${before}Congestion charges cut traffic ${between} Critics call them unfair`),
        ['Congestion charges cut traffic', 'Critics call them unfair'],
      );
  });

  test('finds nothing if a part, or most of its words, is missing', () => {
    for (const quote of [
      'Congestion charges … make everybody glad',
      'Critics them call',
      'unfair unfair unfair unfair',
      'lacrilt mac hemt uniraf',
      'entirely other words here',
      '…',
    ])
      assert.deepEqual(located(PASSAGE, quote), [], quote);
    assert.deepEqual(located('Cats cats cats cats.', 'cats purr every day'), []);
    assert.deepEqual(located('a b c.', 'a c b'), [], 'three words are too few');
    assert.deepEqual(located('a b c d. A b c d.', 'a c b d'), ['a b c d.'], 'the first of equals');
    const [seven, ten] = ['a b c d e f g', 'a b c d e f g x y z'];
    assert.deepEqual(located(`${ten}.`, `${seven} h i j`), [`${ten}.`], 'seven tenths are enough');
  });

  test('a mark without a letter is not part of it', () => {
    assert.deepEqual(located('We go!\u0301 Now.', 'we go'), ['We go']);
  });

  test('adjacent parts stay separate, overlapping ones are joined', () => {
    const spans = (...all: [number, number][]) => inOrder(all.map(([start, end]) => ({ start, end })));
    assert.deepEqual(spans([2, 4], [0, 2]), [
      { start: 0, end: 2 },
      { start: 2, end: 4 },
    ]);
    assert.deepEqual(spans([0, 5], [0, 2], [4, 6]), [{ start: 0, end: 6 }]);
  });

  test('finds a sentence despite a typing error', () => {
    assert.deepEqual(
      located(
        'It rained. The new charge has cut the traffic in the city centre. Good.',
        'The new charge did cut the traffic in the city center',
      ),
      ['The new charge has cut the traffic in the city centre.'],
    );
  });

  test('finds two sentences despite errors', () => {
    assert.deepEqual(
      located(
        'Zero. One plain first sentence stands here. Two plain second sentences stand there. Three.',
        'One plain first sentence stood here. Two plain second sentences stood there.',
      ),
      ['One plain first sentence stands here. Two plain second sentences stand there.'],
    );
  });

  test('completes the last word of a quotation of four words or more', () => {
    assert.deepEqual(located(PASSAGE, 'Critics call them unf'), ['Critics call them unfair']);
    assert.deepEqual(located('we saw the car. We saw the cart.', 'we saw the car'), ['we saw the car']);
    assert.deepEqual(located('We saw the cart, then we saw the car.', 'we saw the car'), ['we saw the car']);
    assert.deepEqual(located(PASSAGE, 'call them unf'), [], 'three words are too few');
  });

  test('cuts no word in two, except in scripts without spaces', () => {
    assert.deepEqual(located('A notable party.', 'table'), []);
    assert.deepEqual(located('A notable table.', 'table'), ['table']);
    assert.deepEqual(located('我们应该支持这项政策。', '支持这项政策'), ['支持这项政策']);
    assert.deepEqual(located('我们支持ABC政策。', 'ABC政策'), ['ABC政策']);
    assert.deepEqual(located('我们支持ABC政策。', '支持ABC'), ['支持ABC']);
  });

  for (const quote of [
    '',
    ' ',
    '...',
    '"',
    'Something else entirely that the text never says',
    'Zebra',
    'call unfair',
  ])
    test(`finds nothing for ${JSON.stringify(quote)}`, () => assert.deepEqual(located(PASSAGE, quote), []));

  test('finds any run of words at its place (property)', () => {
    const word = fc.stringMatching(/^[a-z]{1,3}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.nat(), fc.nat(), (words, a, b) => {
        const first = a % words.length;
        const quote = words.slice(first, first + 1 + (b % (words.length - first)));
        const span = locateEvidence(words.join(' '), quote.join('\n').toUpperCase())[0]!;
        assert.ok(span.start <= words.slice(0, first).join(' ').length + 1);
        // Boundaries of words may differ, letters may not.
        assert.equal(words.join(' ').slice(span.start, span.end).replaceAll(' ', ''), quote.join(''));
      }),
    );
  });

  test('spans are within any text (property)', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(text, text, (passage, quote) => {
        for (const { start, end } of locateEvidence(passage, quote))
          assert.ok(start >= 0 && start < end && end <= passage.length);
      }),
    );
  });
});

test('inOrder sorts and merges what overlaps', () => {
  assert.deepEqual(
    inOrder([
      { start: 5, end: 9 },
      { start: 0, end: 3 },
      { start: 2, end: 4 },
      { start: 5, end: 9 },
    ]),
    [
      { start: 0, end: 4 },
      { start: 5, end: 9 },
    ],
  );
});
