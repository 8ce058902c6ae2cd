/**
 * How many lists, objects and keys JSON has, and how deep they stand within each other, counted while it comes and before
 * anybody reads it: an empty one takes two bytes on the way and some sixty in memory, and what is nested too deep overflows
 * the stack of whoever reads it.
 */
import { ParallaxError } from '../errors.ts';

/** The sentences that refuse it. */
export interface ShapeRefusals {
  tooDeep(levels: number): string;
  tooMany(parts: number): string;
  tooLong(entries: number): string;
}

/** Ten thousand records with a hundred parts each have a million. */
const MOST_PARTS = 2_000_000;
const DEEPEST = 1_000;
/** The most entries of all lists and objects: ten thousand vectors of 1,536 numbers have 15 million; each takes eight bytes in memory. */
const MOST_ENTRIES = 32_000_000;

/** The most keys of all objects: each takes some hundred bytes in memory if no other object has it. */
const MOST_KEYS = 1_000_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
/** `[` and `{` differ in one bit, which their ends have in common with them. */
const [OPEN_LIST, CLOSE_LIST, CASE_BIT] = [0x5b, 0x5d, 0x20];

export class JsonShape {
  readonly #refusals: ShapeRefusals;
  readonly #mostParts: number;
  readonly #mostKeys: number;
  readonly #deepest: number;
  #inText = false;
  #isEscaped = false;
  #parts = 0;
  #depth = 0;
  #entries = 0;
  #keys = 0;

  constructor(
    refusals: ShapeRefusals,
    {
      mostParts = MOST_PARTS,
      mostKeys = MOST_KEYS,
      deepest = DEEPEST,
    }: { readonly mostParts?: number; readonly mostKeys?: number; readonly deepest?: number } = {},
  ) {
    this.#refusals = refusals;
    this.#mostParts = mostParts;
    this.#mostKeys = mostKeys;
    this.#deepest = deepest;
  }

  /**
   * @param chunk in UTF-8, from where the last one ended; what is no JSON passes as well
   * @throws ParallaxError `too-large`
   */
  check(chunk: Uint8Array): void {
    for (const byte of chunk)
      if (this.#inText) this.#text(byte);
      else if (byte === QUOTE) this.#inText = true;
      else if (byte === COMMA) this.#entry();
      else if (byte === COLON) this.#key();
      else if ((byte & ~CASE_BIT) === OPEN_LIST) this.#open();
      else if ((byte & ~CASE_BIT) === CLOSE_LIST) this.#close();
  }

  #text(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inText = false;
  }

  /** A line of JSON Lines is read by itself. */
  #close(): void {
    this.#depth--;
    if (this.#depth <= 0) [this.#parts, this.#entries, this.#keys, this.#depth] = [0, 0, 0, 0];
  }

  #entry(): void {
    this.#entries++;
    if (this.#entries > MOST_ENTRIES)
      throw new ParallaxError('too-large', this.#refusals.tooLong(MOST_ENTRIES));
  }

  #key(): void {
    this.#keys++;
    if (this.#keys > this.#mostKeys)
      throw new ParallaxError('too-large', this.#refusals.tooLong(this.#mostKeys));
  }

  #open(): void {
    this.#parts++;
    this.#depth++;
    if (this.#depth > this.#deepest)
      throw new ParallaxError('too-large', this.#refusals.tooDeep(this.#deepest));
    if (this.#parts > this.#mostParts)
      throw new ParallaxError('too-large', this.#refusals.tooMany(this.#mostParts));
  }
}
