import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { analyze, analyzer, type AnalyzerName } from '../../../src/core/text/analyzer.ts';
import { PassageAnalyzer } from '../../../src/engine/bm25/passage-analyzer.ts';
import { passageTerms } from '../../../src/engine/bm25/passage-terms.ts';
import { TermTable } from '../../../src/engine/bm25/term-table.ts';
import { wordOf } from './support.ts';

const ANALYZERS: AnalyzerName[] = ['english', 'simple', 'whitespace'];

class Reader {
  readonly #lexicon = new TermTable();
  readonly #analyzer: PassageAnalyzer;

  constructor(name: AnalyzerName) {
    this.#analyzer = new PassageAnalyzer(analyzer(name), this.#lexicon);
  }

  terms(text: string): string[] {
    return Array.from(this.#analyzer.analyze(text), (id) => wordOf(this.#lexicon, id));
  }
}

/** Letters of every kind that the table of simple units treats differently, close together. */
const trickyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..." '’-_.  aAbzZ09ßéÉİıΣςσйЙ½²™ªﬁ—…\0\n\u0301\u00ad\u200d\u200b\ufeff東京かがｶﾞ한🎉",
        "'s",
        'ing',
      ),
      fc.string({ unit: 'binary', maxLength: 2 }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

/** Words of several languages, and names in code. */
const mixedText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...['the', 'of', 'and', 'der', 'die', 'und', 'nicht', 'les', "l'eau", 'des', 'est', 'и', 'не', 'в'],
        ...['fooBar', 'HTTPServer', 'max_tokens', 'C++', 'Häuser', 'maisons', 'домами', 'running'],
      ),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(' '));

test('auto: returns the same terms as passageTerms, in the language of each text', () => {
  const reader = new Reader('auto');
  fc.assert(
    fc.property(fc.oneof(mixedText, trickyText), (text) => {
      assert.deepEqual(reader.terms(text), passageTerms(analyzer('auto'), text));
    }),
    { numRuns: 1500 },
  );
  assert.deepEqual(reader.terms('Die Schlüssel liegen nicht im Haus und nicht im Hof.'), [
    ...['die', 'schlussel', 'lieg', 'nicht', 'im', 'haus', 'und', 'nicht', 'im', 'hof', '\0german'],
  ]);
});

for (const name of ANALYZERS) {
  test(`${name}: returns the same terms as analyze, text by text`, () => {
    const reader = new Reader(name);
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 60 }), trickyText), (text) => {
        assert.deepEqual(reader.terms(text), analyze(text, name));
      }),
      { numRuns: 1500 },
    );
  });
}

test('every code unit alone and between letters', () => {
  for (const name of ANALYZERS) {
    const reader = new Reader(name);
    for (let unit = 0; unit <= 0xffff; unit++) {
      const letter = String.fromCharCode(unit);
      const text = `${letter} a${letter}b`;
      assert.deepEqual(reader.terms(text), analyze(text, name), `${name} U+${unit.toString(16)}`);
    }
  }
});

test('finds a word again after its tables have grown many times', () => {
  const reader = new Reader('simple');
  const words = Array.from({ length: 60_000 }, (_, i) => `w${i}`);
  assert.deepEqual(reader.terms(words.join(' ')), words);
  assert.deepEqual(reader.terms(words.toReversed().join(' ')), words.toReversed());
});

test('distinguishes words with the same hash', () => {
  const text = 'declinate macallums altarage zinke';
  const reader = new Reader('simple');
  assert.deepEqual(reader.terms(text), text.split(' '));
  assert.deepEqual(reader.terms(text), text.split(' '));
});

test('a text that exceeds the kept memory, and later texts', () => {
  const reader = new Reader('simple');
  const words = ['bridge', 'river', 'bridge'];
  const length = 8 << 20;
  assert.equal(reader.terms('river '.repeat(length / 6)).length, Math.floor(length / 6));
  assert.deepEqual(reader.terms(words.join(' ')), words);
});

test('a word of a million letters', () => {
  const word = 'x'.repeat(1 << 20);
  for (const name of ANALYZERS)
    assert.deepEqual(new Reader(name).terms(`${word} a1 ${word}`), analyze(`${word} a1 ${word}`, name));
});

test('a character that folds to several words', () => {
  const text = '\ufdfa '.repeat(2000);
  const terms = new Reader('simple').terms(text);
  assert.equal(terms.length, 8000);
  assert.deepEqual(terms, analyze(text, 'simple'));
});
