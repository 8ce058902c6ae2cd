import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { aboutRecord } from '../../../src/core/external/about-record.ts';
import {
  matchResult,
  sharedPart,
  shingles,
  textSimilarity,
  type MatchCorpus,
} from '../../../src/core/external/match.ts';
import { parseResults, valueAt } from '../../../src/core/external/results.ts';
import { externalRetrieverSchema } from '../../../src/core/external/spec.ts';
import { showsChange } from '../../../src/core/external/store-sample.ts';
import { fillJson, fillUrl, type Json } from '../../../src/core/external/template.ts';
import { parseRetrieved } from '../../../src/core/formats/retrieved.ts';

test('a query is inserted into a template as a value', () => {
  const template = {
    q: 'about {query}',
    size: '{k}',
    nested: [{ text: '{query}', '{query}': true }],
    after: null,
  };
  assert.deepEqual(fillJson(template, { query: 'a "b" {k} \\', k: 7 }), {
    q: 'about a "b" {k} \\',
    size: 7,
    nested: [{ text: 'a "b" {k} \\', '{query}': true }],
    after: null,
  });
  assert.equal(
    fillUrl('http://h/s?q={query}&k={k}', { query: 'a&b=c #d/{k}', k: 3 }),
    'http://h/s?q=a%26b%3Dc%20%23d%2F%7Bk%7D&k=3',
  );
});

test('no query changes the shape of a request', () => {
  const shape = (value: Json): unknown =>
    Array.isArray(value)
      ? value.map(shape)
      : typeof value === 'object' && value !== null
        ? Object.entries(value).map(([name, item]) => [name, shape(item as Json)])
        : typeof value;
  const template = { a: ['{query}', { b: 'x {query} y' }], n: 1, k: '{k}' };
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (query) => {
      const filled = fillJson(template, { query, k: 5 });
      assert.deepEqual(shape(JSON.parse(JSON.stringify(filled))), shape({ ...template, k: 5 }));
      const url = new URL(fillUrl('http://h/p?q={query}&k={k}', { query: query.toWellFormed(), k: 5 }));
      assert.equal(url.pathname + url.hash, '/p');
      assert.deepEqual([...url.searchParams.keys()], ['q', 'k']);
    }),
  );
});

test('paths lead only through objects and lists', () => {
  const answer = { hits: { hits: [{ _source: { 'doc.id': 4 } }] } };
  assert.equal(valueAt(answer, "hits.hits[0]._source['doc.id']"), 4);
  assert.equal(valueAt(answer, ''), answer);
  assert.equal(valueAt(answer, 'hits.length'), undefined);
  assert.equal(valueAt(answer, 'constructor.name'), undefined);
  assert.equal(valueAt([1, 2], '[1]'), 2);
  assert.equal(valueAt({ list: Array.from('abcdefghijklm') }, 'list[11]'), 'l');
  assert.equal(valueAt({ a: null }, 'a.b'), undefined);
  assert.equal(valueAt(undefined, 'a.b'), undefined);
});

test('results need an id or a text; numbers become ids, and the order replaces scores', () => {
  assert.deepEqual(
    parseResults('It', [
      { id: 3, score: 0.5 },
      { text: 'words', id: null, metadata: null },
      { id: 'a', metadata: { source: 'guide.md', page: 4 } },
      { id: '', text: 'more' },
    ]),
    [
      { id: '3', score: 0.5 },
      { text: 'words', score: -1 },
      {
        id: 'a',
        score: -2,
        about: { source: 'guide.md', page: '4', fields: { source: 'guide.md', page: '4' } },
      },
      { text: 'more', score: -3 },
    ],
  );
  for (const [results, message] of [
    [undefined, /without a list/],
    [[{ score: 1 }], /result 1 has neither id nor text/],
    [[{ id: 'a' }, { id: 'b', score: 'high' }], /result 2 has a wrong score/],
    [['a'], /result 1 is not an object/],
  ] as const)
    assert.throws(() => parseResults('It', results), { id: 'retriever-failed', message });
});

test('a record names its source in its own fields or in its metadata', () => {
  assert.deepEqual(aboutRecord({ title: ' Night ', url: 'https://a.example', page: 4, metadata: null }), {
    title: 'Night',
    source: 'https://a.example',
    page: '4',
    fields: { title: 'Night', url: 'https://a.example', page: '4' },
  });
  const draft = { source: 'night.md', fields: { source: 'night.md', draft: 'true' } };
  assert.deepEqual(aboutRecord({ title: ' ', metadata: { source: 'night.md', draft: true } }), draft);
  assert.deepEqual(aboutRecord({ cmetadata: '{"source": "night.md", "draft": true}' }), {
    ...draft,
    fields: { ...draft.fields, cmetadata: '{"source": "night.md", "draft": true}' },
  });
  assert.deepEqual(aboutRecord({ author: 'Ada', text: 'Trams.', metadata: 'none {' }, ['Trams.']), {
    fields: { author: 'Ada', metadata: 'none {' },
  });
  // Values that are too long to count still name the source.
  const long = `https://a.example/${'a'.repeat(300)}`;
  assert.deepEqual(aboutRecord({ url: long }), { source: long });
  for (const none of [undefined, null, 'night.md', {}, { metadata: [] }])
    assert.equal(aboutRecord(none), undefined);
});

test('samples have changed if both have a checksum and these differ', () => {
  const sample = (checksum?: string) => ({ store: 's', records: 1, checksum });
  assert.equal(showsChange(sample('a'), sample('b')), true);
  assert.equal(showsChange(sample('a'), sample('a')), false);
  for (const [one, other] of [
    [sample('a'), sample()],
    [sample(), sample('a')],
    [sample('a'), undefined],
    [undefined, sample('a')],
    [undefined, undefined],
  ] as const)
    assert.equal(showsChange(one, other), false);
});

