/**
 * Files of OpenTelemetry spans: one request in its JSON form, one a line as the Collector's file exporter writes them, or
 * in the protobuf form, alone or each behind its length. Also packed with gzip.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import * as l10n from '@vscode/l10n';
import { SpanLimits, spansOfJson, type CapturedSpan } from '../../core/capture/spans.ts';
import { inContext, ParallaxError } from '../../core/errors.ts';
import { codeOf, reasonOf } from '../files/file-reason.ts';
import { readBytes } from '../files/reading.ts';
import { spansOfProtobuf } from './otlp-protobuf.ts';

/** Of one file, before and after it is unpacked. */
const MOST_BYTES = 256 * 1024 * 1024;
/** A file holds what a program sent in many requests. */
const MOST_SPANS = 1_000_000;
const MOST_VALUES = 10_000_000;

const unzip = promisify(gunzip);

/**
 * @param shown the file's name in errors
 * @throws ParallaxError `not-found`, `bad-file` for what holds no spans, `too-large`, `cancelled`
 */
export async function readSpanFile(
  file: string,
  shown: string,
  signal?: AbortSignal,
): Promise<CapturedSpan[]> {
  const bytes = await readBytes(file, { maxBytes: MOST_BYTES, signal }).catch((error: unknown) => {
    if (ParallaxError.is(error)) throw error;
    const isMissing = codeOf(error) === 'ENOENT';
    throw new ParallaxError(
      isMissing ? 'not-found' : 'bad-file',
      l10n.t`Cannot read ${shown}: ${reasonOf(error)}.`,
      { cause: error },
    );
  });
  try {
    const spans = spansIn(isGzip(bytes) ? await unzip(bytes, { maxOutputLength: MOST_BYTES }) : bytes);
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
    l10n.t`${shown} holds no OpenTelemetry spans: an OTLP file is one request in JSON, one a line, or in protobuf.`,
    { cause },
  );
}

function spansIn(bytes: Buffer): CapturedSpan[] {
  const limits = new SpanLimits({ spans: MOST_SPANS, values: MOST_VALUES });
  const isJson = /^[\s\uFEFF]*\{/u.test(bytes.subarray(0, 100).toString('utf8'));
  if (isJson) return jsonParts(bytes.toString('utf8')).flatMap((part) => spansOfJson(part, limits));
  return protobufParts(bytes).flatMap((part) => spansOfProtobuf(part, limits));
}

/** The whole, or its lines where each is a request. */
function jsonParts(text: string): readonly string[] {
  const own = text.replace(/^\uFEFF/u, '');
  const lines = own.split('\n').filter((line) => line.trim() !== '');
  // A request over several lines has a line that is no JSON by itself.
  return lines.every((line) => line.startsWith('{') && line.trimEnd().endsWith('}')) ? lines : [own];
}

const LENGTH_BYTES = 4;

/** The Collector's file exporter writes the length of each request before it, the highest byte first. */
function protobufParts(bytes: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  while (at + LENGTH_BYTES <= bytes.length) {
    const end = at + LENGTH_BYTES + bytes.readUInt32BE(at);
    if (end > bytes.length) return [bytes];
    parts.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return at === bytes.length ? parts : [bytes];
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
