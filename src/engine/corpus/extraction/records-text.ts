/** Tables of Parquet as the JSON Lines that the other formats are read from. */
import zlib from 'node:zlib';
import * as l10n from '@vscode/l10n';
import type { Compressors } from 'hyparquet';
import { FileSkipped } from '../readers/reader.ts';
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
};

/** Node can do it from 22.15 on. */
function unpackedZstandard(packed: Uint8Array): Uint8Array {
  const { zstdDecompressSync } = zlib as Partial<typeof zlib>;
  if (!zstdDecompressSync)
    throw new FileSkipped('broken', l10n.t('It is packed with Zstandard, which takes Node 22.15 or later.'));
  return zstdDecompressSync(packed, { maxOutputLength: MOST });
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, own: unknown) => {
    if (typeof own === 'bigint') return Number.isSafeInteger(Number(own)) ? Number(own) : String(own);
    if (own instanceof Uint8Array) return undefined;
    return ArrayBuffer.isView(own) ? [...(own as Float32Array)] : own;
  });
}

/** @throws FileSkipped `too-large` */
function requireLength(characters: number): void {
  if (characters > MOST)
    throw new FileSkipped('too-large', l10n.t`Unpacked, it is larger than ${MOST >> 20} MB.`);
}
