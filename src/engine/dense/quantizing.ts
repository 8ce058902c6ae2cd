/** Vectors in 8 bits, made in the background. With them, an exact search skips most of the full vectors. */
import { ParallaxError } from '../../core/errors.ts';
import { Pace } from '../concurrency/pace.ts';
import type { VectorTable } from './vector-table.ts';

/**
 * The number of rows from which a copy in 8 bits is worth its memory. Reading fewer takes a few milliseconds
 * anyway.
 */
const BOUNDED_FROM = 50_000;
/** If a larger share of all rows is wanted, bounds save nothing. */
const MAX_WANTED = 0.01;

export class Quantizing {
  /** A number of rows. Infinite if there is no memory for it. */
  #from: number;
  #isAtWork = false;

  constructor(from = BOUNDED_FROM) {
    this.#from = from;
  }

  isWorth(table: VectorTable, count: number): boolean {
    return table.rows >= this.#from && count <= MAX_WANTED * table.rows;
  }

  /** @param isWanted whether the table is still in use */
  begin(table: VectorTable, isWanted: () => boolean): void {
    if (this.#isAtWork || table.quantized.rows === table.rows) return;
    this.#isAtWork = true;
    void this.#quantize(table, isWanted).finally(() => (this.#isAtWork = false));
  }

  async #quantize(table: VectorTable, isWanted: () => boolean): Promise<void> {
    const pace = new Pace({});
    try {
      while (isWanted() && table.quantized.rows < table.rows) {
        if (pace.due) await pace.rest();
        table.quantizeMore();
      }
    } catch (error) {
      if (!ParallaxError.is(error, 'store-unusable')) throw error;
      // There is no memory for it, so exact searches run without it.
      this.#from = Infinity;
    }
  }
}
