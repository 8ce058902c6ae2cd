/**
 * Parallax's overhead on a store too large for one server: a table over two PostgreSQL servers (postgres_fdw) with an
 * HNSW index of pgvector on each half. Every query runs twice: as a program sends it (the same statement on an open
 * connection, with a ready vector), and through a pipeline of Parallax, which also computes the vector, checks every
 * row and stores it as a passage. The order alternates. Each time is split into waiting for the server, which varies
 * between queries by more than the overhead, and the rest. Finally some queries run one at a time and concurrently, as
 * in an evaluation.
 *
 *   npm run bench -- postgres [--rows 1000000] [--queries 10000] [--dimensions 128] [--folder <kept between runs>]
 *
 * The text and its vectors (hashed words) are synthetic. Needs PostgreSQL with pgvector on this machine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { postgres, type PostgresRetriever } from '../src/core/external/stores/postgres.ts';
import { parsePipeline, type Pipeline } from '../src/core/pipeline.ts';
import { engineConfig } from '../src/cli/local-engine.ts';
import { createEmbedder } from '../src/engine/embedders/create.ts';
import { EngineState } from '../src/engine/engine-state.ts';
import { runPool } from '../src/engine/concurrency/bounded.ts';
import { embedderSchema, parseConfigJson } from '../src/shared/config.ts';
import { PostgresStatements } from '../src/engine/external/stores/postgres/postgres-statements.ts';
import { milliseconds, percentiles, table, thousands } from './support/report.ts';
import { SocketWait, type Spent } from './support/socket-wait.ts';
import { SyntheticCorpus } from './support/synthetic-corpus.ts';
import { connectTo, TABLE, TwoServers, type Row } from './support/two-servers.ts';

const K = 10;
/** The candidates of the pipeline, requested by both. */
const CANDIDATES = 100;
const WARM_UP = 50;
/** The number of questions sent in one way before the other's turn. */
const BLOCK = 100;
/** Background writes of Parallax are done after this time. */
const BACKGROUND_MS = 100;
const SEED = 1;
/** Sent one at a time and concurrently; half of them in either order. */
const SEVERAL = 500;
const AT_ONCE = 4;

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

