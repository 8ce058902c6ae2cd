/** The header of a segment's file, with the versions that wrote it and the places of its sections. */
import { crc32 } from 'node:zlib';
import { ANALYSIS_VERSION, type AnalyzerName } from '../../core/text/analyzer.ts';
import type { Section } from './section-io.ts';

const MAGIC = 'PLXBM25\n';
const FORMAT_VERSION = 3;
const ANALYZERS: readonly AnalyzerName[] = ['english', 'simple', 'whitespace', 'auto'];

/** In their order in the file. */
export const SECTION_NAMES = [
  'slots',
  'texts',
  'lengths',
  'terms',
  'counts',
  'postings',
  'frequencies',
] as const;
export type SectionName = (typeof SECTION_NAMES)[number];
const SECTION_TABLE = 28;
const SECTION_ENTRY = 12;
const HEADER_CRC = SECTION_TABLE + SECTION_NAMES.length * SECTION_ENTRY;
export const HEADER_BYTES = HEADER_CRC + 4;

export interface SegmentHeader {
  readonly passages: number;
  readonly terms: number;
  readonly sections: Readonly<Record<SectionName, Section>>;
}

export function encodeHeader(header: SegmentHeader, analyzer: AnalyzerName): Buffer {
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

/** @throws Error with the reason if the file cannot be used */
export function decodeHeader(bytes: Buffer, analyzer: AnalyzerName): SegmentHeader {
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('it is not a segment file');
  // Before the checksum, whose position differs in other versions.
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
