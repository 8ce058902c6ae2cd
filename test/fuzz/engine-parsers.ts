/**
 * Parsers of foreign bytes in src/engine: the readers of a corpus, OpenTelemetry's binary form, and the requests
 * between processes. A text represents bytes, one for each character.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PbfWriter } from 'pbf';
import type * as z from 'zod';
import { retrievalOf } from '../../src/features/capture/core/conventions.ts';
import { ParallaxError } from '../../src/core/errors.ts';
import { describeIssue } from '../../src/core/schema-issue.ts';
import { parseStoreManifest } from '../../src/cli/store-manifest.ts';
import { spansOfProtobuf } from '../../src/features/capture/engine/otlp-protobuf.ts';
import { decodeText, EncodingProbe } from '../../src/engine/corpus/decode.ts';
import { documentText, webPageText } from '../../src/engine/corpus/extraction/html-text.ts';
import { FileSkipped, type Reader, type ReadItem } from '../../src/engine/corpus/readers/reader.ts';
import { readerFor } from '../../src/engine/corpus/readers/table.ts';
import { parseContentType } from '../../src/features/web-corpus/engine/page-text.ts';
import { Robots } from '../../src/features/web-corpus/engine/robots.ts';
import { engineMethods, type EngineMethod } from '../../src/shared/rpc.ts';
import { bytesOf, fixture, takes, takesFile, textOf, type FuzzedBytes } from './fuzzed-bytes.ts';
import { INDEX_PARSERS } from './index-parsers.ts';
import { bytesLike, inputsLike } from './inputs.ts';
import { KEPT_PARSERS } from './kept-parsers.ts';
import { MODEL_PARSERS } from './model-parsers.ts';
import { OUTSIDE_PARSERS } from './outside-parsers.ts';
import { PACKED_PARSERS } from './packed-parsers.ts';
import { RETRIEVER_PARSERS } from './retriever-parsers.ts';
import { WORKSPACE_PARSERS } from './workspace-parsers.ts';

const RECORDS = '{"_id": "a", "text": "one"}\n{"page_content": "two", "metadata": {"title": "t"}}\n';
const PAGE = '<html><head><title>T</title></head><body><h1>One</h1><p>two &amp; three</p></body></html>';
const FILES: Readonly<Record<string, readonly string[]>> = {
  'a.md': ['# One\n\nTwo *three*.\n\n## Four\n\n- five\n'],
  'a.txt': ['One two three.\n', '\xff\xfeo\0n\0e\0'],
  'a.py': ['def one():\n    return 2\n'],
  'a.html': [PAGE],
  'a.csv': ['id,text\r\n1,"one\ntwo"\r\n2,three\r\n'],
  'a.tsv': ['id\ttext\n1\tone\n2\ttwo\n'],
  'a.json': [
    JSON.stringify([{ id: 1, text: 'one' }, { text: 'two' }]),
    '{"title": "T", "body": {"text": "x"}}',
  ],
  'a.jsonl': [RECORDS],
  'a.ipynb': [fixture('notebook.ipynb')],
};
/** A scan relies on readers: they end, throw errors only, and return what can be split and stored. */
const readers = Object.entries(FILES).map(([name, examples]): FuzzedBytes => ({
  name: `read ${name}`,
  examples,
  inputs: fc.oneof(inputsLike(examples), bytesLike(examples)),
  cost: name === 'a.html' ? 3 : 1,
  survives: async (text) => {
    try {
      for await (const item of itemsOf(readerFor(name)!, bytesOf(text), name)) checkItem(item);
      return true;
    } catch (error) {
      if (error instanceof assert.AssertionError || !(error instanceof Error)) throw error;
      if (error instanceof FileSkipped) assert.match(error.message, /^[^]+\.$/);
      return false;
    }
  },
}));