const socket = new SocketWait();
const begun = performance.now();
const servers = await TwoServers.start(folder, rows, made);
say(
  `${thousands(rows)} rows of ${dimensions} dimensions on two servers, ready after ${((performance.now() - begun) / 1000).toFixed(0)} s`,
);
try {
  await measure(servers.port);
  await measureSeveral(servers.port);
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

interface Timed extends Spent {
  readonly ids: readonly string[];
}

/** The cost of some questions in one way. */
interface Asked {
  readonly timed: Timed[];
  /** Milliseconds of work of all threads of this process, including writes after the answers. */
  busy: number;
}

async function measure(port: number): Promise<void> {
  // Other words than those of the passages, of the same kind.
  const texts = Array.from({ length: WARM_UP + queries }, () => corpus.query());
  const [parallax, program] = [await openParallax(port), await openProgram(port)];
  const asked = { program: newlyAsked(), parallax: newlyAsked() };
  const ways = [
    { way: program, into: asked.program },
    { way: parallax, into: asked.parallax },
  ];
  try {
    for (const { way } of ways) await askAll(way, texts.slice(0, WARM_UP), newlyAsked());
    for (let from = WARM_UP, turn = 0; from < texts.length; from += BLOCK, turn++)
      for (const { way, into } of turn % 2 === 0 ? ways : ways.toReversed())
        await askAll(way, texts.slice(from, from + BLOCK), into);
    report(asked.program, asked.parallax);
  } finally {
    await parallax.close();
    await program.close();
  }
}

async function measureSeveral(port: number): Promise<void> {
  const texts = Array.from({ length: SEVERAL }, () => corpus.query());
  const halves = [texts.slice(0, SEVERAL / 2), texts.slice(SEVERAL / 2)];
  const parallax = await openParallax(port);
  const seconds = new Map([1, AT_ONCE].map((atOnce) => [atOnce, 0]));
  try {
    await runPool(WARM_UP, AT_ONCE, undefined, async () => {
      await parallax.ask({ text: corpus.query() });
    });
    for (const [turn, half] of halves.entries())
      for (const atOnce of turn === 0 ? [1, AT_ONCE] : [AT_ONCE, 1]) {
        const before = performance.now();
        await runPool(half.length, atOnce, undefined, async (place) => {
          await parallax.ask({ text: half[place]! });
        });
        seconds.set(atOnce, seconds.get(atOnce)! + (performance.now() - before) / 1000);
      }
  } finally {
    await parallax.close();
  }
  for (const [atOnce, took] of seconds)
    say(`${SEVERAL} queries through Parallax, ${atOnce} at once: ${took.toFixed(1)} s`);
}

function newlyAsked(): Asked {
  return { timed: [], busy: 0 };
}

/** Waits for background work at the end, so that it does not slow the next questions. */
async function askAll(way: Searched, texts: readonly string[], into: Asked): Promise<void> {
  const queries: Query[] = [];
  for (const text of texts) queries.push({ text, vector: await embedder.embedQuery(text) });
  const before = process.cpuUsage();
  for (const query of queries) into.timed.push(await timed(() => way.ask(query)));
  await delay(BACKGROUND_MS);
  const { user, system } = process.cpuUsage(before);
  into.busy += (user + system) / 1000;
}

async function timed(ask: () => Promise<readonly string[]>): Promise<Timed> {
  socket.begin();
  const ids = await ask();
  return { ...socket.end(), ids };
}

interface Query {
  readonly text: string;
  readonly vector: Float32Array;
}

interface Searched<Q = Query> {
  /** @returns the ids, best first */
  ask(query: Q): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Like a program: its settings once, then the statement that Parallax sends, with a ready vector. */
async function openProgram(port: number): Promise<Searched> {
  const client = await connectTo(port);
  await client.query(`SET hnsw.ef_search = ${CANDIDATES}`);
  await client.query('SET hnsw.iterative_scan = strict_order');
  const statements = new PostgresStatements(storeAt(port), pg.escapeIdentifier);
  const facts = { idType: 'bigint', about: [] };
  return {
    ask: async ({ vector }) => {
      const { text, values } = statements.nearest(vector, CANDIDATES, 'vector', facts);
      const found = await client.query<{ key: string }>({ text, values: [...values] });
      return found.rows.map(({ key }) => key);
    },
    close: () => client.end(),
  };
}

function storeAt(port: number): PostgresRetriever {
  return postgres.schema.parse({
    type: 'postgres',
    port,
    database: 'postgres',
    user: 'postgres',
    table: TABLE,
    embedder: 'hashed',
  });
}

async function openParallax(port: number): Promise<Searched<Pick<Query, 'text'>>> {
  const store = storeAt(port);
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
    ask: async ({ text }) => {
      const { hits } = await index.search(pipeline, { text, perspectives: [] }, CANDIDATES, services);
      return hits.map(({ item }) => index.passageId(item));
    },
    close: async () => {
      await state.close();
      rmSync(place, { recursive: true });
    },
  };
}

function report(program: Asked, parallax: Asked): void {
  const rowOf = (name: string, { timed }: Asked, of: (one: Timed) => number): string[] => {
    const times = timed.map(of);
    const { p50, p99 } = percentiles(times);
    const total = times.reduce((sum, time) => sum + time, 0);
    return [name, ...[total / times.length, p50, p99].map(milliseconds), `${(total / 1000).toFixed(1)} s`];
  };
  const ways = [
    { name: 'the statement alone', asked: program },
    { name: 'through Parallax', asked: parallax },
  ];
  say(
    table(
      ['milliseconds a query', 'mean', 'p50', 'p99', 'total'],
      ways.flatMap(({ name, asked }) => [
        rowOf(`${name}, until the answer is there`, asked, ({ all }) => all),
        rowOf('  of it in this process, at least', asked, ({ atLeast }) => atLeast),
        rowOf('  of it in this process, at most', asked, ({ atMost }) => atMost),
      ]),
    ),
  );
  for (const { name, asked } of ways)
    say(
      `${name}: ${milliseconds(asked.busy / asked.timed.length)} ms of processor time a query, in all threads, with what is done after the answers`,
    );
  const same = program.timed.filter(({ ids }, at) => ids.join() === parallax.timed[at]!.ids.join()).length;
  say(
    `the same ${CANDIDATES} rows in the same order for ${thousands(same)} of ${thousands(queries)} queries`,
  );
}
