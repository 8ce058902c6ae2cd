/** Sections of a file: bytes with a checksum, some of them integers of variable length. */
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { Pace } from '../concurrency/pace.ts';

const WORD_BYTES = Uint32Array.BYTES_PER_ELEMENT;
const BLOCK_BYTES = 1 << 18;
/** The longest variable-length integer of 32 bits. */
const BLOCK_RESERVE = 5;

export interface Section {
  readonly bytes: number;
  readonly crc: number;
}

/** Writes sections one after the other, in blocks. */
export class SectionWriter {
  /** Where the next block goes. */
  position: number;
  readonly #handle: FileHandle;
  readonly #block = Buffer.alloc(BLOCK_BYTES);
  #used = 0;
  #crc = 0;
  #sectionStart: number;

  /** @param start where the first section begins */
  constructor(handle: FileHandle, start: number) {
    this.#handle = handle;
    this.position = start;
    this.#sectionStart = start;
  }

  /** Whether the block must be drained before more is written. */
  get isFull(): boolean {
    return this.#used > BLOCK_BYTES - BLOCK_RESERVE;
  }

  /** Seven bits per byte, the lowest first. The highest bit is set if more follow. */
  varint(value: number): void {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.#block[this.#used++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#block[this.#used++] = rest;
  }

  async drain(): Promise<void> {
    await this.write(this.#block.subarray(0, this.#used));
    this.#used = 0;
  }

  /** Writes bytes unchanged. Everything before must be drained. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#crc = crc32(bytes, this.#crc);
    for (let written = 0; written < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(
        bytes,
        written,
        bytes.length - written,
        this.position,
      );
      written += bytesWritten;
      this.position += bytesWritten;
    }
  }

  async endSection(): Promise<Section> {
    await this.drain();
    const section = { bytes: this.position - this.#sectionStart, crc: this.#crc };
    this.#sectionStart = this.position;
    this.#crc = 0;
    return section;
  }
}

export async function writeWords(out: SectionWriter, values: Uint32Array, pace: Pace): Promise<Section> {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  for (let from = 0; from < bytes.length; from += BLOCK_BYTES) {
    await out.write(bytes.subarray(from, from + BLOCK_BYTES));
    if (pace.due) await pace.rest();
  }
  return out.endSection();
}

/** Reads the variable-length integers of a section whose checksum is correct. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(count: number): Uint32Array {
    const values = new Uint32Array(count);
    for (let i = 0; i < count; i++) values[i] = this.one();
    return values;
  }

  one(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at++]!;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let shift = 7;
    do {
      byte = bytes[this.#at++]!;
      value |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte >= 0x80);
    return value >>> 0;
  }
}

/** The bytes of a section as numbers: a view. */
export function words(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / WORD_BYTES);
}

export async function assertSound(bytes: Uint8Array, section: Section, pace: Pace): Promise<void> {
  let crc = 0;
  for (let from = 0; from < bytes.length; from += BLOCK_BYTES) {
    crc = crc32(bytes.subarray(from, from + BLOCK_BYTES), crc);
    if (pace.due) await pace.rest();
  }
  if (crc !== section.crc) throw new Error('its content does not match its checksum');
}

export async function readBytes(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, position + read);
    if (bytesRead === 0) throw new Error('it is cut short');
    read += bytesRead;
  }
  return bytes;
}
