import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import fc from 'fast-check';
import { embedByHashing } from '../../../src/engine/embedders/hashing-encoder.ts';

const D = 384;

function embed(text: string, dimensions = D): Float32Array {
  const vector = new Float32Array(dimensions);
  embedByHashing(text, vector);
  return vector;
}

function cosine(a: string, b: string): number {
  const other = embed(b);
  return embed(a).reduce((sum, value, i) => sum + value * other[i]!, 0);
}

test('every text gets a unit vector, independent of earlier texts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.string(), (text, before) => {
      const vector = embed(text);
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
      embed(before);
      assert.deepEqual(embed(text), vector);
    }),
  );
});

/** First bytes of the SHA-256 of the vectors. */
const GOLDEN: readonly [name: string, text: string, at64: string, at384: string][] = [
  [
    'a sentence',
    'Cities should ban cars; naïve drivers disagree. 東京',
    'f2fc9702d4a8182d',
    'f1c5cf3090bceb38',
  ],
  ['nothing', '', '7ad4e9e441bc8130', '7b7d7e81667443b6'],
  [
    'accents apart, a last sigma, characters beyond the basic plane, half a character',
    'Cafe\u0301 NOIR, ΟΔΟΣ İstanbul 😀 हिन्दी 각 \ud800 \0',
    'f184c5992b2e6ad0',
    'ff1822748135c8a6',
  ],
  ['one word of five million letters', 'x'.repeat(5_000_000), '70b1729da3acb859', '84814f18b0f9a046'],
  [
    'very many words',
    Array.from({ length: 300_000 }, (_, i) => `word${i}`).join(' '),
    'bd44cccc60e6506b',
    '301f8b356c4daf9a',
  ],
  ['two words again and again', 'the cars '.repeat(300_000), '781c2f23dd04d9ae', '2a643758e3255298'],
  ['a sentence without spaces', '東京は'.repeat(300_000), '1a24d19dc58db646', '1391ee173e2863ff'],
];

for (const [name, text, at64, at384] of GOLDEN)
  test(`vectors are the same as in version 1: ${name}`, () => {
    const hashes = [64, D].map((d) => createHash('sha256').update(embed(text, d)).digest('hex').slice(0, 16));
    assert.deepEqual(hashes, [at64, at384]);
  });

test('vectors are the same on every platform and in every version until HASHING_VERSION changes', () => {
  const vector = embed('Cities should ban cars; naïve drivers disagree. 東京', 16);
  assert.deepEqual(
    Array.from(vector, (value) => Number(value.toFixed(4))),
    EXPECTED,
  );
});
const EXPECTED = [
  0.4089, 0.0229, 0.3977, -0.0826, 0.0628, -0.4112, -0.0353, -0.5388, 0.0711, -0.0223, -0.2134, -0.1184,
  0.1774, 0.0272, 0.323, -0.0331,
];

test('shared words, inflections and phrases make texts similar, in this order of strength', () => {
  const query = 'electric cars pollute cities';
  const same = cosine(query, 'electric cars pollute cities');
  const reordered = cosine(query, 'cities pollute electric cars');
  const inflected = cosine(query, 'electrical car pollution city');
  const unrelated = cosine(query, 'vaccines protect young children');
  assert.ok(Math.abs(same - 1) < 1e-6);
  assert.ok(same > reordered && reordered > inflected && inflected > unrelated + 0.1);
  assert.ok(Math.abs(unrelated) < 0.2);
});

test('case and the form of accents do not matter; stop words hardly do', () => {
  assert.ok(cosine('Café NOIR', 'cafe\u0301 noir') > 0.999);
  assert.ok(cosine('the ban of the cars', 'ban cars') > 0.9);
  assert.ok(cosine('the and of it', 'ban cars') < 0.3);
});

test('a repeated word counts more than once, but less than its number of occurrences', () => {
  const once = cosine('cars cities', 'cars');
  const thrice = cosine('cars cars cars cities', 'cars');
  assert.ok(thrice > once && thrice < 0.98);
});

test('languages without spaces are compared by parts of sentences', () => {
  assert.ok(cosine('東京は日本の首都です', '日本の首都') > 0.35);
  assert.ok(Math.abs(cosine('東京は日本の首都です', '猫が好き')) < 0.3);
});

test('texts without words share one vector, which is reported', () => {
  const vector = new Float32Array(D);
  assert.equal(embedByHashing(' ?! ', vector), false);
  assert.deepEqual(vector, embed(''));
  assert.equal(embedByHashing('word', vector), true);
});

test('occurrences of a word are counted beside any number of other words', () => {
  const others = Array.from({ length: 600 }, (_, i) => `other${i}`).join(' ');
  const often = cosine(`${'cars '.repeat(1000)} ${others}`, 'cars');
  const once = cosine(`cars ${others}`, 'cars');
  assert.ok(often > once + 0.01, `${often} is not above ${once}`);
});

test('texts with very many different words are embedded completely', () => {
  const words = Array.from({ length: 20_000 }, (_, i) => `word${i}`);
  const long = words.join(' ');
  assert.ok(Math.abs(cosine(long, words.toReversed().join(' ')) - 1) < 0.4);
  assert.notDeepEqual(embed(long), embed(words.slice(0, 10_000).join(' ')));
  assert.ok(Math.abs(Math.hypot(...embed('x'.repeat(200_000))) - 1) < 1e-5);
});

test('dimensions may be few', () => {
  assert.equal(Math.abs(embed('cars', 1)[0]!), 1);
});
