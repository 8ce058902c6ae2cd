/** Checksums of Parquet pages. The bytes are those of a page header in Thrift's compact protocol. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { checkPages } from '../../../src/engine/corpus/extraction/records-text.ts';
import { FileSkipped } from '../../../src/engine/corpus/readers/reader.ts';

const FIELD_I32 = 0x15;

/** A dictionary page with its checksum, or without one. */
function page(text: string, crc?: number): Uint8Array {
  const data = new TextEncoder().encode(text);
  const sizes = [4, data.length, data.length].flatMap((value) => [FIELD_I32, ...zigZag(value)]);
  const checksum = crc === undefined ? [] : [FIELD_I32, ...zigZag(crc | 0)];
  return Uint8Array.from([...sizes, ...checksum, 0, ...data]);
}

function zigZag(value: number): number[] {
  const bytes: number[] = [];
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return [...bytes, rest];
}

test('a page that matches its checksum is accepted, also after one without a checksum', async () => {
  const text = 'night,9.5';
  await checkPages(Uint8Array.from([...page('ferry,2.25'), ...page(text, zlib.crc32(text))]));
});

test('a changed bit is found in the last page, too', async () => {
  const chunk = Uint8Array.from([
    ...page('ferry,2.25', zlib.crc32('ferry,2.25')),
    ...page('a', zlib.crc32('a')),
  ]);
  chunk[chunk.length - 1]! ^= 1;
  await assert.rejects(
    checkPages(chunk),
    (error) => error instanceof FileSkipped && /does not match its checksum/u.test(error.message),
  );
});
