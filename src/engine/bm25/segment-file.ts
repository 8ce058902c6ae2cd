/**
 * A segment as a file. Little-endian:
 *
 *     header       magic, versions, analyzer, counts, length and CRC-32 of every section, its own CRC-32
 *     slots        4 bytes each
 *     texts        CRC-32 of the text in each slot, 4 bytes each, which identify the passages
 *     lengths      variable-length integers, as are the next two
 *     terms        per term: number of UTF-16 code units, then the units
 *     counts       per term: number of postings
 *     postings     4 bytes each, as in memory: twice the size of gaps, but read in no time
 *     frequencies  those that do not fit into a posting: its number and the frequency, 4 bytes each
 *
 * Every byte is covered by a checksum that is verified before it is used.
 */
import { open } from 'node:fs/promises';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import type { AnalyzerName } from '../../core/text/analyzer.ts';
import { writeDurably } from '../files/durable-file.ts';
import type { Pace } from '../concurrency/pace.ts';
import {
  assertSound,
  readBytes,
  SectionWriter,
  VarintReader,
  words,
  writeWords,
  type Section,
} from './section-io.ts';
import {
  decodeHeader,
  encodeHeader,
  HEADER_BYTES,
  SECTION_NAMES,
  type SectionName,
  type SegmentHeader,
} from './segment-header.ts';
import type { Segment } from './segment.ts';
import { EMPTY_HASH, grown, hashUnit, type TermTable, type Words } from './term-table.ts';

const TERMS_AT_A_TIME = 1 << 10;

/** Why a segment file cannot be used. Its passages have to be indexed again from their text. */
export interface Damage {
  readonly file: string;
  readonly reason: string;
}

/**
 * Writes a segment. A crash leaves no partial file.
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
    const out = new SectionWriter(handle, HEADER_BYTES);
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
 * Reads a segment and adds its terms to the lexicon.
 *
 * @throws ParallaxError `cancelled`; every other problem of the file is returned
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
 * Reads segments in their order, as {@link readSegment} does. Reads the bytes of the next while one is
 * decoded.
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

/** A segment file as read from disk. Only its header is checked. */
interface Fetched {
  readonly header: SegmentHeader;
  readonly sections: Readonly<Record<SectionName, Uint8Array>>;
  /** The size of the file. */
  readonly bytes: number;
}

/** Never throws, because its promise may not be awaited yet. */
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

/** @throws ParallaxError; any other error of `work` is returned as damage of the file */
async function orDamage<T>(file: string, work: () => Promise<T>): Promise<T | Damage> {
  try {
    return await work();
  } catch (error) {
    if (ParallaxError.is(error)) throw error;
    return { file, reason: messageOf(error) };
  }
}

function pairs(numbers: Uint32Array): Map<number, number> {
  const entries = new Map<number, number>();
  for (let i = 0; i + 1 < numbers.length; i += 2) entries.set(numbers[i]!, numbers[i + 1]!);
  return entries;
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
