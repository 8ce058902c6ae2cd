import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { retrievalOf } from '../../../src/core/capture/openinference.ts';
import { spansOfJson, type AttributeValue, type CapturedSpan } from '../../../src/core/capture/spans.ts';
import { ParallaxError } from '../../../src/core/errors.ts';

const span = (attributes: Record<string, AttributeValue>): CapturedSpan => ({
  traceId: 't',
  spanId: 's',
  name: 'Retriever',
  startedAt: 5,
  service: 'app',
  scope: 'openinference.instrumentation.langchain',
  attributes: new Map(Object.entries(attributes)),
});
const RETRIEVER = { 'openinference.span.kind': 'RETRIEVER' };

test('spans of other kinds, and without a query, are no retrievals', () => {
  assert.equal(retrievalOf(span({ 'input.value': 'q' })), undefined);
  assert.equal(retrievalOf(span({ 'openinference.span.kind': 'LLM', 'input.value': 'q' })), undefined);
  assert.equal(retrievalOf(span(RETRIEVER)), undefined);
  assert.deepEqual(retrievalOf(span({ ...RETRIEVER, 'input.value': 'q' })), {
    id: 't:s',
    name: 'Retriever',
    service: 'app',
    scope: 'openinference.instrumentation.langchain',
    at: 5,
    step: 'retriever',
    query: 'q',
    results: [],
  });
});

test('documents come in the order of their numbers, not of their attributes', () => {
  const documents = Object.fromEntries(
    [10, 2, 0].map((place) => [`retrieval.documents.${place}.document.id`, `d${place}`]),
  );
  const noise = { 'retrieval.documents.1.document.score': 3, 'retrieval.documents.x.document.id': 'x' };
  const found = retrievalOf(span({ ...RETRIEVER, 'input.value': 'q', ...documents, ...noise }));
  assert.deepEqual(
    found?.results.map(({ id }) => id),
    ['d0', 'd2', 'd10'],
  );
});

test('a reranker hands over what it ordered', () => {
  const found = retrievalOf(
    span({
      'openinference.span.kind': 'reranker',
      'reranker.query': 'q',
      'reranker.input_documents.0.document.id': 'in',
      'reranker.output_documents.0.document.id': 'out',
    }),
  );
  assert.equal(found?.step, 'reranker');
  assert.deepEqual(found.results, [{ id: 'out', score: 0 }]);
});

test('a call that was written as JSON is looked into for its query', () => {
  const queryOf = (value: string): string | undefined =>
    retrievalOf(span({ ...RETRIEVER, 'input.value': value }))?.query;
  assert.equal(queryOf('{"query": "why?", "k": 4}'), 'why?');
  assert.equal(queryOf('{"k": 4}'), '{"k": 4}');
  assert.equal(queryOf('{why?}'), '{why?}');
});

test('whatever JSON is sent is read or refused', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (body) => {
      try {
        assert.ok(Array.isArray(spansOfJson(body)));
      } catch (error) {
        assert.ok(ParallaxError.is(error, 'bad-argument'));
      }
    }),
  );
});
