/**
 * A segment as a file. Little-endian:
 *
 *     header       magic, versions, analyzer, counts, length and CRC-32 of every section, its own CRC-32
 *     slots        4 bytes each
 *     texts        CRC-32 of the text in each slot, 4 bytes each: whose passages these are
 *     lengths      variable-length integers, as the two that follow
 *     terms        per term: number of UTF-16 code units, then these
 *     counts       per term: number of postings
 *     postings     4 bytes each, as they lie in memory: twice the size of gaps, and read in no time
 *     frequencies  those that do not fit into a posting: its number and the frequency, 4 bytes each
 *
 * Every byte is covered by a checksum that is verified before anything is believed.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { ANALYSIS_VERSION, type AnalyzerName } from '../../core/text/analyzer.ts';
import { writeDurably } from '../files/durable-file.ts';
import type { Pace } from '../concurrency/pace.ts';
import type { Segment } from './segment.ts';
import { EMPTY_HASH, grown, hashUnit, type TermTable, type Words } from './term-table.ts';

const MAGIC = 'PLXBM25\n';
const FORMAT_VERSION = 3;
const ANALYZERS: readonly AnalyzerName[] = ['english', 'simple', 'whitespace'];

/** In the order in which they lie in the file. */
const SECTION_NAMES = ['slots', 'texts', 'lengths', 'terms', 'counts', 'postings', 'frequencies'] as const;
type SectionName = (typeof SECTION_NAMES)[number];
const SECTION_TABLE = 28;
const SECTION_ENTRY = 12;
const HEADER_CRC = SECTION_TABLE + SECTION_NAMES.length * SECTION_ENTRY;
const HEADER_BYTES = HEADER_CRC + 4;
const WORD_BYTES = Uint32Array.BYTES_PER_ELEMENT;

const BLOCK_BYTES = 1 << 18;
/** No variable-length integer of 32 bits is longer. */
const BLOCK_RESERVE = 5;

const TERMS_AT_A_TIME = 1 << 10;

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
      slots: await writeWords(out, segment.slots, pace),
      texts: await writeWords(out, segment.texts, pace),
      lengths: await writeLengths(out, segment),
      terms: await writeTerms(out, segment, lexicon, pace),
      counts: await writeCounts(out, segment),
      postings: await writeWords(out, segment.postings, pace),
      frequencies: await writeWords(out, Uint32Array.from([...segment.longFrequencies].flat()), pace),
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
): Promise<ReadSegment | Damage> {
  const fetched = await fetchSegment(file, analyzer);
  return 'reason' in fetched ? fetched : decode(file, fetched, lexicon, pace);
}

export interface ReadSegment {
  readonly segment: Segment;
  /** Size of the file. */
  readonly bytes: number;
}

/**
 * Reads segments in their order, as {@link readSegment} does; the bytes of the next arrive while one is decoded.
 *
 * @throws ParallaxError `cancelled`
 */
export async function* readSegments(
  files: readonly string[],
  lexicon: TermTable,
  analyzer: AnalyzerName,
  pace: Pace,
): AsyncGenerator<ReadSegment | Damage> {
  let ahead = files[0] === undefined ? undefined : fetchSegment(files[0], analyzer);
  for (const [i, file] of files.entries()) {
    const fetched = await ahead!;
    const next = files[i + 1];
    ahead = next === undefined ? undefined : fetchSegment(next, analyzer);
    yield 'reason' in fetched ? fetched : await decode(file, fetched, lexicon, pace);
  }
}

/** A segment file as read from disk: only its header has been checked. */
interface Fetched {
  readonly header: Header;
  readonly sections: Readonly<Record<SectionName, Uint8Array>>;
  /** Of the file. */
  readonly bytes: number;
}

/** Never throws: nobody may be waiting for it. */
async function fetchSegment(file: string, analyzer: AnalyzerName): Promise<Fetched | Damage> {
  return orDamage(file, async () => {
    const handle = await open(file, 'r');
    try {
      const header = decodeHeader(await readBytes(handle, 0, HEADER_BYTES), analyzer);
      const { size } = await handle.stat();
      const sections = {} as Record<SectionName, Uint8Array>;
      let end = HEADER_BYTES;
      for (const name of SECTION_NAMES) {
        const { bytes } = header.sections[name];
        if (end + bytes > size) throw new Error('it is cut short');
        sections[name] = await readBytes(handle, end, bytes);
        end += bytes;
      }
      if (end !== size) throw new Error('something was added to its end');
      return { header, sections, bytes: size };
    } finally {
      await handle.close();
    }
  });
}

