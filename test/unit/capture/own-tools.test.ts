import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSpan } from '../../../src/features/capture/core/conventions.ts';
import { isRetrieval } from '../../../src/features/capture/core/span-reading.ts';
import { toolsSchema } from '../../../src/features/capture/core/own-tools.ts';
import type { AttributeValue, CapturedSpan } from '../../../src/features/capture/core/spans.ts';

const TOOLS = toolsSchema.parse({
  search_docs: { query: 'what.q', results: 'data.hits', id: 'ref', text: 'body', score: 'rank.value' },
  plain: {},
  packed: { results: 'content[0].text' },
});

const call = (name: string, input: AttributeValue, output: AttributeValue | undefined): CapturedSpan => ({
  traceId: 't',
  spanId: 's',
  name: 'call',
  startedAt: 5,
  service: '',
  scope: '',
  attributes: new Map<string, AttributeValue>([
    ['gen_ai.operation.name', 'execute_tool'],
    ['gen_ai.tool.name', name],
    ['gen_ai.tool.call.arguments', input],
    ...(output === undefined ? [] : [['gen_ai.tool.call.result', output] as const]),
  ]),
});

const heardIn = (...given: Parameters<typeof call>): unknown => {
  const heard = readSpan(call(...given), TOOLS);
  return isRetrieval(heard) ? [heard.retrieval.query, heard.retrieval.results] : heard.unused.reason;
};

test('reads a described tool by its paths, in values and in JSON', () => {
  const input = { what: { q: 'Why?' } };
  const output = { data: { hits: [{ ref: 7, body: 'a', rank: { value: 0.5 } }, { body: 'b' }] } };
  const results = [{ id: '7', text: 'a', score: 0.5 }, { text: 'b' }];
  assert.deepEqual(heardIn('search_docs', input, output), ['Why?', results]);
  assert.deepEqual(heardIn('search_docs', JSON.stringify(input), JSON.stringify(output)), ['Why?', results]);
});

test('ignores ids that are empty or no text', () => {
  const output = {
    data: {
      hits: [
        { ref: '', body: 'a' },
        { ref: { a: 1 }, body: 'b' },
      ],
    },
  };
  assert.deepEqual(heardIn('search_docs', { what: { q: 'Why?' } }, output), [
    'Why?',
    [{ text: 'a' }, { text: 'b' }],
  ]);
});

test('omitted paths have default names', () => {
  assert.deepEqual(heardIn('plain', { query: 'Why?' }, [{ id: 'a' }]), ['Why?', [{ id: 'a' }]]);
  const packed = { content: [{ type: 'text', text: '[{"text": "a"}]' }] };
  assert.deepEqual(heardIn('packed', { query: 'Why?' }, packed), ['Why?', [{ text: 'a' }]]);
});

test('reports a described tool with an unexpected answer', () => {
  assert.equal(heardIn('search_docs', { q: 'Why?' }, { data: { hits: [] } }), 'no-query');
  assert.equal(heardIn('search_docs', { what: { q: 'Why?' } }, undefined), 'no-documents');
  assert.equal(heardIn('search_docs', { what: { q: 'Why?' } }, { hits: [] }), 'unreadable');
  assert.equal(
    heardIn('search_docs', { what: { q: 'Why?' } }, { data: { hits: [{ title: 'a' }] } }),
    'unreadable',
  );
  assert.equal(heardIn('constructor', { query: 'Why?' }, [{ id: 'a' }]), 'other-tool');
});
