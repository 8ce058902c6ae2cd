/** Documents that an eval set expects, as a check of the gate, without labels or judgements. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { isChecked, queryFailures } from '../../../src/features/gate/core/query-outcome.ts';
import { sampleWorkspace, type GateWorkspace } from './gate-support.ts';
import { lines } from './support.ts';

const QUESTION = 'Should secondary schools start later in the morning?';
const FOUND = 'docs/school-start/head-teacher-blog.md';

async function expecting(t: TestContext, ...perspectives: readonly object[]): Promise<GateWorkspace> {
  const own = await sampleWorkspace(t, { pipelines: ['bm25'], k: 5 });
  await writeFile(
    path.join(own.folder, 'eval/questions.parallax.jsonl'),
    lines([{ _id: 'school', text: QUESTION, perspectives }]),
  );
  await own.configure({ judge: 'labels' });
  return own;
}

test('a found expected document passes, and a missing one fails its question', async (t) => {
  const met = await expecting(t, { document: FOUND, within: 100 });
  const passed = await met.report();
  assert.deepEqual([passed.code, passed.outcome], [0, 'passed'], JSON.stringify(passed.checks));
  assert.equal(passed.checks[0]!.kind, 'documents');
  const missing = await expecting(t, { document: FOUND, within: 100 }, { document: 'docs/monorepo/none.md' });
  const missed = await missing.report();
  assert.deepEqual([missed.code, missed.outcome], [1, 'missed']);
  assert.match(missed.checks[0]!.reason, /^1 of 2 expected documents did not reach/u);
  assert.deepEqual(missed.checks[0]!.failing, ['school']);
  const evalSet = 'eval/questions.parallax.jsonl';
  const query = { id: 'school', text: QUESTION, perspectives: [] };
  const [failure] = queryFailures(missed, evalSet, query);
  assert.match(failure!.message, /Words missed: missing documents ≤ 0/u);
  assert.deepEqual(queryFailures(passed, evalSet, query), []);
  assert.equal(isChecked(passed, evalSet, 'school'), true);
  const { stdout } = await missing.gate();
  assert.match(stdout, /missing documents ≤ 0/u);
});

test('every passage is judged for an expected document, by its name alone', async (t) => {
  const own = await expecting(t, { document: FOUND });
  const { datasets } = await own.report();
  const [query] = datasets[0]!.pipelines[0]!.queries;
  assert.equal(query!.unjudged, 0);
  assert.equal(datasets[0]!.judgements.judged, datasets[0]!.judgements.pairs);
});

test('within is a separate rank, beside the k of the gate', async (t) => {
  const own = await expecting(t, { document: FOUND, within: 100 });
  const { datasets } = await own.report();
  const [query] = datasets[0]!.pipelines[0]!.queries;
  const rank = query!.ranked.findIndex((id) => id.startsWith(FOUND)) + 1;
  const strict = await expecting(t, { document: FOUND, within: Math.max(1, rank - 1) });
  if (rank > 1) assert.equal((await strict.report()).outcome, 'missed');
});

test('a gate without requirements is still refused, and a rank below 1 is an invalid line', async (t) => {
  const nothing = await expecting(t, { text: 'Teenagers sleep longer.' });
  const { code, stderr } = await nothing.gate();
  assert.equal(code, 2);
  assert.match(stderr, /gate: demands nothing/u);
  const bad = await expecting(t, { document: FOUND, within: 0 });
  assert.match((await bad.gate()).stderr, /within/u);
});
