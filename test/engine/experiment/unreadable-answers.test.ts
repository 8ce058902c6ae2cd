/** Unreadable answers without a progress listener: in a gate. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictReply } from '../../fixtures/model-server.ts';
import { workspace } from '../cli/gate-support.ts';
import { judgeServer } from '../cli/judging-support.ts';

test('one unreadable answer of ten leaves its pair unjudged and does not end a gate', async (t) => {
  let asked = 0;
  const { judge } = await judgeServer(t, () => (asked++ === 3 ? { text: 'Perhaps.' } : verdictReply('yes')));
  const gate = await workspace(t, 10, { thresholds: [{ metric: 'MRecall@2', min: 0.1 }] });
  await gate.configure({ judges: { model: JSON.parse(judge) as object } });
  const { code, stdout } = await gate.gate('--judge', 'model');
  assert.equal(asked, 10);
  assert.match(stdout, /39 of 40 pairs judged: 30 by people, 9 by model\./u);
  assert.equal(code, 0);
});
