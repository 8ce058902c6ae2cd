/** The current question: the source of its perspectives, and how to choose it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Perspective } from '../../../src/core/model.ts';
import { Question, type OwnPerspectives } from '../../../src/features/inspector/host/question.ts';
import type { EvalQuery } from '../../../src/shared/eval-query.ts';

const of = (...texts: string[]): Perspective[] => texts.map((text, place) => ({ id: `p${place + 1}`, text }));

function setUp(evalQueries: EvalQuery[]): Question {
  const own = new Map<string, OwnPerspectives>();
  return new Question(() => evalQueries, {
    get: (question) => own.get(question),
    set: (question, perspectives) =>
      void (perspectives ? own.set(question, perspectives) : own.delete(question)),
  });
}

const texts = ({ perspectives }: Question): string[] => perspectives.map(({ text }) => text);

test('typed perspectives return with their question, beside those of an eval set', () => {
  const sets: EvalQuery[] = [];
  const question = setUp(sets);
  question.ask('Why?');
  question.setPerspectives(of('mine', 'yours'));
  question.ask('Else?');
  assert.deepEqual([texts(question), question.source], [[], 'none']);
  sets.push({ id: 'why', text: 'Why?', perspectives: of('theirs'), evalSet: 'a.jsonl' });
  question.ask('Why?');
  assert.deepEqual([texts(question), question.source], [['mine', 'yours'], 'typed']);
  assert.deepEqual(question.alternative, { source: 'eval-set', count: 1 });
  // Ids of the set's perspectives have another meaning.
  assert.deepEqual(question.reference, { text: 'Why?' });

  question.choose('eval-set');
  assert.deepEqual([texts(question), question.source], [['theirs'], 'eval-set']);
  assert.deepEqual(question.reference, { text: 'Why?', id: 'why' });
  assert.deepEqual(question.alternative, { source: 'typed', count: 2 });
  question.choose('own');
  assert.deepEqual(texts(question), ['mine', 'yours']);
});

test('perspectives added to an eval set become those of the set', () => {
  const sets: EvalQuery[] = [];
  const question = setUp(sets);
  question.ask('Why?');
  question.setPerspectives(of('mine'));
  sets.push({ id: 'why', text: 'Why?', perspectives: of('mine'), evalSet: 'a.jsonl' });
  question.adoptEvalQuery();
  assert.deepEqual([question.source, question.alternative], ['eval-set', undefined]);
});

test('perspectives typed before the first question belong to it', () => {
  const question = setUp([]);
  question.setPerspectives(of('first'));
  question.ask('Why?');
  assert.deepEqual(texts(question), ['first']);
  question.ask('Else?');
  question.ask('Why?');
  assert.deepEqual(texts(question), ['first']);
  question.setPerspectives([]);
  question.ask('Else?');
  question.ask('Why?');
  assert.deepEqual([texts(question), question.alternative], [[], undefined]);
});
