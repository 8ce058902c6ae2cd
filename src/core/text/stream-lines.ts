/** Each part of a line takes memory, however short it is, so that many are joined. */
const MAX_PARTS = 20_000;

/** Complete lines of a byte stream, cut anywhere. */
export class StreamLines {
  readonly #decoder = new TextDecoder();
  readonly #longest: number;
  /** Of the incomplete line; empty if it is too long. */
  #parts: string[] = [];
  #length = 0;

  /** @param longest in characters; longer lines are left out. Defaults to no limit. */
  constructor(longest = Number.POSITIVE_INFINITY) {
    this.#longest = longest;
  }

  /** Characters of the incomplete line. */
  get length(): number {
    return this.#length;
  }

  take(chunk: Uint8Array): string[] {
    const [first = '', ...others] = this.#decoder.decode(chunk, { stream: true }).split('\n');
    this.#add(first);
    return others.flatMap((begun) => {
      const line = this.#length > this.#longest ? [] : [this.#parts.join('')];
      [this.#parts, this.#length] = [[], 0];
      this.#add(begun);
      return line;
    });
  }

  #add(part: string): void {
    this.#length += part.length;
    if (this.#length > this.#longest) this.#parts = [];
    else if (this.#parts.push(part) > MAX_PARTS) this.#parts = [this.#parts.join('')];
  }
}
