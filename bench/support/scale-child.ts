/**
 * Measures one size of `bench/scale.ts` in its own process, for its memory: indexes a corpus, queries the index and
 * adds to it. Writes its figures as one line of JSON.
 *
 *     node bench/support/scale-child.ts <folder with corpus.jsonl> <passages>
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DEFAULT_BM25, type DenseRetriever } from '../../src/core/pipeline.ts';
import { percentiles } from './report.ts';
import type { ReopenFigures, ScaleFigures } from './scale-figures.ts';
import { dense, DEPTH, measured, openIndex } from './scale-index.ts';
import { SyntheticCorpus } from './synthetic-corpus.ts';

const QUERIES = 60;
const WARM_UP = 10;
const UPDATE = 100;

const [folder, count] = [process.argv[2]!, Number(process.argv[3])];
const synthetic = new SyntheticCorpus(1);
const queries = Array.from({ length: QUERIES + WARM_UP }, () => synthetic.query());
const delays = monitorEventLoopDelay({ resolution: 1 });

writeFileSync(path.join(folder, 'more.jsonl'), record('first', synthetic.passage()));
delays.enable();
const index = await openIndex(folder);
const store = await measured(() => index.update({}));
const vectors = await measured(() => index.searches.dense('ready', dense('exact'), 1, {}));
delays.disable();
const peakBytes = process.resourceUsage().maxRSS * 1024;
const bm25Ms = await queryTimes((query) => index.searches.bm25(query, DEFAULT_BM25, DEPTH, {}));
const exactMs = await queryTimes((query) => index.searches.dense(query, dense('exact'), DEPTH, {}));
const residentBytes = process.memoryUsage.rss();
await index.searches.dense('ready', dense('int8'), 1, {});
const int8Ms = await queryTimes((query) => index.searches.dense(query, dense('int8'), DEPTH, {}));
const int8Recall = await recallOf(dense('int8'));
const int8Bytes = process.memoryUsage.rss();

for (let i = 0; i < UPDATE; i++)
  appendFileSync(path.join(folder, 'more.jsonl'), record(`new${i}`, synthetic.passage()));
const stored = await measured(() => index.update({}));
const added = index.slots().slice(-UPDATE);
const embedded = await measured(() => index.vectors('hashing', added, {}));
const update = { wallMs: stored.wallMs + embedded.wallMs, cpuMs: stored.cpuMs + embedded.cpuMs };
await index.close();

const figures: Omit<ScaleFigures, keyof ReopenFigures> = {
  passages: count,
  store,
  vectors,
  bm25Ms,
  exactMs,
  int8Ms,
  int8Recall,
  update,
  peakBytes,
  residentBytes,
  int8Bytes,
  diskBytes: await bytesOf(path.join(folder, 'index')),
  engineDelayMs: delays.max / 1e6,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);

function record(id: string, text: string): string {
  return `${JSON.stringify({ _id: id, text })}\n`;
}

/** Milliseconds of the queries after the first few. */
async function queryTimes(ask: (query: string) => Promise<unknown>) {
  const times: number[] = [];
  for (const query of queries) {
    const begun = performance.now();
    await ask(query);
    times.push(performance.now() - begun);
  }
  return percentiles(times.slice(WARM_UP));
}

/** The share of the exact top {@link DEPTH} that is found. */
async function recallOf(spec: DenseRetriever): Promise<number> {
  let [found, wanted] = [0, 0];
  for (const query of queries) {
    const exact = await index.searches.dense(query, dense('exact'), DEPTH, {});
    const slots = new Set((await index.searches.dense(query, spec, DEPTH, {})).hits.map(({ item }) => item));
    found += exact.hits.filter(({ item }) => slots.has(item)).length;
    wanted += exact.hits.length;
  }
  return found / wanted;
}

async function bytesOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(path.join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
