/** Tables of Parquet, and what ranx packs with LZ4, as the JSON that the other formats are read from. */
import zlib from 'node:zlib';
import * as l10n from '@vscode/l10n';
import type { Compressors } from 'hyparquet';
import { FileSkipped } from '../readers/reader.ts';
import { isLz4, lz4Block, lz4Content } from './lz4.ts';
import type { ExtractedText } from './messages.ts';

/** The most that is unpacked, in bytes, and the most text that is made of it, in UTF-16 code units. */
const MOST = 256 * 1024 * 1024;

/**
 * The rows of a Parquet file, each an object of JSON on a line of its own. Whole numbers that JSON cannot hold exactly
 * are texts; values of bytes of a fixed length are left out.
 *
 * @throws FileSkipped `broken`, `too-large`
 */
export async function parquetText(bytes: Uint8Array): Promise<ExtractedText> {
  const { parquetReadObjects } = await import('hyparquet');
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const rows = await parquetReadObjects({ file, compressors: COMPRESSORS });
  const lines: string[] = [];
  let length = 0;
  for (const row of rows) {
    const line = jsonOf(row);
    length += line.length + 1;
    requireLength(length);
    lines.push(line);
  }
  return { title: undefined, text: lines.join('\n') };
}

/** Snappy is the reader's own. */
const COMPRESSORS: Compressors = {
  GZIP: (packed) => zlib.gunzipSync(packed, { maxOutputLength: MOST }),
  BROTLI: (packed) => zlib.brotliDecompressSync(packed, { maxOutputLength: MOST }),
  ZSTD: unpackedZstandard,
  LZ4_RAW: (packed, length) => lz4Block(packed, length, MOST),
};

/** Node can do it from 22.15 on. */
function unpackedZstandard(packed: Uint8Array): Uint8Array {
  const { zstdDecompressSync } = zlib as Partial<typeof zlib>;
  if (!zstdDecompressSync)
    throw new FileSkipped('broken', l10n.t('It is packed with Zstandard, which takes Node 22.15 or later.'));
  return zstdDecompressSync(packed, { maxOutputLength: MOST });
}

/**
 * The content of LZ4 frames: a text, or the CBOR that ranx writes, as JSON. ranx packs twice.
 *
 * @throws FileSkipped `broken`, `too-large`
 */
export async function lz4Text(bytes: Uint8Array): Promise<ExtractedText> {
  const once = lz4Content(bytes, MOST);
  const content = isLz4(once) ? lz4Content(once, MOST) : once;
  if (!isMapOfCbor(content)) return { title: undefined, text: Buffer.from(content).toString('utf8') };
  const { decode } = await import('cborg');
  const text = jsonOf(decode(content, { useMaps: true }));
  requireLength(text.length);
  return { title: undefined, text };
}

/** RFC 8949, 3.1. No text in UTF-8 begins with such a byte. */
const isMapOfCbor = ([first = 0]: Uint8Array): boolean => first >> 5 === 5;

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, own: unknown) => {
    if (typeof own === 'bigint') return Number.isSafeInteger(Number(own)) ? Number(own) : String(own);
    if (own instanceof Map) return Object.fromEntries(own);
    if (own instanceof Uint8Array) return undefined;
    return ArrayBuffer.isView(own) ? [...(own as Float32Array)] : own;
  });
}

/** @throws FileSkipped `too-large` */
function requireLength(characters: number): void {
  if (characters > MOST)
    throw new FileSkipped('too-large', l10n.t`Unpacked, it is larger than ${MOST >> 20} MB.`);
}
