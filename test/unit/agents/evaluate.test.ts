import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentTools } from '../../../src/features/agents/tools/agent-tools.ts';
import type { AgentToolName } from '../../../src/features/agents/tools/names.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { MAX_CHARACTERS } from '../../../src/features/agents/tools/answer.ts';
import { certaintiesText } from '../../../src/core/external/certainty.ts';
import type { Params, Result } from '../../../src/shared/rpc.ts';
import { comparisonOf, hostOf, QUESTION, STATUS, workspaceOf, type ScriptedQuery } from './support.ts';

const TWO: readonly ScriptedQuery[] = [
  { text: 'Fine?', ranks: [[1], [2]] },
  { text: QUESTION, ranks: [[1], [null]], judged: 0.6, supportKnown: true },
];

interface Answer {
  readonly notice: string;
  readonly notes?: readonly string[];
  readonly judging?: { readonly refused?: string; readonly asked?: number };
  readonly judgements: unknown;
  readonly pipelines: readonly {
    readonly name: string;
    readonly origin?: string;
    readonly error?: string;
    readonly figures: Record<
      string,
      { readonly value: number; readonly low?: number; readonly high?: number }
    >;
    readonly judgedShare: number;
    readonly differenceToBaseline?: Record<string, unknown>;
    readonly worstQueries?: readonly { readonly query: string; readonly lost: readonly string[] }[];
  }[];
}

async function evaluated(
  input: object,
  queries: readonly ScriptedQuery[] = TWO,
): Promise<{ readonly answer: Answer; readonly text: string; readonly request: Params<'compare'> }> {
  let request: Params<'compare'> | undefined;
  const host = hostOf({
    status: () => STATUS,
    compare: (params) => {
      request = params;
      return comparisonOf(
        params.pipelines.map(({ name }) => name),
        queries.map((query) => ({
          ...query,
          ranks: query.ranks.map(([rank]) => params.pipelines.map(() => rank ?? null)),
        })),
        params.k,
      );
    },
  });
  const text = await new AgentTools(host).call('evaluate_retrieval', input, {});
  return { text, answer: JSON.parse(text) as Answer, request: request! };
}

const refuses = (input: object, message: RegExp, change = {}): Promise<void> =>
  assert.rejects(
    new AgentTools(hostOf({ status: () => STATUS }, { workspace: workspaceOf(change) })).call(
      'evaluate_retrieval',
      input,
      {},
    ),
    message,
  );

test('figures have intervals, their judge and the worst questions', async () => {
  const { answer } = await evaluated({ pipelines: ['plain', 'bm25'], k: 5 });
  const [first, second] = answer.pipelines;
  assert.deepEqual(Object.keys(first!.figures), ['MRecall@5', 'Precision@5']);
  const { value, low, high } = first!.figures['MRecall@5']!;
  assert.equal(value, 0.5);
  assert.ok(low! <= value && value <= high!);
  assert.equal(first!.judgedShare, 0.8);
  assert.deepEqual(answer.judgements, { judge: 'labels', pairsInAnyTopK: [{ by: 'people', pairs: 12 }] });
  assert.equal(first!.differenceToBaseline, undefined);
  assert.deepEqual(second!.differenceToBaseline!['MRecall@5'], {
    value: 0,
    low: -0.1,
    high: 0.3,
    queries: 1,
    p: 0.4,
  });
  assert.deepEqual(
    first!.worstQueries!.map(({ query, lost }) => [query, lost]),
    [[QUESTION, [`Perspective 1 of ${QUESTION}`]]],
  );
  assert.match(answer.notice, /data from files/u);
});

test('the interval of one question covers the whole range', async () => {
  const { answer } = await evaluated({ pipelines: ['plain'], k: 5 }, TWO.slice(1));
  assert.deepEqual(answer.pipelines[0]!.figures['MRecall@5'], {
    value: 0,
    bound: 'exact',
    low: 0,
    high: 1,
  });
});

