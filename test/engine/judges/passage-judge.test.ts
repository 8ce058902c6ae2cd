import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_STATEMENTS } from '../../../src/core/judging/prompts/passage-prompt.ts';
import type { PromptForm } from '../../../src/core/judging/prompts/prompt-form.ts';
import type { Verdict } from '../../../src/core/model.ts';
import { createCachedJudge } from '../../../src/engine/judgements/cached-judge.ts';
import type { JudgePair } from '../../../src/engine/judges/judge.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { verdictReply, type ChatReply, type ChatRequest } from '../../fixtures/model-server.ts';
import { readPairPrompt, readPassagePrompt } from '../../fixtures/read-prompts.ts';
import { collector, judgeOn, pairsOf, serverFor } from './support.ts';

const PASSAGE_FORM: PromptForm = { mode: 'passage', explain: true, shots: 0 };

/** Every passage with every perspective. */
function matrix(passages: number, perspectives: number): JudgePair[] {
  return Array.from({ length: passages }, (_, p) =>
    Array.from({ length: perspectives }, (_, q) => ({
      passage: { text: `Passage ${p}. It supports statement ${p % perspectives}.` },
      perspective: { text: `Statement ${q}.` },
    })),
  ).flat();
}

/** The letters of a prompt, and for each whether the passage supports its statement. */
function supported({ messages }: ChatRequest): Record<string, Verdict> {
  const { passage, statements } = readPassagePrompt(messages);
  const number = /supports statement (\d+)/.exec(passage)?.[1];
  return Object.fromEntries(
    Object.entries(statements).map(([letter, text]) => [
      letter,
      text === `Statement ${number}.` ? 'yes' : 'no',
    ]),
  );
}

function explained(request: ChatRequest, leaveOut?: (letter: string) => boolean): ChatReply {
  const entries = Object.entries(supported(request)).filter(([letter]) => !leaveOut?.(letter));
  const answer = entries.map(([letter, verdict]) => [
    letter,
    { evidence: verdict === 'yes' ? 'It supports statement' : null, verdict, reason: `As for ${letter}.` },
  ]);
  return { text: JSON.stringify(Object.fromEntries(answer)) };
}

const expected = (pairs: readonly JudgePair[]): Verdict[] =>
  pairs.map(({ passage, perspective }) =>
    passage.text.toLowerCase().endsWith(perspective.text.toLowerCase()) ? 'yes' : 'no',
  );

