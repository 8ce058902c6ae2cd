import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { pipelineLabel } from '../../../src/core/pipeline-label.ts';
import { queryWithInstruction } from '../../../src/core/rerank/query-template.ts';

const step = { type: 'cross-encoder', path: 'models/tart' };
const withStep = (fields: object): unknown => ({
  retriever: { type: 'bm25' },
  rerank: [{ ...step, ...fields }],
});

test('without instruction and template it is the query alone', () => {
  assert.equal(queryWithInstruction('Ban cars?', undefined, undefined), 'Ban cars?');
});

test('an instruction precedes the query as in TART-full', () => {
  assert.equal(
    queryWithInstruction('Ban cars?', 'Find arguments', undefined),
    'Find arguments [SEP] Ban cars?',
  );
});

test('a template places both, any number of times', () => {
  const template = '<Instruct>: {instruction}\n<Query>: {query} ({query})';
  assert.equal(queryWithInstruction('q', 'i', template), '<Instruct>: i\n<Query>: q (q)');
  assert.equal(queryWithInstruction('q', undefined, 'query: {query}'), 'query: q');
});

test('placeholders and dollar signs in the texts are not replaced', () => {
  assert.equal(
    queryWithInstruction('{instruction} $& $1', '{query}', undefined),
    '{query} [SEP] {instruction} $& $1',
  );
});

test('names invalid fields, such as a template that would lose something', () => {
  const cases: [object, RegExp][] = [
    [{ template: 'query: {question}' }, /rerank\.0\.template: has no \{query\}.*query: \{question\}/],
    [{ template: '{instruction} {query}' }, /rerank\.0\.template: .*no instruction to put there/],
    [{ template: 'q: {query}', instruction: 'i' }, /rerank\.0\.template: has no \{instruction\}/],
    [{ instruction: '' }, /rerank\.0\.instruction/],
    [{ maxTokens: 4 }, /rerank\.0\.maxTokens.*found 4/],
    [{ positiveLabel: -1 }, /rerank\.0\.positiveLabel.*found -1/],
    [{ path: undefined }, /rerank\.0\.path/],
    [{ model: 'x' }, /model/],
  ];
  for (const [fields, message] of cases)
    assert.throws(
      () => parsePipeline(withStep(fields)),
      (error) => ParallaxError.is(error, 'bad-pipeline') && message.test(error.message),
      JSON.stringify(fields),
    );
});

test('fills in defaults; the label is the folder of the model', () => {
  const pipeline = parsePipeline(withStep({ instruction: 'Find arguments' }));
  assert.deepEqual(pipeline.rerank, [{ ...step, instruction: 'Find arguments', maxTokens: 512 }]);
  assert.equal(pipelineLabel(pipeline), 'BM25 + cross-encoder (tart), k = 5');
  for (const fields of [{ template: 'q: {query}' }, { template: '{instruction} {query}', instruction: 'i' }])
    assert.equal(parsePipeline(withStep(fields)).rerank.length, 1);
  for (const path of ['/models/tart/', 'C:\\models\\tart', 'tart'])
    assert.equal(pipelineLabel(parsePipeline(withStep({ path }))), 'BM25 + cross-encoder (tart), k = 5');
});
