/**
 * What Parallax adds to the time of a store that one server does not hold: a table over two PostgreSQL servers
 * (postgres_fdw) with an HNSW index of pgvector on each half. Every query is asked twice, once as a program asks it (one
 * statement on an open connection, with a vector that is ready) and once through a pipeline of Parallax, which also makes
 * the vector, checks every row and keeps it as a passage; which comes first takes turns.
 *
 *   npm run bench -- postgres [--rows 1000000] [--queries 10000] [--dimensions 128] [--folder <kept between runs>]
 *
 * The text and its vectors (hashed words) are made up. Needs PostgreSQL with pgvector on this machine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parsePipeline, type Pipeline } from '../src/core/pipeline.ts';
import { engineConfig } from '../src/cli/local-engine.ts';
import { createEmbedder } from '../src/engine/embedders/create.ts';
import { EngineState } from '../src/engine/engine-state.ts';
import { embedderSchema, parseConfigJson } from '../src/shared/config.ts';
import { milliseconds, percentiles, table, thousands } from './support/report.ts';
import { SyntheticCorpus } from './support/synthetic-corpus.ts';
import { connectTo, TABLE, TwoServers, type Row } from './support/two-servers.ts';

const K = 10;
/** What a pipeline considers, and what both ask for. */
const CANDIDATES = 100;
const WARM_UP = 50;
const SEED = 1;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    queries: { type: 'string', default: '10000' },
    dimensions: { type: 'string', default: '128' },
    folder: { type: 'string' },
  },
});
const [rows, queries, dimensions] = [Number(values.rows), Number(values.queries), Number(values.dimensions)];
const HASHING = embedderSchema.parse({ type: 'hashing', dimensions });
const embedder = createEmbedder('hashed', HASHING, { apiKey: undefined, baseDir: '.' });
const corpus = new SyntheticCorpus(SEED);
const folder = values.folder ?? mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const begun = performance.now();
const servers = await TwoServers.start(folder, rows, made);
say(
  `${thousands(rows)} rows of ${dimensions} dimensions on two servers, ready after ${((performance.now() - begun) / 1000).toFixed(0)} s`,
);
try {
  await measure(servers.port);
} finally {
  await servers.stop();
  if (values.folder === undefined) rmSync(folder, { recursive: true });
}

async function made(from: number, to: number): Promise<Row[]> {
  const texts = Array.from({ length: to - from }, () => corpus.passage());
  const vectors = await embedder.embedPassages(texts);
  return texts.map((text, index) => ({
    id: from + index,
    text,
    vector: vectors.subarray(index * dimensions, (index + 1) * dimensions),
  }));
}

/** Milliseconds: until the answer is there, and those in which this process did the work. */
interface Timed {
  readonly all: number;
  readonly busy: number;
  readonly ids: readonly string[];
}

interface Asked {
  readonly own: Timed;
  readonly parallax: Timed;
}

async function measure(port: number): Promise<void> {
  // Other words than those of the passages, of the same kind.
  const texts = Array.from({ length: WARM_UP + queries }, () => corpus.query());
  const parallax = await openParallax(port);
  const program = await openProgram(port);
  try {
    const asked: Asked[] = [];
    for (const [index, text] of texts.entries()) {
      const vector = await embedder.embedQuery(text);
      const ways = [() => program.ask(vector), () => parallax.ask(text)];
      const first = index % 2;
      const one = await timed(ways[first]!);
      const two = await timed(ways[1 - first]!);
      const [own, ours] = first === 0 ? [one, two] : [two, one];
      if (index >= WARM_UP) asked.push({ own, parallax: ours });
    }
    report(asked);
  } finally {
    await parallax.close();
    await program.close();
  }
}

async function timed(ask: () => Promise<readonly string[]>): Promise<Timed> {
  const [from, before] = [performance.now(), process.cpuUsage()];
  const ids = await ask();
  const { user, system } = process.cpuUsage(before);
  return { all: performance.now() - from, busy: (user + system) / 1000, ids };
}

interface Searched<Query> {
  /** @returns the ids, best first */
  ask(query: Query): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** As a program would: its settings once, then a statement for each query. */
async function openProgram(port: number): Promise<Searched<Float32Array>> {
  const client = await connectTo(port);
  await client.query(`SET hnsw.ef_search = ${CANDIDATES}`);
  await client.query('SET hnsw.iterative_scan = strict_order');
  const text = `SELECT id::text AS id, text, embedding <=> $1::vector AS distance FROM ${TABLE}
    ORDER BY embedding <=> $1::vector LIMIT ${CANDIDATES}`;
  return {
    ask: async (vector) => {
      const found = await client.query<{ id: string }>({ text, values: [`[${vector.join(',')}]`] });
      return found.rows.map(({ id }) => id);
    },
    close: () => client.end(),
  };
}

async function openParallax(port: number): Promise<Searched<string>> {
  const store = {
    type: 'postgres',
    port,
    database: 'postgres',
    user: 'postgres',
    table: TABLE,
    embedder: 'hashed',
  } as const;
  const pipeline: Pipeline = parsePipeline({ retriever: store, k: K, candidates: CANDIDATES });
  const config = parseConfigJson({ corpora: { articles: { store } } }).data!;
  const state = new EngineState(undefined, (message) => void process.stderr.write(`${message}\n`));
  const place = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
  const articles = {
    name: 'articles',
    base: place,
    config: config.corpora['articles']!,
    excludeGlobs: [],
    store: place,
  };
  const models = { embedders: { hashed: HASHING }, judges: {} };
  await state.configure(engineConfig({ base: place, storage: place, corpora: [articles], models }));
  const index = await state.corpora.get('articles');
  await index.update({});
  const services = state.current.servicesOf(index);
  return {
    ask: async (text) => {
      const { hits } = await index.search(pipeline, { text, perspectives: [] }, CANDIDATES, services);
      return hits.map(({ item }) => index.passageId(item));
    },
    close: async () => {
      await state.close();
      rmSync(place, { recursive: true });
    },
  };
}

function report(asked: readonly Asked[]): void {
  const rowOf = (name: string, of: (each: Asked) => number): string[] => {
    const times = asked.map(of);
    const { p50, p99 } = percentiles(times);
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    return [name, ...[mean, p50, p99].map(milliseconds)];
  };
  say(
    table(
      ['milliseconds', 'mean', 'p50', 'p99'],
      [
        rowOf('the statement alone', ({ own }) => own.all),
        rowOf('through Parallax', ({ parallax }) => parallax.all),
        rowOf('what Parallax adds', ({ own, parallax }) => parallax.all - own.all),
        rowOf('the statement, at work in this process', ({ own }) => own.busy),
        rowOf('what Parallax adds to that', ({ own, parallax }) => parallax.busy - own.busy),
      ],
    ),
  );
  const same = asked.filter(({ own, parallax }) => own.ids.join() === parallax.ids.join()).length;
  say(
    `the same ${CANDIDATES} rows in the same order for ${thousands(same)} of ${thousands(asked.length)} queries`,
  );
}
