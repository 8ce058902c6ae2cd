import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import { Judges } from '../../../src/engine/judges/judges.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { argumentReply, type ChatReply, type ChatRequest } from '../../fixtures/model-server.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';
import { collector, pairsOf, serverFor, stubborn } from './support.ts';

/** Judges as `parallax.json` names them. */
function judgesFrom(t: TestContext, judges: Record<string, object>): Judges {
  const db = openDatabase(':memory:');
  t.after(() => db.close());
  const parsed = Object.entries(judges).map(([name, judge]) => [name, judgeSchema.parse(judge)]);
  return new Judges({ judges: Object.fromEntries(parsed), keys: {} }, new JudgementCache(db), undefined);
}

const chat = (baseUrl: string, model: string): object => ({ type: 'openai', mode: 'pair', baseUrl, model });
const dead = chat('http://127.0.0.1:9/v1', 'm');

describe('judges of a configuration', () => {
  test('a debate takes the models of two chat judges, and a third to adjudicate', async (t) => {
    const server = await serverFor(t, { chat: stubborn });
    const judges = judgesFrom(t, {
      small: chat(server.url, 'm-1'),
      large: chat(server.url, 'm-2'),
      umpire: chat(server.url, 'm-3'),
      debate: { type: 'debate', agents: ['small', 'large'], adjudicator: 'umpire', standard: 'strict' },
    });
    const { delivered, onJudgement } = collector();
    await judges.get('debate')!.judge(pairsOf(1), { onJudgement });
    assert.deepEqual(server.requests.map(({ body }) => String(body['model'])).sort(), [
      'm-1',
      'm-1',
      'm-2',
      'm-2',
      'm-3',
    ]);
    const { judgement } = delivered.get(0)!;
    assert.deepEqual(
      [judgement.judge, judgement.standard, judgement.escalated],
      ['debate', 'strict-1', 'adjudicator'],
    );
  });

  test('one name debates with itself, and debates of the same agents share paid answers', async (t) => {
    const server = await serverFor(t, { chat: stubborn });
    const judges = judgesFrom(t, {
      model: chat(server.url, 'm'),
      short: { type: 'debate', agents: 'model', rounds: 1 },
      long: { type: 'debate', agents: ['model', 'model'], rounds: 2 },
    });
    await judges.get('short')!.judge(pairsOf(1));
    assert.equal(server.requests.length, 2);
    assert.equal((await judges.get('long')!.judge(pairsOf(1))).requests, 2);
    assert.equal((await judges.get('long')!.judge(pairsOf(1))).cached, 1);
  });

  test('a repeat asks every part of a judge again, and stores its answers separately', async (t) => {
    const server = await serverFor(t, { chat: stubborn });
    const judges = judgesFrom(t, {
      model: chat(server.url, 'm'),
      debate: { type: 'debate', agents: 'model', rounds: 1 },
      sift: { type: 'filter', judges: ['model'], then: 'debate' },
    });
    const requests = async (from: Judges): Promise<number> =>
      (await from.get('sift')!.judge(pairsOf(1))).requests;
    const first = await requests(judges);
    assert.ok(first > 2);
    assert.deepEqual(
      [await requests(judges.repeated(2)), await requests(judges.repeated(3))],
      [first, first],
    );
    assert.deepEqual([await requests(judges), await requests(judges.repeated(2))], [0, 0]);
  });

  test('a filter takes judges of any kind', async (t) => {
    const answer = ({ messages }: ChatRequest): ChatReply =>
      readFenced(messages).texts['own-argument'] === undefined && /Both texts/.test(messages[1]!.content)
        ? { text: '{"verdict":"yes"}' }
        : argumentReply('yes');
    const server = await serverFor(t, { chat: answer });
    const judges = judgesFrom(t, {
      quick: { ...chat(server.url, 'm'), explain: false },
      debate: { type: 'debate', agents: 'quick' },
      inner: { type: 'filter', judges: ['quick'], then: 'debate' },
      outer: { type: 'filter', judges: ['lexical'], then: 'inner' },
    });
    const { delivered, onJudgement } = collector();
    const text = 'Night trains should run every day.';
    const pairs = [{ passage: { text }, perspective: { text } }];
    const report = await judges.get('outer')!.judge(pairs, { onJudgement });
    assert.equal(report.failed, 0, report.error?.message);
    assert.deepEqual(
      [delivered.get(0)?.judgement.verdict, delivered.get(0)?.judgement.stage, server.requests.length],
      ['yes', 'debate', 3],
    );
  });

  test('the form of the prompt is configurable', async (t) => {
    const server = await serverFor(t, { chat: [{ text: '{"A": "yes"}' }] });
    const judges = judgesFrom(t, {
      bare: { ...chat(server.url, 'm'), mode: 'passage', explain: false, shots: 1 },
    });
    const { delivered, onJudgement } = collector();
    await judges.get('bare')!.judge(pairsOf(1), { onJudgement });
    assert.equal(delivered.get(0)?.judgement.promptVersion, 'passage-verdict-shot-2');
  });

  const unusable: readonly [name: string, judges: Record<string, object>, message: RegExp][] = [
    [
      'a circle of two',
      {
        a: { type: 'filter', judges: ['lexical'], then: 'b' },
        b: { type: 'filter', judges: ['a'], then: 'lexical' },
      },
      /in a circle: "a" → "b" → "a"\.$/,
    ],
    ['a circle of one', { a: { type: 'filter', judges: ['a'], then: 'lexical' } }, /circle: "a" → "a"\.$/],
    [
      'a circle further down',
      {
        a: { type: 'filter', judges: ['lexical'], then: 'b' },
        b: { type: 'filter', judges: ['lexical'], then: 'c' },
        c: { type: 'filter', judges: ['lexical'], then: 'b' },
      },
      /circle: "b" → "c" → "b"\.$/,
    ],
    [
      'a name that is not there',
      { a: { type: 'filter', judges: ['nobody'], then: 'lexical' } },
      /"a" names "nobody", which is not/,
    ],
    ['an agent that is not there', { a: { type: 'debate', agents: 'nobody' } }, /"a" names "nobody"/],
    [
      'an agent that is no chat model',
      { a: { type: 'debate', agents: 'lexical' } },
      /"lexical".*Only chat models/,
    ],
    ['an agent that is the debate itself', { a: { type: 'debate', agents: 'a' } }, /"a".*type "debate"/],
    [
      'an adjudicator that is no chat model',
      { m: dead, a: { type: 'debate', agents: 'm', adjudicator: 'labels' } },
      /"labels".*Only chat models/,
    ],
    ['labels in a filter', { a: { type: 'filter', judges: ['labels'], then: 'lexical' } }, /cannot be asked/],
  ];
  for (const [name, judges, message] of unusable)
    test(`reports an invalid configuration: ${name}`, (t) => {
      assert.throws(() => judgesFrom(t, judges).get('a'), { id: 'bad-config', message });
    });

  test('an unknown judge is named as before', (t) => {
    assert.throws(() => judgesFrom(t, {}).get('nobody'), { id: 'bad-argument', message: /"nobody"/ });
  });

  test('the model of a debate is its first agent, that of a filter its main judge', (t) => {
    const judges = judgesFrom(t, {
      one: chat('http://127.0.0.1:9/v1', 'm-1'),
      two: chat('http://127.0.0.1:9/v1', 'm-2'),
      debate: { type: 'debate', agents: ['two', 'one'] },
      filter: { type: 'filter', judges: ['one'], then: 'debate' },
      words: { type: 'filter', judges: ['one'], then: 'lexical' },
      round: { type: 'filter', judges: ['one'], then: 'round' },
    });
    assert.equal(judges.chatModel('debate').model.model, 'm-2');
    assert.equal(judges.chatModel('filter').model.model, 'm-2');
    assert.throws(() => judges.chatModel('words'), { id: 'model-missing' });
    assert.throws(() => judges.chatModel('round'), { id: 'bad-config' });
  });
});

