import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whatIfs } from '../../../src/features/lens/core/what-ifs.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { WEIGHT_OF_MEANING } from '../../../src/core/embedding/built-in.ts';
import { fingerprint, planRequest } from '../../../src/features/lens/host/site-plan.ts';
import { findEvalSet, isPlanned, planSite, type SitePlan } from '../../../src/sites/plan.ts';
import { CALL, siteOf, workspaceOf } from './support.ts';

async function plan(call: string, ...given: Parameters<typeof workspaceOf>): Promise<SitePlan> {
  const planned = planSite(await siteOf(call), 'app/rag.py', workspaceOf(...given));
  assert.ok(isPlanned(planned), JSON.stringify(planned));
  return planned;
}

async function reason(call: string, ...given: Parameters<typeof workspaceOf>): Promise<string> {
  const planned = planSite(await siteOf(call), 'app/rag.py', workspaceOf(...given));
  assert.ok(!isPlanned(planned), JSON.stringify(planned));
  return planned.reason;
}

test('a dense call is tried with MMR, as a hybrid and with PAP; only PAP is an oracle', async () => {
  const { whatIfs: tried } = await plan(CALL);
  assert.deepEqual(
    tried.map(({ name, oracle }) => [name, oracle]),
    [
      ['+MMR 0.75', undefined],
      ['+words', undefined],
      ['+PAP', 'perspectives'],
    ],
  );
});

test('MMR is tried without, PAP needs perspectives, and unknown retrievers are no hybrid', () => {
  const mmr = parsePipeline({ retriever: { type: 'bm25' }, rerank: [{ type: 'mmr' }] });
  assert.deepEqual(
    whatIfs(mmr, { hasPerspectives: true }).map(({ name }) => name),
    ['−MMR', '+meaning', '+PAP'],
  );
  const dense = parsePipeline({ retriever: { type: 'dense' } });
  assert.deepEqual(
    whatIfs(dense, { hasPerspectives: false }).map(({ kind }) => kind),
    ['mmr', 'hybrid'],
  );
  const own = parsePipeline({ retriever: { type: 'command', command: ['own'] } });
  assert.deepEqual(
    whatIfs(own, { hasPerspectives: true }).map(({ kind }) => kind),
    ['mmr', 'pap'],
  );
});

test('a what-if changes one step of the pipeline only', () => {
  const bm25 = { type: 'bm25' };
  const dense = { type: 'dense', embedder: 'mine' };
  const mmr = { type: 'mmr', lambda: 0.5, embedder: 'mine' };
  const reordered = { type: 'cross-encoder', path: 'm' };
  const tried = (base: object, kind: string): unknown =>
    whatIfs(parsePipeline(base), { hasPerspectives: true }).find((one) => one.kind === kind)?.pipeline;
  const pipeline = (given: object) => ({ ...parsePipeline(given), name: undefined });
  const withMmr = (retriever: object, embedder: string, candidates = 100, rerank: readonly object[] = []) =>
    pipeline({ retriever, candidates, rerank: [...rerank, { ...mmr, lambda: 0.75, embedder }] });
  assert.deepEqual(tried({ retriever: dense }, 'mmr'), withMmr(dense, 'mine'));
  assert.deepEqual(tried({ retriever: bm25 }, 'mmr'), withMmr(bm25, 'meaning'));
  const hybrid = { type: 'hybrid', retrievers: [bm25, dense] };
  assert.deepEqual(tried({ retriever: hybrid }, 'mmr'), withMmr(hybrid, 'mine'));
  const words = { type: 'hybrid', retrievers: [bm25, { type: 'command', command: ['own'] }] };
  assert.deepEqual(tried({ retriever: words }, 'mmr'), withMmr(words, 'meaning'));
  assert.deepEqual(
    tried({ retriever: bm25, candidates: 300, rerank: [reordered] }, 'mmr'),
    withMmr(bm25, 'meaning', 300, [reordered]),
  );
  assert.deepEqual(
    tried({ retriever: bm25, rerank: [reordered, mmr] }, 'without-mmr'),
    pipeline({ retriever: bm25, rerank: [reordered] }),
  );
  const fused = (...retrievers: object[]) =>
    pipeline({ retriever: { type: 'hybrid', retrievers, weight: WEIGHT_OF_MEANING } });
  assert.deepEqual(
    tried({ retriever: bm25 }, 'hybrid'),
    fused(bm25, { type: 'dense', embedder: 'meaning', englishOnly: true }),
  );
  assert.deepEqual(tried({ retriever: dense }, 'hybrid'), fused(bm25, dense));
  const projected = { retriever: dense, projection: { method: 'pap' } };
  assert.deepEqual(tried({ retriever: dense }, 'pap'), pipeline(projected));
  // Other retrievers have their candidates ordered by the projection before they are diversified.
  const projection = { type: 'projection', method: 'pap', embedder: 'meaning' };
  assert.deepEqual(
    tried({ retriever: bm25, rerank: [reordered, mmr] }, 'pap'),
    pipeline({ retriever: bm25, rerank: [reordered, projection, mmr] }),
  );
  assert.equal(tried({ retriever: bm25, rerank: [projection] }, 'pap'), undefined);
  // A projected query is searched by vectors only.
  assert.equal(tried(projected, 'hybrid'), undefined);
  assert.equal(tried(projected, 'pap'), undefined);
});

