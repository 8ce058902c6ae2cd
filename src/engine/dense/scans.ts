/**
 * Ways to find the best rows of a table by reading all of them. A scan yields to other work every few milliseconds,
 * and ignores rows that are appended while it runs.
 */
import { DEFAULT_RESCORE } from '../../core/pipeline.ts';
import { throwIfCancelled } from '../../core/errors.ts';
import { quantizedQuery } from '../kernels/quantized-memory.ts';
import { Pace } from '../concurrency/pace.ts';
import type { Hit, LiveSlots, WorkOptions } from '../types.ts';
import { BestHits } from './best-hits.ts';
import type { VectorTable } from './vector-table.ts';

export interface ScanFor {
  /** The most hits to return. */
  readonly depth: number;
  readonly live: LiveSlots;
}

/** Scores of the rows from `from` on, at least one and none at or beyond `to`. Valid until the next call. */
export type RowScorer = (from: number, to: number) => Float32Array;

/** The inner product of the query, [d], with one row, computed as in every scan. */
export function scoreOf(table: VectorTable, query: Float32Array, row: number): number {
  return table.memory.scoreRows(query, row, row + 1)[0]!;
}

/**
 * Offers every live row from `first` on.
 *
 * @throws ParallaxError `cancelled`
 */
export async function scan(
  table: VectorTable,
  scoreRows: RowScorer,
  first: number,
  live: LiveSlots,
  best: BestHits,
  work: WorkOptions,
): Promise<void> {
  await eachPortion(scoreRows, first, table.rows, work, (from, scores) => {
    let { threshold } = best;
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i]!;
      if (score < threshold) continue;
      // Checked only for the few rows that are good enough.
      const slot = table.slotOf(from + i);
      if (live.has(slot)) best.offer(slot, score);
      threshold = best.threshold;
    }
  });
}

/**
 * Scans all vectors in 8 bits, and scores the best of them again as an exact scan does. May miss some.
 *
 * @param query [d]
 * @param rescore how many times `depth` rows are scored again
 * @throws ParallaxError `cancelled`, `store-unusable` without memory for the vectors in 8 bits
 */
export async function quantizedScan(
  table: VectorTable,
  query: Float32Array,
  { depth, live }: ScanFor,
  rescore = DEFAULT_RESCORE,
  work: WorkOptions = {},
): Promise<Hit[]> {
  await quantizeAll(table, work);
  const candidates = new BestHits(depth * rescore, live.compare);
  const quantized = quantizedQuery(query);
  const scoreRows: RowScorer = (from, to) => table.quantized.scoreRows(quantized, from, to);
  await scan(table, scoreRows, 0, live, candidates, work);
  const best = new BestHits(depth, live.compare);
  for (const { item } of candidates.sorted()) best.offer(item, scoreOf(table, query, table.rowOf(item)!));
  return best.sorted();
}

/** Takes a moment at the first search, and no time afterwards. */
async function quantizeAll(table: VectorTable, work: WorkOptions): Promise<void> {
  const pace = new Pace(work);
  while (table.quantized.rows < table.rows) {
    table.quantizeMore();
    if (pace.due) await pace.rest();
  }
}

/**
 * Offers the best of the first `rows` rows, exactly as {@link scan} finds them, and reads a quarter of the bytes. The
 * score in 8 bits and the lengths of what rounding removed from query and row bound the exact score. Only rows whose
 * upper bound reaches the best lower bounds are scored exactly.
 *
 * With q = q̂ + e and c = ĉ + f, |q·c − q̂·ĉ| = |q̂·f + e·c| ≤ ‖q̂‖ ‖f‖ + ‖e‖ ‖c‖ (Cauchy and Schwarz).
 *
 * @param query [d], for which {@link boundsHold}
 * @param rows number of rows, all of them in 8 bits
 * @throws ParallaxError `cancelled`
 */
export async function boundedScan(
  table: VectorTable,
  query: Float32Array,
  rows: number,
  { depth, live }: ScanFor,
  best: BestHits,
  work: WorkOptions,
): Promise<void> {
  const quantized = quantizedQuery(query);
  const rounded = Float32Array.from(quantized.values, (value) => value * quantized.scale);
  const lost = query.map((value, i) => value - rounded[i]!);
  const { longest } = table.memory;
  // Sums of d products in single precision, twice: here and in the exact score.
  const rounding = 2 * query.length * SINGLE_PRECISION * lengthOf(query) * longest;
  const perError = lengthOf(rounded) * (1 + query.length * SINGLE_PRECISION);
  const always = lengthOf(lost) * longest + rounding;

  const lowerBounds = new BestHits(depth, live.compare);
  const candidates = new Candidates();
  const scoreRows: RowScorer = (from, to) => table.quantized.scoreRows(quantized, from, to);
  await eachPortion(scoreRows, 0, rows, work, (from, scores) => {
    const errors = table.quantized.errors(from, scores.length);
    let { threshold } = lowerBounds;
    for (let i = 0; i < scores.length; i++) {
      const reach = perError * errors[i]! + always;
      const upper = scores[i]! + reach;
      if (upper < threshold) continue;
      const slot = table.slotOf(from + i);
      if (!live.has(slot)) continue;
      candidates.add(from + i, upper);
      lowerBounds.offer(slot, scores[i]! - reach);
      threshold = lowerBounds.threshold;
    }
    candidates.prune(threshold);
  });
  // In a corpus of copies, every row is a candidate.
  const pace = new Pace(work);
  for (const row of candidates.reaching(lowerBounds.threshold)) {
    best.offer(table.slotOf(row), scoreOf(table, query, row));
    if (pace.due) await pace.rest();
  }
}

/**
 * Whether the bounds of {@link boundedScan} are valid. They are computed in single precision, in which the squares of
 * very short vectors, and so the lengths of what rounding removed from them, are 0.
 */
export function boundsHold(table: VectorTable, query: Float32Array): boolean {
  return table.memory.longest >= SHORTEST && lengthOf(query) >= SHORTEST;
}

const SHORTEST = 1e-6;

/** Half the distance from 1 to the next number in single precision. */
const SINGLE_PRECISION = 2 ** -24;

/** Rows that may be among the best. As lower bounds rise, most of them are ruled out. */
class Candidates {
  #rows: number[] = [];
  #uppers: number[] = [];
  #pruneAt = 1024;

  add(row: number, upper: number): void {
    this.#rows.push(row);
    this.#uppers.push(upper);
  }

  /** Removes those below a threshold, whenever their number has doubled. */
  prune(threshold: number): void {
    if (this.#rows.length < this.#pruneAt) return;
    const rows = this.reaching(threshold);
    this.#uppers = this.#uppers.filter((upper) => upper >= threshold);
    this.#rows = rows;
    this.#pruneAt = Math.max(1024, 2 * rows.length);
  }

  reaching(threshold: number): number[] {
    return this.#rows.filter((_, i) => this.#uppers[i]! >= threshold);
  }
}

async function eachPortion(
  scoreRows: RowScorer,
  first: number,
  end: number,
  work: WorkOptions,
  take: (from: number, scores: Float32Array) => void,
): Promise<void> {
  const pace = new Pace(work);
  for (let row = first; row < end;) {
    throwIfCancelled(work.signal);
    const scores = scoreRows(row, end);
    take(row, scores);
    row += scores.length;
    if (pace.due) await pace.rest();
  }
}

function lengthOf(vector: Float32Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.sqrt(sum);
}
