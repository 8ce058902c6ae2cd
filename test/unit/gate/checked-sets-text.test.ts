import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedSetsText } from '../../../src/features/gate/host/checked-sets-text.ts';
import { showableOf } from '../../../src/features/eval-set-check/core/showable.ts';

const CLEAN = {
  questions: 12,
  k: 5,
  pipelines: ['bm25'],
  failed: [],
  tests: 1,
  showable: [showableOf({ family: 'MRecall', k: 5 }, 12, 1)!],
  unwinnable: [],
  unsupported: 0,
  perspectives: 24,
  sameQuestions: [],
  samePerspectives: [],
  lostLabels: { labels: 10, lost: 0, examples: [] },
};

test('lists what a set can show, then what to fix', () => {
  const text = checkedSetsText([
    { evalSet: 'eval/a.jsonl', report: { ...CLEAN, sameQuestions: [{ query: 'q2', as: 'q*1*' }] } },
    { evalSet: 'eval/b.jsonl', report: CLEAN },
  ]);
  const [first, second] = text.split(/^(?=# )/mu) as [string, string];
  assert.match(
    first,
    /^# eval\/a\.jsonl: 12 questions with 24 perspectives, k = 5\n\n\*\*12 questions: differences below 50/u,
  );
  assert.match(
    first,
    /## To fix\n\nQuestions that ask the same count twice\. [^\n]+\n\n- q2 asks the same as q\\\*1\\\*\n/u,
  );
  assert.match(second, /## To fix\n\nNothing was found\.\n/u);
});

test('counts entries of a long list from the fiftieth on', () => {
  const sameQuestions = Array.from({ length: 60 }, (_, place) => ({ query: `q${place}`, as: 'q' }));
  const text = checkedSetsText([{ evalSet: 'a', report: { ...CLEAN, sameQuestions } }]);
  assert.match(text, /- q49 asks the same as q\n- … and 10 more\.\n/u);
});
