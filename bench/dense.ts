/**
 * Dense retrieval: `node bench/dense.ts [--json]`.
 *
 * The exact scan is timed in turns with plain JavaScript loops with four accumulators over the same vectors in the same
 * run; the graph's recall is relative to the exact scan. Vectors are a seeded mixture of clusters on the unit sphere.
 * The ratio of the fastest runs counts, because medians include other work of the machine. Exit code 1 if it is below
 * 4.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DenseIndex } from '../src/engine/dense/dense-index.ts';
import { HashingEmbedder } from '../src/engine/embedders/hashing-embedder.ts';
import { seededRandom } from './support/random.ts';
import { percentiles, seconds, table, times } from './support/report.ts';
import { SyntheticCorpus } from './support/synthetic-corpus.ts';
import { appendAll, clusteredVectors, plainTop, rowOf } from './support/vectors.ts';

const ROWS = 100_000;
const GRAPH_ROWS = 20_000;
const DIMENSIONS = 384;
const DEPTH = 10;
const QUERIES = 100;
const REPEATS = 150;
const WANTED_RATIO = 4;
const PASSAGES = 20_000;

const live = { count: ROWS, has: () => true };
const random = seededRandom(42);

const folder = await mkdtemp(join(tmpdir(), 'parallax-bench-'));
try {
  const result = { scan: await benchScan(), graph: await benchGraph(), hashing: await benchHashing() };
  const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
  console.log(options.json ? JSON.stringify(result) : report(result));
  if (result.scan.ratio < WANTED_RATIO) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

interface Figures {
  readonly scan: Awaited<ReturnType<typeof benchScan>>;
  readonly graph: Awaited<ReturnType<typeof benchGraph>>;
  readonly hashing: Awaited<ReturnType<typeof benchHashing>>;
}

async function benchScan() {
  const vectors = clusteredVectors(ROWS, DIMENSIONS, random);
  const path = join(folder, 'scan');
  const index = await DenseIndex.open(path, { key: 'bench' });
  const appended = await seconds(() => appendAll(index, vectors, DIMENSIONS));
  const kernel: number[] = [];
  const loops: number[] = [];
  for (let i = 0; i < REPEATS; i++) {
    const query = rowOf(vectors, Math.floor(random() * ROWS), DIMENSIONS);
    let found = { hits: [] as { item: number }[] };
    kernel.push(
      await seconds(async () => (found = await index.search(query, { depth: DEPTH, live, search: 'exact' }))),
    );
    let expected: number[] = [];
    loops.push(await seconds(() => (expected = plainTop(vectors, query, DEPTH))));
    if (found.hits[0]?.item !== expected[0]) throw new Error('The scan and the plain loops disagree.');
  }
  await index.close();
  let again: DenseIndex | undefined;
  const reopened = await seconds(async () => (again = await DenseIndex.open(path, { key: 'bench' })));
  await again?.close();
  const bytes = vectors.byteLength;
  return {
    rows: ROWS,
    dimensions: DIMENSIONS,
    kernelMs: milliseconds(kernel),
    plainLoopsMs: milliseconds(loops),
    ratio: Math.min(...loops) / Math.min(...kernel),
    medianRatio: percentiles(loops).p50 / percentiles(kernel).p50,
    appendedMBs: bytes / appended / 1e6,
    reopenMs: reopened * 1000,
  };
}

async function benchGraph() {
  const vectors = clusteredVectors(GRAPH_ROWS, DIMENSIONS, random);
  const index = await DenseIndex.open(join(folder, 'graph'), { key: 'bench' });
  await appendAll(index, vectors, DIMENSIONS);
  const built = await seconds(() => index.prepareGraph(live));
  const queries = clusteredVectors(QUERIES, DIMENSIONS, random);
  const took: number[] = [];
  for (let i = 0; i < QUERIES; i++)
    took.push(
      await seconds(() =>
        index.search(rowOf(queries, i, DIMENSIONS), { depth: DEPTH, live, search: 'approximate', ef: 100 }),
      ),
    );
  const recall = {
    ef16: await recallOf(index, queries, 16),
    ef50: await recallOf(index, queries, 50),
    ef100: await recallOf(index, queries, 100),
  };
  await index.close();
  return {
    rows: GRAPH_ROWS,
    builtPerSecond: GRAPH_ROWS / built,
    queryMs: milliseconds(took),
    recall,
  };
}

/** The share of the exact top 10 that the graph finds, 0 to 1, averaged over the queries. */
async function recallOf(index: DenseIndex, queries: Float32Array, ef: number): Promise<number> {
  let found = 0;
  for (let i = 0; i < QUERIES; i++) {
    const query = rowOf(queries, i, DIMENSIONS);
    const exact = await index.search(query, { depth: DEPTH, live, search: 'exact' });
    const graph = await index.search(query, { depth: DEPTH, live, search: 'approximate', ef });
    const slots = new Set(graph.hits.map(({ item }) => item));
    found += exact.hits.filter(({ item }) => slots.has(item)).length;
  }
  return found / (QUERIES * DEPTH);
}

async function benchHashing() {
  const corpus = new SyntheticCorpus(1);
  const texts = Array.from({ length: PASSAGES }, () => corpus.passage());
  const embedder = new HashingEmbedder(DIMENSIONS);
  const took = await seconds(() => embedder.embedPassages(texts));
  return { passages: PASSAGES, passagesPerSecond: PASSAGES / took };
}

function milliseconds(taken: readonly number[]): { p50: number; p99: number; fastest: number } {
  const { p50, p99 } = percentiles(taken);
  return { p50: p50 * 1000, p99: p99 * 1000, fastest: Math.min(...taken) * 1000 };
}

function report({ scan, graph, hashing }: Figures): string {
  const row = (name: string, ms: ReturnType<typeof milliseconds>): string[] => [
    name,
    ...[ms.fastest, ms.p50, ms.p99].map((value) => value.toFixed(2)),
  ];
  return [
    table(
      [`top ${DEPTH} of ${DIMENSIONS} dimensions, ms`, 'fastest', 'p50', 'p99'],
      [
        row(`exact scan, ${scan.rows} rows`, scan.kernelMs),
        row(`plain JavaScript loops, ${scan.rows} rows`, scan.plainLoopsMs),
        row(`graph, ${graph.rows} rows, ef 100`, graph.queryMs),
      ],
    ),
    '',
    `scan against plain loops   ${times(scan.ratio)} (medians ${times(scan.medianRatio)})`,
    `vector file                ${scan.appendedMBs.toFixed(0)} MB/s appended, reopened in ${scan.reopenMs.toFixed(0)} ms`,
    `graph                      ${graph.builtPerSecond.toFixed(0)} rows/s built`,
    `  recall@10                ef 16 ${graph.recall.ef16.toFixed(3)}, ef 50 ${graph.recall.ef50.toFixed(3)}, ef 100 ${graph.recall.ef100.toFixed(3)}`,
    `hashing embedder           ${hashing.passagesPerSecond.toFixed(0)} passages/s`,
  ].join('\n');
}
