/** Checksums of a file that grows, block by block, so that a part of it can be held against them. */
import { crc32 } from 'node:zlib';

const BLOCK_BYTES = 2 ** 20;

export class BlockSums {
  readonly #block: number;
  readonly #begin: number;
  /** Of the blocks that are whole. */
  readonly #sums: number[] = [];
  /** Of the last block, as far as it was passed. */
  #last = 0;
  #end: number;

  /** @param begin the first byte that is passed, the first of a block */
  constructor(block = BLOCK_BYTES, begin = 0) {
    this.#block = block;
    this.#begin = begin;
    this.#end = begin;
  }

  /** Behind the last byte that was passed. */
  get end(): number {
    return this.#end;
  }

  /** The first byte of the last blocks, the one that is not yet full among them. */
  lastBlocks(count: number): number {
    return this.#begin + Math.max(0, this.#sums.length + 1 - count) * this.#block;
  }

  /** Sums to hold against these. @param begin the first byte of a block */
  from(begin: number): BlockSums {
    return new BlockSums(this.#block, begin);
  }

  /** Takes the next bytes; nothing of them is kept. */
  pass(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + this.#block - (this.#end % this.#block));
      this.#last = crc32(part, this.#last);
      this.#end += part.length;
      at += part.length;
      if (this.#end % this.#block === 0) this.#sums.push(this.#endBlock());
    }
  }

  #endBlock(): number {
    const sum = this.#last;
    this.#last = 0;
    return sum;
  }

  /** Whether what a part passed stands here as well. A part that ends within a block has to end where this does. */
  holds(part: BlockSums): boolean {
    if (part.#end > this.#end) return false;
    const first = (part.#begin - this.#begin) / this.#block;
    if (part.#sums.some((sum, at) => this.#sums[first + at] !== sum)) return false;
    return part.#end % this.#block === 0 || (part.#end === this.#end && part.#last === this.#last);
  }
}
