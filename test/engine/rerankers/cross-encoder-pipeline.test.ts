/** A pipeline with a cross-encoder on the sample workspace, through the engine's requests. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import type { RequestContext } from '../../../src/engine/requests/request.ts';
import { configSchema } from '../../../src/shared/config.ts';
import type { Candidate } from '../../../src/shared/requests/passages.ts';
import { writeTinyCrossEncoder } from '../../fixtures/tiny-encoder/make.ts';
import { testWorkspace, type TestWorkspace } from '../../fixtures/workspace.ts';
import { bareIds, bertPair, logitsOf, logOdds, SEP } from './support.ts';

const QUESTION = 'Should the city charge cars?';
const CANDIDATES = 12;
/** The token limit of the tiny model. */
const MAX_TOKENS = 64;

const context: RequestContext = { signal: new AbortController().signal, report: () => undefined };

interface Bench {
  readonly workspace: TestWorkspace;
  readonly search: (reranker: object | undefined, context?: RequestContext) => Promise<readonly Candidate[]>;
}

async function openSample(t: TestContext): Promise<Bench> {
  const workspace = await testWorkspace(t);
  cpSync('media/sample', workspace.folder, { recursive: true });
  await writeTinyCrossEncoder(path.join(workspace.folder, 'models/tiny'), { classes: 2 });
  const { corpora } = configSchema.parse(
    JSON.parse(readFileSync(path.join(workspace.folder, 'parallax.json'), 'utf8')),
  );
  await workspace.configure({ corpora, storage: ':memory:', approximateAbove: 100_000 });
  await workspace.index('handbook');
  const search: Bench['search'] = async (reranker, ofRequest = context) => {
    const pipeline = parsePipeline({
      retriever: { type: 'bm25' },
      rerank: (reranker ? [reranker] : []) as NonNullable<PipelineInput['rerank']>,
      candidates: CANDIDATES,
    });
    const request = { corpus: 'handbook', query: { text: QUESTION }, perspectives: [], pipeline };
    return (await workspace.engine.search(request, ofRequest)).candidates;
  };
  return { workspace, search };
}

const TINY = { type: 'cross-encoder', path: 'models/tiny', maxTokens: MAX_TOKENS };

/** The tiny model's score of a passage, cut to the space beside the query. */
function expectedScore(query: readonly number[], passage: string): number {
  const specialTokens = 3;
  const room = MAX_TOKENS - specialTokens - query.length;
  return logOdds(logitsOf(bertPair(query, bareIds(passage).slice(0, room)), 2), 1);
}

function assertRanked(
  found: readonly Candidate[],
  before: readonly Candidate[],
  query: readonly number[],
): void {
  const expected = before
    .map(({ id, text }) => ({ id, score: expectedScore(query, text) }))
    .sort((a, b) => b.score - a.score);
  assert.deepEqual(
    found.map(({ id }) => id),
    expected.map(({ id }) => id),
  );
  found.forEach(({ score }, i) => assert.ok(Math.abs(score - expected[i]!.score) <= 1e-5));
}

const isError = (id: ErrorId, message: RegExp) => (error: unknown) => {
  assert.ok(ParallaxError.is(error, id), String(error));
  assert.match(error.message, message);
  return true;
};

test('candidates are ordered by the cross-encoder, and show their former rank', async (t) => {
  const { search } = await openSample(t);
  const before = await search(undefined);
  assert.equal(before.length, CANDIDATES);
  const found = await search(TINY);
  assertRanked(found, before, bareIds(QUESTION));
  assert.notDeepEqual(
    found.map(({ id }) => id),
    before.map(({ id }) => id),
  );
  for (const { id, retrievedRank } of found) assert.equal(before[retrievedRank! - 1]?.id, id);
});

test('the instruction is read with the query, and changes the order', async (t) => {
  const { search } = await openSample(t);
  const before = await search(undefined);
  const instruction = 'help the city and ban cars';
  const query = [...bareIds(instruction), SEP, ...bareIds(QUESTION)];
  const found = await search({ ...TINY, instruction });
  assertRanked(found, before, query);
  assert.notDeepEqual(found, await search(TINY));
  assert.deepEqual(await search({ ...TINY, instruction, template: '{instruction}[SEP]{query}' }), found);
});

test('progress names the model', async (t) => {
  const { search } = await openSample(t);
  const details = new Set<string | undefined>();
  await search(TINY, {
    ...context,
    report: (note) => {
      if (note.type === 'progress') details.add(note.progress.detail);
    },
  });
  assert.ok(details.has('Reranking with tiny'), [...details].join());
});

test('nothing is loaded in an untrusted workspace, or kept when trust is lost', async (t) => {
  const { workspace, search } = await openSample(t);
  await search(TINY);
  await workspace.configure({ trusted: false });
  await assert.rejects(search(TINY), isError('untrusted', /models\/tiny.*trusted/));
  assert.equal((await search(undefined)).length, CANDIDATES, 'the rest still works');
  await workspace.configure({ trusted: true });
  assert.equal((await search(TINY)).length, CANDIDATES);
});

test('a missing model is named, and found once it exists', async (t) => {
  const { workspace, search } = await openSample(t);
  const other = { ...TINY, path: 'models/other' };
  await assert.rejects(search(other), isError('model-missing', /models.other.model\.onnx/));
  await writeTinyCrossEncoder(path.join(workspace.folder, 'models/other'));
  assert.equal((await search(other)).length, CANDIDATES);
});

test('a search can be cancelled while the cross-encoder reads', async (t) => {
  const { search } = await openSample(t);
  const controller = new AbortController();
  const report = (): void => controller.abort();
  const cancelling = search(TINY, { signal: controller.signal, report });
  await assert.rejects(cancelling, (error) => ParallaxError.is(error, 'cancelled'));
});
