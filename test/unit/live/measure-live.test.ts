/** How answers of a running program are measured. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelled, ParallaxError } from '../../../src/core/errors.ts';
import { answersOf, measureCall, POOL } from '../../../src/features/live/host/measure-live.ts';
import type { LiveAnswer } from '../../../src/features/live/contract/requests.ts';

const QUESTIONS = [
  { id: 'cats', text: 'Are cats lazy?' },
  { id: 'dogs', text: 'Are dogs loud?' },
];

function answerOf(...texts: string[]): LiveAnswer {
  return { passages: texts.map((text) => ({ text, score: 1 })), more: 0, durationMs: 1 };
}

function rows(run: string): { id: string; results: { text: string }[] }[] {
  return run
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { id: string; results: { text: string }[] });
}

const alive = { isAlive: () => true, report: () => undefined };

test('a run has the passages of the call first, then those of a larger k', async () => {
  const asked: (number | undefined)[] = [];
  const { run, k, hasPool, questions } = await measureCall(QUESTIONS, {
    ...alive,
    takesK: true,
    ask: (_question, wanted) => {
      asked.push(wanted);
      return Promise.resolve(wanted === undefined ? answerOf('b', 'a') : answerOf('a', 'b', 'c'));
    },
  });
  assert.deepEqual(asked, [undefined, POOL, undefined, POOL]);
  assert.deepEqual(
    rows(run)[0]?.results.map(({ text }) => text),
    ['b', 'a', 'c'],
  );
  assert.deepEqual([k, hasPool, questions], [2, true, ['cats', 'dogs']]);
  assert.doesNotMatch(run, /score/u);
});

test('a call without k, or with a fixed number of results, has no further passages', async () => {
  const ask = (): Promise<LiveAnswer> => Promise.resolve(answerOf('a'));
  const without = await measureCall(QUESTIONS, { ...alive, takesK: false, ask });
  const same = await measureCall(QUESTIONS, { ...alive, takesK: true, ask });
  assert.deepEqual([without.hasPool, same.hasPool], [false, false]);
});

test('a failed question does not affect the others', async () => {
  const { run, failed, questions, stopped } = await measureCall(QUESTIONS, {
    ...alive,
    takesK: false,
    ask: (question) =>
      question === 'Are cats lazy?'
        ? Promise.reject(new ParallaxError('retriever-failed', 'KeyError: cats'))
        : Promise.resolve(answerOf('a')),
  });
  assert.deepEqual(
    rows(run).map(({ id }) => id),
    ['dogs'],
  );
  assert.deepEqual(failed, [{ question: 'Are cats lazy?', error: 'KeyError: cats' }]);
  assert.deepEqual([questions, stopped], [['cats', 'dogs'], undefined]);
});

test('a program that ends keeps its measurements', async () => {
  let count = 0;
  const measured = await measureCall(QUESTIONS, {
    ...alive,
    isAlive: () => count < 2,
    takesK: false,
    ask: () =>
      ++count === 1
        ? Promise.resolve(answerOf('a'))
        : Promise.reject(new ParallaxError('retriever-failed', 'The program has ended.')),
  });
  assert.deepEqual([measured.questions, measured.stopped], [['cats'], 'The program has ended.']);
  assert.equal(rows(measured.run).length, 1);
});

test('measures nothing after cancelling', async () => {
  await assert.rejects(
    measureCall(QUESTIONS, { ...alive, takesK: true, ask: () => Promise.reject(cancelled()) }),
    (error) => ParallaxError.is(error, 'cancelled'),
  );
});

test('answers of a program that was started again are a run, without what failed', () => {
  const answers = new Map<string, LiveAnswer | { readonly error: string }>([
    ['cats', answerOf('a', 'b')],
    ['dogs', { error: 'down' }],
  ]);
  const measured = answersOf([...QUESTIONS, { id: 'birds', text: 'Do birds sing?' }], answers);
  assert.deepEqual(
    rows(measured.run).map(({ id, results }) => [id, results.length]),
    [['cats', 2]],
  );
  assert.deepEqual([measured.questions, measured.k, measured.hasPool], [['cats', 'dogs'], 2, false]);
  assert.deepEqual(measured.failed, [{ question: 'Are dogs loud?', error: 'down' }]);
  assert.match(measured.stopped ?? '', /ended before/u);
});