describe('one passage with all its perspectives', () => {
  test('asks once per passage and gives each pair a separate judgement', async (t) => {
    const server = await serverFor(t, { chat: (request) => explained(request) });
    const pairs = matrix(4, 3);
    const { delivered, onJudgement } = collector();
    const progress: number[] = [];
    const judge = judgeOn(server.url, { form: PASSAGE_FORM });
    const report = await judge.judge(pairs, { onJudgement, onProgress: ({ done }) => progress.push(done) });
    assert.deepEqual([report.asked, report.answered, report.requests], [12, 12, 4]);
    assert.deepEqual(
      pairs.map((_, i) => delivered.get(i)?.judgement.verdict),
      expected(pairs),
    );
    const { judgement } = delivered.get(4)!;
    assert.deepEqual(judgement.evidence, [{ start: 11, end: 32 }]);
    assert.deepEqual([judgement.rationale, judgement.promptVersion], ['As for B.', 'passage-2']);
    assert.equal(progress.at(-1), 12);
  });

  test('splits the cost of a request equally, and the parts add up', async (t) => {
    const server = await serverFor(t, { chat: (request) => explained(request) });
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url, { form: PASSAGE_FORM }).judge(matrix(2, 4), { onJudgement });
    assert.deepEqual(delivered.get(0)?.judgement.cost, {
      requests: 0.25,
      promptTokens: 25,
      completionTokens: 5,
      milliseconds: 0,
    });
    const costs = [...delivered.values()].map(({ judgement }) => judgement.cost!);
    assert.equal(
      costs.reduce((sum, { requests }) => sum + requests, 0),
      report.requests,
    );
    assert.equal(
      costs.reduce((sum, { promptTokens }) => sum + (promptTokens ?? 0), 0),
      report.tokens.prompt,
    );
  });

  test('a perspective that the answer omits is asked about once more, alone', async (t) => {
    const server = await serverFor(t, {
      chat: (request) => explained(request, (letter) => request.index === 0 && letter === 'B'),
    });
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url, { form: PASSAGE_FORM }).judge(matrix(1, 3), { onJudgement });
    assert.deepEqual([report.answered, report.unparsable, report.requests], [3, 0, 2]);
    assert.deepEqual([...delivered.keys()], [0, 2, 1], 'the others do not wait for it');
    const [, again] = server.chatRequests;
    assert.deepEqual(readPassagePrompt(again!.messages).statements, { A: 'Statement 1.' });
    assert.match(again!.messages[1]!.content, /could not be read/);
    assert.deepEqual(
      [0, 1, 2].map((i) => delivered.get(i)?.judgement.verdict),
      ['yes', 'no', 'no'],
    );
    assert.equal(delivered.get(1)?.judgement.cost?.requests, 1 / 3 + 1);
  });

  test('and if it is omitted again, only it is "unsure" and unparsable', async (t) => {
    const server = await serverFor(t, {
      chat: (request) =>
        request.index === 0 ? explained(request, (letter) => letter === 'B') : { text: 'Hm.' },
    });
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url, { form: PASSAGE_FORM }).judge(matrix(1, 3), { onJudgement });
    assert.deepEqual([report.answered, report.unparsable, report.requests], [3, 1, 2]);
    assert.deepEqual(
      [0, 1, 2].map((i) => [delivered.get(i)?.judgement.verdict, delivered.get(i)?.delivery.unparsable]),
      [
        ['yes', false],
        ['unsure', true],
        ['no', false],
      ],
    );
  });

  test('a refusal leaves all of them unparsable, after two requests', async (t) => {
    const server = await serverFor(t, { chat: [{ refusal: 'Never.' }] });
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url, { form: PASSAGE_FORM }).judge(matrix(1, 3), { onJudgement });
    assert.deepEqual([report.unparsable, report.requests], [3, 2]);
    assert.match(delivered.get(2)?.judgement.rationale ?? '', /refused: Never/);
  });

  test('readable verdicts are kept if the second request fails', async (t) => {
    const server = await serverFor(t, {
      chat: (request) =>
        request.index === 0
          ? explained(request, (letter) => letter !== 'A')
          : { fault: 'status', status: 400, message: 'no more' },
    });
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url, { form: PASSAGE_FORM }).judge(matrix(1, 3), { onJudgement });
    assert.deepEqual([report.asked, report.answered, report.failed, delivered.size], [3, 1, 2, 1]);
    assert.match(report.error?.message ?? '', /no more/);
  });

  test('pairs of a passage need not be adjacent, and excess ones go into another request', async (t) => {
    const server = await serverFor(t, { chat: (request) => explained(request) });
    const pairs = matrix(2, MAX_STATEMENTS + 3).sort((a, b) =>
      a.perspective.text.localeCompare(b.perspective.text),
    );
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url, { form: PASSAGE_FORM }).judge(pairs, { onJudgement });
    assert.deepEqual([report.answered, report.requests], [pairs.length, 4]);
    assert.deepEqual(
      pairs.map((_, i) => delivered.get(i)?.judgement.verdict),
      expected(pairs),
    );
  });

  test('asks only about pairs that are not cached', async (t) => {
    const server = await serverFor(t, { chat: (request) => explained(request) });
    const db = openDatabase(':memory:');
    t.after(() => db.close());
    const judge = createCachedJudge(judgeOn(server.url, { form: PASSAGE_FORM }), new JudgementCache(db));
    await judge.judge(matrix(1, 2));
    const { delivered, onJudgement } = collector();
    const report = await judge.judge(matrix(1, 4), { onJudgement });
    assert.deepEqual([report.cached, report.asked, report.requests, delivered.size], [2, 2, 1, 4]);
    assert.deepEqual(readPassagePrompt(server.chatRequests.at(-1)!.messages).statements, {
      A: 'Statement 2.',
      B: 'Statement 3.',
    });
  });
});

