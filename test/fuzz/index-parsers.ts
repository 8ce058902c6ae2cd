/**
 * The files of an index. Damaged bytes are detected or have no effect. The list of segments is also damaged with a
 * matching checksum, so that the code behind the check is reached.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { Bm25Index } from '../../src/engine/bm25/bm25-index.ts';
import { DenseIndex } from '../../src/engine/dense/dense-index.ts';
import { HnswIndex } from '../../src/engine/dense/hnsw-index.ts';
import { VectorTable } from '../../src/engine/dense/vector-table.ts';
import { openDatabase } from '../../src/engine/store/database.ts';
import { Store } from '../../src/engine/store/store.ts';
import { bytesOf, takes, textOf, type FuzzedBytes } from './fuzzed-bytes.ts';
import { bytesLike, inputsLike } from './inputs.ts';

const FOLDER = mkdtempSync(path.join(tmpdir(), 'parallax-fuzz-'));
process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

const ALL = { count: 3, has: () => true };
const TEXTS = ['bridge river river', 'school tax bridge', `wool ${'court '.repeat(300)}`];
const BM25 = { k1: 0.9, b: 0.4, variant: 'lucene', epsilon: 0.25 } as const;

const folderFor = (name: string): string => mkdtempSync(path.join(FOLDER, `${name}-`));

const checksumLine = (json: string): string => `${json}\n${crc32(json).toString(16).padStart(8, '0')}\n`;

const MANIFEST = 'segments.json';
const SEGMENT = 'segment-1.bm25';
const found = (index: Bm25Index): unknown =>
  TEXTS.map((text) => index.search(text, BM25, 5, ALL).map(({ item, score }) => [item, score]));

async function bm25Example(): Promise<{ manifest: string; segment: string; found: unknown }> {
  const folder = folderFor('bm25-example');
  const { index } = await Bm25Index.open(folder, 'english');
  TEXTS.forEach((text, slot) => index.add(slot, text));
  await index.flush();
  const [manifest, segment] = [MANIFEST, SEGMENT].map((name) =>
    textOf(readFileSync(path.join(folder, name))),
  );
  return { manifest: manifest!, segment: segment!, found: found(index) };
}

const bm25 = await bm25Example();
const bm25Folder = folderFor('bm25');

/** @returns whether all of it was read. What was read equals what was written. */
async function opensBm25(manifest: string, segment: string): Promise<boolean> {
  for (const name of readdirSync(bm25Folder)) rmSync(path.join(bm25Folder, name));
  writeFileSync(path.join(bm25Folder, MANIFEST), bytesOf(manifest));
  writeFileSync(path.join(bm25Folder, SEGMENT), bytesOf(segment));
  const { index, damaged } = await Bm25Index.open(bm25Folder, 'english');
  for (const { reason } of damaged) assert.ok(reason !== '');
  const isWhole = damaged.length === 0 && index.stats.passages > 0;
  if (isWhole) assert.deepEqual(found(index), bm25.found);
  return isWhole;
}

const segmentList: FuzzedBytes = {
  name: 'segments.json',
  examples: [bm25.manifest],
  inputs: fc.oneof(bytesLike([bm25.manifest]), inputsLike([bm25.manifest.split('\n')[0]!]).map(checksumLine)),
  cost: 1,
  survives: (text) => takes(() => opensBm25(text, bm25.segment)),
};

const segmentFile: FuzzedBytes = {
  name: 'segment of a BM25 index',
  examples: [bm25.segment],
  inputs: bytesLike([bm25.segment]),
  cost: 1,
  survives: (text) => takes(() => opensBm25(bm25.manifest, text)),
};

const DIMENSIONS = 4;
const KEY = 'hashing 4';
const VECTORS = Float32Array.from([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.6, 0.8, 0, 0, 0, 0, 0.6, 0.8]);
const SLOTS = [3, 0, 7, 1, 9];
const QUERY = Float32Array.from([0.5, 0.5, 0.5, 0.5]);

async function hitsOf(index: DenseIndex): Promise<Map<number, number>> {
  const { hits } = await index.search(QUERY, { depth: 10, live: ALL, search: 'exact' });
  return new Map(hits.map(({ item, score }) => [item, score]));
}

const denseFolder = folderFor('dense');
const denseFile = path.join(denseFolder, 'v.f32');
const DENSE_FILES = [denseFile, `${denseFile}.hnsw.json`, `${denseFile}.hnsw`];

async function denseExample(): Promise<{ files: string[]; hits: Map<number, number> }> {
  const index = await DenseIndex.open(denseFile, { key: KEY, dimensions: DIMENSIONS });
  for (const [from, to] of [
    [0, 2],
    [2, 5],
  ] as const)
    await index.append(SLOTS.slice(from, to), VECTORS.slice(from * DIMENSIONS, to * DIMENSIONS));
  await index.prepareGraph(ALL);
  const hits = await hitsOf(index);
  await index.close();
  return { files: DENSE_FILES.map((file) => textOf(readFileSync(file))), hits };
}

