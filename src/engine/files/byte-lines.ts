/** The lines of a file that arrives in chunks, as bytes. */

export interface ByteLine {
  /** From 0. */
  readonly line: number;
  /** May be a part of a chunk. */
  readonly bytes: Buffer | 'too-long';
}

/** Longer than any line written by hand. */
export const MAX_LINE_BYTES = 16 * 2 ** 20;

/** The longest string (V8's limit). Longer texts are read in parts or not at all. */
export const MAX_TEXT_BYTES = 2 ** 29 - 24;

const LINE_FEED = 10;

/** Lines that are not empty, without their line feed. Bytes of a line beyond `maxBytes` are never kept in memory. */
export async function* byteLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<ByteLine> {
  const lines = new ByteLines(maxBytes);
  for await (const chunk of chunks) yield* lines.of(chunk);
  yield* lines.rest();
}

/** As {@link byteLines}, for a caller that has the chunks. */
export class ByteLines {
  readonly #maxBytes: number;
  #line = 0;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = Math.min(maxBytes, MAX_TEXT_BYTES);
  }

  /** The lines that end in the next chunk and are not empty. */
  *of(chunk: Buffer): Generator<ByteLine> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      // A file may have millions of empty lines.
      if (end === start && this.#length === 0) this.#line++;
      else {
        this.#add(chunk.subarray(start, end));
        yield this.#take();
      }
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  /** The last line, if it has no end. */
  *rest(): Generator<ByteLine> {
    if (this.#length > 0) yield this.#take();
  }

  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= this.#maxBytes) this.#parts.push(part);
    else this.#parts = [];
  }

  #take(): ByteLine {
    const bytes = this.#length <= this.#maxBytes ? whole(this.#parts) : 'too-long';
    this.#parts = [];
    this.#length = 0;
    return { line: this.#line++, bytes };
  }
}

function whole(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}
