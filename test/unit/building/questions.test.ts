import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  distinctQuestions,
  mostAskedFirst,
  oneLine,
  questionKey,
  questionProblem,
} from '../../../src/features/building/core/questions.ts';

const same = (a: string, b: string): boolean => questionKey(a) === questionKey(b);

test('questions are equal up to case, punctuation, inflection, stop words and contractions', () => {
  for (const [a, b] of [
    ['Should trams run at night?', 'should  TRAMS run, at night'],
    ['What is the best city for cats?', "what's the best city for a cat"],
    ["Isn't nuclear power safe?", 'Is not nuclear power safe?'],
    ['Can not cats swim', 'Cannot cats swim?'],
    ['Café or tea?', 'cafe or tea'],
    ["Won't cats swim?", 'Will not cats swim?'],
    ["Shan't cats swim?", 'Shall not cats swim?'],
    [' … ?', '… ?'],
  ] as const)
    assert.ok(same(a, b), `${a} | ${b}`);
});

test('negations, order, numbers and signs make different questions', () => {
  for (const [a, b] of [
    ['Is nuclear power safe?', 'Is nuclear power not safe?'],
    ["Don't cats swim?", 'Do cats swim?'],
    ['Is it not not safe?', 'Is it not safe?'],
    ['… ?', '…'],
    ['Do cats chase dogs?', 'Do dogs chase cats?'],
    ['Is C better than Java?', 'Is C++ better than Java?'],
    ['Is C better than Java?', 'Is C# better than Java?'],
    ['Is 5% enough?', 'Is 5 enough?'],
    ['Why should trams run?', 'Should trams run?'],
    ['Is it to be?', 'Is it not to be?'],
    ['to be', 'the it'],
    ['東京は安全ですか', '大阪は安全ですか'],
  ] as const)
    assert.ok(!same(a, b), `${a} | ${b}`);
});

test('keeps the first wording with its line and the number of repetitions', () => {
  assert.deepEqual(
    distinctQuestions([
      { text: 'Do cats swim?', line: 1 },
      { text: 'Why?', line: 2 },
      { text: 'do CATS swim', line: 4 },
    ]),
    [
      { text: 'Do cats swim?', line: 1, times: 2 },
      { text: 'Why?', line: 2, times: 1 },
    ],
  );
});

const word = fc.constantFrom(
  'cats',
  'dogs',
  'swim',
  'the',
  'not',
  'is',
  'Trams',
  'C#',
  "isn't",
  '東京',
  'é',
  '5%',
);
const question = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 5 }), fc.constantFrom('', '?', ' !', '…'))
  .map(([words, end]) => words.join(' ') + end);
const asked = fc.array(fc.record({ text: fc.oneof(question, fc.string()) }), { maxLength: 30 });

test('distinct questions all differ, none is lost, and the order is stable', () => {
  fc.assert(
    fc.property(asked, (questions) => {
      const distinct = distinctQuestions(questions);
      const keys = distinct.map(({ text }) => questionKey(text));
      assert.equal(new Set(keys).size, keys.length);
      assert.deepEqual(new Set(keys), new Set(questions.map(({ text }) => questionKey(text))));
      assert.equal(
        distinct.reduce((sum, { times }) => sum + times, 0),
        questions.length,
      );
      assert.deepEqual(
        distinctQuestions(distinct).map(({ text }) => text),
        distinct.map(({ text }) => text),
      );
      const places = distinct.map(({ text }) => questions.findIndex((each) => each.text === text));
      assert.deepEqual(
        places,
        [...places].sort((a, b) => a - b),
      );
    }),
  );
});

test('capitals and more punctuation never make another question', () => {
  fc.assert(fc.property(question, (text) => assert.ok(same(text, `  ${text.toUpperCase()} ??  `), text)));
});

test('sorts by frequency, then by first appearance', () => {
  const questions = ['a1', 'b2', 'c3'].map((text, i) => ({ text, times: [1, 3, 3][i]! }));
  assert.deepEqual(
    mostAskedFirst(questions).map(({ text }) => text),
    ['b2', 'c3', 'a1'],
  );
});

test('texts that are no questions', () => {
  assert.equal(questionProblem('Why?'), undefined);
  assert.match(questionProblem('?! …') ?? '', /no words/);
  assert.match(questionProblem('word '.repeat(300)) ?? '', /longer than 1000/);
  assert.equal(oneLine('  Do\n\tcats  swim? '), 'Do cats swim?');
});