test('tries a cross-encoder of the workspace, and labels only on request', () => {
  const own = parsePipeline({ retriever: { type: 'run', file: 'run.jsonl' }, k: 4 });
  const crossEncoder = { type: 'cross-encoder', path: 'm', maxTokens: 512 } as const;
  const tried = whatIfs(own, { hasPerspectives: true, crossEncoder, bestOrder: true });
  assert.deepEqual(
    tried.map(({ name, oracle }) => [name, oracle]),
    [
      ['+MMR 0.75', undefined],
      ['+cross-encoder', undefined],
      ['+PAP', 'perspectives'],
      ['best order', 'labels'],
    ],
  );
  assert.deepEqual(tried[1]!.pipeline.rerank, [crossEncoder]);
  assert.deepEqual(
    whatIfs(tried[1]!.pipeline, { hasPerspectives: false, crossEncoder })[0]!.pipeline.rerank[0],
    crossEncoder,
  );
});

test('uses the eval set of the comment, else the first, and names it', async () => {
  const first = await plan(CALL);
  assert.equal(first.evalSet, 'eval/faq.parallax.jsonl');
  assert.ok(first.caveats.some((caveat) => /first of 2 eval sets/u.test(caveat)));
  const named = await plan(`# parallax: eval=hard\n${CALL}`);
  assert.equal(named.evalSet, 'eval/hard.jsonl');
  assert.ok(!named.caveats.some((caveat) => /eval sets/u.test(caveat)));
  assert.equal(await reason(`# parallax: eval=fa\n${CALL}`), 'no-eval-set');
  assert.equal(await reason(CALL, {}, { evalQueries: [] }), 'no-eval-set');
});

test('finds an eval set by path, file name, or the name before a dot', () => {
  const sets = ['a/faq.parallax.jsonl', 'b/faq.jsonl'];
  assert.equal(findEvalSet(sets, 'b/faq.jsonl'), 'b/faq.jsonl');
  assert.equal(findEvalSet(sets, 'faq.jsonl'), 'b/faq.jsonl');
  assert.equal(findEvalSet(sets, 'faq'), 'a/faq.parallax.jsonl');
  assert.equal(findEvalSet(sets, 'fa'), undefined);
});

test('runs nothing before the workspace is trusted; the panels give the same reason', async () => {
  const bound = `# parallax: retriever=prod\n${CALL}`;
  assert.equal((await plan(bound)).origin, 'measured');
  assert.equal(await reason(bound, {}, { trusted: false }), 'untrusted');
  assert.equal(await reason(CALL, {}, { trusted: false, evalQueries: [] }), 'untrusted');
});

test('requests the pipeline of the call and its what-ifs on one eval set, at the k of the call', async () => {
  const workspace = workspaceOf();
  const request = planRequest(await plan(CALL), workspace);
  assert.deepEqual(
    request.pipelines.map(({ name }) => name),
    ['as_retriever (rebuilt)', '+MMR 0.75', '+words', '+PAP'],
  );
  assert.equal(request.datasets.length, 1);
  assert.deepEqual(
    request.datasets[0]!.queries.map(({ id }) => id),
    ['eval/faq.parallax.jsonl-1'],
  );
  assert.deepEqual([request.k, request.judge], [5, 'labels']);
});

test('the fingerprint changes with the inputs of the figures only', async () => {
  const workspace = workspaceOf();
  const same = fingerprint(await plan(CALL), workspace);
  assert.equal(fingerprint(await plan(`# a line more\n${CALL}`), workspaceOf()), same);
  assert.notEqual(fingerprint(await plan(CALL.replace('5', '6')), workspace), same);
  assert.notEqual(fingerprint(await plan(CALL), workspaceOf({}, { judge: 'vscode' })), same);
  // Guesses change no figure; labels do.
  assert.equal(fingerprint(await plan(CALL), workspaceOf({}, { judge: 'lexical' })), same);
  const changed = workspace.evalQueries.map((query) => ({ ...query, text: 'Other?' }));
  assert.notEqual(fingerprint(await plan(CALL), workspaceOf({}, { evalQueries: changed })), same);
});
