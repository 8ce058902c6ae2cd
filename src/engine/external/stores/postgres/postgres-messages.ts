/**
 * Checks messages of a PostgreSQL server before its client reads them: a letter, a length, a body (protocol 3.0).
 * Errors and notices are lists that end with a zero byte. Without it, the client would search for the end forever.
 */

const HEAD_BYTES = 5;
const ERROR = 'E'.charCodeAt(0);
const NOTICE = 'N'.charCodeAt(0);

/** Thrown for an answer that does not end. */
export class TooManyMessages extends Error {
  override readonly name = 'TooManyMessages';
}

/**
 * The most rows, notices and settings of one answer. Each costs the client some time and memory, however few bytes it
 * has. No regular answer has a tenth of it.
 */
const MAX_MESSAGES = 1_000_000;
const READY = 'Z'.charCodeAt(0);

export class BackendMessages {
  /** The head of the present message, as far as it has arrived. */
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headBytes = 0;
  /** Bytes of its body that have not arrived yet. */
  #missing = 0;
  #beforeLast = -1;
  #last = -1;
  /** Messages since the server was ready for another question. */
  #messages = 0;

  /**
   * @param chunk as it arrived, directly behind the last one
   * @throws Error for an error or a notice without an end, and for more messages than any answer has
   */
  check(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;)
      at = this.#missing > 0 ? this.#body(chunk, at) : this.#start(chunk, at);
  }

  /** @returns where the body begins or the chunk ends */
  #start(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + HEAD_BYTES - this.#headBytes);
    this.#headBytes += chunk.copy(this.#head, this.#headBytes, at, end);
    if (this.#headBytes < HEAD_BYTES) return end;
    // The length includes itself.
    this.#missing = Math.max(0, this.#head.readUInt32BE(1) - 4);
    this.#beforeLast = -1;
    this.#last = -1;
    if (this.#missing === 0) this.#finish();
    return end;
  }

  #body(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#missing);
    this.#beforeLast = end - at > 1 ? chunk[end - 2]! : this.#last;
    this.#last = chunk[end - 1]!;
    this.#missing -= end - at;
    if (this.#missing === 0) this.#finish();
    return end;
  }

  #finish(): void {
    this.#headBytes = 0;
    const letter = this.#head[0];
    this.#messages = letter === READY ? 0 : this.#messages + 1;
    if (this.#messages > MAX_MESSAGES) throw new TooManyMessages();
    if (letter !== ERROR && letter !== NOTICE) return;
    // The zero bytes of the last text and of the list. An empty list has no text.
    const isEnded = this.#last === 0 && this.#beforeLast <= 0;
    if (!isEnded) throw new Error('An error or a notice has no end.');
  }
}
