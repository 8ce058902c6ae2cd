import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { HashingEncoder } from '../../../src/core/embedding/hashing.ts';

const D = 384;
const encoder = new HashingEncoder(D);

function embed(text: string, dimensions = D): Float32Array {
  const vector = new Float32Array(dimensions);
  (dimensions === D ? encoder : new HashingEncoder(dimensions)).embedInto(text, vector);
  return vector;
}

function cosine(a: string, b: string): number {
  const other = embed(b);
  return embed(a).reduce((sum, value, i) => sum + value * other[i]!, 0);
}

test('every text gets a unit vector, the same each time and whatever came before', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.string(), (text, before) => {
      const vector = embed(text);
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
      embed(before);
      assert.deepEqual(embed(text), vector);
    }),
  );
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

test('shared words, inflections and phrases bring texts together, in this order of strength', () => {
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

test('a repeated word counts more than once and less than so many times', () => {
  const once = cosine('cars cities', 'cars');
  const thrice = cosine('cars cars cars cities', 'cars');
  assert.ok(thrice > once && thrice < 0.98);
});

test('languages without spaces are compared by parts of their sentences', () => {
  assert.ok(cosine('東京は日本の首都です', '日本の首都') > 0.35);
  assert.ok(Math.abs(cosine('東京は日本の首都です', '猫が好き')) < 0.3);
});

test('texts without words share one vector, which the caller is told', () => {
  const vector = new Float32Array(D);
  assert.equal(encoder.embedInto(' ?! ', vector), false);
  assert.deepEqual(vector, embed(''));
  assert.equal(encoder.embedInto('word', vector), true);
});

test('how often a word occurs is known however many other words there are', () => {
  const others = Array.from({ length: 600 }, (_, i) => `other${i}`).join(' ');
  const often = cosine(`${'cars '.repeat(1000)} ${others}`, 'cars');
  const once = cosine(`cars ${others}`, 'cars');
  assert.ok(often > once + 0.01, `${often} is not above ${once}`);
});

test('texts with very many different words are embedded in full', () => {
  const words = Array.from({ length: 20_000 }, (_, i) => `word${i}`);
  const long = words.join(' ');
  assert.ok(Math.abs(cosine(long, words.toReversed().join(' ')) - 1) < 0.4);
  assert.notDeepEqual(embed(long), embed(words.slice(0, 10_000).join(' ')));
  assert.ok(Math.abs(Math.hypot(...embed('x'.repeat(200_000))) - 1) < 1e-5);
});

test('dimensions may be few', () => {
  assert.equal(Math.abs(embed('cars', 1)[0]!), 1);
});