test('errors of a specification name the field', () => {
  const problem = (spec: unknown): string =>
    externalRetrieverSchema.safeParse(spec).error?.issues[0]?.path.join('.') ?? '';
  assert.equal(problem({ type: 'command', command: [] }), 'command');
  assert.equal(problem({ type: 'command', command: 'python x.py' }), 'command');
  assert.equal(problem({ type: 'http', url: 'file:///etc/passwd' }), 'url');
  assert.equal(problem({ type: 'run', file: '' }), 'file');
  assert.equal(problem({ type: 'run', file: 'a', timeoutMs: 5 }), '');
  assert.equal(externalRetrieverSchema.safeParse({ type: 'run', file: 'a', extra: 1 }).success, false);
});

const PASSAGES = [
  { id: 'a', text: 'Working from home gives people longer stretches of undisturbed work.' },
  { id: 'b', text: 'Offices bring people together who would never have met otherwise.' },
];
const corpus: MatchCorpus<(typeof PASSAGES)[number]> = {
  byId: (id) => PASSAGES.find((passage) => passage.id === id),
  similar: () => Promise.resolve(PASSAGES),
  textOf: ({ text }) => text,
};

test('a result matches by id, by text, or by nearly equal text', async () => {
  const [first] = PASSAGES;
  const matchOf = async (result: { id?: string; text?: string }) => {
    const match = await matchResult({ ...result, score: 1 }, corpus);
    return match && `${match.kind} ${match.passage.id}`;
  };
  assert.equal(await matchOf({ id: 'a' }), 'id a');
  assert.equal(await matchOf({ id: 'a', text: first!.text }), 'id a');
  assert.equal(await matchOf({ text: first!.text }), 'text a');
  assert.equal(await matchOf({ text: `- ${first!.text.toUpperCase()}\n` }), 'fuzzy a');
  // The same id in another system is another passage.
  assert.equal(await matchOf({ id: 'b', text: first!.text }), 'text a');
  assert.equal(await matchOf({ id: 'b', text: 'Something else entirely, of its own.' }), undefined);
  // A chunk that contains the passage may support more than the passage does.
  assert.equal(await matchOf({ text: `${first!.text} ${PASSAGES[1]!.text}` }), undefined);
  assert.equal(await matchOf({ id: 'zzz' }), undefined);
});

test('the nearest of several similar texts matches; an id needs a similar text', async () => {
  const words = 'one two three four five six seven eight nine ten';
  const texts = [`${words} other`, `${words} eleven`, 'something else'];
  const numbered: MatchCorpus<string> = {
    byId: (id) => texts[Number(id)],
    similar: () => Promise.resolve(texts),
    textOf: (text) => text,
  };
  const matchOf = (result: { id?: string; text: string }) => matchResult({ ...result, score: 1 }, numbered);
  assert.deepEqual(await matchOf({ text: `${words} Eleven!` }), { passage: texts[1], kind: 'fuzzy' });
  // 8 of 10 trigrams are just enough.
  assert.deepEqual(await matchOf({ id: '0', text: `${words} twelve` }), { passage: texts[0], kind: 'id' });
  assert.deepEqual(await matchOf({ text: `${words} twelve` }), { passage: texts[0], kind: 'fuzzy' });
  assert.equal(await matchOf({ id: '0', text: 'One, two.' }), undefined);
});

test('texts are compared by trigrams of words, and short ones as a whole', () => {
  assert.deepEqual([...shingles('A, b c. D')], ['a b c', 'b c d']);
  assert.deepEqual([...shingles('A, b')], ['a b']);
  assert.deepEqual([...shingles('…')], []);
  assert.equal(textSimilarity('a b c d', 'x a b c'), 1 / 3);
  assert.equal(textSimilarity('…', 'a'), 0);
  assert.equal(sharedPart(new Set(), new Set()), 0);
});

test('text similarity is symmetric, 1 for equal words, and defined without words', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(textSimilarity(a, b), textSimilarity(b, a));
      assert.equal(textSimilarity(a, a), 1);
    }),
  );
  assert.equal(textSimilarity('…', '—'), 0);
});

test('retrieved results may be TREC runs or JSON Lines', () => {
  const trec = parseRetrieved('q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\n', 'run.txt');
  assert.deepEqual(trec.byId.get('q1'), [
    { id: 'd1', score: 2.5 },
    { id: 'd2', score: 1.5 },
  ]);
  const lines = parseRetrieved(
    ' {"id": 1, "query": "why?", "results": [{"text": "so", "score": 1}]}\n\n{"query": "how?", "results": []}\n{"id": 2, "results": []}',
    'out.jsonl',
  );
  assert.deepEqual(lines.warnings, []);
  assert.deepEqual([...lines.byId.keys(), ...lines.byText.keys()], ['1', '2', 'why?', 'how?']);
  assert.deepEqual(lines.byId.get('1'), [{ text: 'so', score: 1 }]);
  assert.deepEqual(lines.byText.get('how?'), []);
  for (const [text, message] of [
    ['{"results": []}', /out\.jsonl:1 is not a retrieved query/],
    ['{"id": "a", "results": []}\n{"id": "b"', /out\.jsonl:2/],
    ['{"id": "a", "results": [{"score": 1}]}', /out\.jsonl:1: result 1 has neither/],
  ] as const)
    assert.throws(() => parseRetrieved(text, 'out.jsonl'), { id: 'bad-file', message });
});
