/**
 * Decodes bytes to text: strict UTF-8, UTF-16 by its byte order mark, anything else by the encoding that the file
 * declares or by statistics. The text has no byte order mark, as in an editor.
 */
import * as l10n from '@vscode/l10n';
import { analyse } from 'chardet';
import iconv from 'iconv-lite';
import { FileSkipped } from './readers/reader.ts';

/** How much of a file decides whether it is text or binary, and in which encoding. */
const SAMPLE_BYTES = 32 * 1024;

/** Binary formats are full of control characters, text has hardly any. */
const MAX_CONTROL_SHARE = 0.01;

const UTF8 = 'utf-8';
const WESTERN = 'windows-1252';
const WESTERN_NAME = /^(?:iso-?8859-?1|latin-?1|windows-?1252|cp1252)$/i;
const UTF8_NAME = /^(?:utf-?8|ascii|us-ascii)$/i;
const REPLACEMENT_CHARACTER = '\uFFFD';

/** Control characters that occur in text files: tab, line breaks, form feed, backspace, escape. */
const TEXT_CONTROLS = new Set([8, 9, 10, 11, 12, 13, 27]);

/**
 * @param declared an encoding that the file itself names, used if it is not UTF-8
 * @throws FileSkipped `binary` or `encoding`
 */
export function decodeText(bytes: Buffer, declared?: string): string {
  const probe = new EncodingProbe();
  probe.add(bytes);
  const encoding = probe.encoding(declared);
  const text = iconv.decode(bytes, encoding);
  if (text.includes('\0')) throw notText();
  if (encoding !== UTF8 && text.includes(REPLACEMENT_CHARACTER)) throw unknownEncoding();
  return text;
}

/** Finds the encoding of a file from its pieces. */
export class EncodingProbe {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #validUtf8 = true;
  #hasNull = false;
  /** The beginning of the file. */
  #head: Buffer = Buffer.alloc(0);
  /** Bytes from the first non-ASCII one on, kept once the file is known not to be UTF-8. */
  #beyondAscii: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): void {
    this.#head = grown(this.#head, chunk);
    this.#hasNull ||= chunk.includes(0);
    if (this.#validUtf8) {
      this.#validUtf8 = decodes(this.#decoder, chunk, true);
      if (!this.#validUtf8)
        this.#beyondAscii = chunk.subarray(chunk.findIndex((byte) => byte >= 0x80)).subarray(0, SAMPLE_BYTES);
    } else this.#beyondAscii = grown(this.#beyondAscii, chunk);
  }

  /**
   * The encoding, by a name that `iconv-lite` knows. Called after the last piece.
   *
   * @param declared an encoding that the file itself names, used if it is not UTF-8
   * @throws FileSkipped `binary` if it is not text, `encoding` if no encoding fits
   */
  encoding(declared?: string): string {
    const utf16 = utf16ByMark(this.#head);
    if (utf16) return utf16;
    if (this.#hasNull || hasManyControls(this.#head)) throw notText();
    if (this.#validUtf8 && decodes(this.#decoder, Buffer.alloc(0), false)) return UTF8;
    if (declared !== undefined && !UTF8_NAME.test(declared) && iconv.encodingExists(declared))
      return westernOr(declared);
    return guessEncoding(Buffer.concat([this.#head, this.#beyondAscii]));
  }
}

function grown(sample: Buffer, chunk: Buffer): Buffer {
  const missing = SAMPLE_BYTES - sample.length;
  return missing > 0 ? Buffer.concat([sample, chunk.subarray(0, missing)]) : sample;
}

/** Whether a strict decoder accepts the next piece. */
function decodes(decoder: TextDecoder, chunk: Buffer, stream: boolean): boolean {
  try {
    decoder.decode(chunk, { stream });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** @throws FileSkipped `encoding` if the statistics find no encoding that can be decoded */
function guessEncoding(sample: Buffer): string {
  const guesses = analyse(sample).filter(({ name }) => !UTF8_NAME.test(name) && iconv.encodingExists(name));
  const [best] = guesses;
  if (!best) throw unknownEncoding();
  const western = guesses.find(({ name }) => WESTERN_NAME.test(name));
  const closeToBest = western !== undefined && western.confidence * 2 >= best.confidence;
  return closeToBest || hasFewBeyondAscii(sample) ? WESTERN : westernOr(best.name);
}

/** A word or two with an accent are too few for statistics. */
function hasFewBeyondAscii(sample: Buffer): boolean {
  let count = 0;
  for (const byte of sample) if (byte >= 0x80) count++;
  return count < 8 && count < sample.length / 4;
}

/** Files that declare Latin-1 mean its Windows superset, as the WHATWG Encoding Standard defines. */
function westernOr(encoding: string): string {
  return WESTERN_NAME.test(encoding) ? WESTERN : encoding;
}

function utf16ByMark(sample: Buffer): string | undefined {
  const isUtf32 = sample[2] === 0 && sample[3] === 0;
  if (sample[0] === 0xff && sample[1] === 0xfe && !isUtf32) return 'utf-16le';
  if (sample[0] === 0xfe && sample[1] === 0xff) return 'utf-16be';
  return undefined;
}

function hasManyControls(sample: Buffer): boolean {
  let controls = 0;
  for (const byte of sample) if (byte < 32 && !TEXT_CONTROLS.has(byte)) controls++;
  return controls > sample.length * MAX_CONTROL_SHARE;
}

function notText(): FileSkipped {
  return new FileSkipped('binary', l10n.t('It is binary data, not text.'));
}

function unknownEncoding(): FileSkipped {
  return new FileSkipped(
    'encoding',
    l10n.t('It is not valid UTF-8, and no other encoding fits: save it as UTF-8.'),
  );
}