const dense = await denseExample();

/** Every vector read equals the one written. */
async function opensVectors(text: string, dimensions?: number): Promise<boolean> {
  writeFileSync(denseFile, bytesOf(text));
  const index = await DenseIndex.open(denseFile, { key: KEY, dimensions });
  try {
    if (index.rows === 0) return false;
    for (const [slot, score] of await hitsOf(index)) assert.equal(score, dense.hits.get(slot));
    return index.rows === SLOTS.length && index.loss === undefined;
  } finally {
    await index.close();
  }
}

const vectorFile: FuzzedBytes = {
  name: 'file of vectors',
  examples: [dense.files[0]!],
  inputs: bytesLike([dense.files[0]!]),
  cost: 1,
  survives: (text) => takes(() => opensVectors(text, text.length % 2 === 0 ? undefined : DIMENSIONS)),
};

const graphPath = path.join(denseFolder, 'other.hnsw');
const table = new VectorTable(DIMENSIONS);
table.append(Uint32Array.from(SLOTS), VECTORS, DIMENSIONS);

/** Whether the graph is accepted for the table. */
async function opensGraph(description: string, graph: string): Promise<boolean> {
  writeFileSync(`${graphPath}.json`, bytesOf(description));
  writeFileSync(graphPath, bytesOf(graph));
  const index = await HnswIndex.open(graphPath, table, KEY);
  if (index.rows === 0) return false;
  assert.equal(textOf(bytesOf(graph)), dense.files[2]);
  for (const slot of index.search(QUERY, 10, 10, ALL)) assert.ok(SLOTS.includes(slot));
  return true;
}

const graphFile: FuzzedBytes = {
  name: 'graph of vectors',
  examples: [dense.files[2]!],
  inputs: bytesLike([dense.files[2]!]),
  cost: 1,
  survives: (text) => takes(() => opensGraph(dense.files[1]!, text)),
};

const graphDescription: FuzzedBytes = {
  name: 'description of a graph of vectors',
  examples: [dense.files[1]!],
  // The graph itself stays unchanged: native code trusts what its checksum guards.
  inputs: fc.oneof(bytesLike([dense.files[1]!]), inputsLike([dense.files[1]!])),
  cost: 1,
  survives: (text) => takes(() => opensGraph(text, dense.files[2]!)),
};

/** Uses the smallest pages of SQLite: an input then has a tenth of the length and the same parts. */
function smallPages(file: string): void {
  const db = openDatabase(file);
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM');
  db.close();
}

const storeFile = path.join(folderFor('store'), 'store.sqlite');

function storeExample(): string {
  smallPages(storeFile);
  const { store } = Store.open(storeFile, 'words');
  for (const [place, text] of TEXTS.entries()) {
    const file = { size: 1, mtimeMs: 1, ctimeMs: 1, hash: 'h' };
    const pending = store.files.begin(`${place}.md`, file);
    const document = { id: `${place}.md`, title: 'T', text, verbatim: true, isRecord: false };
    const passage = {
      id: `${place}.md#p1`,
      text,
      span: { start: 0, end: text.length },
      lines: { startLine: 0, endLine: 0 },
    };
    store.files.addDocuments(pending, [{ document, passages: [passage] }]);
    store.files.end(pending, file);
  }
  store.setSkipped([{ path: 'a', reason: 'broken', message: 'It is.' }]);
  store.close();
  return textOf(readFileSync(storeFile));
}

const storeBytes = storeExample();

const sqliteStore: FuzzedBytes = {
  name: 'store of a corpus',
  examples: [storeBytes],
  inputs: bytesLike([storeBytes]),
  cost: 5,
  survives: (bytes) =>
    takes(() => {
      for (const suffix of ['-wal', '-shm']) rmSync(storeFile + suffix, { force: true });
      writeFileSync(storeFile, bytesOf(bytes));
      const { store, reset } = Store.open(storeFile, 'words');
      try {
        for (const slot of store.live) {
          const passage = store.passages.bySlot(slot);
          if (passage) assert.equal(passage.text, TEXTS[Number.parseInt(passage.id, 10)]);
        }
        store.counts();
        store.skipped();
        store.files.known();
        store.passages.hashes(0, 10);
        return !reset;
      } finally {
        store.close();
      }
    }),
};

export const INDEX_PARSERS: readonly FuzzedBytes[] = [
  ...[segmentList, segmentFile],
  ...[vectorFile, graphFile, graphDescription],
  ...[sqliteStore],
];