test('defaults to the k of the first pipeline and the first eval set, and names them', async () => {
  const { request, answer } = await evaluated({ pipelines: ['plain'] });
  assert.equal(request.k, 3);
  assert.equal(request.datasets[0]!.evalSet, 'eval/faq.jsonl');
  assert.match(answer.notes!.join(), /first of 2 eval sets/u);
  const { request: named } = await evaluated({ pipelines: ['plain'], evalSet: 'hard', k: 7 });
  assert.deepEqual([named.k, named.datasets[0]!.evalSet], [7, 'eval/hard.jsonl']);
});

test('defaults to the pipelines of the workspace', async () => {
  const { request } = await evaluated({});
  assert.deepEqual(
    request.pipelines.map(({ name }) => name),
    ['plain', 'own'],
  );
});

test('given questions use their own perspectives or those of an eval set', async () => {
  const { request } = await evaluated({
    pipelines: ['plain'],
    queries: [{ text: QUESTION.toUpperCase() }, { text: 'Another?', perspectives: ['Yes.', 'No.'] }],
  });
  assert.deepEqual(
    request.datasets[0]!.queries.map(({ perspectives }) => perspectives.map(({ text }) => text)),
    [
      ['Night trams bring workers home.', 'Night trams wake those who live beside them.'],
      ['Yes.', 'No.'],
    ],
  );
  await refuses({ queries: [{ text: 'Unheard of?' }] }, /Pass them with the question/u);
  await refuses({ queries: [{ text: QUESTION }], evalSet: 'hard' }, /either evalSet or queries/u);
});

test('refuses unknown names and lists the known ones', async () => {
  await refuses({ pipelines: ['nope'] }, /no pipeline "nope"\. Available: hybrid, bm25, dense, plain, own/u);
  await refuses({ evalSet: 'nope' }, /no eval set "nope"\. Available: eval\/faq.jsonl, eval\/hard.jsonl/u);
  await refuses({ corpus: 'nope' }, /no corpus "nope"\. Available: docs/u);
  await refuses({ pipelines: [{ retriever: { type: 'bm26' } }] }, /retriever\.type/u);
  await refuses({ kk: 5 }, /evaluate_retrieval: kk: there is no such field/u);
  await refuses({}, /no eval set: name one/u, { evalQueries: [] });
});

test('measures nothing in an untrusted workspace', () =>
  refuses({ pipelines: ['plain'] }, /until you trust the folder/u, { trusted: false }));

test('no tool reads or writes in an untrusted workspace', async () => {
  const untrusted = hostOf({}, { workspace: workspaceOf({ trusted: false }) });
  const asked = { query: QUESTION, perspectives: ['Yes.'] };
  const calls: readonly (readonly [AgentToolName, object])[] = [
    ['list_retrieval_sites', {}],
    ['search', { query: QUESTION }],
    ['label', { questions: [{ ...asked, labels: [{ passage: 'a', supports: [] }] }] }],
    ['save_eval_set', { questions: [asked] }],
    ['accept_baseline', {}],
  ];
  for (const [name, input] of calls)
    await assert.rejects(new AgentTools(untrusted).call(name, input, {}), { id: 'untrusted' }, name);
  assert.deepEqual(untrusted.asked, []);
  assert.equal(await untrusted.readText('eval/questions.parallax.jsonl'), '');
});

test('a tool says that the engine ended while it wrote, and works again with the next engine', async () => {
  let isThere = false;
  const host = hostOf({
    unknownPassages: () => ({ unknown: [], numbered: 1 }),
    passage: () => ({ slot: 0 }) as Result<'passage'>,
    judgements: () => ({ pairs: [] }) as unknown as Result<'judgements'>,
    labelAsAgent: () => {
      if (isThere) return { refused: [] } as unknown as Result<'labelAsAgent'>;
      isThere = true;
      throw new ParallaxError('engine-stopped', 'Parallax’s engine ended.');
    },
  });
  const asked = { query: QUESTION, perspectives: ['Yes.'], labels: [{ passage: 'a', supports: [] }] };
  const labelled = (): Promise<string> => new AgentTools(host).call('label', { questions: [asked] }, {});
  await assert.rejects(labelled(), { id: 'engine-stopped' });
  assert.match(await labelled(), /"no":1/u);
});

