/** Adds a question to an eval set and leaves the rest of the file unchanged. */
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

test('starts a new set, which reads back equal', () => {
  for (const empty of ['', '\n', '\uFEFF']) {
    const { text, id, added, known } = withQuery(empty, 'a.jsonl', QUESTION);
    assert.deepEqual([id, added, known], ['should-integer-overflow-panic', 2, false]);
    assert.equal(text, formatEvalSet([{ id, ...QUESTION }]));
    assert.deepEqual(parseEvalSet(text, 'a.jsonl').queries, [{ id, ...QUESTION }]);
  }
});

test('appends a line, even if the last one has no line end, with a unique id', () => {
  const file = '{"_id": "should-integer-overflow-panic", "question": "Another?", "perspectives": ["x"]}';
  for (const end of ['', '\n']) {
    const { text, id } = withQuery(file + end, 'a.jsonl', QUESTION);
    assert.equal(id, 'should-integer-overflow-panic-2');
    assert.ok(text.startsWith(`${file}\n{"_id":"${id}"`));
    assert.equal(parseEvalSet(text, 'a.jsonl').queries.length, 2);
  }
});

test('adds missing perspectives to an existing question and keeps every other character', () => {
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

test('does not add perspectives that differ in blanks only; new ones get unique ids', () => {
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

test('changes the line with a query if two lines have the id of the question', () => {
  const file = '{"_id": "a", "title": "no query"}\n{"_id": "a", "text": "Why?"}\n';
  const { text, added } = withQuery(file, 'a.jsonl', { ...QUESTION, text: 'Why?' });
  assert.equal(added, 2);
  assert.ok(
    text.startsWith('{"_id": "a", "title": "no query"}\n{"_id": "a", "text": "Why?", "perspectives"'),
  );
});

test('derives ids from the first words of the question', () => {
  const text = 'Which of the seven words of this are too many?';
  assert.equal(withQuery('', 'a', { ...QUESTION, text }).id, 'which-of-the-seven-words-of');
});

test('gives an id to a question without words', () => {
  assert.equal(withQuery('', 'a', { ...QUESTION, text: '???' }).id, 'question');
});

test('refuses to write to another file format', () => {
  assert.throws(
    () => withQuery('# Notes\n\nno queries\n', 'notes.jsonl', QUESTION),
    (error) => ParallaxError.is(error, 'bad-file') && error.message.includes('notes.jsonl'),
  );
});
