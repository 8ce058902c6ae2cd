import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Judgement } from '../../../src/core/model.ts';
import { contradict, evidenceOfSides, stagesOf } from '../../../src/features/review/core/opinions.ts';

const judgement = (fields: Partial<Judgement>): Judgement => ({
  verdict: 'unsure',
  evidence: [],
  source: 'llm',
  judge: 'main',
  standard: 'berds-1',
  at: '',
  ...fields,
});

const turn = (label: 'yes' | 'no' | undefined, start: number, argument = '') => ({
  model: `model of ${label}`,
  argument,
  evidence: [{ start, end: start + 10 }],
  initialStance: 'yes' as const,
  ...(label ? { label } : {}),
});

test('only yes and no contradict each other', () => {
  assert.equal(contradict(['yes', 'no']), true);
  assert.equal(contradict(['yes', 'yes', 'unsure']), false);
  assert.equal(contradict(['unsure', 'no']), false);
  assert.equal(contradict([]), false);
});

test('lists the rounds of a debate, last first', () => {
  const debate = {
    rounds: [
      [turn('yes', 0), turn('no', 100)],
      [turn('yes', 20), turn(undefined, 200)],
    ],
    adjudication: { model: 'umpire', label: 'no' as const, argument: 'No.', evidence: [] },
  };
  const stages = stagesOf(judgement({ debate }));
  assert.deepEqual(
    stages.map(({ round, isAdjudication, sides }) => [round, isAdjudication, sides.map(({ side }) => side)]),
    [
      [undefined, true, ['no']],
      [2, false, ['yes']],
      [1, false, ['yes', 'no']],
    ],
  );
});

test('a judgement without a debate is one side; an unsure one is none', () => {
  const [stage] = stagesOf(judgement({ verdict: 'no', rationale: 'Off topic.' }));
  assert.deepEqual(stage?.sides, [{ who: 'main', side: 'no', argument: 'Off topic.', evidence: [] }]);
  assert.deepEqual(stagesOf(judgement({}))[0]?.sides, []);
});

test('each side has the evidence of its last round from all its agents, without overlaps', () => {
  const debate = {
    rounds: [
      [turn('yes', 500), turn('no', 600)],
      [turn('yes', 20), turn('no', 100)],
    ],
  };
  const yes = judgement({ verdict: 'yes', judge: 'other', evidence: [{ start: 25, end: 40 }] });
  assert.deepEqual(evidenceOfSides([judgement({ debate }), yes]), {
    yes: [{ start: 20, end: 40 }],
    no: [{ start: 100, end: 110 }],
  });
});
