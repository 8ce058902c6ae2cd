/**
 * How many lists and objects an answer in JSON has, and how deep they stand within each other, counted while it comes: an
 * empty one takes two bytes on the way and some sixty in memory, and what is nested too deep overflows the stack of
 * whoever reads it.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';

/** Ten thousand records with a hundred parts each have a million. */
const MOST_PARTS = 2_000_000;
const DEEPEST = 1_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** `[` and `{` differ in one bit, which their ends have in common with them. */
const [OPEN_LIST, CLOSE_LIST, CASE_BIT] = [0x5b, 0x5d, 0x20];

export class JsonShape {
  readonly #origin: string;
  #inText = false;
  #isEscaped = false;
  #parts = 0;
  #depth = 0;

  /** @param origin of the server, at the beginning of a sentence */
  constructor(origin: string) {
    this.#origin = origin;
  }

  /**
   * @param chunk in UTF-8, from where the last one ended; what is no JSON passes as well
   * @throws ParallaxError `too-large`
   */
  check(chunk: Uint8Array): void {
    for (const byte of chunk)
      if (this.#inText) this.#text(byte);
      else if (byte === QUOTE) this.#inText = true;
      else if ((byte & ~CASE_BIT) === OPEN_LIST) this.#open();
      else if ((byte & ~CASE_BIT) === CLOSE_LIST) this.#depth--;
  }

  #text(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inText = false;
  }

  #open(): void {
    this.#parts++;
    this.#depth++;
    if (this.#depth > DEEPEST)
      throw new ParallaxError(
        'too-large',
        l10n.t`${this.#origin} sent an answer that is nested more than ${DEEPEST} levels deep.`,
      );
    if (this.#parts > MOST_PARTS)
      throw new ParallaxError(
        'too-large',
        l10n.t`${this.#origin} sent an answer of more than ${MOST_PARTS} lists and objects.`,
      );
  }
}
