import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveK, livePassages, liveQuestion } from '../../../src/features/capture/core/live-passages.ts';

const PURR = 'Cats purr when they are content.';
const BARK = 'Dogs bark at night, and sometimes by day.';

/** The returned value, and its passages as id, text and score. */
const SHAPES: Readonly<Record<string, readonly [value: unknown, passages: readonly unknown[]]>> = {
  'documents of LangChain.js': [
    [
      { $type: 'Document', pageContent: PURR, metadata: { source: 'a.md' }, id: 'a' },
      { $type: 'Document', pageContent: BARK, metadata: { source: 'b.md' } },
    ],
    [
      ['a', PURR, undefined, 'a.md'],
      [undefined, BARK, undefined, 'b.md'],
    ],
  ],
  'documents of LangChain with scores': [
    [[{ $type: 'Document', page_content: PURR, metadata: { source: 'a.md' } }, 0.25]],
    [[undefined, PURR, 0.25, 'a.md']],
  ],
  'a list of texts and one of their scores': [
    [
      [PURR, BARK],
      [0.75, 0.5],
    ],
    [
      [undefined, PURR, 0.75, undefined],
      [undefined, BARK, 0.5, undefined],
    ],
  ],
  'one text and its score in lists': [[[PURR], [0.75]], [[undefined, PURR, 0.75, undefined]]],
  'a list of documents and a long one of their scores': [
    [Array.from({ length: 20 }, (_, n) => ({ id: `${n}`, text: PURR })), { $vector: 20 }],
    Array.from({ length: 20 }, (_, n) => [`${n}`, PURR, undefined, undefined]),
  ],
  'nodes of LlamaIndex': [
    [
      {
        $type: 'NodeWithScore',
        node: { $type: 'TextNode', id_: 'n1', text: PURR, metadata: { source: 'a.md' } },
        score: 0.5,
      },
    ],
    [['n1', PURR, 0.5, 'a.md']],
  ],
  'a response of a query engine': [
    { $type: 'Response', response: 'Yes.', source_nodes: [{ node: { id_: 'n1', text: PURR }, score: 0.5 }] },
    [['n1', PURR, 0.5, undefined]],
  ],
  'columns of Chroma': [
    {
      ids: [['a', 'b']],
      documents: [[PURR, BARK]],
      metadatas: [[{ source: 'a.md' }, null]],
      distances: [[0.1, 0.2]],
    },
    [
      ['a', PURR, 0.1, 'a.md'],
      ['b', BARK, 0.2, undefined],
    ],
  ],
  'points of Qdrant': [
    { points: [{ id: 7, score: 0.9, payload: { content: PURR, metadata: { source: 'a.md' } }, version: 1 }] },
    [['7', PURR, 0.9, 'a.md']],
  ],
  'matches of Pinecone': [
    {
      matches: [{ id: 'p', score: 0.4, values: { $vector: 384 }, metadata: { text: PURR, source: 'a.md' } }],
      namespace: '',
    },
    [['p', PURR, 0.4, 'a.md']],
  ],
  'objects of Weaviate': [
    { objects: [{ uuid: 'u', properties: { body: PURR, source: 'a.md' }, metadata: { distance: 0.2 } }] },
    [['u', PURR, 0.2, 'a.md']],
  ],
  'an answer of GraphQL': [
    { data: { Get: { Passage: [{ content: PURR, _additional: { id: 'u' } }] } } },
    [[undefined, PURR, undefined, undefined]],
  ],
  'hits of Elasticsearch': [
    {
      took: 3,
      hits: {
        total: { value: 1 },
        hits: [{ _id: 'e', _score: 2.5, _source: { text: PURR, source: 'a.md' } }],
      },
    },
    [['e', PURR, 2.5, 'a.md']],
  ],
  'hits behind the body of a response': [
    { body: { hits: { hits: [{ _id: 'e', _score: 2.5, _source: { chunk: PURR } }] } }, statusCode: 200 },
    [['e', PURR, 2.5, undefined]],
  ],
  'rows of pg': [
    {
      $type: 'Result',
      command: 'SELECT',
      rowCount: 1,
      rows: [{ id: 3, body: PURR, source: 'a.md', distance: '0.25' }],
      fields: [],
    },
    [['3', PURR, 0.25, 'a.md']],
  ],
  'rows with columns of their own names': [
    [{ nr: 4, wording: PURR, path: 'a.md' }],
    [[undefined, PURR, undefined, undefined]],
  ],
  'rows of mysql2, beside their fields': [
    [[{ id: 1, content: PURR }], [{ name: 'id' }, { name: 'content' }]],
    [['1', PURR, undefined, undefined]],
  ],
  'rows without names': [[[12, PURR, 0.75]], [['12', PURR, 0.75, undefined]]],
  'rows beside the names of their columns': [
    { $type: 'Rows', columns: ['id', 'text', 'score'], rows: [[12, PURR, 0.75]] },
    [['12', PURR, 0.75, undefined]],
  ],
  'documents of MongoDB': [
    [{ _id: '65f', text: PURR, source: 'a.md', score: 0.8, embedding: { $vector: 384 } }],
    [['65f', PURR, 0.8, 'a.md']],
  ],
  'rows of LanceDB': [
    [{ $type: 'StructRow', id: 'l', text: PURR, vector: { $vector: 8 }, _distance: 0.3 }],
    [['l', PURR, 0.3, undefined]],
  ],
  'hits of Orama': [
    {
      elapsed: { raw: 1 },
      hits: [{ id: 'o', score: 1.5, document: { id: 'o', text: PURR, source: 'a.md' } }],
      count: 1,
    },
    [['o', PURR, 1.5, 'a.md']],
  ],
  'data of axios': [
    { status: 200, data: { results: [{ url: 'https://a', content: PURR, score: 0.9 }] } },
    [[undefined, PURR, 0.9, undefined]],
  ],
  'hits of Milvus, of each question a list': [
    [[{ id: 5, distance: 0.4, entity: { text: PURR, source: 'a.md' } }]],
    [['5', PURR, 0.4, 'a.md']],
  ],
  'results of Bedrock': [
    { retrievalResults: [{ content: { text: PURR }, score: 0.6, location: {} }] },
    [[undefined, PURR, 0.6, undefined]],
  ],
  texts: [
    [PURR, BARK],
    [
      [undefined, PURR, undefined, undefined],
      [undefined, BARK, undefined, undefined],
    ],
  ],
  'the AI SDK': [[{ name: PURR, similarity: 0.7 }], [[undefined, PURR, 0.7, undefined]]],
  'tuples with a score of zero': [
    [
      [0.5, 'a.md', PURR],
      [0, 'b.md', BARK],
    ],
    [
      ['a.md', PURR, 0.5, undefined],
      ['b.md', BARK, 0, undefined],
    ],
  ],
  'tuples with equal scores': [
    [
      [0, PURR],
      [0, BARK],
    ],
    [
      [undefined, PURR, 0, undefined],
      [undefined, BARK, 0, undefined],
    ],
  ],
  'tuples with an id': [
    [
      [3, PURR, 0.5],
      [7, BARK, 0],
    ],
    [
      ['3', PURR, 0.5, undefined],
      ['7', BARK, 0, undefined],
    ],
  ],
  nothing: [[], []],
  'no hits': [{ hits: { total: 0, hits: [] } }, []],
};

