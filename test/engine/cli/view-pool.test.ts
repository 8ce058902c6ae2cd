import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolView } from '../../../src/features/papers/cli/pool-view.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { poolReportSchema, type PoolReport } from '../../../src/shared/pool.ts';
import { judgeServer } from './judging-support.ts';
import { files, inputs, run, topics } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const POOL = [
  ...['--pipeline', 'bm25', '--pipeline', '{"name":"twin","retriever":{"type":"bm25"}}'],
  ...['--pipeline', '{"name":"dense","retriever":{"type":"dense","embedder":"hashing"}}', '--k', '2'],
];
/** Only that a does not support con. */
const sparse = (count: number): ReturnType<typeof topics> => ({
  ...topics(count),
  qrels: Array.from({ length: count }, (_, i) => `q${i + 1} con a${i + 1} 0\n`).join(''),
});

async function pool(...argv: readonly string[]): Promise<PoolReport> {
  return poolReportSchema.parse(JSON.parse((await run(poolView, ...argv, '--json', '-')).stdout));
}

test('the pool is judged, with unjudged pairs, growth, contribution and ranks', async (t) => {
  const places = await files(t, sparse(4));
  const { server, judge } = await judgeServer(t);
  const { k, judge: name, datasets } = await pool(...inputs(places), ...POOL, '--judge', judge);
  assert.deepEqual([k, name], [2, 'openai scripted']);
  const [found] = datasets;
  assert.equal(server.chatRequests.length, found!.pairs - 4);
  assert.deepEqual([found!.judgedBefore, found!.judgedAfter], [4, found!.pairs]);
  const [bm25, twin] = found!.pipelines;
  // Both of the top 2 support "pro", which the qrels do not contain.
  assert.equal(bm25!.hole, 1);
  assert.deepEqual(bm25!.measures['Precision@2'], {
    before: 0,
    after: 1,
    mayRise: { before: false, after: false },
    rankBefore: 1,
    rankAfter: 1,
  });
  assert.deepEqual({ ...twin, name: '' }, { ...bm25, name: '' });
  assert.equal(found!.growth.holes.length, 3);
  assert.equal(found!.growth.holes.at(-1), found!.holes);
  assert.equal(typeof found!.saturation.saturated, 'boolean');
});

test('the table ends with a sentence on saturation', async (t) => {
  const places = await files(t, sparse(2));
  const { judge } = await judgeServer(t);
  const { stdout, stderr, code } = await run(poolView, ...inputs(places), ...POOL, '--judge', judge);
  assert.equal(code, 0);
  assert.match(stderr, /pairs are not judged; \d+ requests, about/u);
  assert.match(stdout, /^2 of \d+ pairs are judged without .+, \d+ with it; \d+ holes were found\.$/mu);
  assert.match(stdout, /^pipeline +Hole@2 +Judged@2 +now +MRecall@2 +now +rank +Precision@2 +now +rank$/mu);
  assert.match(stdout, /^bm25 +100\.0 +50\.0 +100\.0 /mu);
  assert.match(stdout, /growth rate +MRecall ± +Precision ± +Hit ± +Recall ± +nDCG ±$/mu);
  assert.match(stdout, /^3( +\d+\.\d){7}$/mu);
  assert.match(stdout, /^The pool is (not )?saturated: .*Saturated is below 1\.0 in all of them\.$/mu);
});

test('a budget stops it before any result, and it continues with --store', async (t) => {
  const places = await files(t, sparse(3));
  const { server, judge } = await judgeServer(t);
  const argv = [...inputs(places), ...POOL, '--judge', judge, '--store', temporaryFolder(t)];
  const stopped = await run(poolView, ...argv, '--budget', 'requests=3');
  assert.equal(stopped.code, 3);
  assert.match(stopped.stdout, /pairs of the pool are not judged yet/u);
  const [found] = (await pool(...argv)).datasets;
  assert.equal(found!.judgedAfter, found!.pairs);
  assert.equal(server.chatRequests.length, found!.pairs - 3);
});

test('a pool without a judge is wrong usage', async (t) => {
  const places = await files(t, topics(1));
  await assert.rejects(
    run(poolView, ...inputs(places), ...POOL),
    (error) => error instanceof UsageError && /--judge is missing/u.test(error.message),
  );
});

test('--help explains the rule', async () => {
  const { stdout, code } = await run(poolView, '--help');
  assert.equal(code, 0);
  assert.match(stdout, /adds less than 1% to the holes/u);
});
