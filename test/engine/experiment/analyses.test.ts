/** The analyses of retrieval in a comparison: sides, groups, and what an approximate search misses. */
import { sumOf } from '../../../src/evaluation/reading.ts';
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import {
  BM25,
  context,
  DENSE,
  evalQuery,
  only,
  sampleWorkspace,
  Workspace,
  type EvalQueries,
} from '../compare/compare-support.ts';

/** A question that finds both sides, and perspectives that find only their supporting passages. */
const SIDED: EvalQueries = [
  evalQuery(
    'dam',
    'dam',
    { id: 'pro', stance: 'support', text: 'power for the city' },
    { id: 'con', stance: 'oppose', text: 'flooded villages' },
  ),
];

/** Labels every other pair "no", because views need full judgements. */
function withTheRest(labels: readonly string[], queries: EvalQueries, passages: readonly string[]): string[] {
  const pairs = queries.flatMap(({ id, perspectives }) => perspectives.map((each) => `${id} ${each.id}`));
  const rest = pairs.flatMap((pair) =>
    passages
      .filter((passage) => !labels.includes(`${pair} ${passage}`))
      .map((passage) => `${pair} !${passage}`),
  );
  return [...labels, ...rest];
}

async function sidedWorkspace(t: TestContext): Promise<Workspace> {
  const workspace = new Workspace(t);
  await workspace.corpus('corpus', {
    p1: 'dam power city',
    p2: 'power city',
    n1: 'dam flooded villages',
    n2: 'flooded villages',
    x: 'dam',
  });
  const labels = ['dam pro p1', 'dam pro p2', 'dam con n1', 'dam con n2'];
  workspace.labelQueries(SIDED, ...withTheRest(labels, SIDED, ['p1', 'p2', 'n1', 'n2', 'x']));
  return workspace;
}

test('two sides: shares add up to 1', async (t) => {
  const { workspace, queries } = await sampleWorkspace(t);
  const { pipelines } = only(await workspace.compare({ bm25: BM25 }, [{ corpus: 'handbook', queries }]));
  const { leaning } = pipelines[0]!;
  assert.ok(leaning && leaning.queries > 0, 'the sample has two-sided questions');
  assert.ok(Math.abs(leaning.onlySupport + leaning.onlyOppose + leaning.both + leaning.neither - 1) < 1e-9);
});

