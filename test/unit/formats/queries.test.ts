import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { linesOf } from '../../../src/core/formats/lines.ts';
import {
  EvalSetReading,
  formatEvalSet,
  parseEvalSet,
  queryLines,
} from '../../../src/core/formats/queries.ts';
import type { Perspective, Query } from '../../../src/core/model.ts';

const DATA = '../shared/data';
const skip = existsSync(DATA) ? false : `cannot run here: ${DATA} is absent`;
const parse = (...lines: unknown[]) =>
  parseEvalSet(
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    'set.jsonl',
  );

test('BEIR with perspectives', () => {
  const { queries, warnings } = parse({
    _id: 'q7',
    text: 'Is remote work better?',
    perspectives: [
      { id: 'pro', text: 'It is.', stance: 'support', group: 'team' },
      { id: 'con', text: 'It is not.', stance: 'oppose' },
    ],
    metadata: { tags: ['work'], source: 'x' },
  });
  assert.deepEqual(warnings, []);
  assert.deepEqual(queries, [
    {
      id: 'q7',
      text: 'Is remote work better?',
      perspectives: [
        { id: 'pro', text: 'It is.', stance: 'support', group: 'team' },
        { id: 'con', text: 'It is not.', stance: 'oppose' },
      ],
      tags: ['work'],
    },
  ]);
});

test('BERDS: a question, and perspectives as strings', () => {
  const { queries } = parse('', {
    question: 'Why?',
    perspectives: ['Because.', 'No reason.'],
    ctxs: [{ text: 'x' }],
  });
  assert.deepEqual(queries, [
    {
      id: 'q2',
      text: 'Why?',
      perspectives: [
        { id: 'p1', text: 'Because.' },
        { id: 'p2', text: 'No reason.' },
      ],
    },
  ]);
});

test('other spellings: id, query, tags, numeric ids, null, no perspectives', () => {
  const { queries, warnings } = parse(
    { id: 4, query: 'Who?', tags: ['a'] },
    { id: 'x', text: null, question: 'What?', perspectives: null, metadata: null, tags: null },
  );
  assert.deepEqual(warnings, []);
  assert.deepEqual(queries, [
    { id: '4', text: 'Who?', perspectives: [], tags: ['a'] },
    { id: 'x', text: 'What?', perspectives: [] },
  ]);
});

test('gold answers as in DPR and SQuAD, and a single one', () => {
  const given = [['Paris', 1963], { text: ['Paris'], answer_start: [4] }, 'Paris', [], null, undefined];
  const { queries, warnings } = parse(
    ...given.map((answers, n) => ({ _id: String(n), text: 'Where?', answers })),
  );
  assert.deepEqual(warnings, []);
  assert.deepEqual(
    queries.map(({ answers }) => answers),
    [['Paris', '1963'], ['Paris'], ['Paris'], undefined, undefined, undefined],
  );
  assert.deepEqual(parseEvalSet(formatEvalSet(queries), 'again').queries, queries);
});

test('names unusable gold answers by their place', () => {
  const { queries, warnings } = parse(
    { _id: 'a', text: 'Fine?', answers: ['yes'] },
    { _id: 'b', text: 'Where?', answers: ['Paris', '…'] },
    { _id: 'c', text: 'Where?', answers: [{ city: 'Paris' }] },
    { _id: 'd', text: 'Where?', answers: true },
  );
  assert.deepEqual(
    queries.map(({ id }) => id),
    ['a'],
  );
  assert.deepEqual(warnings, [
    'set.jsonl: Line 2: answers.1: needs a letter or a digit (found "…"); skipped.',
    'set.jsonl: Line 3: answers.0: expected a string; skipped.',
    'set.jsonl: Line 4: answers: expected a list of strings (found true); skipped.',
  ]);
});

test('reports bad lines by line and field and reads the rest', () => {
  const { queries, warnings } = parse(
    { _id: 'a', text: 'Fine?' },
    '{"_id": "b", ',
    { _id: 'c' },
    { _id: 'd', text: 5 },
    { _id: 'e', text: 'Empty?', perspectives: [' '] },
    { _id: 'f', text: 'Stance?', perspectives: [{ text: 'x', stance: 'maybe' }] },
    '[]',
  );
  assert.deepEqual(
    queries.map(({ id }) => id),
    ['a'],
  );
  const fields = [/^set\.jsonl: Line 2: not JSON/, /Line 3: text: missing/, /Line 4: text: .*\(found 5\)/];
  fields.push(
    /Line 5: perspectives\.0\.text: must not be empty/,
    /Line 6: perspectives\.0\.stance: .*"maybe"/,
    /Line 7: /,
  );
  assert.equal(warnings.length, fields.length);
  fields.forEach((field, index) => assert.match(warnings[index]!, field));
});

