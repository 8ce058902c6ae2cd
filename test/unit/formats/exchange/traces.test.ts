/** Exports of Langfuse and Phoenix as their tables, APIs and data frames return them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ParallaxError } from '../../../../src/core/errors.ts';
import type { ParsedExchange } from '../../../../src/core/formats/exchange/exchange.ts';
import { parseLangfuse, parsePhoenix } from '../../../../src/core/formats/exchange/traces.ts';

const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
/** The passages that were found: `[query id, query text, [[passage id, score], …]]`. */
const found = ({ exchange: { queries, run } }: ParsedExchange): unknown[] =>
  queries.map(({ id, text }) => [id, text, run.get(id)!.map(({ item, score }) => [item, score])]);

describe('Langfuse', () => {
  const documents = [
    { pageContent: 'one', metadata: { id: 'a', source: 's' } },
    { pageContent: 'two', metadata: {} },
  ];
  const expected = [
    [
      't:o',
      'What?',
      [
        ['a', 0],
        ['c1', -1],
      ],
    ],
  ];
  const observation = {
    id: 'o',
    traceId: 't',
    type: 'RETRIEVER',
    name: 'retriever',
    input: 'What?',
    output: documents,
  };

  for (const [what, text] of [
    ['the table as JSON', JSON.stringify([observation])],
    ['the table as JSONL', lines(observation)],
    ['a trace', JSON.stringify({ trace: { id: 't' }, observations: [observation] })],
    ['the API', JSON.stringify({ data: [observation], meta: {} })],
    [
      'a table with JSON in its cells',
      lines({ ...observation, input: '{"query": "What?"}', output: JSON.stringify(documents) }),
    ],
    ['a chain', lines({ ...observation, input: { question: 'What?' }, output: { documents } })],
    [
      'Python names',
      lines({ ...observation, output: [{ page_content: 'one', id: 'a' }, { page_content: 'two' }] }),
    ],
    [
      'nodes',
      lines({
        ...observation,
        output: {
          nodes: documents.map((node) => ({ node: { text: node.pageContent, id_: node.metadata.id } })),
        },
      }),
    ],
    ['texts', lines({ ...observation, output: [{ id: 'a', text: 'one' }, 'a second text'] })],
  ] as const)
    test(what, () => assert.deepEqual(found(parseLangfuse(text, 'f')), expected));

  test('keeps falling scores; warns of scores that contradict the order', () => {
    const scored = (...scores: number[]) =>
      lines({ ...observation, output: scores.map((score, i) => [{ id: `d${i}` }, score]) });
    assert.deepEqual(found(parseLangfuse(scored(0.9, 0.5), 'f'))[0], [
      't:o',
      'What?',
      [
        ['d0', 0.9],
        ['d1', 0.5],
      ],
    ]);
    const { warnings } = parseLangfuse(scored(0.1, 0.5), 'f');
    assert.match(
      warnings.join(),
      /Scores contradict the order of the list, which counts \(1, the first: query "t:o"\)/u,
    );
  });

  test('counts and omits what is no retrieval; keeps two of one id apart', () => {
    const parsed = parseLangfuse(
      lines(observation, observation, { id: 'g', type: 'GENERATION', input: 'Hi', output: 'Ho' }),
      'f',
    );
    assert.deepEqual(
      found(parsed).map((row) => (row as string[])[0]),
      ['t:o', 't:o (2)'],
    );
    assert.deepEqual(parsed.warnings, [
      'f: Langfuse: 1 of 3 records are no retrievals and are left out.',
      'f: Langfuse: Ids that occur again got a number (1, the first: "t:o").',
    ]);
  });

  test('finds the question under its usual names; without one nothing was retrieved', () => {
    const asked = (input: unknown): unknown[] =>
      found(parseLangfuse(lines({ ...observation, input }, { ...observation, id: 'last' }), 'f')).map(
        (row) => (row as string[])[1],
      );
    for (const name of ['query', 'query_str', 'question', 'input', 'text', 'search_query', 'value'])
      assert.deepEqual(asked({ k: 3, [name]: 'Why?' }), ['Why?', 'What?']);
    assert.deepEqual(asked({ query: ' ', question: 'Why?' }), ['Why?', 'What?']);
    assert.deepEqual(asked(['Why?', 3]), ['Why?', 'What?']);
    for (const none of [' ', 7, null, [], { query: ' ' }, { k: 3 }]) assert.deepEqual(asked(none), ['What?']);
  });

  test('an observation is named by trace and id if they exist, else by its place', () => {
    const { id: _id, traceId: _traceId, ...nameless } = observation;
    const parsed = parseLangfuse(
      lines(
        { ...nameless, trace_id: 't', id: 7 },
        { ...nameless, id: 'o' },
        nameless,
        ...[1, 2, 3].map(() => ({ ...nameless, id: 'again' })),
      ),
      'f',
    );
    assert.deepEqual(
      parsed.exchange.queries.map(({ id }) => id),
      ['t', 'o', 'q3', 'again', 'again (2)', 'again (3)'],
    );
    assert.deepEqual(parsed.warnings, [
      'f: Langfuse: Ids that occur again got a number (2, the first: "again").',
    ]);
  });

  test('generated ids avoid later given ids', () => {
    const own = (output: unknown) => ({ ...observation, output });
    const parsed = parseLangfuse(lines(own(['a first text']), own([{ id: 'c1', text: 'two' }])), 'f');
    assert.deepEqual(
      [...parsed.exchange.run.values()].flat().map(({ item }) => item),
      ['c2', 'c1'],
    );
  });

  test('reports bad lines, even if there are no others', () => {
    assert.deepEqual(parseLangfuse(`${lines(observation)}{`, 'f').warnings.length, 1);
    assert.throws(
      () => parseLangfuse(`${lines({ id: 'g' })}{`, 'f'),
      (error) =>
        ParallaxError.is(error, 'bad-file') &&
        /^f: Langfuse: none of 1 records .* documents\. Line 2: /u.test(error.message),
    );
  });

  test('refuses a file without observations', () => {
    assert.throws(
      () => parseLangfuse(lines({ id: 'g', input: 'Hi', output: 'Ho' }), 'f'),
      (error) =>
        ParallaxError.is(error, 'bad-file') && /none of 1 records is a retrieval/u.test(error.message),
    );
  });
});