test('further searches that fail are named, whether one or all of them fail', async (t) => {
  const workspace = new Workspace(t);
  await workspace.corpus('corpus', { p1: 'dam power city', n1: 'dam flooded villages' });
  const sided = (id: string, con: string): EvalQueries[number] =>
    evalQuery(
      id,
      'dam',
      { id: 'pro', stance: 'support', text: 'power for the city', group: 'g' },
      { id: 'con', stance: 'oppose', text: con, group: 'h' },
    );
  // Without words there is no vector to search with.
  const wordless = sided('wordless', '?!');
  const failed = async (queries: EvalQueries): Promise<(readonly [string, string])[]> => {
    const [result] = only(await workspace.compare({ dense: DENSE }, [{ queries }])).pipelines;
    assert.deepEqual(result!.queryErrors, []);
    return result!.searchErrors.map(({ search, query, message }) => {
      assert.match(message, /^(?!Question ").+\.$/u);
      return [search, query];
    });
  };
  assert.deepEqual(await failed([wordless]), [['oppose', 'wordless']]);
  assert.deepEqual(await failed([wordless, sided('other', 'flooded villages')]), [['oppose', 'wordless']]);
  assert.deepEqual(await failed([sided('other', 'flooded villages')]), []);
});

test('sycophancy: with unjudged passages under a side, the judged share replaces the figure', async (t) => {
  const workspace = new Workspace(t);
  await workspace.corpus('corpus', {
    p1: 'dam power city',
    p2: 'power city',
    n1: 'dam flooded',
    n2: 'flooded',
  });
  // Labels only what the question retrieves.
  workspace.labelQueries(SIDED, 'dam pro p1', 'dam con !p1', 'dam pro !n1', 'dam con n1');
  const [result] = only(await workspace.compare({ bm25: BM25 }, [{ queries: SIDED }])).pipelines;
  assert.equal(result!.sycophancy, undefined);
  assert.deepEqual(result!.tooLittleJudged, [{ view: 'sycophancy', judged: 0.5 }]);
  assert.ok(result!.leaning, 'that of the question is judged');
});

test('sycophancy: Δ under the question and under either side, if it is defined', async (t) => {
  const workspace = await sidedWorkspace(t);
  const { pipelines } = only(await workspace.compare({ bm25: BM25 }, [{ queries: SIDED }]));
  // The question finds one of each side; a side finds two of its passages and none of the other.
  assert.deepEqual(pipelines[0]!.sycophancy, { queries: 1, question: 0, support: 1 });
  assert.deepEqual(pipelines[0]!.leaning, { queries: 1, onlySupport: 0, onlyOppose: 0, both: 1, neither: 0 });
});

test('queries without two sides and perspectives without groups have the other measures only', async (t) => {
  const workspace = await sidedWorkspace(t);
  const queries = [evalQuery('dam', 'dam', 'pro', 'con')];
  const [result] = only(await workspace.compare({ bm25: BM25 }, [{ queries }])).pipelines;
  const { leaning, sycophancy, heatMap, perspectiveRecall, groups } = result!;
  assert.deepEqual(
    { leaning, sycophancy, heatMap, perspectiveRecall, groups },
    {
      leaning: undefined,
      sycophancy: undefined,
      heatMap: undefined,
      perspectiveRecall: undefined,
      groups: [],
    },
  );
});

/** Two questions, each from the left and the right. Nothing in the corpus argues the last one. */
const GROUPED: EvalQueries = [
  evalQuery(
    'tax',
    'tax',
    { id: 'l', group: 'left', text: 'fair' },
    { id: 'r', group: 'right', text: 'growth' },
  ),
  evalQuery(
    'toll',
    'toll',
    { id: 'l', group: 'left', text: 'poor' },
    { id: 'r', group: 'right', text: 'freedom' },
  ),
];

async function groupedWorkspace(t: TestContext): Promise<Workspace> {
  const workspace = new Workspace(t);
  await workspace.corpus('corpus', {
    tl: 'tax fair',
    tr: 'tax tax tax growth',
    ol: 'toll poor',
    other: 'toll toll toll',
  });
  const labels = ['tax l tl', 'tax r tr', 'toll l ol'];
  workspace.labelQueries(GROUPED, ...withTheRest(labels, GROUPED, ['tl', 'tr', 'ol', 'other']));
  return workspace;
}

test('groups: root with perspective compared with the root alone', async (t) => {
  const workspace = await groupedWorkspace(t);
  const options = { k: 1 };
  const [result] = only(await workspace.compare({ bm25: BM25 }, [{ queries: GROUPED }], options)).pipelines;
  // Roots alone find tr and other. With the perspective each finds its passage, except toll/right, which has none.
  assert.deepEqual(result!.perspectiveRecall, {
    pRecall: 1,
    byGroup: [
      { group: 'left', recall: 1, perspectives: 2 },
      { group: 'right', recall: 1, perspectives: 1 },
    ],
    rootRecall: 0.5,
  });
  assert.deepEqual(result!.groups, [
    { group: 'left', share: 0 },
    { group: 'right', share: 1 },
  ]);
  assert.deepEqual(result!.heatMap, {
    rows: ['left', 'right'],
    columns: ['left', 'right'],
    shares: [
      [1, 0],
      [0, 0.5],
    ],
  });
});

test('the root alone is searched without steps that need perspectives', async (t) => {
  const workspace = await groupedWorkspace(t);
  const oracle: PipelineInput = {
    ...BM25,
    expansion: { type: 'perspectives' },
    rerank: [{ type: 'coverage' }],
  };
  const projected: PipelineInput = { ...DENSE, projection: { method: 'pap' } };
  const { pipelines } = only(
    await workspace.compare({ bm25: BM25, oracle, projected }, [{ queries: GROUPED }], { k: 1 }),
  );
  assert.deepEqual(
    pipelines.map(({ error }) => error),
    [undefined, undefined, undefined],
  );
  assert.equal(pipelines[1]!.perspectiveRecall!.rootRecall, pipelines[0]!.perspectiveRecall!.rootRecall);
  assert.ok(pipelines[2]!.perspectiveRecall!.pRecall >= 0);
});

test('a pipeline whose model writes is asked only the questions', async (t) => {
  const server = await startModelServer({ chat: () => ({ text: 'A passage about power in the city.' }) });
  t.after(() => server.close());
  const workspace = await sidedWorkspace(t);
  const model = judgeSchema.parse({ type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted' });
  await workspace.configure({ judges: { model } });
  const hyde: PipelineInput = { ...BM25, expansion: { type: 'hyde', model: 'model' } };
  const [result] = only(await workspace.compare({ hyde }, [{ queries: SIDED }])).pipelines;
  assert.equal(result!.error, undefined);
  assert.equal(server.chatRequests.length, 1);
  assert.ok(result!.leaning);
  assert.equal(result!.sycophancy, undefined);
});

test('an approximate or int8 search is compared with an exact one, which misses nothing', async (t) => {
  const { workspace, queries } = await sampleWorkspace(t);
  const approximate: PipelineInput = {
    retriever: { type: 'dense', embedder: 'hashing', search: 'approximate', ef: 1 },
  };
  const hybrid: PipelineInput = {
    retriever: {
      type: 'hybrid',
      retrievers: [{ type: 'bm25' }, { type: 'dense', embedder: 'hashing', search: 'approximate' }],
    },
  };
  const int8: PipelineInput = {
    retriever: { type: 'dense', embedder: 'hashing', search: 'int8', rescore: 2 },
  };
  const { pipelines } = only(
    await workspace.compare({ exact: DENSE, approximate, hybrid, int8 }, [{ corpus: 'handbook', queries }]),
  );
  assert.deepEqual(
    pipelines.map(({ search }) => search),
    ['exact', 'approximate', 'approximate', 'int8'],
  );
  assert.deepEqual(
    pipelines.map(({ comparedWithExact }) => comparedWithExact),
    [false, true, true, true],
  );
  const perspectives = queries.reduce((sum, query) => sum + query.perspectives.length, 0);
  for (const { places } of pipelines) assert.equal(sumOf(places), perspectives);
});

test('an evaluation searches exactly, even if the panel would use a graph', async (t) => {
  const { workspace, queries } = await sampleWorkspace(t);
  await workspace.configure({ approximateAbove: 10 });
  const search = async (): Promise<string> =>
    only(await workspace.compare({ dense: DENSE }, [{ corpus: 'handbook', queries }])).pipelines[0]!.search;
  const { text } = queries[0]!;
  const question = { corpus: 'handbook', query: { text }, perspectives: [], atOnce: true };
  const panel = async (): Promise<string> =>
    (await workspace.engine.search({ ...question, pipeline: parsePipeline(DENSE) }, context)).search;
  const inPanel = [await panel()];
  for (let time = 0; time < 50 && inPanel.at(-1) === 'exact'; time++) inPanel.push(await panel());
  assert.equal(inPanel.at(-1), 'approximate');
  assert.equal(await search(), 'exact');
});