test('an agent cannot add commands, endpoints, stores or files', async () => {
  const foreign = /only through a pipeline of parallax\.json/u;
  await refuses({ pipelines: [{ retriever: { type: 'command', command: ['rm', '-rf', '.'] } }] }, foreign);
  await refuses({ pipelines: [{ retriever: { type: 'run', file: '/etc/passwd' } }] }, foreign);
  const bm25 = { type: 'bm25' };
  await refuses(
    { pipelines: [{ retriever: bm25, rerank: [{ type: 'cross-encoder', path: '/m' }] }] },
    foreign,
  );
  await refuses(
    {
      pipelines: [{ retriever: { type: 'hybrid', retrievers: [bm25, { type: 'command', command: ['x'] }] } }],
    },
    foreign,
  );
  await refuses(
    {
      pipelines: [{ retriever: bm25, expansion: { type: 'perspectives', perspectives: 'file', file: '/x' } }],
    },
    foreign,
  );
  // The same command with another step is the user's own.
  const own = { type: 'command', command: ['python', 'own.py'] };
  const { request } = await evaluated({ pipelines: [{ retriever: own, rerank: [{ type: 'mmr' }] }] });
  assert.equal(request.pipelines[0]!.pipeline.rerank.length, 1);
});

test('an answer stays short with many pipelines and long questions', async () => {
  const long: readonly ScriptedQuery[] = Array.from({ length: 30 }, (_, at) => ({
    text: `${at} ${'trams at night '.repeat(60)}`,
    ranks: Array.from({ length: 6 }, () => [null]),
  }));
  const pipelines = Array.from({ length: 8 }, (_, at) => ({
    name: `pipeline ${at} ${'x'.repeat(180)}`,
    retriever: { type: 'bm25' },
  }));
  const { text, answer } = await evaluated({ pipelines }, long);
  assert.ok(text.length <= MAX_CHARACTERS, `${text.length}`);
  assert.equal(answer.pipelines.length, 8);
  assert.ok(answer.pipelines.every(({ figures }) => figures['MRecall@5']?.value === 0));
});

test('a pipeline that cannot run gives the reason; the others have figures', async () => {
  const host = hostOf({
    status: () => STATUS,
    compare: ({ pipelines }) => {
      const comparison = comparisonOf(
        pipelines.map(({ name }) => name),
        TWO.slice(0, 1).map((query) => ({
          ...query,
          ranks: query.ranks.map(([rank]) => [rank ?? null, rank ?? null]),
        })),
      );
      comparison.datasets[0]!.pipelines[1] = {
        ...comparison.datasets[0]!.pipelines[1]!,
        measures: {},
        error: 'It is down.',
      };
      return comparison;
    },
  });
  const text = await new AgentTools(host).call('evaluate_retrieval', { pipelines: ['plain', 'own'] }, {});
  const { pipelines } = JSON.parse(text) as Answer;
  assert.equal(pipelines[1]!.error, 'It is down.');
  assert.equal(pipelines[0]!.error, undefined);
});

const SITE = {
  file: 'rag.py',
  cells: [
    {
      languageId: 'python',
      text: 'from langchain_chroma import Chroma\nstore = Chroma("kb")\n\nr = store.as_retriever(\n  search_kwargs={"k": 4})\n',
    },
  ],
  isNotebook: false,
};

test('agents get corrected figures, or the reason for their absence', async () => {
  const host = hostOf({
    status: () => STATUS,
    compare: ({ pipelines }) => {
      const names = pipelines.map(({ name }) => name);
      const comparison = comparisonOf(names, [{ text: 'Is it sound?', ranks: [[1, 2]] }]);
      const common = { queries: 40, labels: 80, positives: 31, assumesRandom: false };
      const [plain, mmr] = comparison.datasets[0]!.pipelines;
      plain!.correction = {
        ...common,
        figures: { 'MRecall@5': { value: 0.55, low: 0.49, high: 0.61 } },
        decided: 28,
        more: 0,
      };
      mmr!.correction = { ...common, figures: {}, lacks: 'queries', decided: 6, more: 4 };
      return comparison;
    },
  });
  const answer = JSON.parse(
    await new AgentTools(host).call('evaluate_retrieval', { pipelines: ['plain', 'own'] }, {}),
  ) as { pipelines: { withoutJudgeErrors: Record<string, unknown> }[] };
  const [plain, mmr] = answer.pipelines.map(({ withoutJudgeErrors }) => withoutJudgeErrors);
  assert.deepEqual(plain!['MRecall@5'], { value: 0.55, low: 0.49, high: 0.61 });
  assert.deepEqual(Object.keys(mmr!), ['note']);
  assert.match(String(mmr!['note']), /6 questions are labelled, and 10 are needed\. .* 4 more/);
});

