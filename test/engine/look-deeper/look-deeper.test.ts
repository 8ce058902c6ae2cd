/** Looking deeper for a perspective that the candidates miss: its searches, requests, stored results and report. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import type { ProgressNote, Params } from '../../../src/shared/rpc.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { verdictReply, type ChatReply, type ModelServer } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { records, testWorkspace, type TestWorkspace } from '../../fixtures/workspace.ts';
import { forkEngine } from '../faults/support/engines.ts';
import { serverFor } from '../judges/support.ts';

const query = { text: 'office cats' };
const perspective = { id: 'allergy', text: 'sneezing allergic colleagues suffer' };

/** The question finds the cats. The text that supports the perspective shares no word with it. */
const TEXTS = {
  ...Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`cat${n}`, `office cats number ${n} purr`])),
  allergic: 'allergic colleagues read about sneezing in the newspaper',
  suffer: 'colleagues suffer',
  support: 'some of us suffer when animals are near',
  other: 'the printer is out of paper',
};
const SUPPORT = 'some of us suffer';

interface House {
  readonly workspace: TestWorkspace;
  readonly server: ModelServer;
}

async function open(t: TestContext, answer?: (passage: string) => ChatReply): Promise<House> {
  const says = answer ?? ((passage) => verdictReply(passage.startsWith(SUPPORT) ? 'yes' : 'no'));
  const server = await serverFor(t, { chat: ({ messages }) => says(readPairPrompt(messages).passage) });
  const workspace = await testWorkspace(t, {
    files: { 'corpus.jsonl': records(TEXTS) },
    corpora: { corpus: { roots: ['corpus.jsonl'], split: { type: 'none' } } },
    judges: {
      model: {
        type: 'openai',
        baseUrl: server.url,
        model: 'scripted',
        maxRetries: 0,
        concurrency: 1,
        mode: 'pair',
      },
    },
    keys: { openai: 'key' },
  });
  return { workspace, server };
}

const asked = (change: Partial<Params<'lookDeeper'>> = {}): Params<'lookDeeper'> => ({
  corpus: 'corpus',
  query,
  perspective,
  retrievers: [],
  judge: 'model',
  passages: 10,
  ...change,
});

const narrow = parsePipeline({ retriever: { type: 'bm25' }, k: 2, candidates: 4 });

/** The loss of the perspective in the comparison, with its judgements. */
async function lossOf({ workspace }: House, judge = 'model'): Promise<object> {
  const { pipelines } = await workspace.request('experiment', {
    dataset: {
      name: 'corpus',
      corpus: 'corpus',
      evalSet: 'eval.jsonl',
      queries: [{ id: 'q', ...query, perspectives: [perspective] }],
    },
    pipelines: [{ name: 'narrow', pipeline: narrow }],
    k: 2,
    measures: [],
    views: ['lost'],
    pool: false,
    judge,
  });
  return pipelines[0]!.analyses.lost!.perQuery[0]!.perspectives[0]!;
}

test('the perspective’s search finds a passage that the question misses, and judging stops there', async (t) => {
  const house = await open(t);
  const { known, report, open: left } = await house.workspace.request('lookDeeper', asked());
  const [probe] = known.probes;
  assert.deepEqual(
    probe!.searches.map((search) => `${search.retriever} ${search.asked}`),
    ['BM25 perspective', 'BM25 question-perspective'],
  );
  const place = probe!.passages.findIndex(({ passageId }) => passageId.includes('support'));
  assert.equal(report?.asked, place + 1, 'no more is asked than until it is found');
  assert.deepEqual(
    known.supporters.map(({ passageId }) => passageId),
    [probe!.passages[place]!.passageId],
  );
  assert.ok(probe!.passages[place]!.ranks.every(({ rank }) => rank >= 1));
  assert.equal(left.length, probe!.passages.length - place - 1);
});

test('found passages are known in a search, in a comparison, and after a restart', async (t) => {
  const house = await open(t);
  const before = await lossOf(house);
  assert.equal((before as { where: string }).where, 'unjudged');
  await house.workspace.request('lookDeeper', asked());
  const after = (await lossOf(house)) as { where: string; foundBy: readonly object[] };
  assert.equal(after.where, 'not-retrieved');
  assert.ok(after.foundBy.length > 0);
  await house.workspace.restart();
  assert.deepEqual(await lossOf(house), after);
  const { known } = await house.workspace.request('search', {
    corpus: 'corpus',
    query,
    perspectives: [perspective],
    pipeline: narrow,
    judge: 'model',
  });
  assert.equal(known!.supporters.length, 1);
  // With people's labels the perspective is still unjudged.
  assert.equal(((await lossOf(house, 'labels')) as { where: string }).where, 'unjudged');
});

test('a budget stops it in a valid state, and the next run continues', async (t) => {
  const house = await open(t, () => verdictReply('no'));
  const first = await house.workspace.request('lookDeeper', asked({ passages: 2 }));
  assert.equal(first.report?.asked, 2);
  const state = (await lossOf(house)) as { where: string; judged: number; probed: { judged: number } };
  assert.equal(state.where, 'not-found');
  assert.equal(state.judged, 2);
  assert.equal(state.probed.judged, 2);
  await house.workspace.request('lookDeeper', asked({ passages: 100 }));
  const all = (await lossOf(house)) as { probed: { judged: number; found: number } };
  assert.equal(all.probed.judged, all.probed.found);
  const { chatRequests } = house.server;
  const prompts = new Set(chatRequests.map(({ messages }) => messages[1]!.content));
  assert.equal(prompts.size, chatRequests.length, 'nothing is paid for twice');
  const again = await house.workspace.request('lookDeeper', asked());
  assert.equal(again.report, undefined);
});

