/**
 * Approximate search over a hierarchical navigable small-world graph (Malkov and Yashunin 2016, arXiv:1603.09320), by
 * `hnswlib-node`. Made for unit vectors, whose inner product is the cosine. It works on others, and the audit of
 * DenseIndex measures how well.
 *
 * The graph covers the first `rows` rows of a vector table. On disk are the graph in hnswlib's format and a small
 * description, which is written last. A graph is not used if its description does not match it or the table.
 */
import { createReadStream } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import * as l10n from '@vscode/l10n';
import type * as hnswlibModule from 'hnswlib-node';
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { ParallaxError, messageOf, throwIfCancelled } from '../../core/errors.ts';
import type { LiveSlots, Slot, WorkOptions } from '../types.ts';
import type { VectorTable } from './vector-table.ts';

type Hnswlib = typeof hnswlibModule;

/** The most links of a node on the upper layers; the paper's M. */
const M = 16;
/** Breadth of the search for a new node's neighbours. */
const EF_CONSTRUCTION = 200;
/** Inner product; hnswlib's distance is 1 − q·c. */
const SPACE = 'ip';
const SEED = 100;
const SLICE_MS = 8;
/** How often the graph is saved while it is built: a million rows take minutes. */
const CHECKPOINT_ROWS = 100_000;

/**
 * The size detects what the checksum misses: eight bytes of ones at the beginning of a file have the checksum
 * of four zeros.
 */
const sealSchema = z.strictObject({ crc: z.number(), bytes: z.number() });
type Seal = Read<typeof sealSchema>;

const descriptionSchema = z.strictObject({
  version: z.literal(3),
  key: z.string(),
  dimensions: z.number(),
  space: z.literal(SPACE),
  m: z.literal(M),
  efConstruction: z.literal(EF_CONSTRUCTION),
  rows: z.number().int().min(0),
  /** A checksum of the slots of these rows, and of their texts. */
  passagesCrc: z.number(),
  graph: sealSchema,
});
type Description = Read<typeof descriptionSchema>;

export class HnswIndex {
  readonly #graph: hnswlibModule.HierarchicalNSW;
  readonly #table: VectorTable;
  readonly #key: string;
  #rows: number;

  private constructor(graph: hnswlibModule.HierarchicalNSW, table: VectorTable, key: string, rows: number) {
    this.#graph = graph;
    this.#table = table;
    this.#key = key;
    this.#rows = rows;
  }

  /**
   * The graph saved at `path` if it still fits the table, else an empty one.
   *
   * @param key of the embedder that made the vectors
   * @throws ParallaxError `native-missing` if `hnswlib-node` does not load here
   */
  static async open(path: string, table: VectorTable, key: string): Promise<HnswIndex> {
    const { HierarchicalNSW } = await loadHnswlib();
    const graph = new HierarchicalNSW(SPACE, table.dimensions);
    const description = await readDescription(path);
    if (description && fits(description, table, key) && (await isIntact(path, description.graph))) {
      await graph.readIndex(path);
      return new HnswIndex(graph, table, key, description.rows);
    }
    graph.initIndex(Math.max(table.rows, 1), M, EF_CONSTRUCTION, SEED);
    return new HnswIndex(graph, table, key, 0);
  }

  static async remove(path: string): Promise<void> {
    await rm(descriptionFile(path), { force: true });
    await rm(path, { force: true });
  }

