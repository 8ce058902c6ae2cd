/** Spans of real instrumentations, through the real receiver: see test/fixtures/traces/README.md. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { CapturedRetrieval, UnusedSpan } from '../../../src/features/capture/core/span-reading.ts';
import { startSpanReceiver } from '../../../src/features/capture/engine/span-receiver.ts';

const FOLDER = path.join(import.meta.dirname, '../../fixtures/traces');
const AT_NIGHT = 'Should the trams run at night?';
const DO_WAKE = 'Do night trams wake people?';
const HOME = { id: 'night.md#1', text: 'Night trams bring workers home.', score: 0.92 };
const NOISE = { id: 'noise.md#4', text: 'Night trams wake people.', score: 0.61 };
/** Without scores or ids in an instrumentation, only the order or the text is known. */
const unscored = [HOME, NOISE].map(({ id, text }) => ({ id, text }));
const texts = unscored.map(({ text }) => ({ text }));
const FILES = ['docs/night.md', 'docs/noise.md'];

interface Golden {
  readonly retrievals: readonly Pick<CapturedRetrieval, 'query' | 'results'>[];
  /** Sources of their passages, as far as their metadata contain them. */
  readonly sources?: readonly string[];
  /** `<kind>: <reason>`, in the order of their spans. */
  readonly unused?: readonly string[];
}

const found = (
  query: string,
  results: CapturedRetrieval['results'],
): Pick<CapturedRetrieval, 'query' | 'results'> => ({ query, results });

const GOLDEN: Readonly<Record<string, Golden>> = {
  'openinference-langchain': { retrievals: [found(AT_NIGHT, unscored)], sources: FILES },
  'openinference-core': { retrievals: [found(AT_NIGHT, [HOME, NOISE]), found(DO_WAKE, unscored)] },
  'openinference-haystack': {
    retrievals: [
      found(AT_NIGHT, [
        { id: 'night', text: HOME.text },
        { id: 'noise', text: NOISE.text },
      ]),
      found(AT_NIGHT, [
        { ...NOISE, id: 'noise', score: 0.8 },
        { ...HOME, id: 'night', score: 0.3 },
      ]),
    ],
    sources: ['https://trams.example/night', 'https://trams.example/noise'],
    unused: ['openinference.span.kind=CHAIN: other-work'],
  },
  'traceloop-sdk': {
    retrievals: [found(AT_NIGHT, [HOME, NOISE]), found(DO_WAKE, texts)],
    unused: ['traceloop.span.kind=workflow: other-work', ': other-work'],
  },
  'traceloop-mcp': { retrievals: [found(AT_NIGHT, [HOME, NOISE])], unused: [': other-work', ': other-work'] },
  // It traces chains only: results of their retrievers are in no span.
  'traceloop-langchain': {
    retrievals: [],
    unused: ['gen_ai.operation.name=workflow: other-work', 'gen_ai.operation.name=workflow: other-work'],
  },
  'ai-sdk-5': {
    retrievals: [found(AT_NIGHT, [HOME, NOISE])],
    unused: [
      'ai.operationId=ai.generateText.doGenerate: other-work',
      'ai.operationId=ai.generateText.doGenerate: other-work',
      'ai.operationId=ai.generateText: other-work',
    ],
  },
  'ai-sdk-7': {
    retrievals: [
      found(
        AT_NIGHT,
        [HOME, NOISE].map(({ text, score }) => ({ text, score })),
      ),
    ],
    unused: ['chat', 'agent_step', 'chat', 'agent_step', 'invoke_agent'].map(
      (operation) => `gen_ai.operation.name=${operation}: other-work`,
    ),
  },
  langfuse: {
    retrievals: [found(AT_NIGHT, [HOME, NOISE]), found(AT_NIGHT, unscored), found(DO_WAKE, texts)],
    sources: FILES,
  },
  langsmith: { retrievals: [found(AT_NIGHT, unscored)] },
  genkit: { retrievals: [found(AT_NIGHT, unscored), found(DO_WAKE, [HOME, NOISE])], sources: FILES },
  'gen-ai-conventions': {
    retrievals: [found(AT_NIGHT, [HOME, NOISE])],
    unused: ['gen_ai.operation.name=retrieval: no-query'],
  },
  'mcp-conventions': {
    retrievals: [found(AT_NIGHT, [HOME, NOISE])],
    unused: ['gen_ai.tool.name=search_docs: repeated'],
  },
};

test('every recorded trace names its source and its retrievals', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  assert.deepEqual(files.map((name) => path.basename(name, '.json')).sort(), Object.keys(GOLDEN).sort());
  for (const file of files) assert.match(originOf(file), /\d/u, `${file} names no version and no source`);
});

for (const [name, { retrievals, sources = [], unused = [] }] of Object.entries(GOLDEN))
  test(`${name}: its retrievals are read, and nothing else`, async (t) => {
    const captured: CapturedRetrieval[] = [];
    const others: UnusedSpan[] = [];
    const receiver = await startSpanReceiver({
      port: 0,
      onRetrieval: (retrieval) => captured.push(retrieval),
      onUnused: (spans) => others.push(...spans),
      onRefused: () => undefined,
      log: () => undefined,
    });
    t.after(() => receiver.close());
    const body = JSON.stringify(traceIn(`${name}.json`)['request']);
    const headers = { 'content-type': 'application/json' };
    assert.equal((await fetch(receiver.url, { method: 'POST', headers, body })).status, 200);
    assert.deepEqual(
      captured.map(({ query, results }) => ({
        query,
        results: results.map((result) =>
          Object.fromEntries(Object.entries(result).filter(([name]) => name !== 'about')),
        ),
      })),
      retrievals,
    );
    const told = captured.flatMap(({ results }) => results.flatMap(({ about }) => about?.source ?? []));
    assert.deepEqual([...new Set(told)].sort(), sources);
    assert.deepEqual(
      others.map(({ kind, reason }) => `${kind}: ${reason}`),
      unused,
    );
  });

function traceIn(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Record<string, unknown>;
}

function originOf(file: string): string {
  const { recordedFrom, source } = traceIn(file);
  return String(recordedFrom ?? source ?? '');
}
