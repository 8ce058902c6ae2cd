/** A question joins an eval set, and nothing else of the file changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { withQuery } from '../../../src/core/formats/eval-set-add.ts';
import { formatEvalSet, parseEvalSet } from '../../../src/core/formats/queries.ts';

const QUESTION = {
  text: 'Should integer overflow panic?',
  perspectives: [
    { id: 'p1', text: 'It finds bugs.', stance: 'support', stanceBy: 'human' },
    { id: 'p2', text: 'It costs time.' },
  ],
} as const;

test('a new set begins with it, and reads back the same', () => {
  for (const empty of ['', '\n', '\uFEFF']) {
    const { text, id, added, known } = withQuery(empty, 'a.jsonl', QUESTION);
    assert.deepEqual([id, added, known], ['should-integer-overflow-panic', 2, false]);
    assert.equal(text, formatEvalSet([{ id, ...QUESTION }]));
    assert.deepEqual(parseEvalSet(text, 'a.jsonl').queries, [{ id, ...QUESTION }]);
  }
});

test('a set that is there gets a line, also where its last one does not end; ids stay unique', () => {
  const file = '{"_id": "should-integer-overflow-panic", "question": "Another?", "perspectives": ["x"]}';
  for (const end of ['', '\n']) {
    const { text, id } = withQuery(file + end, 'a.jsonl', QUESTION);
    assert.equal(id, 'should-integer-overflow-panic-2');
    assert.ok(text.startsWith(`${file}\n{"_id":"${id}"`));
    assert.equal(parseEvalSet(text, 'a.jsonl').queries.length, 2);
  }
});

test('a question that it has gets the perspectives that it did not have; the rest stays to the last character', () => {
  const file =
    '{"_id": "a", "text": "Why?"}\r\n' +
    '{"_id": "b",  "weight": 1.0, "text": "should integer overflow PANIC? ", "perspectives": ["It costs time.", {"id": "p3", "text": "x"}]}\r\n\r\n';
  const { text, id, added, known } = withQuery(file, 'a.jsonl', QUESTION);
  assert.deepEqual([id, added, known], ['b', 1, true]);
  const [, query] = parseEvalSet(text, 'a.jsonl').queries;
  assert.deepEqual(
    query!.perspectives.map((perspective) => [perspective.id, perspective.text, perspective.stance]),
    [
      ['p1', 'It costs time.', undefined],
      ['p3', 'x', undefined],
      ['p3-2', 'It finds bugs.', 'support'],
    ],
  );
  assert.ok(text.startsWith('{"_id": "a", "text": "Why?"}\r\n{"_id": "b",  "weight": 1.0, "text"'));
  assert.ok(text.endsWith(']}\r\n\r\n'));
  const again = withQuery(text, 'a.jsonl', QUESTION);
  assert.deepEqual([again.text, again.added, again.known], [text, 0, true]);
});

test('perspectives that it has under other blanks are not added again, and several that it has not get ids of their own', () => {
  const perspectives = ['One. ', 'Two.', 'Three.'].map((text) => ({ id: '', text }));
  const added = (present: string): unknown =>
    parseEvalSet(
      withQuery(`  {"_id": "a", "text": "Why?", "perspectives": ${present}}`, 'a.jsonl', {
        text: 'Why?',
        perspectives,
      }).text,
      'a.jsonl',
    ).queries[0]!.perspectives.map(({ id, text }) => `${id} ${text}`);
  assert.deepEqual(added('["One."]'), ['p1 One.', 'p2 Two.', 'p3 Three.']);
  assert.deepEqual(added('[{"id": "p3", "text": "One."}]'), ['p3 One.', 'p2 Two.', 'p3-2 Three.']);
  assert.deepEqual(added('null'), ['p1 One. ', 'p2 Two.', 'p3 Three.']);
  const all = '{"_id": "a", "text": "Why?", "perspectives": [ " One.",  "Two.", "Three." ]}';
  assert.equal(withQuery(all, 'a.jsonl', { text: 'Why?', perspectives }).text, all);
});

test('of two lines with the id of the question the one that is a query is changed', () => {
  const file = '{"_id": "a", "title": "no query"}\n{"_id": "a", "text": "Why?"}\n';
  const { text, added } = withQuery(file, 'a.jsonl', { ...QUESTION, text: 'Why?' });
  assert.equal(added, 2);
  assert.ok(
    text.startsWith('{"_id": "a", "title": "no query"}\n{"_id": "a", "text": "Why?", "perspectives"'),
  );
});

test('an id is made of the first words of a question', () => {
  const text = 'Which of the seven words of this are too many?';
  assert.equal(withQuery('', 'a', { ...QUESTION, text }).id, 'which-of-the-seven-words-of');
});

test('a question without a word gets an id all the same', () => {
  assert.equal(withQuery('', 'a', { ...QUESTION, text: '???' }).id, 'question');
});

test('a file that is something else is not written to', () => {
  assert.throws(
    () => withQuery('# Notes\n\nno queries\n', 'notes.jsonl', QUESTION),
    (error) => ParallaxError.is(error, 'bad-file') && error.message.includes('notes.jsonl'),
  );
});