/** @throws ParallaxError `cancelled` */
function decode(
  file: string,
  { header, sections, bytes }: Fetched,
  lexicon: TermTable,
  pace: Pace,
): Promise<ReadSegment | Damage> {
  return orDamage(file, async () => {
    for (const name of SECTION_NAMES) await assertSound(sections[name], header.sections[name], pace);
    const slots = words(sections.slots);
    const texts = words(sections.texts);
    const postings = words(sections.postings);
    const starts = startsOf(new VarintReader(sections.counts).next(header.terms));
    if (
      slots.length !== header.passages ||
      texts.length !== slots.length ||
      postings.length !== starts.at(-1)
    )
      throw new Error('its parts do not fit together');
    const segment = {
      slots,
      texts,
      lengths: new VarintReader(sections.lengths).next(header.passages),
      terms: await readTerms(new VarintReader(sections.terms), header.terms, lexicon, pace),
      starts,
      postings,
      longFrequencies: pairs(words(sections.frequencies)),
    };
    return { segment, bytes };
  });
}

/** @throws ParallaxError; of anything else that `work` throws it says why the file cannot be used */
async function orDamage<T>(file: string, work: () => Promise<T>): Promise<T | Damage> {
  try {
    return await work();
  } catch (error) {
    if (ParallaxError.is(error)) throw error;
    return { file, reason: messageOf(error) };
  }
}

/** The bytes of a section as numbers: a view. */
function words(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / WORD_BYTES);
}

function pairs(numbers: Uint32Array): Map<number, number> {
  const found = new Map<number, number>();
  for (let i = 0; i + 1 < numbers.length; i += 2) found.set(numbers[i]!, numbers[i + 1]!);
  return found;
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
  // Before the checksum, which stands at another place in other versions.
  if (bytes.readUInt32LE(8) !== FORMAT_VERSION || bytes.readUInt32LE(12) !== ANALYSIS_VERSION)
    throw new Error('it was written by another version');
  if (bytes.readUInt32LE(HEADER_CRC) !== crc32(bytes.subarray(0, HEADER_CRC)))
    throw new Error('its header does not match its checksum');
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
      texts: section('texts'),
      lengths: section('lengths'),
      terms: section('terms'),
      counts: section('counts'),
      postings: section('postings'),
      frequencies: section('frequencies'),
    },
  };
}

async function writeWords(out: SectionWriter, values: Uint32Array, pace: Pace): Promise<Section> {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  for (let from = 0; from < bytes.length; from += BLOCK_BYTES) {
    await out.write(bytes.subarray(from, from + BLOCK_BYTES));
    if (pace.due) await pace.rest();
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
  section: VarintReader,
  count: number,
  lexicon: TermTable,
  pace: Pace,
): Promise<Uint32Array> {
  const terms = new Uint32Array(count);
  const words = new ReadWords();
  const ids = new Int32Array(TERMS_AT_A_TIME);
  for (let term = 0; term < count; term += words.count) {
    words.read(section, Math.min(TERMS_AT_A_TIME, count - term));
    lexicon.idsOf(words, ids);
    terms.set(ids.subarray(0, words.count), term);
    if (pace.due) await pace.rest();
  }
  return terms;
}

/** Words of a section, some at a time. */
class ReadWords implements Words {
  count = 0;
  units = new Uint16Array(16 * TERMS_AT_A_TIME);
  readonly ends = new Uint32Array(TERMS_AT_A_TIME);
  readonly hashes = new Int32Array(TERMS_AT_A_TIME);

  /** @param count at most {@link TERMS_AT_A_TIME} */
  read(section: VarintReader, count: number): void {
    this.count = count;
    let end = 0;
    for (let word = 0; word < count; word++) {
      const length = section.one();
      if (end + length > this.units.length) this.units = grown(this.units, end + length);
      let hash = EMPTY_HASH;
      for (let i = 0; i < length; i++) {
        const unit = section.one();
        this.units[end++] = unit;
        hash = hashUnit(hash, unit);
      }
      this.ends[word] = end;
      this.hashes[word] = hash;
    }
  }
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
  for (let term = 0; term < counts.length; term++) starts[term + 1] = starts[term]! + counts[term]!;
  return starts;
}

async function assertSound(bytes: Uint8Array, section: Section, pace: Pace): Promise<void> {
  let crc = 0;
  for (let from = 0; from < bytes.length; from += BLOCK_BYTES) {
    crc = crc32(bytes.subarray(from, from + BLOCK_BYTES), crc);
    if (pace.due) await pace.rest();
  }
  if (crc !== section.crc) throw new Error('its content does not match its checksum');
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
    await this.write(this.#block.subarray(0, this.#used));
    this.#used = 0;
  }

  /** Writes bytes as they are; what went before must be drained. */
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

/** Reads the variable-length integers of a section, whose checksum was found right. */
class VarintReader {
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
