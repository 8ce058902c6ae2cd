/**
 * Stores beyond one machine: the debate corpus on the embedded index, which is the reference, and on a real Chroma and
 * a real PostgreSQL (PGlite, which is compiled to WebAssembly and slower than a native one), each started for this run.
 * Prints how many queries have the same top 5, and the time of a query relative to the reference. Then the time of all
 * queries as in an evaluation, one at a time and concurrently, also with a server that takes 20 ms for each.
 *
 *   npm run bench -- stores
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseEvalSet } from '../src/core/formats/queries.ts';
import type { Query } from '../src/core/model.ts';
import { queriesAtOnce } from '../src/core/pipeline-needs.ts';
import { parsePipeline, type Pipeline, type PipelineInput } from '../src/core/pipeline.ts';
import { pipelineLabel } from '../src/core/pipeline-label.ts';
import { runPool } from '../src/engine/concurrency/bounded.ts';
import { Embedders } from '../src/engine/embedders/embedders.ts';
import { loadChroma, loadPostgres, withPostgres, type Loaded } from '../test/fixtures/stores/loading.ts';
import { startChroma, startPostgres } from '../test/fixtures/stores/real-servers.ts';
import { DEBATE, openDebate } from './support/debate.ts';
import { milliseconds, percentiles, seconds, table, times } from './support/report.ts';

const K = 5;
const AT_ONCE = [1, 4, 16];
const SLOW_MS = 20;

if (!existsSync(DEBATE)) {
  process.stderr.write(`${DEBATE} is absent: there is nothing to measure.\n`);
  process.exit(1);
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const read = (name: string): string => readFileSync(path.join(DEBATE, name), 'utf8');
const { queries } = parseEvalSet(read('queries.jsonl'), 'queries.jsonl');
const folder = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
const local = await openDebate(folder);
const chroma = await startChroma();
const postgres = await startPostgres();

try {
  await measure();
} finally {
  await local.close();
  await chroma.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true });
}

async function measure(): Promise<void> {
  const passages = await loadedPassages();
  say(`${passages.length} passages, ${queries.length} queries, hashing embeddings, top ${K}`);
  say(`loading Chroma ${(await seconds(() => loadChroma(chroma.port, 'debate', passages))).toFixed(1)} s`);
  say(
    `loading PostgreSQL ${(await seconds(() => loadPostgres(postgres.port, 'debate', passages))).toFixed(1)} s`,
  );
  await withPostgres(postgres.port, (client) =>
    client.query(`CREATE INDEX ON debate USING bm25 ("te""xt") WITH (text_config = 'english')`),
  );
  await compare({ type: 'dense', search: 'exact' }, [
    onChroma(),
    onPostgres({ embedder: 'hashing', exact: true }),
  ]);
  // A different BM25 with another analyzer: agreement is informative and not required.
  await compare({ type: 'bm25', k1: 1.2, b: 0.75 }, [onPostgres({ mode: 'bm25' })]);
  const slow = await startSlow(passages);
  await evaluated([onChroma(), { type: 'opensearch', url: slow.url, index: 'slow' }]);
  slow.stop();
}

type Retriever = PipelineInput['retriever'];

function onChroma(): Retriever {
  return {
    type: 'chroma',
    url: `http://127.0.0.1:${chroma.port}`,
    collection: 'debate',
    embedder: 'hashing',
  };
}

function onPostgres(extra: object): Retriever {
  return {
    type: 'postgres',
    port: postgres.port,
    database: 'postgres',
    user: 'postgres',
    table: 'debate',
    columns: { text: 'te"xt' },
    ...extra,
  };
}

async function loadedPassages(): Promise<Loaded[]> {
  const lines = read('corpus.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { _id: string; text: string });
  const embedder = await new Embedders({ embedders: {}, keys: {}, base: '.' }).get('hashing');
  const vectors = await embedder.embedPassages(lines.map(({ text }) => text));
  const dimensions = vectors.length / lines.length;
  return lines.map(({ _id: id, text }, index) => ({
    id,
    text,
    vector: vectors.subarray(index * dimensions, (index + 1) * dimensions),
  }));
}

/** All questions, as in an evaluation. */
async function evaluated(stores: readonly Retriever[]): Promise<void> {
  const rows: string[][] = [];
  for (const store of stores) {
    let alone: { readonly taken: number; readonly tops: string } | undefined;
    for (const connections of AT_ONCE) {
      const pipeline = pipelineOf({ ...store, connections } as Retriever);
      const tops: string[][] = [];
      await top(pipeline, queries[0]!);
      const taken = await seconds(() =>
        runPool(queries.length, queriesAtOnce(pipeline), undefined, async (place) => {
          tops[place] = await top(pipeline, queries[place]!);
        }),
      );
      alone ??= { taken, tops: JSON.stringify(tops) };
      const isSame = JSON.stringify(tops) === alone.tops;
      const label = `${pipelineLabel(pipeline)}, ${connections} at once`;
      rows.push([label, taken.toFixed(2), times(taken / alone.taken), isSame ? 'the same' : 'others']);
    }
  }
  say(`\n${table(['all questions', 's', 'ratio', 'passages'], rows)}`);
}

