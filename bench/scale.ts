/**
 * Cost as the corpus grows: one synthetic corpus (Zipf vocabulary of 200,000 words, passages of about 100 words,
 * seeded) at several sizes, through the real index, each size in a process of its own.
 *
 *     npm run bench -- scale [--sizes 1000,10000,100000,1000000] [--svg <file>] [--json]
 *
 * References in the same run, up to 100,000 passages: SQLite FTS5 for BM25, plain JavaScript loops for the scan.
 * At the default sizes the chart media/charts/scale.svg is written.
 * The editor's side is measured with the real client and a forked engine. Needs about 5 GB of disk at 1,000,000
 * passages, in a folder for temporary files that is removed at the end. Exit code 1 when a figure of the largest
 * size is over its limit; limits hold for 1,000,000 passages.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs, promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { parsePipeline } from '../src/core/pipeline.ts';
import { EngineClient } from '../src/extension/engine-process/engine-client.ts';
import { corpusSchema } from '../src/shared/config.ts';
import { seededRandom } from './support/random.ts';
import {
  megabytes,
  milliseconds,
  percentiles,
  seconds,
  table,
  thousands,
  timeEach,
  times,
} from './support/report.ts';
import { scaleChart } from './support/scale-chart.ts';
import type { ReopenFigures, ScaleFigures, ScaleReference, Step } from './support/scale-figures.ts';
import { SyntheticCorpus } from './support/synthetic-corpus.ts';
import { clusteredVectors, plainTop, rowOf } from './support/vectors.ts';

const SIZES = '1000,10000,100000,1000000';
/** The path of the chart of all these sizes, which docs/measured.md shows. */
const CHART = 'media/charts/scale.svg';
const SEED = 1;
const DIMENSIONS = 384;
const DEPTH = 10;
const LARGEST_REFERENCE = 100_000;
const REFERENCE_QUERIES = 20;
/** Passages that the engine indexes while the host's event loop is watched. */
const HOST_PASSAGES = 100_000;
const HOST_QUERIES = 50;
const WRITTEN_AT_A_TIME = 1 << 20;
/** Reports the longest block of its event loop on request. */
const IDLE_THREAD = `
  const delays = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const { parentPort } = require('node:worker_threads');
  parentPort.once('message', () => parentPort.postMessage(delays.max / 1e6));
`;

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: SIZES },
    svg: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const sizes = options.sizes
  .split(',')
  .map(Number)
  .sort((a, b) => a - b);
if (!sizes.every((size) => Number.isInteger(size) && size > 0))
  throw new Error('--sizes takes whole numbers.');

const folder = await mkdtemp(path.join(tmpdir(), 'parallax-bench-'));
try {
  const measured: ScaleFigures[] = [];
  for (const size of sizes) measured.push(await measure(size));
  const reference = await measureReference(Math.min(LARGEST_REFERENCE, sizes.at(-1)!));
  const host = await measureHost(Math.min(HOST_PASSAGES, sizes.at(-1)!));
  const chart = options.svg ?? (options.sizes === SIZES ? CHART : undefined);
  if (chart !== undefined) {
    await mkdir(path.dirname(chart), { recursive: true });
    await writeFile(chart, scaleChart(measured));
  }
  if (options.json) console.log(JSON.stringify({ machine: machine(), measured, reference, host }));
  else print(measured, reference, host);
  if (sizes.at(-1) === 1_000_000 && limits(measured.at(-1)!, host).some(({ value, most }) => value > most))
    process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** One size at a time, so that only the largest needs disk. */
async function measure(size: number): Promise<ScaleFigures> {
  const place = path.join(folder, String(size));
  await mkdir(place);
  await writeCorpus(path.join(place, 'corpus.jsonl'), size);
  const figures = {
    ...((await answerOf('scale-child.ts', place, String(size))) as ScaleFigures),
    ...(await measureReopening(place)),
  };
  await rm(place, { recursive: true });
  process.stderr.write(`${thousands(size)} passages: indexed in ${secondsOf(indexing(figures))} s\n`);
  return figures;
}

async function measureReopening(place: string): Promise<ReopenFigures> {
  const reopen = async (retriever: string): Promise<Step> =>
    (await answerOf('scale-reopen.ts', place, retriever)) as Step;
  return {
    reopenBm25: await reopen('bm25'),
    reopenDense: await reopen('dense'),
    reopenHybrid: await reopen('hybrid'),
  };
}

/** The output of a program of `support/`, which runs in its own process. */
async function answerOf(program: string, ...parameters: string[]): Promise<unknown> {
  const file = path.join(import.meta.dirname, 'support', program);
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...parameters]);
  return JSON.parse(stdout);
}

