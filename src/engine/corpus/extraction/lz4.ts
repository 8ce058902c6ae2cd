/** LZ4 frames, after the LZ4 Frame Format Description 1.6.4. Checksums in them are passed over. */
import * as l10n from '@vscode/l10n';
import { FileSkipped } from '../readers/reader.ts';

const MAGIC = 0x184d2204;
/** Sixteen magic numbers of frames that hold something else. */
const SKIPPABLE = 0x184d2a50;
const VERSION = 1;
/** The most that a block holds, by the number in the frame's head. */
const BLOCK_BYTES: Readonly<Record<number, number>> = { 4: 1 << 16, 5: 1 << 18, 6: 1 << 20, 7: 1 << 22 };
const SHORTEST_MATCH = 4;

/** Whether bytes begin as such a frame does. */
export function isLz4(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && u32(bytes, 0) === MAGIC;
}

/**
 * The content of the frames in `bytes`, one after the other.
 *
 * @param mostBytes of what they hold
 * @throws FileSkipped `broken`, `too-large`
 */
export function lz4Content(bytes: Uint8Array, mostBytes: number): Uint8Array {
  const content = new Content(mostBytes);
  for (let at = 0; at < bytes.length;) at = readFrame(bytes, at, content);
  return content.bytes;
}

/**
 * The content of a block without a frame.
 *
 * @param length of what it holds, in bytes, as what surrounds it says
 * @throws FileSkipped `broken`, `too-large`
 */
export function lz4Block(block: Uint8Array, length: number, mostBytes: number): Uint8Array {
  const content = new Content(mostBytes);
  readBlock(block, content, 0, length);
  return content.bytes;
}

/** Grows as it is filled, whatever a frame says of its length. */
class Content {
  readonly #mostBytes: number;
  #memory = new Uint8Array(1 << 16);
  length = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.length);
  }

  append(part: Uint8Array): void {
    this.#reserve(part.length);
    this.#memory.set(part, this.length);
    this.length += part.length;
  }

  /** Appends what stands `distance` bytes before the end, and may run into what is being appended. */
  repeat(distance: number, length: number): void {
    this.#reserve(length);
    const end = this.length + length;
    if (distance >= length) this.#memory.copyWithin(this.length, this.length - distance, end - distance);
    else for (let at = this.length; at < end; at++) this.#memory[at] = this.#memory[at - distance]!;
    this.length = end;
  }

  #reserve(more: number): void {
    const needed = this.length + more;
    if (needed > this.#mostBytes)
      throw new FileSkipped('too-large', l10n.t`Unpacked, it is larger than ${this.#mostBytes >> 20} MB.`);
    if (needed <= this.#memory.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#memory.length));
    larger.set(this.bytes);
    this.#memory = larger;
  }
}

/** @returns where the frame ends */
function readFrame(bytes: Uint8Array, start: number, content: Content): number {
  const magic = u32(bytes, start);
  if ((magic & ~0xf) >>> 0 === SKIPPABLE) return start + 8 + u32(bytes, start + 4);
  const flags = byte(bytes, start + 4);
  const blockBytes = BLOCK_BYTES[(byte(bytes, start + 5) >> 4) & 7];
  if (magic !== MAGIC || flags >> 6 !== VERSION || blockBytes === undefined) throw damaged();
  const has = (bit: number): boolean => (flags & (1 << bit)) !== 0;
  if (has(0)) throw new FileSkipped('broken', l10n.t('It is packed with a dictionary of LZ4.'));
  let at = start + (has(3) ? 15 : 7);
  const frameStart = content.length;
  for (let size = u32(bytes, at); size !== 0; size = u32(bytes, at)) {
    at += 4;
    const end = at + (size & 0x7fffffff);
    if (end > bytes.length || end - at > blockBytes) throw damaged();
    const block = bytes.subarray(at, end);
    const blockStart = content.length;
    if (size >= 0x80000000) content.append(block);
    else readBlock(block, content, has(5) ? blockStart : frameStart, blockStart + blockBytes);
    at = end + (has(4) ? 4 : 0);
  }
  return at + (has(2) ? 8 : 4);
}

/**
 * @param window where the content begins that this block may repeat
 * @param most where the content ends at most
 */
function readBlock(block: Uint8Array, content: Content, window: number, most: number): void {
  let at = 0;
  const lengthOf = (short: number): number => {
    let length = short;
    for (let more = short === 15 ? 255 : 0; more === 255; length += more) more = byte(block, at++);
    return length;
  };
  while (at < block.length) {
    const token = byte(block, at++);
    const literals = lengthOf(token >> 4);
    if (at + literals > block.length || content.length + literals > most) throw damaged();
    content.append(block.subarray(at, at + literals));
    at += literals;
    if (at === block.length) return;
    const distance = byte(block, at) | (byte(block, at + 1) << 8);
    at += 2;
    const length = lengthOf(token & 15) + SHORTEST_MATCH;
    if (distance === 0 || distance > content.length - window || content.length + length > most)
      throw damaged();
    content.repeat(distance, length);
  }
}

function byte(bytes: Uint8Array, at: number): number {
  const found = bytes[at];
  if (found === undefined) throw damaged();
  return found;
}

const u32 = (bytes: Uint8Array, at: number): number =>
  (byte(bytes, at) |
    (byte(bytes, at + 1) << 8) |
    (byte(bytes, at + 2) << 16) |
    (byte(bytes, at + 3) << 24)) >>>
  0;

const damaged = (): FileSkipped => new FileSkipped('broken', l10n.t('What LZ4 packed in it is damaged.'));
