/** Documents that are small on disk and endless when they are read. */
import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib';

const BLOCK = 16 * 1024 * 1024;

/**
 * A raw deflate stream that decompresses to `blocks` times 16 MB of a repeated text. It is built from one compressed
 * block, so building it takes little memory.
 */
function repeated(text: string, blocks: number): { readonly packed: Buffer; readonly size: number } {
  const block = Buffer.alloc(BLOCK, text);
  // A full flush ends on a byte boundary and resets the dictionary, so blocks can be concatenated.
  const packed = deflateRawSync(block, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const end = deflateRawSync(Buffer.alloc(0));
  return { packed: Buffer.concat([...Array<Buffer>(blocks).fill(packed), end]), size: BLOCK * blocks };
}

/** A Word document whose body decompresses to `blocks` times 16 MB. */
export function docxBomb(blocks: number): Buffer {
  const rels = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const types = 'http://schemas.openxmlformats.org/package/2006/content-types';
  const document = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
  return zip([
    stored('[Content_Types].xml', `<Types xmlns="${types}"/>`),
    stored(
      '_rels/.rels',
      `<Relationships xmlns="${rels}"><Relationship Id="r" Type="${document}" Target="word/document.xml"/></Relationships>`,
    ),
    { name: 'word/document.xml', ...repeated('<w:p>bomb</w:p>', blocks) },
  ]);
}

/** A PDF of one page whose content decompresses to `blocks` times 16 MB of text. */
export function pdfBomb(blocks: number): Buffer {
  const { packed } = repeated('(bomb) Tj ', blocks);
  // The head of a zlib stream; the checksum at its end is not read.
  const content = Buffer.concat([deflateSync('').subarray(0, 2), packed]);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const places: number[] = [];
  for (const [index, object] of objects.entries()) {
    places.push(parts.reduce((sum, { length }) => sum + length, 0));
    parts.push(Buffer.from(`${index + 1} 0 obj\n${object}`));
    if (object.endsWith('stream\n')) parts.push(content, Buffer.from('\nendstream'));
    parts.push(Buffer.from('\nendobj\n'));
  }
  const xref = parts.reduce((sum, { length }) => sum + length, 0);
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${rows}trailer << /Size ${count} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

export interface Entry {
  readonly name: string;
  readonly packed: Buffer;
  readonly size: number;
  readonly isStored?: boolean;
}

/** An uncompressed file within a ZIP file. */
export function stored(name: string, text: string): Entry {
  return { name, packed: Buffer.from(text), size: Buffer.byteLength(text), isStored: true };
}

/** A ZIP file (APPNOTE.TXT 4.3) without checksums of its content, which no reader checks. */
export function zip(entries: readonly Entry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let place = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const common = commonFields(entry, name.length);
    const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), common, name, entry.packed]);
    const after = Buffer.alloc(14);
    after.writeUInt32LE(place, 10);
    directory.push(Buffer.concat([Buffer.from([0x50, 0x4b, 1, 2, 20, 0]), common, after, name]));
    files.push(local);
    place += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(place, 16);
  return Buffer.concat([...files, listed, end]);
}

/** Version, flags, method, time, checksum, sizes and lengths: the same in both headers of a file. */
function commonFields({ packed, size, isStored }: Entry, nameLength: number): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(isStored ? 0 : 8, 4);
  if (isStored) fields.writeUInt32LE(crc32(packed), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(size, 18);
  fields.writeUInt16LE(nameLength, 22);
  return fields;
}
