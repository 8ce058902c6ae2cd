/**
 * A segment as a file. Little-endian:
 *
 *     header    magic, versions, analyzer, counts, length and CRC-32 of every section, its own CRC-32
 *     slots     4 bytes each
 *     lengths   variable-length integers, as all that follows
 *     terms     per term: number of UTF-16 code units, then these
 *     counts    per term: number of postings
 *     postings  per posting: gap to the previous passage << 1 | (frequency is 1), and the frequency if not
 *
 * Every byte is covered by a checksum that is verified before anything is believed.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { ParallaxError } from '../../core/errors.ts';
import { ANALYSIS_VERSION, type AnalyzerName } from '../../core/text/analyzer.ts';
import { writeDurably } from './durable-file.ts';
import type { Pace } from '../pace.ts';
import { FREQUENCY_BITS, frequencyAt, LONG_FREQUENCY, packPosting, type Segment } from './segment.ts';
import { EMPTY_HASH, hashUnit, type TermTable } from './term-table.ts';

const MAGIC = 'PLXBM25\n';
const FORMAT_VERSION = 1;
const ANALYZERS: readonly AnalyzerName[] = ['english', 'simple', 'whitespace'];

/** In the order in which they lie in the file. */
const SECTION_NAMES = ['slots', 'lengths', 'terms', 'counts', 'postings'] as const;
type SectionName = (typeof SECTION_NAMES)[number];
const SECTION_TABLE = 28;
const SECTION_ENTRY = 12;
const HEADER_CRC = SECTION_TABLE + SECTION_NAMES.length * SECTION_ENTRY;
const HEADER_BYTES = HEADER_CRC + 4;

const BLOCK_BYTES = 1 << 18;
/** No variable-length integer of 32 bits is longer than 5 bytes; a posting is two of them. */
const BLOCK_RESERVE = 10;

/** Reading this many takes about a millisecond. */
const POSTINGS_AT_A_TIME = 1 << 16;
const TERMS_AT_A_TIME = 1 << 12;

interface Section {
  readonly bytes: number;
  readonly crc: number;
}

interface Header {
  readonly passages: number;
  readonly terms: number;
  readonly sections: Readonly<Record<SectionName, Section>>;
}

/** Why a segment file cannot be used; its passages have to be indexed anew from their text. */
export interface Damage {
  readonly file: string;
  readonly reason: string;
}

/**
 * Writes a segment; a crash leaves no half of it.
 *
 * @returns the file's size in bytes
 * @throws ParallaxError `cancelled`; errors of the file system
 */
export async function writeSegment(
  file: string,
  segment: Segment,
  lexicon: TermTable,
  analyzer: AnalyzerName,
  pace: Pace,
): Promise<number> {
  let bytes = HEADER_BYTES;
  await writeDurably(file, async (handle) => {
    const out = new SectionWriter(handle);
    const sections = {
      slots: await writeSlots(out, segment),
      lengths: await writeLengths(out, segment),
      terms: await writeTerms(out, segment, lexicon, pace),
      counts: await writeCounts(out, segment),
      postings: await writePostings(out, segment, pace),
    };
    bytes = out.position;
    const header = { passages: segment.slots.length, terms: segment.terms.length, sections };
    await handle.write(encodeHeader(header, analyzer), 0, HEADER_BYTES, 0);
  });
  return bytes;
}

/**
 * Reads a segment, adding its terms to the lexicon.
 *
 * @throws ParallaxError `cancelled`; nothing else: whatever is wrong with the file is returned
 */
