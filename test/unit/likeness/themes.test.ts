import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { groupsOf } from '../../../src/core/likeness/groups.ts';
import { distinguishingTerms } from '../../../src/core/likeness/terms.ts';
import { themePlaces, themesOf } from '../../../src/core/likeness/themes.ts';
import { similarityMatrix } from '../../../src/core/rerank/similarity.ts';

const NAMING = { frequencies: { passages: 10_000, having: () => 10 }, question: '' };

/** Cosines of passages: 0.9 within a group, 0.1 between groups. */
function blocks(groupOf: readonly number[]): Float64Array {
  return Float64Array.from(
    groupOf.flatMap((a, row) => groupOf.map((b, column) => (row === column ? 1 : a === b ? 0.9 : 0.1))),
  );
}

const placesOf = (groupOf: readonly number[], group: number): number[] =>
  groupOf.flatMap((own, place) => (own === group ? [place] : []));

test('finds separate groups with their passages in order', () => {
  const groupOf = [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 3, 3, 3];
  const { groups, apart } = groupsOf(blocks(groupOf), groupOf.length);
  assert.deepEqual(
    groups,
    [0, 1, 2, 3].map((group) => placesOf(groupOf, group)),
  );
  assert.ok(apart > 0.8);
});

test('fewer than eight passages are one group', () => {
  assert.deepEqual(groupsOf(new Float64Array(), 0), { groups: [], apart: 0 });
  assert.deepEqual(groupsOf(blocks([0, 0, 0, 1, 1, 1, 1]), 7), { groups: [[0, 1, 2, 3, 4, 5, 6]], apart: 0 });
});

test('equal passages still make a grouping', () => {
  const { groups } = groupsOf(blocks(Array<number>(12).fill(0)), 12);
  assert.deepEqual(
    groups.flat().sort((a, b) => a - b),
    Array.from({ length: 12 }, (_, place) => place),
  );
});

const vectors = fc
  .integer({ min: 8, max: 30 })
  .chain((n) =>
    fc
      .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: n * 3, maxLength: n * 3 })
      .map((values) => ({ n, cosines: similarityMatrix(Float32Array.from(values), n) })),
  );

test('every passage is in one of at most ten groups, reproducibly', () => {
  fc.assert(
    fc.property(vectors, ({ n, cosines }) => {
      const { groups, apart } = groupsOf(cosines, n);
      assert.deepEqual(
        groups.flat().sort((a, b) => a - b),
        Array.from({ length: n }, (_, place) => place),
      );
      assert.ok(groups.length >= 1 && groups.length <= Math.min(10, Math.floor(n / 4)));
      assert.ok(apart >= -1 && apart <= 1);
      assert.deepEqual(groupsOf(cosines, n).groups, groups);
    }),
  );
});

test('a group is named by what its passages have and others lack, in the most frequent spelling', () => {
  const buses = ['The buses leave late', 'A bus was late', 'buses and drivers', 'The buses stop'];
  const sleep = ['The clock of sleep', 'sleep late', 'A bus to sleep', 'sleep and clocks'];
  const [first, second] = distinguishingTerms([buses, sleep], { ...NAMING, count: 3 });
  assert.equal(first![0], 'buses');
  assert.equal(second![0], 'sleep');
  assert.equal(second![1], 'clock');
  // Both groups have it equally often, or it is in one passage only.
  for (const terms of [first!, second!])
    for (const word of ['the', 'drivers']) assert.ok(!terms.includes(word));
});

test('words of the question, function words, addresses, numbers and letters name no group', () => {
  const passages = Array<string>(3).fill(
    'panic x 42 https://example.org/abort, [some overflow](../guide/index.md) mailto:people@example.org very often ab',
  );
  const [terms] = distinguishingTerms([passages, ['other', 'other']], {
    ...NAMING,
    question: 'Why panics?',
    count: 5,
  });
  assert.deepEqual(terms, ['overflow']);
});

test('code names no group, but the parts of its names may', () => {
  const passages = Array<string>(3).fill('OAuth2 opens the `AsyncStream` of `read_all`');
  const [terms] = distinguishingTerms([passages, ['other', 'other']], { ...NAMING, count: 9 });
  assert.deepEqual(terms, ['async', 'oauth2', 'opens', 'read', 'stream']);
});

test('frequent terms of the corpus weigh less, in any language', () => {
  const passages = ['auch Schlaf', 'auch Schlaf', 'auch Schlaf'];
  const having = (term: string): number => (term === 'auch' ? 9_000 : 20);
  const [terms] = distinguishingTerms([passages, ['Bus', 'Bus']], {
    question: '',
    count: 2,
    frequencies: { passages: 10_000, having },
  });
  assert.deepEqual(terms, ['schlaf', 'auch']);
});