  /** The graph contains the rows of the table before this one. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Adds the new rows of the table, except dead ones, in short turns with searches in between. Work done before a
   * cancellation is kept, and the next call continues it.
   *
   * @param path where to save the graph, from time to time and at the end
   * @throws ParallaxError `cancelled`
   */
  async extend(live: LiveSlots, path: string, { signal, onProgress }: WorkOptions = {}): Promise<void> {
    const point = new Array<number>(this.#table.dimensions).fill(0);
    let saved = this.#rows;
    let turnEnd = performance.now() + SLICE_MS;
    while (this.#rows < this.#table.rows) {
      if (performance.now() >= turnEnd) {
        onProgress?.({ done: this.#rows, total: this.#table.rows });
        await nextTurn();
        turnEnd = performance.now() + SLICE_MS;
      }
      throwIfCancelled(signal);
      this.#add(this.#rows, live, point);
      this.#rows++;
      if (this.#rows - saved < CHECKPOINT_ROWS && this.#rows < this.#table.rows) continue;
      await this.#save(path);
      saved = this.#rows;
    }
    onProgress?.({ done: this.#rows, total: this.#table.rows });
  }

  /**
   * Slots that are probably the `depth` nearest, nearest first. All of them are live.
   *
   * @param query [d]
   * @param ef breadth of the search; hnswlib takes `depth` if that is larger
   */
  search(query: Float32Array, depth: number, ef: number, live: LiveSlots): Slot[] {
    const k = Math.min(depth, this.#graph.getCurrentCount());
    if (k === 0) return [];
    const point = Array.from(query);
    this.#graph.setEf(ef);
    const neighbours = this.#graph.searchKnn(point, k).neighbors;
    if (neighbours.every((slot) => live.has(slot))) return neighbours;
    // Native code calls a filter for every node on the way, so it is used only if dead nodes are near. (Marking them
    // in the graph would not avoid it, since the marks cannot be read back from a saved graph.)
    return this.#graph.searchKnn(point, k, (slot) => live.has(slot)).neighbors;
  }

  #add(row: number, live: LiveSlots, point: number[]): void {
    const slot = this.#table.slotOf(row);
    if (!live.has(slot)) return;
    const capacity = this.#graph.getMaxElements();
    if (this.#graph.getCurrentCount() === capacity)
      this.#graph.resizeIndex(Math.max(this.#table.rows, Math.ceil(capacity * 1.1)));
    const vector = this.#table.memory.row(row);
    for (let i = 0; i < point.length; i++) point[i] = vector[i]!;
    this.#graph.addPoint(point, slot);
  }

  async #save(path: string): Promise<void> {
    const unfinished = `${path}.new`;
    const description: Omit<Description, 'graph'> = {
      version: 3,
      key: this.#key,
      dimensions: this.#table.dimensions,
      space: SPACE,
      m: M,
      efConstruction: EF_CONSTRUCTION,
      rows: this.#rows,
      passagesCrc: crcOfPassages(this.#table, this.#rows),
    };
    await this.#graph.writeIndex(unfinished);
    const graph = await sealOf(unfinished);
    await rename(unfinished, path);
    await writeFile(`${unfinished}.json`, JSON.stringify({ ...description, graph } satisfies Description));
    await rename(`${unfinished}.json`, descriptionFile(path));
  }
}

let hnswlib: Promise<Hnswlib> | undefined;

function loadHnswlib(): Promise<Hnswlib> {
  return (hnswlib ??= import('hnswlib-node').then(
    (module) => module.default as Hnswlib,
    (error: unknown) => {
      throw new ParallaxError('native-missing', whyNot(error), { cause: error });
    },
  ));
}

/** Packages for all platforms, or for a platform other than the one that built them, do not contain it. */
function whyNot(error: unknown): string {
  const isAbsent = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  if (isAbsent)
    return l10n.t(
      'Approximate search needs hnswlib-node, which is not part of this package. Every search is exact instead: slower on large corpora.',
    );
  const [reason = ''] = messageOf(error).split('\n');
  return l10n.t`Approximate search needs hnswlib-node, which does not load here (${reason}). Every search is exact instead: slower on large corpora.`;
}

function descriptionFile(path: string): string {
  return `${path}.json`;
}

/** @returns undefined if there is none that this version can read; the graph is then rebuilt */
async function readDescription(path: string): Promise<Description | undefined> {
  try {
    return descriptionSchema.parse(JSON.parse(await readFile(descriptionFile(path), 'utf8')));
  } catch {
    return undefined;
  }
}

function fits(description: Description, table: VectorTable, key: string): boolean {
  return (
    description.key === key &&
    description.dimensions === table.dimensions &&
    description.rows <= table.rows &&
    description.passagesCrc === crcOfPassages(table, description.rows)
  );
}

function crcOfPassages({ slots, texts }: VectorTable, rows: number): number {
  return crc32(texts.subarray(0, rows), crc32(slots.subarray(0, rows)));
}

/** Whether the file can be read and matches this seal. */
async function isIntact(path: string, { crc, bytes }: Seal): Promise<boolean> {
  try {
    const seal = await sealOf(path);
    return seal.crc === crc && seal.bytes === bytes;
  } catch {
    return false;
  }
}

async function sealOf(path: string): Promise<Seal> {
  let [crc, bytes] = [0, 0];
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    crc = crc32(chunk as Buffer, crc);
    bytes += (chunk as Buffer).length;
  }
  return { crc, bytes };
}