async function* itemsOf(reader: Reader, bytes: Buffer, name: string): AsyncGenerator<ReadItem> {
  const context = { name, maxRecordBytes: 10_000, isNamed: false };
  if (!reader.streamed) return yield* await reader.read(bytes, context);
  const probe = new EncodingProbe();
  probe.add(bytes);
  // Cut within a line, so that a record may span chunks.
  const middle = Math.floor(bytes.length / 2);
  async function* chunks(): AsyncGenerator<Buffer> {
    yield bytes.subarray(0, middle);
    yield bytes.subarray(middle);
  }
  yield* reader.read(chunks(), probe.encoding(), context);
}

function checkItem(item: ReadItem): void {
  if ('problem' in item) {
    assert.ok(item.problem.message !== '' && (item.problem.line ?? 0) >= 0);
    return;
  }
  const { title, text, record } = item.document;
  assert.equal(typeof title, 'string');
  assert.equal(typeof text, 'string');
  if (record) assert.ok(record.number >= 1 && (record.line ?? 0) >= 0);
}

/** One span as exporters write it: field numbers of opentelemetry/proto/trace/v1/trace.proto. */
function otlpRequest(): Uint8Array {
  const writer = new PbfWriter();
  writer.writeMessage(
    1,
    (_, resource) => {
      resource.writeMessage(1, (__, own) => writeAttribute(own, 1, 'service.name', 'x'), null);
      resource.writeMessage(
        2,
        (__, scope) => scope.writeMessage(2, (___, span) => writeSpan(span), null),
        null,
      );
    },
    null,
  );
  return writer.finish();
}

function writeSpan(span: PbfWriter): void {
  span.writeBytesField(1, new Uint8Array(16).fill(1));
  span.writeBytesField(2, new Uint8Array(8).fill(2));
  span.writeStringField(5, 'retrieve');
  span.writeFixed64Field(7, 1_700_000_000_000_000_000);
  writeAttribute(span, 9, 'openinference.span.kind', 'RETRIEVER');
  writeAttribute(span, 9, 'input.value', 'What?');
  writeAttribute(span, 9, 'retrieval.documents.0.document.content', 'one');
}

function writeAttribute(writer: PbfWriter, field: number, key: string, value: string): void {
  writer.writeMessage(
    field,
    (_, pair) => {
      pair.writeStringField(1, key);
      pair.writeMessage(2, (__, any) => any.writeStringField(1, value), null);
    },
    null,
  );
}

const protobuf: FuzzedBytes = {
  name: 'OTLP protobuf',
  examples: [textOf(otlpRequest())],
  inputs: bytesLike([textOf(otlpRequest())]),
  cost: 1,
  survives: (text) =>
    takes(() => {
      for (const span of spansOfProtobuf(bytesOf(text)))
        for (const { score } of retrievalOf(span)?.results ?? [])
          assert.ok(score === undefined || Number.isFinite(score), `a score of ${score}`);
    }),
};

const pipeline = { retriever: { type: 'bm25' } };
const matter = {
  corpus: 'c',
  judge: 'j',
  query: { id: 'q', text: 'Q?' },
  perspectives: [{ id: 'p', text: 'P', stance: 'support' }],
  slots: [1, 2],
};
const REQUESTS = {
  index: { corpus: 'c', rebuild: true },
  search: { corpus: 'c', query: { text: 'Q?' }, perspectives: [], pipeline },
  judge: { ...matter, budget: { requests: 5 } },
  label: { ...matter, slot: 1, perspective: matter.perspectives[0], verdict: 'yes', by: 'Kim' },
  configure: {
    storage: ':memory:',
    base: '/',
    trusted: false,
    judges: {},
    keys: {},
    approximateAbove: 10,
    embedders: { small: { type: 'hashing' } },
    corpora: [{ name: 'c', base: '/', config: { roots: ['.'] }, excludeGlobs: [], store: '/s' }],
  },
};

const RESULTS = {
  documentText: { text: 'one', title: 'T' },
  checkRetriever: { ok: true, message: 'It answers.', count: 2 },
  proposeStances: { stances: ['support'], model: 'm' },
  lookDeeper: { known: { pairs: [], supporters: [], probes: [] }, open: [1] },
  keptComparisons: { kept: [] },
};