export async function readSegment(
  file: string,
  lexicon: TermTable,
  analyzer: AnalyzerName,
  pace: Pace,
): Promise<{ segment: Segment; bytes: number } | Damage> {
  try {
    const handle = await open(file, 'r');
    try {
      return await decodeFile(handle, lexicon, analyzer, pace);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (ParallaxError.is(error)) throw error;
    return { file, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function decodeFile(
  handle: FileHandle,
  lexicon: TermTable,
  analyzer: AnalyzerName,
  pace: Pace,
): Promise<{ segment: Segment; bytes: number }> {
  const header = decodeHeader(await readBytes(handle, 0, HEADER_BYTES), analyzer);
  const { size } = await handle.stat();
  let end = HEADER_BYTES;
  const nextSection = async (name: SectionName): Promise<SectionReader> => {
    const section = header.sections[name];
    end += section.bytes;
    if (end > size) throw new Error('it is cut short');
    return new SectionReader(await readSection(handle, end - section.bytes, section, pace));
  };
  const slots = (await nextSection('slots')).fixedInts(header.passages);
  const lengths = (await nextSection('lengths')).varints(header.passages);
  const termSection = await nextSection('terms');
  const starts = startsOf((await nextSection('counts')).varints(header.terms));
  const postingSection = await nextSection('postings');
  if (end !== size) throw new Error('something was added to its end');
  const postings = await readPostings(postingSection, starts, pace);
  const terms = await readTerms(termSection, header.terms, lexicon, pace);
  return { segment: { slots, lengths, terms, starts, ...postings }, bytes: size };
}

function encodeHeader(header: Header, analyzer: AnalyzerName): Buffer {
  const out = Buffer.alloc(HEADER_BYTES);
  out.write(MAGIC, 'latin1');
  out.writeUInt32LE(FORMAT_VERSION, 8);
  out.writeUInt32LE(ANALYSIS_VERSION, 12);
  out.writeUInt32LE(ANALYZERS.indexOf(analyzer), 16);
  out.writeUInt32LE(header.passages, 20);
  out.writeUInt32LE(header.terms, 24);
  SECTION_NAMES.forEach((name, i) => {
    out.writeDoubleLE(header.sections[name].bytes, SECTION_TABLE + i * SECTION_ENTRY);
    out.writeUInt32LE(header.sections[name].crc, SECTION_TABLE + i * SECTION_ENTRY + 8);
  });
  out.writeUInt32LE(crc32(out.subarray(0, HEADER_CRC)), HEADER_CRC);
  return out;
}

function decodeHeader(bytes: Buffer, analyzer: AnalyzerName): Header {
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('it is not a segment file');
  if (bytes.readUInt32LE(HEADER_CRC) !== crc32(bytes.subarray(0, HEADER_CRC)))
    throw new Error('its header does not match its checksum');
  if (bytes.readUInt32LE(8) !== FORMAT_VERSION || bytes.readUInt32LE(12) !== ANALYSIS_VERSION)
    throw new Error('it was written by another version');
  if (bytes.readUInt32LE(16) !== ANALYZERS.indexOf(analyzer))
    throw new Error('it was made with another analyzer');
  const section = (name: SectionName): Section => {
    const at = SECTION_TABLE + SECTION_NAMES.indexOf(name) * SECTION_ENTRY;
    return { bytes: bytes.readDoubleLE(at), crc: bytes.readUInt32LE(at + 8) };
  };
  return {
    passages: bytes.readUInt32LE(20),
    terms: bytes.readUInt32LE(24),
    sections: {
      slots: section('slots'),
      lengths: section('lengths'),
      terms: section('terms'),
      counts: section('counts'),
      postings: section('postings'),
    },
  };
}

async function writeSlots(out: SectionWriter, { slots }: Segment): Promise<Section> {
  for (const slot of slots) {
    out.fixed(slot);
    if (out.isFull) await out.drain();
  }
  return out.endSection();
}

async function writeLengths(out: SectionWriter, { lengths }: Segment): Promise<Section> {
  for (const length of lengths) {
    out.varint(length);
    if (out.isFull) await out.drain();
  }
  return out.endSection();
}

async function writeTerms(
  out: SectionWriter,
  { terms }: Segment,
  lexicon: TermTable,
  pace: Pace,
): Promise<Section> {
  for (const id of terms) {
    const units = lexicon.units(id);
    out.varint(units.length);
    for (const unit of units) {
      out.varint(unit);
      if (out.isFull) await out.drain();
    }
    if (pace.due) await pace.rest();
  }
  return out.endSection();
}

async function readTerms(
  section: SectionReader,
  count: number,
  lexicon: TermTable,
  pace: Pace,
): Promise<Uint32Array> {
  const terms = new Uint32Array(count);
  let units = new Uint16Array(64);
  for (let term = 0; term < terms.length; term++) {
    const length = section.varint();
    if (length > units.length) units = new Uint16Array(length);
    let hash = EMPTY_HASH;
    for (let i = 0; i < length; i++) {
      const unit = section.varint();
      units[i] = unit;
      hash = hashUnit(hash, unit);
    }
    const known = lexicon.find(units, length, hash);
    terms[term] = known >= 0 ? known : lexicon.add(units, length, hash);
    if (term % TERMS_AT_A_TIME === 0 && pace.due) await pace.rest();
  }
  return terms;
}

async function writeCounts(out: SectionWriter, { starts }: Segment): Promise<Section> {
  for (let term = 0; term + 1 < starts.length; term++) {
    out.varint(starts[term + 1]! - starts[term]!);
    if (out.isFull) await out.drain();
  }
  return out.endSection();
}

function startsOf(counts: Uint32Array): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  counts.forEach((count, term) => (starts[term + 1] = starts[term]! + count));
  return starts;
}

async function writePostings(out: SectionWriter, segment: Segment, pace: Pace): Promise<Section> {
  const { starts, postings } = segment;
  for (let term = 0; term + 1 < starts.length; term++) {
    let previous = -1;
    for (let index = starts[term]!; index < starts[term + 1]!; index++) {
      const passage = postings[index]! >>> FREQUENCY_BITS;
      const frequency = frequencyAt(segment, index);
      const gap = passage - previous - 1;
      out.varint((gap << 1) | (frequency === 1 ? 1 : 0));
      if (frequency !== 1) out.varint(frequency);
      if (out.isFull) await out.drain();
      previous = passage;
    }
    if (pace.due) await pace.rest();
  }
  return out.endSection();
}

async function readPostings(
  section: SectionReader,
  starts: Uint32Array,
  pace: Pace,
): Promise<Pick<Segment, 'postings' | 'longFrequencies'>> {
  const postings = new Uint32Array(starts.at(-1)!);
  const longFrequencies = new Map<number, number>();
  let read = 0;
  for (let term = 0; term + 1 < starts.length; term++) {
    section.postings(postings, starts[term]!, starts[term + 1]!, longFrequencies);
    if (starts[term + 1]! - read < POSTINGS_AT_A_TIME) continue;
    read = starts[term + 1]!;
    if (pace.due) await pace.rest();
  }
  return { postings, longFrequencies };
}

async function readSection(
  handle: FileHandle,
  position: number,
  section: Section,
  pace: Pace,
): Promise<Buffer> {
  const bytes = await readBytes(handle, position, section.bytes);
  let crc = 0;
  for (let from = 0; from < bytes.length; from += BLOCK_BYTES) {
    crc = crc32(bytes.subarray(from, from + BLOCK_BYTES), crc);
    if (pace.due) await pace.rest();
  }
  if (crc !== section.crc) throw new Error('its content does not match its checksum');
  return bytes;
}

async function readBytes(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, position + read);
    if (bytesRead === 0) throw new Error('it is cut short');
    read += bytesRead;
  }
  return bytes;
}

/** Writes one section after the other behind the header, in blocks. */
class SectionWriter {
  /** Where the next block goes. */
  position = HEADER_BYTES;
  readonly #handle: FileHandle;
  readonly #block = Buffer.alloc(BLOCK_BYTES);
  #used = 0;
  #crc = 0;
  #sectionStart = HEADER_BYTES;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Whether the block must be drained before more is written. */
  get isFull(): boolean {
    return this.#used > BLOCK_BYTES - BLOCK_RESERVE;
  }

  /** @param value below 2^32 */
  fixed(value: number): void {
    this.#used = this.#block.writeUInt32LE(value, this.#used);
  }

  /** Seven bits per byte, the lowest first; the highest bit says that more follow. */
  varint(value: number): void {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.#block[this.#used++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#block[this.#used++] = rest;
  }

  async drain(): Promise<void> {
    const filled = this.#block.subarray(0, this.#used);
    this.#crc = crc32(filled, this.#crc);
    let written = 0;
    while (written < filled.length) {
      const { bytesWritten } = await this.#handle.write(
        filled,
        written,
        filled.length - written,
        this.position,
      );
      written += bytesWritten;
      this.position += bytesWritten;
    }
    this.#used = 0;
  }

  async endSection(): Promise<Section> {
    await this.drain();
    const section = { bytes: this.position - this.#sectionStart, crc: this.#crc };
    this.#sectionStart = this.position;
    this.#crc = 0;
    return section;
  }
}

/** Reads the integers of one section, whose checksum was found right. */
class SectionReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  fixedInts(count: number): Uint32Array {
    const values = new Uint32Array(count);
    for (let i = 0; i < count; i++) values[i] = this.#bytes.readUInt32LE(4 * i);
    return values;
  }

  varints(count: number): Uint32Array {
    const values = new Uint32Array(count);
    for (let i = 0; i < count; i++) values[i] = this.varint();
    return values;
  }

  /** Fills in the postings of one term. Most are a single byte, for which there is a short way. */
  postings(target: Uint32Array, from: number, to: number, longFrequencies: Map<number, number>): void {
    const bytes = this.#bytes;
    let passage = -1;
    for (let index = from; index < to; index++) {
      const code = bytes[this.#at]! < 0x80 ? bytes[this.#at++]! : this.varint();
      passage += (code >>> 1) + 1;
      const frequency = code & 1 ? 1 : this.varint();
      target[index] = packPosting(passage, frequency);
      if (frequency >= LONG_FREQUENCY) longFrequencies.set(index, frequency);
    }
  }

  varint(): number {
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