describe('the content of a request about a passage', () => {
  test('pairs of different questions are separate, each with its question and surroundings', async (t) => {
    const server = await serverFor(t, { chat: (request) => explained(request) });
    const pairs = ['First?', 'Second?'].map((question): JudgePair => ({
      passage: { text: 'It supports statement 0.', title: 'Memo', section: 'Aims' },
      perspective: { text: 'Statement 0.' },
      question,
      neighbours: () => ({ before: 'Before.', after: 'After.' }),
    }));
    const report = await judgeOn(server.url, { form: PASSAGE_FORM, concurrency: 1 }).judge(pairs);
    assert.equal(report.requests, 2);
    const prompts = server.chatRequests.map(({ messages }) => readPassagePrompt(messages));
    assert.deepEqual(
      prompts.map(({ question }) => question),
      ['First?', 'Second?'],
    );
    const around = { document: 'Memo', section: 'Aims', before: 'Before.', after: 'After.' };
    assert.deepEqual(prompts[0]!.around, around);
  });

  test('answers are stored for each question, and cached ones need no neighbours', async (t) => {
    const server = await serverFor(t, { chat: (request) => explained(request) });
    const db = openDatabase(':memory:');
    t.after(() => db.close());
    const judge = createCachedJudge(judgeOn(server.url, { form: PASSAGE_FORM }), new JudgementCache(db));
    let lookups = 0;
    const asked = (question: string): JudgePair[] =>
      matrix(1, 2).map((pair) => ({ ...pair, question, neighbours: () => ({ before: `${++lookups}` }) }));
    await judge.judge(asked('First?'));
    const again = await judge.judge(asked('First?'));
    assert.deepEqual([again.cached, again.requests, lookups], [2, 0, 1]);
    assert.equal((await judge.judge(asked('Second?'))).requests, 1);
  });

  test('several omitted perspectives are asked about one by one', async (t) => {
    const server = await serverFor(t, {
      chat: (request) => explained(request, (letter) => request.index === 0 && letter !== 'A'),
    });
    const report = await judgeOn(server.url, { form: PASSAGE_FORM }).judge(matrix(1, 3));
    assert.deepEqual([report.unparsable, report.requests], [0, 3]);
  });
});

describe('forms of the prompt', () => {
  const verdictOnly = (mode: PromptForm['mode'], shots: 0 | 1 = 0): PromptForm => ({
    mode,
    explain: false,
    shots,
  });

  test('verdict-only, pair: a bare verdict is a whole answer', async (t) => {
    const server = await serverFor(t, { chat: [{ text: '{"verdict": "yes"}' }, { text: 'No' }] });
    const { delivered, onJudgement } = collector();
    const judge = judgeOn(server.url, { form: verdictOnly('pair'), concurrency: 1 });
    await judge.judge(pairsOf(2), { onJudgement });
    const { verdict, evidence, rationale, promptVersion } = delivered.get(0)!.judgement;
    assert.deepEqual([verdict, evidence, rationale, promptVersion], ['yes', [], undefined, 'pair-verdict-1']);
    assert.equal(delivered.get(1)?.judgement.verdict, 'no');
    assert.doesNotMatch(JSON.stringify(server.chatRequests[0]!.messages), /\\"evidence\\"|\\"reason\\"/);
  });

  test('verdict-only, passage: one word for each', async (t) => {
    const server = await serverFor(t, { chat: (request) => ({ text: JSON.stringify(supported(request)) }) });
    const { delivered, onJudgement } = collector();
    const pairs = matrix(2, 3);
    const report = await judgeOn(server.url, { form: verdictOnly('passage', 1) }).judge(pairs, {
      onJudgement,
    });
    assert.deepEqual([report.answered, report.unparsable, report.requests], [6, 0, 2]);
    assert.deepEqual(
      pairs.map((_, i) => delivered.get(i)?.judgement.verdict),
      expected(pairs),
    );
    assert.equal(delivered.get(0)?.judgement.promptVersion, 'passage-verdict-shot-2');
  });

  test('one-shot puts the example before the pair, which stays one pair', async (t) => {
    const server = await serverFor(t, { chat: [verdictReply('no')] });
    await judgeOn(server.url, { form: { mode: 'pair', explain: true, shots: 1 } }).judge(pairsOf(1));
    const [{ messages }] = server.chatRequests as [ChatRequest];
    assert.deepEqual(readPairPrompt(messages), {
      passage: 'Passage 0. It supports number 0.',
      statement: 'Perspective 0.',
    });
    assert.match(messages[0]!.content, /An example of such a request/);
  });

  test('each has a separate key; that of single-request pairs is unchanged', () => {
    const forms = (['pair', 'passage'] as const).flatMap((mode) =>
      [true, false].flatMap((explain) => ([0, 1] as const).map((shots) => ({ mode, explain, shots }))),
    );
    const keys = forms.map((form) => judgeOn('http://a/v1', { form }).key);
    assert.equal(new Set(keys).size, 8);
    assert.equal(judgeOn('http://a/v1').key, '["chat","openai http://a/v1 scripted","pair-1","berds-1"]');
    assert.equal(keys[0], judgeOn('http://a/v1').key);
  });
});