describe('judge configuration', () => {
  test('fills in defaults', () => {
    const endpoint = { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', model: 'm' };
    assert.deepEqual(judgeSchema.parse(endpoint), {
      ...endpoint,
      key: 'openai',
      concurrency: 4,
      timeoutMs: 60_000,
      maxRetries: 4,
      temperature: 0,
      standard: 'berds',
      mode: 'passage',
      explain: true,
      shots: 0,
    });
    assert.deepEqual(judgeSchema.parse({ type: 'debate', agents: 'm' }), {
      type: 'debate',
      agents: 'm',
      rounds: 2,
      agreement: 'all',
      standard: 'berds',
      includeQuestion: false,
      concurrency: 4,
    });
  });

  test('DREAM uses the strict standard and sees the question', async (t) => {
    const server = await serverFor(t, { chat: stubborn });
    const judges = judgesFrom(t, {
      model: chat(server.url, 'm'),
      dream: { type: 'debate', preset: 'dream', agents: 'model' },
      spelled: { type: 'debate', agents: 'model', standard: 'strict', includeQuestion: true },
      debate: { type: 'debate', agents: 'model' },
    });
    const { delivered, onJudgement } = collector();
    const asked = pairsOf(1).map((pair) => ({ ...pair, question: 'Why?' }));
    const dream = judges.get('dream')!;
    await dream.judge(asked, { onJudgement });
    assert.equal(delivered.get(0)?.judgement.standard, 'strict-1');
    assert.equal(
      readFenced(server.requests[0]!.body['messages'] as ChatRequest['messages']).texts['question'],
      'Why?',
    );
    assert.equal(dream.key, judges.get('spelled')!.key);
    assert.match(dream.label, /^DREAM with /);
    assert.match(judges.get('spelled')!.label, /^Debate of /);
  });

  for (const wrong of [
    { type: 'debate' },
    { type: 'debate', agents: [] },
    { type: 'debate', agents: ['a'] },
    { type: 'debate', agents: Array(9).fill('a') },
    { type: 'debate', agents: 'a', preset: 'bridge' },
    { type: 'debate', agents: 'a', preset: 'dream', standard: 'berds' },
    { type: 'debate', agents: 'a', preset: 'dream', includeQuestion: false },
    { type: 'debate', agents: 'a', agreement: 'majority' },
    { type: 'debate', agents: ['a', 'b'], agreement: 'majority' },
    { type: 'openai', model: 'm', temperature: 2.1 },
    { type: 'openai', model: 'm', api: 'assistants' },
    { type: 'debate', agents: 'a', rounds: 0 },
    { type: 'debate', agents: 'a', rounds: 6 },
    { type: 'debate', agents: 'a', temperature: 1 },
    { type: 'filter', judges: [], then: 'a' },
    { type: 'filter', judges: ['a'] },
    { ...dead, mode: 'document' },
    { ...dead, shots: 2 },
  ])
    test(`refuses ${JSON.stringify(wrong)}`, () => assert.ok(!judgeSchema.safeParse(wrong).success));
});
