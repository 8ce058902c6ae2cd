/** Answers of search services and of LangChain's agents, as their documentation and packages define them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSpan } from '../../../src/features/capture/core/conventions.ts';
import { isRetrieval } from '../../../src/features/capture/core/span-reading.ts';
import type { CapturedSpan } from '../../../src/features/capture/core/spans.ts';

function heard(output: unknown, input = '{"query":"trams at night"}') {
  const span: CapturedSpan = {
    traceId: 't',
    spanId: 's',
    name: 'tool',
    startedAt: 0,
    service: '',
    scope: '',
    attributes: new Map([
      ['openinference.span.kind', 'TOOL'],
      ['tool.name', 'retrieve'],
      ['input.value', input],
      ['output.value', typeof output === 'string' ? output : JSON.stringify(output)],
    ]),
  };
  const found = readSpan(span, undefined);
  return isRetrieval(found)
    ? found.retrieval.results.map(({ id, text, score, about }) => [
        id,
        text,
        score,
        about?.source ?? about?.title,
      ])
    : undefined;
}

const TEXT = 'Night trams bring workers home.';

test('reads the createAgent tool, which returns a text and its documents', () => {
  const message = {
    output: {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'ToolMessage'],
      kwargs: {
        content: `Source: trams.md\n${TEXT}`,
        artifact: [{ pageContent: TEXT, metadata: { source: 'trams.md' } }],
        tool_call_id: 'call_1',
      },
    },
  };
  assert.deepEqual(heard(message, 'trams at night'), [[undefined, TEXT, undefined, 'trams.md']]);
});

test('reads services with documented answers', () => {
  const forms: readonly (readonly [unknown, readonly unknown[]])[] = [
    [
      {
        retrievalResults: [
          {
            content: { text: TEXT, type: 'TEXT' },
            location: { s3Location: { uri: 's3://b/t' } },
            score: 0.7,
          },
        ],
      },
      [undefined, TEXT, 0.7, 's3://b/t'],
    ],
    [
      { value: [{ '@search.score': 1.5, chunk_id: 'c1', chunk: TEXT, title: 'trams.pdf' }] },
      ['c1', TEXT, 1.5, 'trams.pdf'],
    ],
    [
      {
        object: 'vector_store.search_results.page',
        data: [{ file_id: 'f', filename: 'trams.md', score: 0.4, content: [{ type: 'text', text: TEXT }] }],
      },
      [undefined, TEXT, 0.4, 'trams.md'],
    ],
    [
      { contexts: { contexts: [{ sourceUri: 'gs://b/t', text: TEXT, score: 0.3 }] } },
      [undefined, TEXT, 0.3, 'gs://b/t'],
    ],
    [
      { web: { results: [{ title: 'Trams', url: 'https://a.example', description: TEXT }] } },
      ['https://a.example', TEXT, undefined, 'https://a.example'],
    ],
    [
      { organic: [{ title: 'Trams', link: 'https://a.example', snippet: TEXT, position: 1 }] },
      ['https://a.example', TEXT, undefined, 'https://a.example'],
    ],
    [
      [{ title: 'Trams', url: 'https://a.example', snippet: TEXT }],
      ['https://a.example', TEXT, undefined, 'https://a.example'],
    ],
  ];
  for (const [output, expected] of forms) assert.deepEqual(heard(output), [expected], JSON.stringify(output));
});

test('records without a text and bare ids are no passages', () => {
  assert.equal(heard({ data: [{ file_id: 'f', filename: 'a' }] }), undefined);
  assert.equal(heard({ value: [{ '@search.score': 1, key: 'k' }] }), undefined);
  assert.equal(heard(['id1', 'id2']), undefined);
});