test('with people as the judge nothing is asked, passages wait for labels, and labels count', async (t) => {
  const house = await open(t);
  const { known, report } = await house.workspace.request(
    'lookDeeper',
    asked({ judge: 'labels', passages: 0 }),
  );
  assert.equal(report, undefined);
  assert.equal(house.server.chatRequests.length, 0);
  const passage = known.probes[0]!.passages.find(({ passageId }) => passageId.includes('support'))!;
  await house.workspace.request('label', {
    corpus: 'corpus',
    slot: passage.slot,
    query,
    perspective,
    verdict: 'yes',
    by: 'Kim',
  });
  assert.equal(((await lossOf(house, 'labels')) as { where: string }).where, 'not-retrieved');
});

test('a judge that guesses is refused', async (t) => {
  const { workspace } = await open(t);
  await assert.rejects(workspace.request('lookDeeper', asked({ judge: 'lexical' })), {
    id: 'bad-argument',
  });
});

test('cancelling keeps answers, and reports nothing else', async (t) => {
  const house = await open(t, () => verdictReply('no'));
  const controller = new AbortController();
  let answered = 0;
  const onNote = (note: ProgressNote): void => {
    if (note.type === 'judgement' && ++answered === 2) controller.abort();
  };
  await house.workspace
    .request('lookDeeper', asked(), { signal: controller.signal, onNote })
    .catch((error: unknown) => assert.ok(ParallaxError.is(error, 'cancelled')));
  const state = (await lossOf(house)) as { where: string; probed: { judged: number } };
  assert.equal(state.where, 'not-found');
  assert.equal(state.probed.judged, 2);
});

test('after a change of the corpus the searches expire, but their results still count', async (t) => {
  const house = await open(t);
  await house.workspace.request('lookDeeper', asked());
  house.workspace.write('corpus.jsonl', records({ ...TEXTS, late: 'colleagues suffer from sneezing' }));
  await house.workspace.index('corpus');
  const state = (await lossOf(house)) as { where: string; foundBy?: object };
  assert.equal(state.where, 'not-retrieved');
  assert.equal(state.foundBy, undefined);
  const { known } = await house.workspace.request('lookDeeper', asked({ passages: 0 }));
  assert.ok(known.probes[0]!.passages.some(({ passageId }) => passageId.includes('late')));
});

test('existing vectors are searched, too, and missing ones are not made', async (t) => {
  const { workspace } = await open(t);
  const dense = parsePipeline({ retriever: { type: 'dense', embedder: 'hashing' } });
  const searches = async (): Promise<string[]> => {
    const { known } = await workspace.request(
      'lookDeeper',
      asked({ passages: 0, retrievers: [dense.retriever] }),
    );
    return [...new Set(known.probes[0]!.searches.map(({ retriever }) => retriever))];
  };
  assert.deepEqual(await searches(), ['BM25']);
  await workspace.request('search', { corpus: 'corpus', query, perspectives: [], pipeline: dense });
  assert.deepEqual(await searches(), ['BM25', 'Hashed words']);
});

test('a killed engine leaves its answers, and the next one continues', async (t) => {
  const house = await open(t, () => verdictReply('no'));
  const engine = await forkEngine(house.workspace.config);
  let answered = 0;
  const onNote = (note: ProgressNote): void => {
    if (note.type === 'judgement' && ++answered === 2) void engine.kill();
  };
  await assert.rejects(engine.client.request('lookDeeper', asked(), { onNote }), ParallaxError);
  await engine.kill();
  const state = (await lossOf(house)) as { where: string; judged: number; probed: { judged: number } };
  assert.equal(state.where, 'not-found');
  assert.ok(state.judged >= 2 && state.probed.judged === state.judged);
  const { report } = await house.workspace.request('lookDeeper', asked({ passages: 100 }));
  assert.equal(report!.asked + state.judged, house.server.chatRequests.length - inFlight(house));
});

/** Requests that were under way when the engine was killed: their prompts were sent twice. */
function inFlight({ server }: House): number {
  const prompts = server.chatRequests.map(({ messages }) => messages[1]!.content);
  return prompts.length - new Set(prompts).size;
}

test('an engine killed during proposals stores nothing, and the next one asks again', async (t) => {
  let hangs = true;
  const server = await serverFor(t, {
    chat: () =>
      hangs ? { fault: 'hang' } : { text: '{"perspectives": [{"statement": "Yes.", "passages": [1]}]}' },
  });
  const workspace = await testWorkspace(t, {
    files: { 'corpus.jsonl': records(TEXTS) },
    corpora: { corpus: { roots: ['corpus.jsonl'], split: { type: 'none' } } },
    judges: { model: { type: 'openai', baseUrl: server.url, model: 'scripted', maxRetries: 0 } },
    keys: { openai: 'key' },
  });
  const params = {
    judge: 'model',
    query: query.text,
    count: 6,
    passages: { corpus: 'corpus', slots: [0, 1] },
  };
  const engine = await forkEngine(workspace.config);
  const proposing = assert.rejects(engine.client.request('generatePerspectives', params), ParallaxError);
  while (server.chatRequests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await engine.kill();
  await proposing;
  hangs = false;
  const { perspectives } = await workspace.request('generatePerspectives', params);
  assert.equal(perspectives[0]!.passages.length, 1);
});
