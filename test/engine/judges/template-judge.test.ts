/** Chat models with a custom prompt of the user. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import type { Judge, JudgePair } from '../../../src/engine/judges/judge.ts';
import { Judges } from '../../../src/engine/judges/judges.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { judgeEffort } from '../../../src/shared/named-judges.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import type { ChatReply, ChatRequest } from '../../fixtures/model-server.ts';
import { collector, serverFor } from './support.ts';

const PROMPT = {
  name: 'Graded',
  system: 'You grade.',
  user: 'Question: {question}\nTitle: {title}\nClaim: {perspective}\nText: {passage}',
  answer: 'umbrela',
};

const PAIRS: JudgePair[] = [0, 1, 2, 3].map((grade) => ({
  passage: { text: `Text of grade ${grade}.`, title: 'News' },
  perspective: { text: 'It helps.' },
  question: 'Does it help?',
}));

function graded({ messages }: ChatRequest): ChatReply {
  const grade = /of grade (\w+)/u.exec(messages.at(-1)!.content)?.[1];
  return { text: `Thought.\n##final score: ${grade}` };
}

async function judgeWith(t: TestContext, prompts: readonly object[], chat = graded) {
  const server = await serverFor(t, { chat });
  const named = Object.fromEntries(
    prompts.map((prompt, place) => {
      const config = { type: 'openai', baseUrl: server.url, model: 'm', key: 'none', maxRetries: 0, prompt };
      return [`judge${place}`, judgeSchema.parse(config)];
    }),
  );
  const cache = new JudgementCache(openDatabase(':memory:'));
  const judges = new Judges({ judges: named, keys: {} }, cache, undefined);
  return { server, named, judges: prompts.map((_, place): Judge => judges.get(`judge${place}`)!) };
}

describe('a judge with a custom prompt', () => {
  test('is asked with it about one pair at a time, and parsed by its rule', async (t) => {
    const { server, judges, named } = await judgeWith(t, [PROMPT]);
    const { delivered, onJudgement } = collector();
    const report = await judges[0]!.judge(PAIRS, { onJudgement });
    assert.deepEqual(
      PAIRS.map((_, index) => delivered.get(index)!.judgement.verdict),
      ['no', 'no', 'yes', 'yes'],
    );
    assert.equal(report.answered, 4);
    assert.equal(server.chatRequests.length, 4);
    const [system, user] = server.chatRequests.find(({ messages }) =>
      /grade 2/u.test(messages[1]!.content),
    )!.messages;
    assert.equal(system!.content, 'You grade.');
    assert.equal(
      user!.content,
      'Question: Does it help?\nTitle: News\nClaim: It helps.\nText: Text of grade 2.',
    );
    const { promptVersion, evidence, cost } = delivered.get(2)!.judgement;
    assert.match(promptVersion!, /^template-[0-9a-f]{12}$/u);
    assert.deepEqual(evidence, []);
    assert.equal(cost!.requests, 1);
    assert.match(judges[0]!.label, /Graded$/u);
    const effort = judgeEffort('judge0', named, { pairs: 4, passages: 2, passageLength: 100 }, {});
    assert.equal(effort.requests.most, 4);
  });

  test('caches answers by the text of the prompt, whatever its name', async (t) => {
    const prompts = [PROMPT, { ...PROMPT, name: 'Other' }, { ...PROMPT, system: 'You grade well.' }];
    const { server, judges } = await judgeWith(t, prompts);
    await judges[0]!.judge(PAIRS);
    assert.equal((await judges[1]!.judge(PAIRS)).cached, 4);
    assert.equal(server.chatRequests.length, 4);
    assert.equal((await judges[2]!.judge(PAIRS)).cached, 0);
    assert.equal(server.chatRequests.length, 8);
  });

  test('an answer of another form is no verdict, and neither is a pair without a required question', async (t) => {
    const { server, judges } = await judgeWith(t, [PROMPT], () => ({ text: 'About three.' }));
    const { delivered, onJudgement } = collector();
    const { passage, perspective } = PAIRS[0]!;
    await judges[0]!.judge([PAIRS[3]!, { passage, perspective }], { onJudgement });
    for (const place of [0, 1]) {
      assert.equal(delivered.get(place)!.judgement.verdict, 'unsure');
      assert.equal(delivered.get(place)!.delivery.unparsable, true);
    }
    assert.match(delivered.get(1)!.judgement.rationale!, /no question/u);
    assert.equal(server.chatRequests.length, 1);
  });
});