for (const [name, [value, expected]] of Object.entries(SHAPES))
  test(`reads passages from ${name}`, () => {
    const read = livePassages(value);
    assert.ok('passages' in read);
    assert.deepEqual(
      read.passages.map(({ id, text, score, metadata }) => [id, text, score, metadata?.['source']]),
      expected,
    );
  });

test('positions in an index are no passages', () => {
  assert.deepEqual(
    livePassages([
      [0.1, 0.2],
      [4, 7],
    ]),
    { none: 'positions' },
  );
  assert.deepEqual(livePassages([{ $vector: 20 }, { $vector: 20 }]), { none: 'positions' });
});

test('reports what is no list of passages', () => {
  for (const value of [null, true, { status: 200 }, [{ role: 'user', content: PURR }]])
    assert.deepEqual(livePassages(value), { none: 'other' });
});

test('counts what hooks cut off, and uses the beginning of a long text', () => {
  assert.deepEqual(livePassages([{ id: 'a', text: { $text: PURR, length: 900_000 } }, { $more: 300 }]), {
    passages: [{ id: 'a', text: PURR, metadata: { id: 'a' } }],
    more: 300,
  });
});

test('a question is a text, a list of one, or a named field', () => {
  for (const value of ['Do cats purr?', ['Do cats purr?'], { query: 'Do cats purr?' }])
    assert.equal(liveQuestion(value), 'Do cats purr?');
  for (const value of [{ $vector: 384 }, 4, null, ['a', 'b'], ' '])
    assert.equal(liveQuestion(value), undefined);
});

test('k is a whole number', () => {
  assert.deepEqual([4, '4', 0, 2.5, null, 'four'].map(liveK), [
    4,
    4,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('metadata is told without the classes of its values', () => {
  const loc = { $type: 'StructRow', lines: { $type: 'StructRow', from: 1 } };
  assert.deepEqual(livePassages([{ $type: 'Document', pageContent: PURR, metadata: { loc } }]), {
    passages: [{ text: PURR, metadata: { loc: { lines: { from: 1 } } } }],
    more: 0,
  });
});