describe('a term of a group', () => {
  const others = ['other', 'other', 'other', 'other'];
  const termsOf = (passages: readonly string[], rest: readonly string[] = others, naming = {}): string[] =>
    distinguishingTerms([passages, rest], { ...NAMING, count: 5, ...naming })[0]!;

  test('is in a third of its passages, at least two, and not mainly in one', () => {
    const ten = ['rare', 'rare', 'usual', 'usual', 'usual', 'a1', 'a2', 'a3', 'a4', 'a5'];
    assert.deepEqual(termsOf(ten), ['usual']);
    assert.deepEqual(termsOf(['spam spam spam eggs', 'eggs']), ['eggs']);
  });

  test('is more common in it than in the others', () => {
    const late = (word: string): string[] => [`${word} late`, `${word} late`, word, word];
    assert.deepEqual(termsOf(late('alpha'), late('beta')), ['alpha']);
  });

  test('weighs by its share in the group, and less if others have it', () => {
    assert.deepEqual(termsOf(['gamma alpha', 'gamma alpha', 'alpha']), ['alpha', 'gamma']);
    const delta = ['gamma delta', 'gamma delta', 'gamma delta', 'alpha'];
    assert.deepEqual(termsOf(delta, ['gamma', 'beta', 'beta', 'beta']), ['delta', 'gamma']);
    assert.deepEqual(termsOf(['gamma alpha', 'gamma alpha', 'alpha'], others, { count: 1 }), ['alpha']);
  });

  test('is no better for being rarer than one passage in a hundred', () => {
    const having = (term: string): number => (term === 'zulu' ? 0 : 50);
    const frequencies = { passages: 10_000, having };
    assert.deepEqual(termsOf(['zulu bravo', 'zulu bravo'], others, { frequencies }), ['bravo', 'zulu']);
    const common = { passages: 10_000, having: (term: string) => (term === 'bravo' ? 5_000 : 2_000) };
    assert.deepEqual(termsOf(['zulu bravo', 'zulu bravo'], others, { frequencies: common }), [
      'zulu',
      'bravo',
    ]);
  });

  test('has its most frequent spelling, then the shorter, then by the alphabet', () => {
    assert.deepEqual(termsOf(['clocks', 'clock', 'clock']), ['clock']);
    assert.deepEqual(termsOf(['clock', 'clocks', 'clocks']), ['clocks']);
    assert.deepEqual(termsOf(['clocks', 'clock']), ['clock']);
    assert.deepEqual(termsOf(['argues', 'argued']), ['argued']);
  });
});

test('names groups in scripts without spaces', () => {
  const [terms] = distinguishingTerms(
    [
      ['睡眠 不足', '睡眠'],
      ['交通 バス', '交通'],
    ],
    { ...NAMING, count: 1 },
  );
  assert.deepEqual(terms, ['睡眠']);
});

test('themes are groups of three passages or more, largest first, with their central passage', () => {
  const groupOf = [1, 1, 1, 1, 0, 0, 0, 0, 0, 2, 2, 3, 3, 3, 3, 3];
  const texts = groupOf.map((group) => ['sleep', 'bus', 'lonely', 'sport'][group]!);
  const cosines = blocks(groupOf);
  const n = groupOf.length;
  // Place 6 is slightly more like the others of its group.
  for (const other of [4, 5, 7, 8]) cosines[6 * n + other] = cosines[other * n + 6] = 0.95;
  const { themes, rest, clear } = themesOf(cosines, texts, NAMING);
  assert.deepEqual(
    themes.map(({ terms, places, nearest }) => [terms, places, nearest]),
    [
      [['sleep'], [4, 5, 6, 7, 8], 6],
      [['sport'], [11, 12, 13, 14, 15], 11],
      [['bus'], [0, 1, 2, 3], 0],
    ],
  );
  assert.deepEqual(rest, [9, 10]);
  assert.equal(clear, true);
  assert.deepEqual(themePlaces(cosines, n), [
    [0, 1, 2, 3],
    [4, 5, 6, 7, 8],
    [11, 12, 13, 14, 15],
  ]);
});

test('three passages are a theme, and the result says whether themes are clearly separate', () => {
  const cosines = blocks([0, 0, 0, 0, 0, 1, 1, 1]);
  assert.deepEqual(themePlaces(cosines, 8), [
    [0, 1, 2, 3, 4],
    [5, 6, 7],
  ]);
  const same = Array<number>(12).fill(0);
  assert.equal(themesOf(blocks(same), Array<string>(12).fill('a'), NAMING).clear, false);
});

test('too few candidates have no themes', () => {
  const { themes, rest } = themesOf(blocks([0, 0, 0, 1]), ['a', 'b', 'c', 'd'], NAMING);
  assert.deepEqual([themes, rest], [[], [0, 1, 2, 3]]);
  assert.deepEqual(themePlaces(blocks([0, 0, 0, 1]), 4), []);
});
