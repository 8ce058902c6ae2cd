/**
 * Files of OpenTelemetry spans: one request in its JSON form, one request per line as the Collector's file exporter
 * writes them, or requests in the protobuf form, a single one or each behind its length. May be compressed with gzip. VS Code's
 * databases of agent traces are read, too.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import * as l10n from '@vscode/l10n';
import { SpanLimits, spansOfJson, type CapturedSpan, type MostOf } from '../core/spans.ts';
import { inContext, ParallaxError } from '../../../core/errors.ts';
import { linesOf } from '../../../core/formats/lines.ts';
import { codeOf, reasonOf } from '../../../engine/files/file-reason.ts';
import { readBytes } from '../../../engine/files/reading.ts';
import { JsonShape } from '../../../core/formats/json-shape.ts';
import { isDatabase, spansOfDatabase } from './span-database.ts';
import { spansOfProtobuf } from './otlp-protobuf.ts';

/** The most bytes of one file, before and after decompression. */
const MAX_BYTES = 256 * 1024 * 1024;
/** A file contains what a program sent in many requests. */
const MAX_OF_FILE: MostOf = {
  spans: 1_000_000,
  frames: 1_000_000,
  attributes: 10_000_000,
  values: 10_000_000,
};
/** The most parts of one request in JSON, which are read one by one. */
const MAX_PARTS = 10_000_000;
/** The most keys of all objects in a JSON text. */
const MAX_KEYS = 3_000_000;

const unzip = promisify(gunzip);

/**
 * @param shown the file's name in errors
 * @throws ParallaxError `not-found`, `bad-file` for a file without spans, `too-large`, `cancelled`
 */
export async function readSpanFile(
  file: string,
  shown: string,
  signal?: AbortSignal,
): Promise<CapturedSpan[]> {
  const bytes = await readBytes(file, { maxBytes: MAX_BYTES, signal }).catch((error: unknown) => {
    if (ParallaxError.is(error)) throw error;
    const isMissing = codeOf(error) === 'ENOENT';
    throw new ParallaxError(
      isMissing ? 'not-found' : 'bad-file',
      l10n.t`Cannot read ${shown}: ${reasonOf(error)}.`,
      { cause: error },
    );
  });
  try {
    const spans = isDatabase(bytes)
      ? await spansOfDatabase(bytes, file, new SpanLimits(MAX_OF_FILE))
      : spansIn(isGzip(bytes) ? await unpacked(bytes) : bytes);
    if (spans.length > 0) return spans;
  } catch (error) {
    if (ParallaxError.is(error, 'too-large'))
      throw inContext((sentence) => l10n.t`${shown}: ${sentence}`, error);
    throw noSpans(shown, error);
  }
  throw noSpans(shown);
}

function noSpans(shown: string, cause?: unknown): ParallaxError {
  return new ParallaxError(
    'bad-file',
    l10n.t`${shown} has no OpenTelemetry spans: an OTLP file is one request in JSON, one a line, or in protobuf. VS Code’s database of agent traces is read, too.`,
    { cause },
  );
}

async function unpacked(bytes: Buffer): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    if (codeOf(error) !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw new ParallaxError('too-large', l10n.t`Unpacked, it is larger than ${MAX_BYTES >> 20} MB.`);
  }
}

function spansIn(bytes: Buffer): CapturedSpan[] {
  const limits = new SpanLimits(MAX_OF_FILE);
  const spans: CapturedSpan[] = [];
  const isJson = /^[\s\uFEFF]*\{/u.test(bytes.subarray(0, 100).toString('utf8'));
  for (const part of isJson ? jsonParts(bytes) : protobufParts(bytes)) {
    limits.count('frames');
    const read =
      typeof part === 'string' ? spansOfJson(checkedShape(part), limits) : spansOfProtobuf(part, limits);
    for (const span of read) spans.push(span);
  }
  return spans;
}

/** @throws ParallaxError `too-large` before it is parsed */
function checkedShape(json: string): string {
  const shape = new JsonShape(
    {
      tooDeep: (levels) => l10n.t`A request may be nested ${levels} levels deep at most.`,
      tooMany: (parts) => l10n.t`A request may hold ${parts} lists and objects at most.`,
      tooLong: (entries) => l10n.t`A request may hold ${entries} entries of lists and objects at most.`,
    },
    { mostParts: MAX_PARTS, mostKeys: MAX_KEYS },
  );
  shape.check(Buffer.from(json));
  return json;
}

/** The whole text, or its lines if each is a request. */
function* jsonParts(bytes: Buffer): Generator<string> {
  const text = bytes.toString('utf8');
  // A request over several lines has a line that is not JSON by itself.
  for (const { text: line } of linesOf(text))
    if (!line.startsWith('{') || !line.trimEnd().endsWith('}')) return yield text.replace(/^\uFEFF/u, '');
  for (const { text: line } of linesOf(text)) yield line;
}

const LENGTH_BYTES = 4;

/** The Collector's file exporter writes the length of each request before it, the highest byte first. */
function* protobufParts(bytes: Buffer): Generator<Buffer> {
  if (!isOfLengths(bytes)) return yield bytes;
  for (let at = 0; at < bytes.length;) {
    const end = at + LENGTH_BYTES + bytes.readUInt32BE(at);
    yield bytes.subarray(at + LENGTH_BYTES, end);
    at = end;
  }
}

function isOfLengths(bytes: Buffer): boolean {
  let at = 0;
  while (at + LENGTH_BYTES <= bytes.length) at += LENGTH_BYTES + bytes.readUInt32BE(at);
  return at === bytes.length;
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
