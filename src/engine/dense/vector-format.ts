/**
 * Embeddings on disk as bytes: one flat file that only grows. All numbers are little-endian.
 *
 *   header   magic, format version, dimensions, length of the key, key (UTF-8), padding to 4 bytes, CRC-32
 *   block    marker, rows n, CRC-32 of slots, texts and the sums of vectors, CRC-32 of these twelve bytes,
 *            slots u32 [n], texts u32 [n] (the CRC-32 of the text in each slot), vectors f32 [n, stride]
 *
 * The sums are those of `sumWords` (kernels/assembly/index.ts): a CRC of every byte takes six times as long.
 */
import { crc32 } from 'node:zlib';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { paddedDimensions } from '../kernels/kernel-memory.ts';

const MAGIC = 0x43_45_56_50; // "PVEC"
const VERSION = 3;
const MARKER = 0x4b_4c_42_50; // "PBLK"
const WORD = 4;
/** A slot and its text. */
export const LABEL_BYTES = 2 * WORD;
const HEADER_WORDS = 4;
export const BLOCK_HEADER_BYTES = 4 * WORD;
const MAX_KEY_BYTES = 4096;
export const MAX_HEADER_BYTES = HEADER_WORDS * WORD + MAX_KEY_BYTES + WORD;
/** The largest block to write, so that checking one is a short turn. */
const MAX_BLOCK_BYTES = 2 ** 22;

export interface VectorFileIdentity {
  /** `Embedder.key` of the embedder that made the vectors. */
  readonly key: string;
  readonly dimensions: number;
}

/** @throws ParallaxError `bad-argument` for a key that is too long */
export function encodeHeader({ key, dimensions }: VectorFileIdentity): Uint8Array {
  const keyBytes = new TextEncoder().encode(key);
  if (keyBytes.length > MAX_KEY_BYTES)
    throw new ParallaxError('bad-argument', l10n.t`An embedder's key is longer than ${MAX_KEY_BYTES} bytes.`);
  const checked = HEADER_WORDS * WORD + Math.ceil(keyBytes.length / WORD) * WORD;
  const bytes = new Uint8Array(checked + WORD);
  new Uint32Array(bytes.buffer).set([MAGIC, VERSION, dimensions, keyBytes.length]);
  bytes.set(keyBytes, HEADER_WORDS * WORD);
  new Uint32Array(bytes.buffer)[checked / WORD] = crc32(bytes.subarray(0, checked));
  return bytes;
}

/**
 * @param bytes the first of a file: {@link MAX_HEADER_BYTES}, or all if there are fewer
 * @returns undefined if they do not begin with a valid header of this version
 */
export function decodeHeader(bytes: Uint8Array): VectorFileIdentity | undefined {
  if (bytes.length < HEADER_WORDS * WORD) return undefined;
  const [magic, version, dimensions, keyLength] = new Uint32Array(
    bytes.buffer,
    bytes.byteOffset,
    HEADER_WORDS,
  );
  if (magic !== MAGIC || version !== VERSION || keyLength! > MAX_KEY_BYTES) return undefined;
  const key = new TextDecoder().decode(bytes.subarray(HEADER_WORDS * WORD, HEADER_WORDS * WORD + keyLength!));
  const identity = { key, dimensions: dimensions! };
  const expected = encodeHeader(identity);
  return Buffer.compare(expected, bytes.subarray(0, expected.length)) === 0 ? identity : undefined;
}

function rowBytes(dimensions: number): number {
  return LABEL_BYTES + paddedDimensions(dimensions) * WORD;
}

/**
 * @param labels of a block: slots [n], then texts [n]
 * @param sums of its vectors, by `sumWords`
 */
export function checksumOf(labels: Uint32Array, sums: Uint8Array): number {
  return crc32(sums, crc32(bytesOf(labels)));
}

/** Writes the header of a block in front of its labels and vectors; for `labels` and `sums` see {@link checksumOf}. */
export function sealBlock(bytes: Uint8Array, labels: Uint32Array, sums: Uint8Array): void {
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, BLOCK_HEADER_BYTES / WORD);
  header.set([MARKER, labels.length / 2, checksumOf(labels, sums)]);
  header[3] = crc32(bytes.subarray(0, 3 * WORD));
}

/** Header of a block, before its vectors. */
export interface BlockHead {
  /** The size of the whole block. */
  readonly bytes: number;
  readonly vectorsAt: number;
  /** See {@link checksumOf}. */
  readonly checksum: number;
  /** Slots [n], then texts [n]. */
  readonly labels: Uint32Array;
}

export function decodeHead(bytes: Uint8Array, dimensions: number): BlockHead | 'incomplete' | 'damaged' {
  if (bytes.length < BLOCK_HEADER_BYTES) return 'incomplete';
  const [marker, count, checksum, headerChecksum] = new Uint32Array(bytes.buffer, bytes.byteOffset, 4);
  if (marker !== MARKER || headerChecksum !== crc32(bytes.subarray(0, 3 * WORD))) return 'damaged';
  if (count! > mostRows(dimensions)) return 'damaged';
  const vectorsAt = BLOCK_HEADER_BYTES + count! * LABEL_BYTES;
  if (vectorsAt > bytes.length) return 'incomplete';
  // A copy, because the window moves on.
  const labels = new Uint32Array(bytes.buffer, bytes.byteOffset + BLOCK_HEADER_BYTES, 2 * count!).slice();
  return {
    bytes: BLOCK_HEADER_BYTES + count! * rowBytes(dimensions),
    vectorsAt,
    checksum: checksum!,
    labels,
  };
}

export function mostRows(dimensions: number): number {
  return Math.max(1, Math.floor(MAX_BLOCK_BYTES / rowBytes(dimensions)));
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
