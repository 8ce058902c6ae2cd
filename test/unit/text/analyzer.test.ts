import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { analyze } from '../../../src/core/text/analyzer.ts';
import { ENGLISH_STOP_WORDS } from '../../../src/core/text/stop-words.ts';
import { fold, words } from '../../../src/core/text/words.ts';

const simple = (text: string): string[] => analyze(text, 'simple');

describe('english', () => {
  const english = (text: string): string[] => analyze(text, 'english');

  test('lower-cases, drops stop words, stems', () => {
    assert.deepEqual(english('The Vaccines were NOT causing the outbreaks.'), [
      'vaccin',
      'were',
      'caus',
      'outbreak',
    ]);
  });

  test('has the 33 stop words of Lucene', () => {
    assert.equal(ENGLISH_STOP_WORDS.size, 33);
    assert.deepEqual(english([...ENGLISH_STOP_WORDS].join(' ')), []);
  });

  test('removes the possessive before it checks for stop words', () => {
    assert.deepEqual(english("The dog's bowl; the dogs' bowl; it's"), ['dog', 'bowl', 'dog', 'bowl']);
    assert.deepEqual(english('the dog’s bowl'), ['dog', 'bowl'], 'typographic apostrophe');
  });

  test('keeps contractions', () => {
    assert.deepEqual(english("Don't we'll o’neil"), ["don't", "we'll", "o'neil"]);
  });
});

describe('simple', () => {
  test('keeps stop words, possessives and forms', () => {
    assert.deepEqual(simple("The dog's Vaccines"), ['the', "dog's", 'vaccines']);
  });

  test('splits at hyphens, underscores and punctuation in numbers', () => {
    assert.deepEqual(simple('state-of-the-art max_tokens 3.14 1,000 e-mail: a@b.org'), [
      ...['state', 'of', 'the', 'art', 'max', 'tokens', '3', '14', '1', '000', 'e', 'mail', 'a', 'b', 'org'],
    ]);
  });

  test('keeps ++ and # after a name in words', () => {
    assert.deepEqual(simple('C++ or C#? i++; F#.'), ['c', '++', 'or', 'c', '#', 'i', '++', 'f', '#']);
    assert.deepEqual(simple('# A title #, a+b, +++, a.md#part, ##'), [
      'a',
      'title',
      'a',
      'b',
      'a',
      'md',
      'part',
    ]);
    assert.deepEqual(analyze('The ++ of C++', 'english'), ['++', 'c', '++']);
  });

  test('finds no words in punctuation, symbols and emoji', () => {
    for (const text of ['', ' \n\t', '...', "''' ' ''", '— … “”', '👩‍👩‍👧 🎉', '\u0301'])
      assert.deepEqual(simple(text), [], text);
  });

  test('folds accents of Latin letters and compatibility forms, composed or not', () => {
    assert.deepEqual(simple('Café cafe\u0301 ZÜRICH naïve ﬁne ＡＢＣ x² İstanbul co\u00adoperate'), [
      ...['cafe', 'cafe', 'zurich', 'naive', 'fine', 'abc', 'x2', 'istanbul', 'cooperate'],
    ]);
  });

  test('keeps marks that distinguish letters of other scripts', () => {
    assert.notDeepEqual(simple('мой'), simple('мои'));
    assert.notDeepEqual(simple('が'), simple('か'));
    assert.deepEqual(simple('ПРИВЕТ Мир'), ['привет', 'мир']);
    assert.deepEqual(simple('हिन्दी भाषा'), ['हिन्दी', 'भाषा']);
  });

  test('returns pairs of letters for scripts without spaces', () => {
    assert.deepEqual(simple('東京都'), ['東京', '京都']);
    assert.deepEqual(simple('猫'), ['猫']);
    assert.deepEqual(simple('ﾃｽﾄ'), ['テス', 'スト'], 'half-width katakana');
    assert.deepEqual(simple('ที่นี่'), ['ที่นี่'], 'Thai marks stay with their letter');
    assert.deepEqual(simple('iPhone手机壳2024'), ['iphone', '手机', '机壳', '2024']);
    assert.deepEqual(simple("手's 机"), ['手', 's', '机']);
    assert.deepEqual(simple("手'机 abc'手"), ['手', '机', 'abc', '手']);
  });
});

describe('auto', () => {
  const auto = (text: string): string[] => analyze(text, 'auto');

  test('has the terms of english for prose', () => {
    const text = 'The C++ programs of McDonald’s were NOT typed: 3D PDFs, APIs, an e-mail.';
    assert.deepEqual(
      auto(text.replace('McDonald', 'Mary')),
      analyze(text.replace('McDonald', 'Mary'), 'english'),
    );
  });

  test('finds a name in code whole and by its parts', () => {
    assert.deepEqual(auto('fooBar'), ['foobar', 'foo', 'bar']);
    assert.deepEqual(auto('foo_bar'), ['foo', 'bar', 'foobar']);
    assert.deepEqual(auto('HTTPServer'), ['httpserver', 'http', 'server']);
    assert.deepEqual(auto('__init_fooBar__'), ['init', 'foobar', 'foo', 'bar', 'initfoobar']);
    assert.deepEqual(auto('GROWN_UP'), ['grown', 'up', 'grownup']);
    assert.deepEqual(auto('élanVital'), ['elanvit', 'elan', 'vital']);
  });

  test('splits no encoded data', () => {
    const data = 'aB'.repeat(5000);
    assert.equal(auto(data).length, 1);
  });
});

describe('whitespace', () => {
  test('splits at single spaces only, as Python does', () => {
    assert.deepEqual(analyze('Hello There,\nMan!', 'whitespace'), ['Hello', 'There,\nMan!']);
    assert.deepEqual(analyze(' a  b ', 'whitespace'), ['', 'a', '', 'b', '']);
    assert.deepEqual(analyze('', 'whitespace'), ['']);
  });
});

test('folding is idempotent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const folded = words(fold(text));
      assert.deepEqual(words(fold(folded.join(' '))), folded);
    }),
  );
});
