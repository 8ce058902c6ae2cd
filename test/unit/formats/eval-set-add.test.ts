/** A question joins an eval set, and nothing else of the file changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { withQuery } from '../../../src/core/formats/eval-set-add.ts';
import { parseEvalSet } from '../../../src/core/formats/queries.ts';

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
    assert.deepEqual(parseEvalSet(text, 'a.jsonl').queries, [{ id, ...QUESTION }]);
  }
});

test('a set that is there gets a line, also where its last one does not end; ids stay unique', () => {
  const file = '{"_id": "should-integer-overflow-panic", "question": "Another?", "perspectives": ["x"]}';
  const { text, id } = withQuery(file, 'a.jsonl', QUESTION);
  assert.equal(id, 'should-integer-overflow-panic-2');
  assert.ok(text.startsWith(`${file}\n{"_id":"${id}"`));
  assert.equal(parseEvalSet(text, 'a.jsonl').queries.length, 2);
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
  assert.deepEqual([again.text, again.added], [text, 0]);
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