describe('Phoenix', () => {
  const expected = [
    [
      't:s',
      'What?',
      [
        ['a', 0.9],
        ['c1', 0.5],
      ],
    ],
  ];
  const context = { trace_id: 't', span_id: 's' };
  const retrieved = [
    { 'document.id': 'a', 'document.content': 'one', 'document.score': 0.9 },
    { 'document.content': 'two', 'document.score': 0.5 },
  ];

  for (const [what, text] of [
    [
      'the API, attributes with dotted names',
      JSON.stringify({
        data: [
          {
            name: 'retrieve',
            context,
            span_kind: 'RETRIEVER',
            attributes: {
              'input.value': 'What?',
              'retrieval.documents.0.document.id': 'a',
              'retrieval.documents.0.document.content': 'one',
              'retrieval.documents.0.document.score': 0.9,
              'retrieval.documents.1.document.content': 'two',
              'retrieval.documents.1.document.score': 0.5,
            },
          },
        ],
      }),
    ],
    [
      'nested attributes',
      lines({
        name: 'retrieve',
        context,
        attributes: {
          openinference: { span: { kind: 'RETRIEVER' } },
          input: { value: 'What?' },
          retrieval: {
            documents: [
              { document: { id: 'a', content: 'one', score: 0.9 } },
              { document: { content: 'two', score: 0.5 } },
            ],
          },
        },
      }),
    ],
    [
      'a data frame of spans',
      lines({
        'context.span_id': 's',
        'context.trace_id': 't',
        span_kind: 'RETRIEVER',
        'attributes.input.value': 'What?',
        'attributes.retrieval.documents': retrieved,
      }),
    ],
    [
      'the same with JSON in its cells',
      lines({
        'context.span_id': 's',
        'context.trace_id': 't',
        span_kind: 'RETRIEVER',
        'attributes.input.value': 'What?',
        'attributes.retrieval.documents': JSON.stringify(retrieved),
      }),
    ],
    [
      'OTLP',
      JSON.stringify({
        resourceSpans: [
          {
            scopeSpans: [
              {
                spans: [
                  {
                    traceId: 't',
                    spanId: 's',
                    name: 'retrieve',
                    attributes: Object.entries({
                      'openinference.span.kind': 'RETRIEVER',
                      'input.value': 'What?',
                      'retrieval.documents.0.document.id': 'a',
                      'retrieval.documents.0.document.content': 'one',
                      'retrieval.documents.0.document.score': 0.9,
                      'retrieval.documents.1.document.content': 'two',
                      'retrieval.documents.1.document.score': 0.5,
                    }).map(([key, value]) => ({
                      key,
                      value: typeof value === 'number' ? { doubleValue: value } : { stringValue: value },
                    })),
                  },
                ],
              },
            ],
          },
        ],
      }),
    ],
  ] as const)
    test(what, () => assert.deepEqual(found(parsePhoenix(text, 'f')), expected));

  test('the table of retrieved documents has a row for each document, in any order', () => {
    const row = { 'context.span_id': 's', 'context.trace_id': 't', input: 'What?' };
    const text = lines(
      { ...row, document_position: 1, reference: 'two', document_score: 0.5 },
      { ...row, document_position: 0, reference: 'one', document_score: 0.9 },
      {
        'context.span_id': 'z',
        input: 'Other?',
        document_position: 0,
        reference: 'one',
        document_score: 0.1,
      },
    );
    assert.deepEqual(found(parsePhoenix(text, 'f')), [
      [
        's',
        'What?',
        [
          ['c1', 0.9],
          ['c2', 0.5],
        ],
      ],
      ['z', 'Other?', [['c1', 0.1]]],
    ]);
  });

  test("a data frame of spans as pandas' to_json writes it: by columns, as records or as a table", () => {
    const documents = [{ 'document.content': 'one', 'document.id': 'a', 'document.score': 0.9 }];
    const row = {
      'context.span_id': 's',
      'context.trace_id': 't',
      'attributes.openinference.span.kind': 'RETRIEVER',
      'attributes.input.value': 'What?',
      'attributes.retrieval.documents': documents,
    };
    const columns = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, { s: value }]));
    for (const frame of [columns, [row], { schema: { pandas_version: '1.4.0' }, data: [row] }])
      assert.deepEqual(
        [...parsePhoenix(JSON.stringify(frame), 'f').exchange.run],
        [['t:s', [{ item: 'a', score: 0.9 }]]],
      );
  });

  test('recognises spans by every spelling, and documents without some fields', () => {
    const question = { 'input.value': 'What?' };
    const documents = { retrieval: { documents: JSON.stringify([{ id: 'a', content: 'one', score: 1 }]) } };
    const attributes = { ...question, ...documents };
    for (const [span, id] of [
      [{ trace_id: 't', span_id: 's', span_kind: 'RETRIEVER', attributes }, 't:s'],
      [{ traceId: 't', spanId: 's', spanKind: 'RETRIEVER', attributes: JSON.stringify(attributes) }, 't:s'],
      [{ span_id: 's', span_kind: 'RETRIEVER', attributes }, 's'],
      [{ name: 'r', attributes: { ...attributes, 'openinference.span.kind': 'RETRIEVER' } }, 'q1'],
    ] as const)
      for (const text of [lines(span), JSON.stringify({ spans: [span] })])
        assert.deepEqual([...parsePhoenix(text, 'f').exchange.run], [[id, [{ item: 'a', score: 1 }]]], text);
    const reranked = {
      span_kind: 'RERANKER',
      attributes: { 'reranker.query': 'What?', reranker: { output_documents: [{ document: { id: 'b' } }] } },
    };
    assert.deepEqual(
      [...parsePhoenix(lines(reranked), 'f').exchange.run.values()],
      [[{ item: 'b', score: 0 }]],
    );
  });

  test('omits attributes with excessive nesting or without values', () => {
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    const text = `{"span_kind": "RETRIEVER", "attributes": {"deep": ${deep}, "none": null, "flag": true, "input.value": "What?", "output.value": "[{\\"id\\": \\"a\\"}]"}}`;
    assert.deepEqual([...parsePhoenix(text, 'f').exchange.run.keys()], ['q1']);
  });

  test('reads rows of retrieved documents under every name and omits missing fields', () => {
    const row = { input: 'What?', document_position: 0 };
    const parsed = parsePhoenix(
      lines(
        { ...row, span_id: 's', 'document.id': 'a', 'document.score': 2 },
        { ...row, span_id: 's', document_position: 1, document_id: 'b', content: 'two', 'document.score': 1 },
        { ...row, span_id: 's', document_position: 2 },
        { ...row, 'document.content': 'three' },
        { ...row, span_id: 'u', input: 'Why?', document: 'four' },
        { ...row, span_id: 'v', input: ' ', document: 'five' },
        { ...row, span_id: 'w', input: 7, document: 'six' },
      ),
      'f',
    );
    assert.deepEqual(
      found(parsed).map((of) => (of as unknown[])[0]),
      ['s', 'What?', 'u'],
    );
    assert.deepEqual(parsed.exchange.run.get('s'), [
      { item: 'a', score: 2 },
      { item: 'b', score: 1 },
    ]);
    assert.deepEqual(
      parsed.exchange.passages.map(({ text }) => text),
      ['two', 'three', 'four'],
    );
  });

  test('omits spans of other kinds', () => {
    const text = lines({ span_kind: 'LLM', 'attributes.input.value': 'Hi' });
    assert.throws(
      () => parsePhoenix(text, 'f'),
      (error) => ParallaxError.is(error, 'bad-file'),
    );
  });
});
