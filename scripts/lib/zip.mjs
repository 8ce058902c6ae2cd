// Reads ZIP files such as a VSIX, which Node cannot do.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const DEFLATED = 8;

/** The files in a ZIP archive: name, unpacked size, and a function that unpacks the file. */
export function readZip(path) {
  const bytes = readFileSync(path);
  let at = bytes.length - 22;
  while (at >= 0 && bytes.readUInt32LE(at) !== END_OF_DIRECTORY) at--;
  if (at < 0) throw new Error(`${path} is not a ZIP archive.`);
  const entries = [];
  let entry = bytes.readUInt32LE(at + 16);
  for (let left = bytes.readUInt16LE(at + 10); left > 0; left--) {
    const nameLength = bytes.readUInt16LE(entry + 28);
    const name = bytes.toString('utf8', entry + 46, entry + 46 + nameLength);
    if (!name.endsWith('/'))
      entries.push({ name, size: bytes.readUInt32LE(entry + 24), read: reader(bytes, entry) });
    entry += 46 + nameLength + bytes.readUInt16LE(entry + 30) + bytes.readUInt16LE(entry + 32);
  }
  return entries;
}

function reader(bytes, entry) {
  const compression = bytes.readUInt16LE(entry + 10);
  const packedSize = bytes.readUInt32LE(entry + 20);
  const header = bytes.readUInt32LE(entry + 42);
  return () => {
    const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
    const packed = bytes.subarray(start, start + packedSize);
    return compression === DEFLATED ? inflateRawSync(packed) : packed;
  };
}

export function unpack(entries, folder) {
  for (const { name, read } of entries) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), read());
  }
}