test('keeps the first of repeated ids', () => {
  const { queries, warnings } = parse(
    {
      _id: 'a',
      text: 'First?',
      perspectives: [{ id: 'p', text: 'One.' }, { id: 'p', text: 'Two.' }, 'Three.'],
    },
    { _id: 'a', text: 'Second?' },
  );
  assert.deepEqual(queries, [
    {
      id: 'a',
      text: 'First?',
      perspectives: [
        { id: 'p', text: 'One.' },
        { id: 'p3', text: 'Three.' },
      ],
    },
  ]);
  assert.deepEqual(warnings, [
    'set.jsonl: Line 2: _id "a" occurs a second time; skipped.',
    'set.jsonl: Line 1: perspective "p" occurs a second time; left out.',
  ]);
});

test('refuses a file without queries by name', () => {
  for (const text of ['', 'a,b\n1,2\n', ' {"_id":"x","title":"t"}'])
    assert.throws(
      () => parseEvalSet(text, 'notes.jsonl'),
      (error) =>
        ParallaxError.is(error, 'bad-file') &&
        /notes\.jsonl/.test(error.message) &&
        /parallax convert/.test(error.message) !== text.includes('{'),
    );
});

test('lines of queries by id and by place; omitted lines have none', () => {
  const lines = [
    '{"_id":"a"}',
    '',
    '{"id":7,"text":"?"}',
    '{"_id":null,"text":"no id"}',
    'broken',
    '[1]',
    '{"_id":"a","text":"?"}',
    '{"_id":"a","text":"again"}',
  ].join('\n');
  const expected = [
    ['7', 3],
    ['q4', 4],
    ['a', 7],
  ];
  assert.deepEqual([...queryLines(lines)], expected);
  const reading = new EvalSetReading('set.jsonl');
  for (const line of linesOf(lines)) reading.take(line);
  assert.deepEqual([...reading.places], expected);
});

test('refuses a table and names the command that reads it', () => {
  assert.throws(
    () => parseEvalSet('user_input,reference\nWhy?,Because.\n', 'ragas.csv'),
    (error) => ParallaxError.is(error, 'bad-file') && /"parallax convert" makes one/u.test(error.message),
  );
});

const texts = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text.trim() !== '');
const perspectives: fc.Arbitrary<Perspective> = fc
  .record(
    { id: texts, text: texts, stance: fc.constantFrom('support', 'oppose'), group: texts },
    { requiredKeys: ['id', 'text'], noNullPrototype: true },
  )
  .map((record) => record as Perspective);
const queriesOf: fc.Arbitrary<Query> = fc
  .record(
    {
      id: texts,
      text: texts,
      perspectives: fc.uniqueArray(perspectives, { selector: ({ id }) => id }),
      tags: fc.array(fc.string()),
    },
    { requiredKeys: ['id', 'text', 'perspectives'], noNullPrototype: true },
  )
  .map((record) => record as Query);

test('reads back a written eval set', () => {
  fc.assert(
    fc.property(fc.uniqueArray(queriesOf, { minLength: 1, selector: ({ id }) => id }), (queries) => {
      assert.deepEqual(parseEvalSet(formatEvalSet(queries), 'set'), { queries, warnings: [] });
    }),
  );
});

test('real eval sets', { skip }, () => {
  const load = (file: string) => parseEvalSet(readFileSync(`${DATA}/${file}`, 'utf8'), file);
  const debate = load('debate/queries.jsonl');
  assert.deepEqual([debate.queries.length, debate.warnings], [178, []]);
  assert.deepEqual(
    debate.queries[0]!.perspectives.map(({ id }) => id),
    ['support', 'oppose'],
  );
  const berds = [load('berds/arguana.dev.jsonl'), load('berds/kialo.dev.jsonl')];
  assert.equal(berds[0]!.queries.length + berds[1]!.queries.length, 508);
  for (const { queries, warnings } of berds) {
    assert.deepEqual(warnings, []);
    assert.ok(queries.every((query) => query.perspectives.length >= 2));
  }
});