test('agents are told what a store withheld and how far its order is certain', async () => {
  const short = { returned: 40, asked: 100, queries: 1 };
  const certainty = { certain: 1, queries: 2, k: 5, least: 3, approximate: true };
  const host = hostOf({
    status: () => STATUS,
    compare: ({ pipelines, k }) => {
      const names = pipelines.map(({ name }) => name);
      const comparison = comparisonOf(
        names,
        TWO.slice(0, 1).map((query) => ({
          ...query,
          ranks: query.ranks.map(([rank = null]) => [rank, rank, rank, rank]),
        })),
        k,
      );
      const [plain] = comparison.datasets[0]!.pipelines;
      Object.assign(plain!, { short, certainty });
      return comparison;
    },
  });
  const tools = new AgentTools(host);
  const evaluation = JSON.parse(
    await tools.call('evaluate_retrieval', { pipelines: ['plain', 'own'] }, {}),
  ) as { readonly pipelines: readonly { readonly store?: readonly string[] }[] };
  const said = [
    'plain: for 1 of 1 question the store returned fewer candidates than it was asked for, at worst 40 of 100: either no more pass its filter, or its index stopped early.',
    certaintiesText('plain', certainty),
  ];
  assert.match(said[1]!, /certainly those of the whole store: 1 of 2\. At worst certainty ends at rank 3/u);
  assert.deepEqual(
    evaluation.pipelines.map(({ store }) => store),
    [said, undefined],
  );
  const explanation = JSON.parse(
    await tools.call('explain_lost_perspectives', { pipeline: 'plain' }, {}),
  ) as { readonly store?: readonly string[] };
  assert.deepEqual(explanation.store, said);
});

test('a call is measured by its stand-in and marked as such', async () => {
  const seen: Params<'compare'>[] = [];
  const host = hostOf(
    {
      status: () => STATUS,
      compare: (params) => {
        seen.push(params);
        return comparisonOf(
          params.pipelines.map(({ name }) => name),
          [TWO[0]!],
          params.k,
        );
      },
    },
    { programs: [SITE] },
  );
  const tools = new AgentTools(host);
  // The second line of the call counts, too.
  for (const line of [4, 5]) {
    const input = { site: { file: 'rag.py', line } };
    const { pipelines, notes } = JSON.parse(await tools.call('evaluate_retrieval', input, {})) as Answer;
    assert.match(pipelines[0]!.origin!, /^rebuilt:/u);
    assert.ok(notes!.length > 0);
  }
  assert.deepEqual([seen[0]!.k, seen[0]!.pipelines[0]!.name], [4, 'as_retriever (rebuilt)']);
  await assert.rejects(
    tools.call('evaluate_retrieval', { site: { file: 'rag.py', line: 1 } }, {}),
    /Line 1 of rag\.py has no call that retrieves; there are calls on 4/u,
  );
});

const EFFORT: Result<'figuresCost'>['effort'] = {
  requests: { least: 6, most: 6 },
  promptTokens: { least: 1, most: 1 },
  completionTokens: { least: 1, most: 1 },
};

