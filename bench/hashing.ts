/**
 * The hashing encoder: `npm run bench -- hashing [--json]`.
 *
 * Its kernels are timed in turns with the plain TypeScript that they must equal to the last bit
 * (test/engine/embedders/plain-hashing.ts, written for clarity, not speed), on synthetic passages of about 100 words.
 * The ratio of the medians of all turns counts. Exit code 1 if it is below 8 or a vector differs.
 */
import { parseArgs } from 'node:util';
import { HashingEncoder } from '../src/engine/embedders/hashing-encoder.ts';
import { plainEmbedding } from '../test/engine/embedders/plain-hashing.ts';
import { percentiles, seconds, table, times } from './support/report.ts';
import { SyntheticCorpus } from './support/synthetic-corpus.ts';

const DIMENSIONS = 384;
const PASSAGES = 2000;
/** Few, so that a turn is seldom interrupted. */
const PASSAGES_PER_TURN = 50;
const WARM_UP = 10;
const TURNS = 100;
const WANTED_RATIO = 8;

const corpus = new SyntheticCorpus(1);
const passages = Array.from({ length: PASSAGES }, () => corpus.passage());

const figures = [
  await compare('lower-case ASCII', (passage) => passage),
  await compare(
    'sentences with “quotes”',
    (passage) => `“${passage.replaceAll(/\b\w(?=\w{5})/g, upper)}” – it’s.`,
  ),
  await compare('with accents apart', (passage) => `${passage} cafe\u0301`),
  await compare('ideographs', (passage) => passage.replaceAll(/\w/g, ideograph)),
];
const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
console.log(options.json ? JSON.stringify(figures) : report());
if (figures.some(({ ratio }) => ratio < WANTED_RATIO)) process.exitCode = 1;

async function compare(name: string, change: (passage: string) => string) {
  const texts = passages.map(change);
  const encoder = new HashingEncoder(DIMENSIONS);
  const vector = new Float32Array(DIMENSIONS);
  const kernels: number[] = [];
  const plain: number[] = [];
  for (let turn = -WARM_UP; turn < TURNS; turn++) {
    const first = ((turn + WARM_UP) * PASSAGES_PER_TURN) % PASSAGES;
    const some = texts.slice(first, first + PASSAGES_PER_TURN);
    const took = await seconds(() => some.forEach((text) => encoder.embedInto(text, vector)));
    let expected: Float32Array = vector;
    const plainTook = await seconds(() =>
      some.forEach((text) => (expected = plainEmbedding(text, DIMENSIONS).vector)),
    );
    if (vector.some((value, i) => value !== expected[i])) throw new Error(`The vectors differ: ${name}.`);
    if (turn < 0) continue;
    kernels.push((took * 1e6) / PASSAGES_PER_TURN);
    plain.push((plainTook * 1e6) / PASSAGES_PER_TURN);
  }
  return {
    name,
    kernels: { fastest: Math.min(...kernels), median: percentiles(kernels).p50 },
    plain: { fastest: Math.min(...plain), median: percentiles(plain).p50 },
    ratio: percentiles(plain).p50 / percentiles(kernels).p50,
    fastestRatio: Math.min(...plain) / Math.min(...kernels),
  };
}

function upper(letter: string): string {
  return letter.toUpperCase();
}

function ideograph(letter: string): string {
  return String.fromCharCode(0x4e00 + letter.charCodeAt(0) * 31);
}

function report(): string {
  const print = (microseconds: number): string => microseconds.toFixed(1);
  return table(
    [`µs a passage, ${DIMENSIONS} dimensions`, 'kernels', 'fastest', 'plain', 'fastest', 'ratio', 'fastest'],
    figures.map(({ name, kernels, plain, ratio, fastestRatio }) => [
      name,
      ...[kernels.median, kernels.fastest, plain.median, plain.fastest].map(print),
      times(ratio),
      times(fastestRatio),
    ]),
  );
}