/** Streams, so that at most a megabyte of the corpus is in memory. */
async function writeCorpus(file: string, count: number): Promise<void> {
  const corpus = new SyntheticCorpus(SEED);
  const out = createWriteStream(file);
  for (let number = 0; number < count;) {
    let block = '';
    for (; number < count && block.length < WRITTEN_AT_A_TIME; number++)
      block += `${JSON.stringify({ _id: `p${number}`, text: corpus.passage() })}\n`;
    if (!out.write(block)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

async function measureReference(passages: number): Promise<ScaleReference> {
  const corpus = new SyntheticCorpus(SEED);
  const db = new DatabaseSync(path.join(folder, 'fts5.sqlite'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  db.exec(
    `CREATE VIRTUAL TABLE passages USING fts5(text, content='', contentless_delete=1, tokenize='porter unicode61')`,
  );
  const fts5BuildMs =
    1000 *
    (await seconds(() => {
      const insert = db.prepare('INSERT INTO passages (rowid, text) VALUES (?, ?)');
      db.exec('BEGIN');
      for (let row = 1; row <= passages; row++) insert.run(row, corpus.passage());
      db.exec('COMMIT');
    }));
  const select = db.prepare('SELECT rowid, rank FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT ?');
  const queries = Array.from({ length: REFERENCE_QUERIES }, () => corpus.query().split(' ').join(' OR '));
  const fts5QueryMs = percentiles(timeEach(queries, (query) => void select.all(query, DEPTH)));
  db.close();
  const vectors = clusteredVectors(passages, DIMENSIONS, seededRandom(SEED));
  const rows = queries.map((_, row) => rowOf(vectors, row % passages, DIMENSIONS));
  const plainScanMs = percentiles(timeEach(rows, (query) => void plainTop(vectors, query, DEPTH)));
  return { passages, fts5BuildMs, fts5QueryMs, plainScanMs };
}

/** The longest block of a thread while the engine indexed and searched. */
interface HostDelay {
  /** The thread in the role of the extension host. */
  readonly delayMs: number;
  /** An idle thread: the effect of other work of the machine. */
  readonly idleMs: number;
}

async function measureHost(passages: number): Promise<HostDelay> {
  const place = path.join(folder, 'host');
  await mkdir(place);
  await writeCorpus(path.join(place, 'corpus.jsonl'), passages);
  const corpus = {
    name: 'scale',
    base: place,
    config: corpusSchema.parse({ roots: ['corpus.jsonl'] }),
    excludeGlobs: [],
    store: path.join(place, 'index'),
  };
  const note = (message: string): void => void process.stderr.write(`${message}\n`);
  const client = new EngineClient({
    enginePath: path.join(import.meta.dirname, '../src/engine/main.ts'),
    config: () =>
      Promise.resolve({
        storage: path.join(place, 'storage'),
        base: place,
        trusted: true,
        corpora: [corpus],
        embedders: {},
        judges: {},
        keys: {},
        approximateAbove: 1_000_000_000,
      }),
    complete: () => Promise.reject(new Error('No judge is asked here.')),
    log: { info: () => undefined, warn: note, error: note },
    onState: () => undefined,
  });
  const synthetic = new SyntheticCorpus(SEED);
  const pipelines = ['bm25', 'dense'].map((type) => parsePipeline({ retriever: { type }, candidates: 100 }));
  const delays = monitorEventLoopDelay({ resolution: 1 });
  global.gc?.();
  const idle = new Worker(IDLE_THREAD, { eval: true });
  await once(idle, 'online');
  delays.enable();
  await client.request('index', { corpus: 'scale', rebuild: false });
  for (const pipeline of pipelines)
    for (let i = 0; i < HOST_QUERIES; i++)
      await client.request('search', {
        corpus: 'scale',
        query: { id: `q${i}`, text: synthetic.query() },
        perspectives: [],
        pipeline,
      });
  delays.disable();
  client.dispose();
  idle.postMessage('done');
  const [idleMs] = (await once(idle, 'message')) as [number];
  return { delayMs: delays.max / 1e6, idleMs };
}

/** Both steps of indexing together. */
function indexing({ store, vectors }: ScaleFigures): Step {
  return { wallMs: store.wallMs + vectors.wallMs, cpuMs: store.cpuMs + vectors.cpuMs };
}

interface Limit {
  readonly what: string;
  readonly value: number;
  readonly most: number;
}

/** Limits for 1,000,000 passages on two cores; milliseconds and bytes. */
function limits(figures: ScaleFigures, host: HostDelay): Limit[] {
  const { bm25Ms, exactMs, update, reopenHybrid, peakBytes, residentBytes, int8Bytes } = figures;
  return [
    { what: 'index, ms', value: indexing(figures).wallMs, most: 60_000 },
    { what: 'memory, bytes', value: Math.max(peakBytes, residentBytes, int8Bytes), most: 3e9 },
    { what: 'reopen, ms', value: reopenHybrid.wallMs, most: 3_000 },
    { what: 'BM25 p50, ms', value: bm25Ms.p50, most: 15 },
    { what: 'exact dense p50, ms', value: exactMs.p50, most: 80 },
    { what: '+100 passages, ms', value: update.wallMs, most: 200 },
    { what: "host's event loop, ms", value: host.delayMs, most: 50 },
  ];
}

function print(measured: readonly ScaleFigures[], reference: ScaleReference, host: HostDelay): void {
  const row = (name: string, of: (figures: ScaleFigures) => string): string[] => [name, ...measured.map(of)];
  const both = ({ wallMs, cpuMs }: Step): string =>
    `${secondsOf({ wallMs, cpuMs })} (${(cpuMs / 1000).toFixed(1)})`;
  console.log(`${machine()}\n`);
  console.log(
    table(
      ['passages', ...measured.map(({ passages }) => thousands(passages))],
      [
        row('store and BM25, s (CPU s)', ({ store }) => both(store)),
        row('hashing vectors, s (CPU s)', ({ vectors }) => both(vectors)),
        row('index together, s (CPU s)', (figures) => both(indexing(figures))),
        row('passages/s', (figures) => thousands((1000 * figures.passages) / indexing(figures).wallMs)),
        row('BM25 query p50, ms', ({ bm25Ms }) => milliseconds(bm25Ms.p50)),
        row('exact dense p50, ms', ({ exactMs }) => milliseconds(exactMs.p50)),
        row('int8, rescored p50, ms', ({ int8Ms }) => milliseconds(int8Ms.p50)),
        row('int8 recall@10', ({ int8Recall }) => int8Recall.toFixed(4)),
        row(
          '+100 passages, ms (CPU ms)',
          ({ update: { wallMs, cpuMs } }) => `${milliseconds(wallMs)} (${milliseconds(cpuMs)})`,
        ),
        row('reopen to BM25 answer, s (CPU s)', ({ reopenBm25 }) => both(reopenBm25)),
        row('reopen to dense answer, s (CPU s)', ({ reopenDense }) => both(reopenDense)),
        row('reopen to hybrid answer, s (CPU s)', ({ reopenHybrid }) => both(reopenHybrid)),
        row('memory while indexing, MB', ({ peakBytes }) => megabytes(peakBytes)),
        row('memory with both, MB', ({ residentBytes }) => megabytes(residentBytes)),
        row('memory with int8, MB', ({ int8Bytes }) => megabytes(int8Bytes)),
        row('disk, MB', ({ diskBytes }) => megabytes(diskBytes)),
        row("engine's thread held, ms", ({ engineDelayMs }) => milliseconds(engineDelayMs)),
      ],
    ),
  );
  console.log(
    `\nThe extension host's event loop was held for ${milliseconds(host.delayMs)} ms at most ` +
      `(that of an idle thread meanwhile: ${milliseconds(host.idleMs)} ms).`,
  );
  printReference(measured, reference);
  if (sizes.at(-1) !== 1_000_000) return;
  for (const { what, value, most } of limits(measured.at(-1)!, host))
    console.log(`${value <= most ? 'within' : 'OVER  '}  ${what}: ${thousands(value)} of ${thousands(most)}`);
}

function printReference(measured: readonly ScaleFigures[], reference: ScaleReference): void {
  const same = measured.find(({ passages }) => passages === reference.passages);
  if (!same) return;
  const { fts5QueryMs, plainScanMs } = reference;
  console.log(
    `References at ${thousands(reference.passages)} passages: SQLite FTS5 query ${milliseconds(fts5QueryMs.p50)} ms ` +
      `(${times(fts5QueryMs.p50 / same.bm25Ms.p50)}), build ${(reference.fts5BuildMs / 1000).toFixed(1)} s; ` +
      `plain JavaScript scan ${milliseconds(plainScanMs.p50)} ms (${times(plainScanMs.p50 / same.exactMs.p50)}).`,
  );
}

function secondsOf({ wallMs }: Step): string {
  return (wallMs / 1000).toFixed(1);
}

function machine(): string {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, Node ${process.version}`;
}
