import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readSpan, retrievalOf } from '../../../src/features/capture/core/conventions.ts';
import {
  MAX_VALUE_DEPTH,
  SpanLimits,
  spansOfJson,
  type AttributeValue,
  type CapturedSpan,
} from '../../../src/features/capture/core/spans.ts';
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

test('spans of other kinds or without a query are no retrievals', () => {
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

test('documents are sorted by their numbers, not by attribute order', () => {
  const documents = Object.fromEntries(
    [10, 2, 0].map((place) => [`retrieval.documents.${place}.document.id`, `d${place}`]),
  );
  const noise = {
    'retrieval.documents.1.document.score': 3,
    'retrieval.documents.x3.document.id': 'x',
    'retrieval.documents.3.document.idea': 'x',
    'retrieval.documents.4.document.content': ['no', 'text'],
  };
  const found = retrievalOf(span({ ...RETRIEVER, 'input.value': 'q', ...documents, ...noise }));
  assert.deepEqual(
    found?.results.map(({ id }) => id),
    ['d0', 'd2', 'd10'],
  );
});

test('a reranker reports the passages that it ordered', () => {
  const found = retrievalOf(
    span({
      'openinference.span.kind': 'reranker',
      'input.value': 'q',
      'reranker.input_documents.10.document.id': 'in',
      'reranker.output_documents.0.document.id': 'out',
    }),
  );
  assert.equal(found?.step, 'reranker');
  assert.equal(found.query, 'q');
  assert.deepEqual(found.results, [{ id: 'out' }]);
});

test('ids that occur in the output only are used if the lists match', () => {
  const idsOf = (returned: unknown): unknown =>
    retrievalOf(
      span({
        ...RETRIEVER,
        'input.value': 'q',
        'output.value': JSON.stringify(returned),
        'retrieval.documents.0.document.content': 'a',
        'retrieval.documents.1.document.content': 'b',
      }),
    )?.results.map(({ id }) => id);
  assert.deepEqual(
    idsOf([
      { id: '1', text: 'a' },
      { id: '2', text: 'b' },
    ]),
    ['1', '2'],
  );
  assert.deepEqual(
    idsOf([
      { id: '2', text: 'b' },
      { id: '1', text: 'a' },
    ]),
    [undefined, undefined],
  );
  for (const other of [
    [{ id: '1', text: 'a' }],
    [
      { id: '1', text: 'a' },
      { id: '2', text: 'c' },
    ],
    [
      { id: '1', text: 'a' },
      { id: '2', text: 'b' },
      { id: '3', text: 'c' },
    ],
  ])
    assert.deepEqual(idsOf(other), [undefined, undefined]);
});

test('a retriever without any result found nothing', () => {
  assert.deepEqual(retrievalOf(span({ ...RETRIEVER, 'input.value': 'q', 'output.value': '' }))?.results, []);
});

test('reads the place of the call in either spelling', () => {
  const codeOf = (attributes: Record<string, AttributeValue>): unknown =>
    retrievalOf(span({ ...RETRIEVER, 'input.value': 'q', ...attributes }))?.code;
  assert.deepEqual(codeOf({ 'code.file.path': 'a.py', 'code.line.number': 3 }), { file: 'a.py', line: 3 });
  assert.deepEqual(codeOf({ 'code.filepath': 'a.py', 'code.lineno': 3 }), { file: 'a.py', line: 3 });
  assert.deepEqual(codeOf({ 'code.file.path': 'a.py', 'code.line.number': 'last' }), { file: 'a.py' });
  assert.equal(codeOf({ 'code.line.number': 3 }), undefined);
});

test('finds the query in a call written as JSON', () => {
  const queryOf = (value: string): string | undefined =>
    retrievalOf(span({ ...RETRIEVER, 'input.value': value }))?.query;
  for (const name of ['query', 'query_str', 'input', 'question', 'text'])
    assert.equal(queryOf(JSON.stringify({ k: 4, [name]: 'why?' })), 'why?');
  assert.equal(queryOf('{"query": {"k": 4}, "question": "why?"}'), 'why?');
  assert.equal(queryOf('{"k": 4}'), '{"k": 4}');
  assert.equal(queryOf('{why?}'), '{why?}');
});

const GEN_AI = { 'gen_ai.operation.name': 'retrieval', 'gen_ai.retrieval.query.text': 'q' };
const DOCUMENTS = 'gen_ai.retrieval.documents';

for (const [about, attributes, kind, reason] of [
  ['another step', { 'openinference.span.kind': 'LLM' }, 'openinference.span.kind=LLM', 'other-work'],
  ['no query', RETRIEVER, 'openinference.span.kind=RETRIEVER', 'no-query'],
  [
    'an output that is no list of documents',
    { ...RETRIEVER, 'input.value': 'q', 'output.value': "[Document(page_content='Trams')]" },
    'openinference.span.kind=RETRIEVER',
    'unreadable',
  ],
  [
    'messages, which have a text, too',
    { ...RETRIEVER, 'input.value': 'q', 'output.value': '[{"role": "assistant", "content": "Yes."}]' },
    'openinference.span.kind=RETRIEVER',
    'unreadable',
  ],
  ['a chat', { 'gen_ai.operation.name': 'chat' }, 'gen_ai.operation.name=chat', 'other-work'],
  [
    'a query that was not recorded',
    { 'gen_ai.operation.name': 'retrieval', [DOCUMENTS]: '[]' },
    'gen_ai.operation.name=retrieval',
    'no-query',
  ],
  ['documents that were not recorded', GEN_AI, 'gen_ai.operation.name=retrieval', 'no-documents'],
  [
    'JSON that does not parse',
    { ...GEN_AI, [DOCUMENTS]: '[{"id": "a"' },
    'gen_ai.operation.name=retrieval',
    'unreadable',
  ],
  [
    'documents that are none',
    { ...GEN_AI, [DOCUMENTS]: [{ title: 'a' }] },
    'gen_ai.operation.name=retrieval',
    'unreadable',
  ],
  ['a search in a store', { 'db.system': 'chroma' }, 'db.system=chroma', 'other-work'],
  ['a long kind', { 'rpc.system': 'x'.repeat(500) }, `rpc.system=${'x'.repeat(49)}`, 'other-work'],
  [
    'a step of a tracer that is none',
    { 'langfuse.observation.type': 'generation' },
    'langfuse.observation.type=generation',
    'other-work',
  ],
  [
    'a kind that every object has',
    { 'langfuse.observation.type': 'constructor' },
    'langfuse.observation.type=constructor',
    'other-work',
  ],
  [
    'a retriever of a tracer without its input',
    { 'langfuse.observation.type': 'retriever', 'langfuse.observation.output': '[]' },
    'langfuse.observation.type=retriever',
    'no-query',
  ],
  [
    'a retriever of a tracer without its output',
    { 'genkit:metadata:subtype': 'retriever', 'genkit:input': 'q' },
    'genkit:metadata:subtype=retriever',
    'no-documents',
  ],
  [
    'a retriever of a tracer whose output is a text',
    { 'genkit:metadata:subtype': 'retriever', 'genkit:input': 'q', 'genkit:output': 'Trams.' },
    'genkit:metadata:subtype=retriever',
    'unreadable',
  ],
  ['a workflow', { 'traceloop.span.kind': 'workflow' }, 'traceloop.span.kind=workflow', 'other-work'],
  ['a list of tools', { 'mcp.method.name': 'tools/list' }, 'mcp.method.name=tools/list', 'other-work'],
  ['nothing that is known', { colour: 'red' }, '', 'other-work'],
  ['a kind that is no text', { 'openinference.span.kind': { toString: 1 } }, '', 'other-work'],
] satisfies [string, Record<string, AttributeValue>, string, string][])
  test(`${about}: no retrieval, with a reason`, () => {
    assert.deepEqual(readSpan(span(attributes)), { unused: { kind, reason } });
  });

/** A call of a tool with its arguments and its result. */
function toolOf(input: AttributeValue | undefined, output: AttributeValue | undefined): CapturedSpan {
  return span({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'tool',
    ...(input === undefined ? {} : { 'gen_ai.tool.call.arguments': input }),
    ...(output === undefined ? {} : { 'gen_ai.tool.call.result': output }),
  });
}

for (const [about, input, output, reason] of [
  ['arguments that were not recorded', undefined, '[]', 'no-query'],
  ['a result that was not recorded', { query: 'q' }, undefined, 'no-documents'],
  ['JSON that does not parse', { query: 'q' }, '[{"text": "a"', 'other-tool'],
  ['one text', { query: 'q' }, 'Rainy, 14 degrees.', 'other-tool'],
  ['one part', { query: 'q' }, { content: [{ type: 'text', text: 'Rainy.' }] }, 'other-tool'],
  [
    'an error in two parts',
    { query: 'q' },
    {
      isError: true,
      content: [
        { type: 'text', text: 'No' },
        { type: 'text', text: 'index' },
      ],
    },
    'other-tool',
  ],
  ['records', { query: 'q' }, [{ id: 7, name: 'Ada' }], 'other-tool'],
  ['no question', { city: 'Bern' }, [{ text: 'Rainy.' }], 'other-tool'],
  ['an empty question', { query: ' ' }, [{ text: 'Rainy.' }], 'other-tool'],
  ['texts for what may be no question', ['Split me into words.'], ['Split', 'me'], 'other-tool'],
  ['messages', { query: 'q' }, [{ role: 'user', content: 'Hello' }], 'other-tool'],
] satisfies [string, AttributeValue | undefined, AttributeValue | undefined, string][])
  test(`a tool with ${about} is no retrieval`, () => {
    assert.deepEqual(readSpan(toolOf(input, output)), { unused: { kind: 'gen_ai.tool.name=tool', reason } });
  });

test('a search without results is a retrieval', () => {
  const found = retrievalOf(toolOf({ query: 'q' }, []));
  assert.equal(found?.step, 'retriever');
  assert.deepEqual(found.results, []);
});

for (const [about, result, results] of [
  ['a document beside its score', [[{ page_content: 'Trams.' }, 0.5]], [{ text: 'Trams.', score: 0.5 }]],
  ['one under its name', [{ document: { text: 'Trams.' }, score: 0.5 }], [{ text: 'Trams.', score: 0.5 }]],
  ['a number for an id', [{ id: 7, text: 'Trams.' }], [{ id: '7', text: 'Trams.' }]],
  ['no id in its field', [{ id: '', text: 'Trams.' }], [{ text: 'Trams.' }]],
  [
    "Haystack's name for metadata",
    [{ content: 'Trams.', meta: { title: 'Night' } }],
    [{ text: 'Trams.', about: { title: 'Night', fields: { title: 'Night' } } }],
  ],
  [
    "LangChain.js's place of a page",
    [{ pageContent: 'Trams.', metadata: { loc: { pageNumber: 4 } } }],
    [{ text: 'Trams.', about: { page: '4', fields: { page: '4' } } }],
  ],
  [
    "Genkit's parts, a picture among them",
    [{ content: [{ text: 'Night' }, { media: { url: 'a.png' } }, { text: 'trams.' }] }],
    [{ text: 'Night\ntrams.' }],
  ],
  [
    'an object of LangChain, and a document that has keyword arguments',
    [
      { type: 'constructor', kwargs: { page_content: 'Trams.' } },
      { text: 'Noise.', kwargs: { page_content: 'x' } },
    ],
    [{ text: 'Trams.' }, { text: 'Noise.' }],
  ],
  [
    'a list that is none, then one that is',
    { results: [1, 2], docs: [{ text: 'Trams.' }] },
    [{ text: 'Trams.' }],
  ],
] satisfies [string, AttributeValue, unknown][])
  test(`reads documents from ${about}`, () => {
    assert.deepEqual(retrievalOf(toolOf({ query: 'q' }, result))?.results, results);
  });

test('images without text are no passages', () => {
  const pictures = [{ content: [{ media: { url: 'a.png' } }] }];
  assert.equal(retrievalOf(toolOf({ query: 'q' }, pictures)), undefined);
});

test('nested arguments and results are limited in depth', () => {
  for (const [before, after] of [
    ['{"args":', '}'],
    ['[', ']'],
    ['{"result":', '}'],
  ] as const) {
    const deep = `${before.repeat(50_000)}[{"text": "Trams."}]${after.repeat(50_000)}`;
    assert.equal(retrievalOf(toolOf(deep, [{ text: 'Trams.' }])), undefined);
    assert.equal(retrievalOf(toolOf({ query: 'q' }, deep)), undefined);
  }
});

for (const [about, attributes, kind] of [
  ['a tool', { 'openinference.span.kind': 'TOOL', 'tool.name': 'weather' }, 'tool.name=weather'],
  ['a tool without a name', { 'openinference.span.kind': 'TOOL' }, 'openinference.span.kind=TOOL'],
  [
    'a task',
    { 'traceloop.span.kind': 'task', 'traceloop.entity.name': 'weather' },
    'traceloop.entity.name=weather',
  ],
  ['a task without a name', { 'traceloop.span.kind': 'task' }, 'traceloop.span.kind=task'],
  ['a call', { 'ai.toolCall.name': 'weather' }, 'ai.toolCall.name=weather'],
] satisfies [string, Record<string, AttributeValue>, string][])
  test(`names ${about} that does not retrieve`, () => {
    assert.deepEqual(readSpan(span(attributes)), { unused: { kind, reason: 'other-tool' } });
  });

test('a span in two conventions is read by the one with documents', () => {
  const both = { ...RETRIEVER, ...GEN_AI, [DOCUMENTS]: [{ id: 'a' }] };
  assert.deepEqual(retrievalOf(span(both))?.results, [{ id: 'a' }]);
});

test('nested documents are limited in depth', () => {
  for (const [before, after] of [
    ['[', ']'],
    ['{"node":', '}'],
  ] as const) {
    const deep = `[${before.repeat(100_000)}1${after.repeat(100_000)}]`;
    assert.equal(retrievalOf(span({ ...GEN_AI, [DOCUMENTS]: deep })), undefined);
  }
});

/** A value in the JSON form of OTLP, nested in lists or maps up to the depth. */
function within(depth: number, around: (value: object) => object): object {
  return Array.from({ length: depth }).reduce<object>((value) => around(value), { stringValue: 'x' });
}
const inList = (value: object): object => ({ arrayValue: { values: [value] } });
const inMap = (value: object): object => ({ kvlistValue: { values: [{ key: 'k', value }] } });

test('reads lists and maps up to a depth', () => {
  const pair = (key: string, value: object): object => ({ key, value });
  const map = { kvlistValue: { values: [pair('__proto__', { intValue: '4' }), pair('none', {})] } };
  const attributes = [
    pair('list', { arrayValue: { values: [map, { boolValue: true }, {}] } }),
    pair('deep', within(100, inList)),
    pair('deep map', within(100, inMap)),
    pair('empty', { arrayValue: {} }),
    pair('nothing', {}),
  ];
  const spans = [{ traceId: 't', spanId: 's', attributes }];
  const [found] = spansOfJson(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  const list = found?.attributes.get('list');
  assert.equal(JSON.stringify(list), '[{"__proto__":4},true]');
  assert.equal(
    JSON.stringify(found?.attributes.get('deep')),
    '['.repeat(MAX_VALUE_DEPTH) + ']'.repeat(MAX_VALUE_DEPTH),
  );
  assert.equal(
    JSON.stringify(found?.attributes.get('deep map')),
    '{"k":'.repeat(MAX_VALUE_DEPTH - 1) + '{}' + '}'.repeat(MAX_VALUE_DEPTH - 1),
  );
  assert.deepEqual(found?.attributes.get('empty'), []);
  assert.equal(found?.attributes.has('nothing'), false);
});

test('reads service and time from the request', () => {
  const spanOf = (attributes: readonly object[], startTimeUnixNano = '1700000000123900000'): CapturedSpan => {
    const spans = [{ traceId: 't', spanId: 's', startTimeUnixNano }];
    const resourceSpans = [{ resource: { attributes }, scopeSpans: [{ spans }] }];
    return spansOfJson(JSON.stringify({ resourceSpans }))[0]!;
  };
  assert.equal(spanOf([]).startedAt, 1_700_000_000_123);
  for (const time of ['9'.repeat(30), '-1e300', 'noon']) assert.equal(spanOf([], time).startedAt, 0);
  const serviceOf = (value: object): string => spanOf([{ key: 'service.name', value }]).service;
  assert.equal(serviceOf({ stringValue: 'app' }), 'app');
  assert.equal(serviceOf({ intValue: 7 }), '7');
  assert.equal(serviceOf({ arrayValue: {} }), '');
  assert.equal(spanOf([]).service, '');
});

test('limits the parts of a request', () => {
  const attributes = [{ key: 'k', value: { arrayValue: { values: [{ stringValue: 'x' }] } } }];
  const spans = [{ traceId: 't', spanId: 's', attributes }];
  const body = JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] });
  const held = { spans: 1, frames: 2, attributes: 2, values: 2 };
  assert.equal(spansOfJson(body, new SpanLimits(held)).length, 1);
  for (const part of ['spans', 'frames', 'attributes', 'values'] as const)
    assert.throws(() => spansOfJson(body, new SpanLimits({ ...held, [part]: held[part] - 1 })), {
      id: 'too-large',
      message: new RegExp(` ${held[part] - 1} .*${part === 'frames' ? 'resources and scopes' : part}`, 'u'),
    });
});

test('accepts ten thousand attributes in a span', () => {
  const withAttributes = (length: number): string => {
    const attributes = Array.from({ length }, (_, at) => ({ key: `k${at}` }));
    return JSON.stringify({
      resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 't', spanId: 's', attributes }] }] }],
    });
  };
  assert.equal(spansOfJson(withAttributes(10_000)).length, 1);
  assert.throws(() => spansOfJson(withAttributes(10_001)), { id: 'too-large' });
});

test('refuses a request with too many list values', () => {
  const values = Array.from({ length: 100_001 }, () => ({}));
  const spans = [
    { traceId: 't', spanId: 's', attributes: [{ key: 'k', value: { arrayValue: { values } } }] },
  ];
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  assert.throws(() => spansOfJson(body), { id: 'too-large' });
});

test('reads or refuses any JSON', () => {
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
