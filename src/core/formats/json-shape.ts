/**
 * Counts lists, objects, keys and nesting levels of JSON while it is received and before it is parsed. An empty list
 * takes two bytes in transfer and about sixty in memory, and deep nesting overflows the stack of the parser.
 */
import { ParallaxError } from '../errors.ts';

/** Error messages. */
export interface ShapeRefusals {
  tooDeep(levels: number): string;
  tooMany(parts: number): string;
  tooLong(entries: number): string;
}

/** Ten thousand records with a hundred parts each have a million. */
const MAX_PARTS = 2_000_000;
const MAX_DEPTH = 1_000;
/**
 * The most entries of all lists and objects. Ten thousand vectors of 1,536 numbers have 15 million; each takes eight
 * bytes in memory.
 */
const MAX_ENTRIES = 32_000_000;

/** The most keys of all objects. A key that no other object has takes about a hundred bytes in memory. */
const MAX_KEYS = 1_000_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
/** `[` and `{` differ in one bit, as do `]` and `}`. */
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
      mostParts = MAX_PARTS,
      mostKeys = MAX_KEYS,
      deepest = MAX_DEPTH,
    }: { readonly mostParts?: number; readonly mostKeys?: number; readonly deepest?: number } = {},
  ) {
    this.#refusals = refusals;
    this.#mostParts = mostParts;
    this.#mostKeys = mostKeys;
    this.#deepest = deepest;
  }

  /**
   * @param chunk the next chunk in UTF-8; text that is not JSON passes
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

  /** Resets the counts after each line of JSON Lines. */
  #close(): void {
    this.#depth--;
    if (this.#depth <= 0) [this.#parts, this.#entries, this.#keys, this.#depth] = [0, 0, 0, 0];
  }

  #entry(): void {
    this.#entries++;
    if (this.#entries > MAX_ENTRIES)
      throw new ParallaxError('too-large', this.#refusals.tooLong(MAX_ENTRIES));
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