/** Reads messages as the other end does: refused with a message, or of the shape that the receiver expects. */
function messagesOf(
  side: 'params' | 'result',
  name: string,
  examples: Readonly<Record<string, object>>,
): FuzzedBytes {
  return {
    name,
    examples: Object.entries(examples).map(([method, value]) => JSON.stringify({ method, [side]: value })),
    cost: 1,
    survives: (text) =>
      takes(() => {
        const { method, [side]: value } = Object(parsed(text)) as Readonly<Record<string, unknown>>;
        if (typeof method !== 'string' || !Object.hasOwn(engineMethods, method))
          throw new ParallaxError('bad-argument', 'No such request.');
        const schema: z.ZodType = engineMethods[method as EngineMethod][side];
        const read = schema.safeParse(value);
        if (!read.success) throw new ParallaxError('bad-argument', describeIssue(read.error, value));
        assert.ok(schema.safeParse(read.data).success, 'what was read is read again');
      }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ParallaxError('bad-argument', 'no JSON', { cause: error });
  }
}

/** The parser that runs in its own process, without the transport. */
const html: FuzzedBytes = {
  name: 'HTML to text',
  examples: [PAGE, `<main><p>${'one two '.repeat(40)}</main><aside>three</aside>`, '<table><tr><td>a<td>b'],
  cost: 1,
  survives: async (text) => {
    try {
      for (const read of [documentText, webPageText]) {
        const { title, text: found } = await read(text);
        assert.ok(typeof found === 'string' && title !== '');
      }
      return true;
    } catch (error) {
      if (!(error instanceof FileSkipped)) throw error;
      return false;
    }
  },
};

const SITE = new URL('http://a.example/robots.txt');
const robots: FuzzedBytes = {
  name: 'robots.txt',
  examples: [
    'User-agent: *\nDisallow: /private*/x$\nAllow: /\nCrawl-delay: 2\n',
    'User-agent: Parallax\nDisallow:',
    'User-agent: *\nCrawl-delay: 1e999',
  ],
  cost: 1,
  survives: async (text) => {
    const rules = await new Robots(async () => ({ status: 200, text })).rulesFor(SITE);
    assert.ok(rules.delayMs >= 0 && Number.isFinite(rules.delayMs), String(rules.delayMs));
    for (const path of ['', 'private/x', text.slice(0, 200)]) {
      const page = new URL(SITE);
      page.pathname = path;
      assert.equal(typeof rules.allows(page), 'boolean');
    }
    return !rules.isClosed;
  },
};

const contentTypes: FuzzedBytes = {
  name: 'content type of a page',
  examples: ['text/html; charset="utf-8"', 'TEXT/PLAIN;x=y;charset=latin1'],
  cost: 1,
  survives: async (text) => {
    const content = parseContentType(text);
    if (!content) return false;
    // An unknown encoding is detected another way, or refused with a message.
    return takesFile(() => decodeText(Buffer.from('one \u00e9'), content.charset));
  },
};

const storeManifest: FuzzedBytes = {
  name: 'manifest of an index on the command line',
  examples: [
    JSON.stringify({
      corpus: { name: 'c', base: '/', config: { roots: ['.'] }, excludeGlobs: [], store: '/s' },
      models: { embedders: {}, judges: {}, judge: 'labels' },
    }),
  ],
  cost: 1,
  survives: (text) => takes(() => void parseStoreManifest(text, 'store')),
};

export const FUZZED_BYTES: readonly FuzzedBytes[] = [
  ...readers,
  ...[html, robots, contentTypes],
  ...[protobuf, storeManifest],
  messagesOf('params', 'requests to the engine', REQUESTS),
  messagesOf('result', 'results of the engine', RESULTS),
  ...PACKED_PARSERS,
  ...INDEX_PARSERS,
  ...KEPT_PARSERS,
  ...WORKSPACE_PARSERS,
  ...MODEL_PARSERS,
  ...RETRIEVER_PARSERS,
  ...OUTSIDE_PARSERS,
];
