/** Converts Parquet tables to JSON Lines, which the records reader reads. */
import zlib from 'node:zlib';
import * as l10n from '@vscode/l10n';
import type { Compressors, FileMetaData } from 'hyparquet';
import { FileSkipped } from '../readers/reader.ts';
import type { ExtractedText } from './messages.ts';

/** The most unpacked bytes, and the most text made from them, in UTF-16 code units. */
const MOST = 256 * 1024 * 1024;

/**
 * The rows of a Parquet file, one JSON object per line. Integers that JSON cannot represent exactly become texts;
 * values of fixed-length bytes are left out.
 *
 * @throws FileSkipped `broken`, `too-large`
 */
export async function parquetText(bytes: Uint8Array): Promise<ExtractedText> {
  const { parquetMetadata, parquetReadObjects } = await import('hyparquet');
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  for (const chunk of chunksOf(parquetMetadata(file))) await checkPages(bytes.subarray(...chunk));
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

/** Where each column of each row group begins and ends. */
function chunksOf({ row_groups }: FileMetaData): [start: number, end: number][] {
  return row_groups.flatMap(({ columns }) =>
    columns.flatMap(({ meta_data }): [number, number][] => {
      if (!meta_data) return [];
      const { dictionary_page_offset: dictionary, data_page_offset: data } = meta_data;
      // Some writers write 0 for a missing dictionary.
      const start = Number(dictionary && dictionary < data ? dictionary : data);
      return [[start, start + Number(meta_data.total_compressed_size)]];
    }),
  );
}

/**
 * Compares the pages of a column with the checksums that some writers, such as Spark, put into their headers.
 *
 * @throws FileSkipped `broken`
 */
export async function checkPages(chunk: Uint8Array): Promise<void> {
  const { parquetHeader } = await import('hyparquet/src/column.js');
  const reader = { view: new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength), offset: 0 };
  while (reader.offset < chunk.length) {
    const { crc, compressed_page_size: size } = parquetHeader(reader);
    const page = chunk.subarray(reader.offset, reader.offset + size);
    // The format stores an unsigned checksum as a signed number.
    if (crc !== undefined && zlib.crc32(page) !== crc >>> 0)
      throw new FileSkipped(
        'broken',
        l10n.t('A page of it does not match its checksum. Get the file again.'),
      );
    reader.offset += size;
  }
}

/** The reader itself handles Snappy. */
const COMPRESSORS: Compressors = {
  GZIP: (packed) => zlib.gunzipSync(packed, { maxOutputLength: MOST }),
  BROTLI: (packed) => zlib.brotliDecompressSync(packed, { maxOutputLength: MOST }),
  ZSTD: unpackedZstandard,
};

/** Needs Node 22.15. */
function unpackedZstandard(packed: Uint8Array): Uint8Array {
  const { zstdDecompressSync } = zlib as Partial<typeof zlib>;
  if (!zstdDecompressSync)
    throw new FileSkipped(
      'broken',
      l10n.t('It is compressed with Zstandard, which needs Node 22.15 or later.'),
    );
  return zstdDecompressSync(packed, { maxOutputLength: MOST });
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => {
    if (typeof field === 'bigint') return Number.isSafeInteger(Number(field)) ? Number(field) : String(field);
    if (field instanceof Uint8Array) return undefined;
    return ArrayBuffer.isView(field) ? [...(field as Float32Array)] : field;
  });
}

/** @throws FileSkipped `too-large` */
function requireLength(characters: number): void {
  if (characters > MOST)
    throw new FileSkipped('too-large', l10n.t`Unpacked, it is larger than ${MOST >> 20} MB.`);
}