/** Answers like OpenSearch, with five passages from an offset that depends on the length of the question. */
async function startSlow(passages: readonly Loaded[]): Promise<{ readonly url: string; stop(): void }> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    const answer = async (): Promise<void> => {
      await delay(SLOW_MS);
      const from = body.length % (passages.length - K);
      const hits = passages
        .slice(from, from + K)
        .map(({ id, text }, place) => ({ _id: id, _score: K - place, _source: { text } }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ hits: { hits } }));
    };
    request.on('end', () => void answer());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => void server.close() };
}

interface Measured {
  readonly tops: readonly (readonly string[])[];
  readonly times: readonly number[];
}

async function compare(reference: Retriever, stores: readonly Retriever[]): Promise<void> {
  const ours = await searched(reference);
  const rows = [rowOf(reference, ours, ours)];
  for (const store of stores) rows.push(rowOf(store, await searched(store), ours));
  say(
    `\n${table(['retriever', 'same top 5', 'same set', 'shared of top 5', 'p50 ms', 'p99 ms', 'ratio'], rows)}`,
  );
}

function pipelineOf(retriever: Retriever): Pipeline {
  return parsePipeline({ retriever, k: K, candidates: K });
}

async function searched(retriever: Retriever): Promise<Measured> {
  const pipeline = pipelineOf(retriever);
  const tops: string[][] = [];
  const taken: number[] = [];
  // The first query prepares what the others need.
  await top(pipeline, queries[0]!);
  for (const query of queries) {
    const begun = performance.now();
    tops.push(await top(pipeline, query));
    taken.push(performance.now() - begun);
  }
  return { tops, times: taken };
}

async function top(pipeline: Pipeline, { text }: Query): Promise<string[]> {
  const query = { text, perspectives: [] };
  const { hits } = await local.corpus.search(pipeline, query, K, local.services);
  return hits.map(({ item }) => local.corpus.passageId(item));
}

function rowOf(retriever: Retriever, theirs: Measured, ours: Measured): string[] {
  const of = (holds: (a: readonly string[], b: readonly string[]) => boolean): string =>
    `${queries.filter((_, index) => holds(theirs.tops[index]!, ours.tops[index]!)).length} of ${queries.length}`;
  const shared = theirs.tops.map(
    (found, index) => found.filter((id) => ours.tops[index]!.includes(id)).length,
  );
  const mean = shared.reduce((sum, count) => sum + count, 0) / shared.length;
  const { p50, p99 } = percentiles(theirs.times);
  return [
    pipelineLabel(pipelineOf(retriever)),
    of((a, b) => a.join() === b.join()),
    of((a, b) => a.toSorted().join() === b.toSorted().join()),
    mean.toFixed(2),
    milliseconds(p50),
    milliseconds(p99),
    times(p50 / percentiles(ours.times).p50),
  ];
}