function judging(limit: number | undefined, beyond: 'refuse' | 'stop') {
  const budgets: (number | undefined)[] = [];
  const host = hostOf(
    {
      status: () => STATUS,
      figuresCost: () => ({ pairs: 10, known: 4, effort: EFFORT }),
      judgeFigures: ({ budget }) => {
        budgets.push(budget?.requests);
        const none = { known: 4, failed: 0, unreadable: 0, saved: 0, settled: 1, queries: 2, stopped: false };
        return { ...none, pairs: 10, asked: 5, answered: 5, requests: 5 };
      },
      compare: ({ pipelines }) =>
        comparisonOf(
          pipelines.map(({ name }) => name),
          TWO,
        ),
    },
    {
      workspace: workspaceOf({ judge: 'model' }),
      budget: { ...(limit === undefined ? {} : { limit }), setBy: '--budget', beyond },
    },
  );
  const call = async (input = {}): Promise<Answer> =>
    JSON.parse(
      await new AgentTools(host).call(
        'evaluate_retrieval',
        { pipelines: ['plain'], judge: true, ...input },
        {},
      ),
    ) as Answer;
  return { host, budgets, call };
}

test('uses a judge only if the agent requests it', async () => {
  const { host, call } = judging(undefined, 'refuse');
  assert.equal((await call({ judge: false })).judging, undefined);
  assert.ok(!host.asked.includes('judgeFigures'));
});

test('does not use a judge beyond the budget, and names the source of the figures', async () => {
  const { host, call } = judging(5, 'refuse');
  const { judging: said, pipelines } = await call();
  assert.match(said!.refused!, /"model" may ask a model up to 6 times; 5 of the 5 .* judged before/u);
  assert.equal(pipelines.length, 1);
  assert.ok(!host.asked.includes('judgeFigures'));
});

test('a budget covers all calls and counts the requests sent', async () => {
  const { host, budgets, call } = judging(10, 'refuse');
  assert.equal((await call()).judging!.asked, 5);
  assert.equal(host.budget().left, 5);
  assert.match((await call()).judging!.refused!, /5 of the 10/u);
  assert.deepEqual(budgets, [6]);
});

test('judging that may exceed the budget starts and stops there', async () => {
  const { budgets, call } = judging(3, 'stop');
  await call();
  assert.deepEqual(budgets, [3]);
});

test('without a limit only the needs of the judge apply', async () => {
  const { budgets, call } = judging(undefined, 'stop');
  await call();
  assert.deepEqual(budgets, [6]);
});

test('refuses a pipeline with a model beyond the budget before anything runs', async () => {
  const { host, call } = judging(0, 'refuse');
  const hyde = { retriever: { type: 'bm25' }, expansion: { type: 'hyde' } };
  await assert.rejects(call({ pipelines: [hyde], judge: false }), /"BM25 \+ HyDE, k = 5" may ask a model/u);
  assert.deepEqual(host.asked, []);
});

test('cancelling ends what is running', async () => {
  const controller = new AbortController();
  controller.abort();
  await assert.rejects(
    new AgentTools(hostOf({ status: () => STATUS })).call(
      'evaluate_retrieval',
      { pipelines: ['plain'] },
      { signal: controller.signal },
    ),
    /Cancelled/u,
  );
});

test('an unjudged pair is unjudged, never lost', async () => {
  const unjudged = [{ text: QUESTION, ranks: [[null], [null]], judged: 0, supportKnown: false }];
  const { answer } = await evaluated({ pipelines: ['plain'], k: 5 }, [...TWO, ...unjudged]);
  const worst = answer.pipelines[0]!.worstQueries!;
  assert.ok(
    worst.every(({ lost }) => lost.length === 1),
    'the question without any judgement is not among them',
  );
});

test('without results there is no judged share', async () => {
  const host = hostOf({
    status: () => STATUS,
    compare: ({ pipelines, k }) => {
      const names = pipelines.map(({ name }) => name);
      const comparison = comparisonOf(names, [{ text: 'Fine?', ranks: [[null], [null]] }], k);
      const [dataset] = comparison.datasets;
      const results = dataset!.pipelines.map((each) => ({ ...each, judged: 1, foundNothing: true as const }));
      return { ...comparison, datasets: [{ ...dataset!, pipelines: results }] };
    },
  });
  const text = await new AgentTools(host).call('evaluate_retrieval', { pipelines: ['plain'], k: 5 }, {});
  const [result] = (JSON.parse(text) as Answer).pipelines;
  assert.partialDeepStrictEqual(result, { nothingRetrieved: true });
  assert.equal('judgedShare' in result!, false);
});
