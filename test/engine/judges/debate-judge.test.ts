import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Judgement } from '../../../src/core/model.ts';
import { STANDARDS } from '../../../src/core/judging/standard.ts';
import { createCachedJudge } from '../../../src/engine/judgements/cached-judge.ts';
import type { DebateJudgeSettings } from '../../../src/engine/judges/debate-judge.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { PaidReplies } from '../../../src/engine/models/paid-replies.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { HOSTILE_PASSAGES } from '../../fixtures/hostile-passages.ts';
import { argumentReply, type ChatReply, type ChatRequest } from '../../fixtures/model-server.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';
import {
  agreeingInRound2,
  collector,
  debateOn,
  modelOn,
  pairsOf,
  partIn,
  QuickTiming,
  serverFor,
  stubborn,
  type Delivered,
} from './support.ts';

const NOW = '2026-01-01T00:00:00.000Z';

/** Runs one debate, and fails unless it is delivered. */
async function debated(url: string, setup: Partial<DebateJudgeSettings> = {}): Promise<Delivered> {
  const { delivered, onJudgement } = collector();
  const report = await debateOn(url, setup).judge(pairsOf(1), { onJudgement });
  assert.equal(report.failed, 0, report.error?.message);
  return delivered.get(0)!;
}

/** Both agents give this answer at once. */
const unanimous =
  (label: 'yes' | 'no') =>
  (request: ChatRequest): ChatReply =>
    argumentReply(label, `Began from ${partIn(request.messages).side}.`, ['It supports number 0']);

function cacheFor(t: TestContext, path = ':memory:'): JudgementCache {
  const db = openDatabase(path);
  t.after(() => db.close());
  return new JudgementCache(db);
}

describe('debate, call by call', () => {
  test('agreement in the first round ends it after two requests', async (t) => {
    const server = await serverFor(t, { chat: unanimous('yes') });
    const { judgement, delivery } = await debated(server.url);
    assert.equal(server.requests.length, 2);
    assert.deepEqual(delivery, { unparsable: false, cached: false });
    const evidence = [{ start: 11, end: 31 }];
    const turn = { model: 'scripted', label: 'yes', evidence };
    assert.deepEqual(judgement, {
      verdict: 'yes',
      evidence,
      source: 'debate',
      judge: 'debate',
      rationale: 'The agents agreed in round 1. Began from no.',
      model: 'scripted',
      promptVersion: 'debate-1',
      standard: 'berds-1',
      at: NOW,
      cost: {
        requests: 2,
        promptTokens: 200,
        completionTokens: 40,
        milliseconds: judgement.cost?.milliseconds,
      },
      debate: {
        rounds: [
          [
            { ...turn, argument: 'Began from yes.', initialStance: 'yes' },
            { ...turn, argument: 'Began from no.', initialStance: 'no' },
          ],
        ],
      },
      escalated: undefined,
    });
  });

  test('the first round shows each agent its stance and no argument', async (t) => {
    const server = await serverFor(t, { chat: unanimous('no') });
    await debated(server.url);
    const parts = server.chatRequests.map(({ messages }) => partIn(messages));
    assert.deepEqual(parts.map(({ side }) => side).sort(), ['no', 'yes']);
    for (const { texts, isFirstRound } of parts) {
      assert.ok(isFirstRound);
      assert.deepEqual(Object.keys(texts), ['statement', 'passage']);
    }
    assert.deepEqual(
      server.requests.map(({ body }) => body['temperature']),
      [0, 0],
    );
  });

  test('the second round shows each agent both labels and arguments of the first', async (t) => {
    const server = await serverFor(t, { chat: stubborn });
    await debated(server.url);
    const second = server.chatRequests.slice(2).map(({ messages }) => readFenced(messages));
    assert.equal(second.length, 2);
    for (const [own, other] of [
      ['yes', 'no'],
      ['no', 'yes'],
    ]) {
      const said = `your verdict was "${own}" and the other agent's was "${other}"`;
      const prompt = second.find(({ request }) => request.includes(said));
      assert.ok(prompt, `no prompt in which ${said}`);
      assert.equal(prompt.texts['own-argument'], `First argument for ${own}.`);
      assert.equal(prompt.texts['other-argument'], `First argument for ${other}.`);
    }
  });

  test('the third round shows the second, not the first', async (t) => {
    const server = await serverFor(t, { chat: stubborn });
    await debated(server.url, { rounds: 3 });
    assert.equal(server.requests.length, 6);
    for (const { messages } of server.chatRequests.slice(4)) {
      const { texts } = readFenced(messages);
      assert.match(texts['own-argument'] ?? '', /^Second argument/);
      assert.doesNotMatch(JSON.stringify(messages), /First argument/);
    }
  });

  test('both agents of a round are in flight together, and the next round waits for both', async (t) => {
    const arrived: string[] = [];
    const gates = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const server = await serverFor(t, {
      // No agent of a round is answered before both requests have arrived.
      chat: async (request) => {
        const { isFirstRound } = partIn(request.messages);
        arrived.push(isFirstRound ? 'first' : 'second');
        if (arrived.length % 2 === 0) gates[arrived.length / 2 - 1]?.resolve(undefined);
        await gates[isFirstRound ? 0 : 1]?.promise;
        return stubborn(request);
      },
    });
    await debated(server.url);
    assert.deepEqual(arrived, ['first', 'first', 'second', 'second']);
    assert.equal(server.maxConcurrent, 2);
  });

  test('runs as many debates at a time as allowed, each with two requests', async (t) => {
    const all = Promise.withResolvers<undefined>();
    const server = await serverFor(t, {
      chat: async (request) => {
        if (request.index === 5) all.resolve(undefined);
        await all.promise;
        return unanimous('no')(request);
      },
    });
    const report = await debateOn(server.url, { concurrency: 3 }).judge(pairsOf(9));
    assert.deepEqual([report.answered, server.maxConcurrent], [9, 6]);
  });

  test('agreement in the second round', async (t) => {
    const server = await serverFor(t, { chat: agreeingInRound2('no') });
    const { delivered, onJudgement } = collector();
    const report = await debateOn(server.url).judge(pairsOf(1), { onJudgement });
    const { judgement } = delivered.get(0)!;
    assert.equal(judgement.verdict, 'no');
    assert.match(judgement.rationale ?? '', /^The agents agreed in round 2\. Second round, yes before/);
    assert.deepEqual(
      judgement.debate?.rounds.map((turns) => turns.map(({ label }) => label)),
      [
        ['yes', 'no'],
        ['no', 'no'],
      ],
    );
    assert.deepEqual([report.requests, report.escalated, report.rounds], [4, 0, [0, 1]]);
    assert.deepEqual(report.tokens, { prompt: 400, completion: 80 });
  });

  test('disagreement goes to people with the whole history', async (t) => {
    const server = await serverFor(t, { chat: stubborn });
    const { delivered, onJudgement } = collector();
    const report = await debateOn(server.url).judge(pairsOf(1), { onJudgement });
    const { judgement, delivery } = delivered.get(0)!;
    assert.deepEqual(
      [judgement.verdict, judgement.escalated, delivery.unparsable],
      ['unsure', 'human', false],
    );
    assert.deepEqual([report.escalated, report.rounds, report.requests], [1, [0, 1], 4]);
    assert.equal(judgement.debate?.rounds.length, 2);
    assert.deepEqual(judgement.debate?.rounds[1]?.[1], {
      model: 'scripted',
      initialStance: 'no',
      label: 'no',
      argument: 'Second argument for no.',
      evidence: [{ start: 11, end: 22 }],
    });
    assert.equal(
      judgement.rationale,
      'The agents did not agree in 2 rounds. For: Second argument for yes. Against: Second argument for no.',
    );
    assert.equal(server.requests.length, 4);
  });

  test('agents may change sides and still disagree', async (t) => {
    const server = await serverFor(t, {
      chat: ({ messages }) => {
        const { side, isFirstRound } = partIn(messages);
        const swapped = side === 'yes' ? 'no' : 'yes';
        return argumentReply(isFirstRound ? swapped : (side as 'yes' | 'no'), `Now ${side}.`);
      },
    });
    const { judgement } = await debated(server.url);
    assert.deepEqual(
      judgement.debate?.rounds.map((turns) => turns.map(({ label }) => label)),
      [
        ['no', 'yes'],
        ['no', 'yes'],
      ],
    );
    assert.equal(judgement.escalated, 'human');
  });

  test('or to the adjudicator, who gets both arguments of the last round', async (t) => {
    const server = await serverFor(t, { chat: stubborn });
    const adjudicator = { model: modelOn(server.url, { model: 'judge-of-judges' }), timeoutMs: 5_000 };
    const { judgement } = await debated(server.url, { adjudicator });
    assert.equal(server.requests.length, 5);
    const last = server.chatRequests.at(-1)!;
    assert.equal(last.body['model'], 'judge-of-judges');
    const { texts } = readFenced(last.messages);
    assert.equal(texts['argument-for'], 'Second argument for yes.');
    assert.equal(texts['argument-against'], 'Second argument for no.');
    assert.deepEqual([judgement.verdict, judgement.escalated], ['yes', 'adjudicator']);
    assert.deepEqual(judgement.evidence, [{ start: 11, end: 22 }]);
    assert.deepEqual(judgement.debate?.adjudication, {
      model: 'judge-of-judges',
      label: 'yes',
      argument: 'The last word.',
      evidence: [{ start: 11, end: 22 }],
    });
    assert.equal(judgement.cost?.requests, 5);
  });

  test('the adjudicator is not asked if the agents agree', async (t) => {
    const server = await serverFor(t, { chat: agreeingInRound2('yes') });
    const adjudicator = { model: modelOn(server.url, { model: 'expensive' }), timeoutMs: 5_000 };
    await debated(server.url, { adjudicator });
    assert.ok(server.requests.every(({ body }) => body['model'] === 'scripted'));
  });

  test('each agent asks its model, which judgement and history name', async (t) => {
    const [one, two] = [await serverFor(t, { chat: stubborn }), await serverFor(t, { chat: stubborn })];
    const agents = [
      { model: modelOn(one.url, { model: 'm-1' }), timeoutMs: 5_000 },
      { model: modelOn(two.url, { model: 'm-2' }), timeoutMs: 5_000 },
    ] as const;
    const { judgement } = await debated(one.url, { agents });
    assert.equal(judgement.model, 'm-1 + m-2');
    assert.deepEqual(
      judgement.debate?.rounds[0]?.map(({ model, initialStance }) => [model, initialStance]),
      [
        ['m-1', 'yes'],
        ['m-2', 'no'],
      ],
    );
    for (const [server, side] of [
      [one, 'yes'],
      [two, 'no'],
    ] as const)
      assert.deepEqual(
        server.chatRequests.map(({ messages }) => partIn(messages).side),
        [side, side],
      );
    assert.doesNotMatch(JSON.stringify(one.chatRequests.map(({ messages }) => messages)), /m-2/);
  });

  test('the question is shown only to debates that are configured to see it', async (t) => {
    const server = await serverFor(t, { chat: unanimous('no') });
    const pairs = pairsOf(1).map((pair) => ({ ...pair, question: 'Which number is best?' }));
    await debateOn(server.url).judge(pairs);
    assert.doesNotMatch(JSON.stringify(server.chatRequests), /Which number is best/);
    await debateOn(server.url, { includeQuestion: true }).judge(pairs);
    const shown = server.chatRequests.slice(2).map(({ messages }) => readFenced(messages).texts['question']);
    assert.deepEqual(shown, ['Which number is best?', 'Which number is best?']);
  });

  test('hostile passages reach the agents as one passage each', async (t) => {
    const server = await serverFor(t, {
      chat: (request) =>
        partIn(request.messages).texts['statement'] === 'A statement.'
          ? stubborn(request)
          : { fault: 'status', status: 400 },
    });
    const pairs = HOSTILE_PASSAGES.map(({ text }) => ({
      passage: { text },
      perspective: { text: 'A statement.' },
    }));
    const report = await debateOn(server.url).judge(pairs);
    assert.equal(report.failed, 0, report.error?.message);
    assert.deepEqual([report.answered, report.escalated], [pairs.length, pairs.length]);
  });

  test('its key depends on agents, order, rounds, standards, adjudicator and question', () => {
    const agent = (name: string) => ({ model: modelOn('http://a/v1', { model: name }), timeoutMs: 1 });
    const setups: Partial<DebateJudgeSettings>[] = [
      {},
      { agents: [agent('m'), agent('n')] },
      { agents: [agent('n'), agent('m')] },
      { rounds: 3 },
      { standard: STANDARDS.strict },
      { adjudicator: agent('m') },
      { includeQuestion: true },
    ];
    const keys = setups.map((setup) => debateOn('http://a/v1', setup).key);
    assert.equal(new Set(keys).size, setups.length);
    assert.equal(debateOn('http://a/v1', { concurrency: 9, name: 'other' }).key, keys[0]);
  });
});

describe('debate with unreadable answers', () => {
  /** The second agent's answers in the first round, in order; everything else is a "yes". */
  const secondAgentSays = (replies: readonly ChatReply[]) => {
    let asked = 0;
    return ({ messages }: ChatRequest): ChatReply => {
      const { side, isFirstRound } = partIn(messages);
      if (!isFirstRound || side !== 'no') return argumentReply('yes', 'Fine.');
      return replies[Math.min(asked++, replies.length - 1)]!;
    };
  };

  test('an agent is asked once more', async (t) => {
    const server = await serverFor(t, { chat: secondAgentSays([{ text: 'Hm.' }, argumentReply('yes')]) });
    const { judgement, delivery } = await debated(server.url);
    assert.deepEqual([judgement.verdict, delivery.unparsable, server.requests.length], ['yes', false, 3]);
    assert.deepEqual([judgement.cost?.requests, judgement.cost?.promptTokens], [3, 300]);
    assert.match(server.chatRequests.at(-1)!.messages[1]!.content, /could not be read/);
  });

  for (const [name, reply] of [
    ['words', { text: 'I would rather not.' }],
    ['no side', { text: '{"evidence": [], "reason": "Both.", "verdict": "unsure"}' }],
    ['a refusal', { refusal: 'No.' }],
    ['half an answer', { text: '{"verdict": "yes"}', finish: 'length' }],
  ] as const)
    test(`then the pair is "unsure" and unparsable, never guessed: ${name}`, async (t) => {
      const server = await serverFor(t, { chat: secondAgentSays([reply]) });
      const { delivered, onJudgement } = collector();
      const report = await debateOn(server.url).judge(pairsOf(1), { onJudgement });
      const { judgement, delivery } = delivered.get(0)!;
      assert.deepEqual(
        [judgement.verdict, delivery.unparsable, judgement.escalated],
        ['unsure', true, undefined],
      );
      assert.deepEqual([report.unparsable, report.escalated, report.requests], [1, 0, 3]);
      const [first, second] = judgement.debate!.rounds[0]!;
      assert.equal(first?.label, 'yes', 'what the other agent said is kept');
      assert.equal(second?.label, undefined);
      assert.ok((second?.unparsable ?? '').length > 5);
      assert.equal(judgement.rationale, second?.unparsable);
    });

  test('an unreadable adjudicator decides nothing', async (t) => {
    const server = await serverFor(t, {
      chat: (request) =>
        partIn(request.messages).side === 'adjudicator' ? { text: 'Well…' } : stubborn(request),
    });
    const adjudicator = { model: modelOn(server.url), timeoutMs: 5_000 };
    const { judgement, delivery } = await debated(server.url, { adjudicator });
    assert.deepEqual(
      [judgement.verdict, judgement.escalated, delivery.unparsable, server.requests.length],
      ['unsure', 'adjudicator', true, 6],
    );
  });

  test('on request it is repeated without paying again for readable answers', async (t) => {
    const replies: ChatReply[] = [{ text: 'Hm.' }, { text: 'Hm.' }, argumentReply('yes')];
    const server = await serverFor(t, { chat: secondAgentSays(replies) });
    const cache = cacheFor(t);
    const judge = createCachedJudge(debateOn(server.url, { replies: new PaidReplies(cache.replies) }), cache);
    assert.equal((await judge.judge(pairsOf(1))).unparsable, 1);
    assert.deepEqual(
      [(await judge.judge(pairsOf(1))).cached, server.requests.length],
      [1, 3],
      'remembered as it is',
    );
    const again = await judge.judge(pairsOf(1), { repeatUnparsable: true });
    assert.deepEqual([again.unparsable, again.requests, server.requests.length], [0, 1, 4]);
  });

  test('quotations that are not in the passage are counted and omitted', async (t) => {
    const server = await serverFor(t, {
      chat: [argumentReply('yes', 'So.', ['Words that nobody wrote in this passage'])],
    });
    const { delivered, onJudgement } = collector();
    const report = await debateOn(server.url).judge(pairsOf(1), { onJudgement });
    assert.equal(report.evidenceNotFound, 1);
    assert.deepEqual(delivered.get(0)?.judgement.evidence, []);
  });
});

describe('debate, when requests fail', () => {
  test('rate limits, garbage, and broken or partial answers change nothing', async (t) => {
    const faults: ChatReply[] = [
      { fault: 'rate-limit', retryAfter: '2' },
      { fault: 'garbage' },
      { fault: 'disconnect' },
      { fault: 'truncated' },
      { fault: 'status', status: 503 },
    ];
    let faulty = 0;
    const server = await serverFor(t, {
      chat: (request) => {
        const isFaulty = request.attempt === 1 && request.index % 3 !== 0;
        return isFaulty ? faults[faulty++ % faults.length]! : agreeingInRound2('yes')(request);
      },
    });
    const { delivered, onJudgement } = collector();
    const report = await debateOn(server.url).judge(pairsOf(20), { onJudgement });
    assert.ok(faulty > 20, `${faulty} faults`);
    assert.deepEqual([report.answered, report.failed, report.requests], [20, 0, 80 + faulty]);
    const requests = [...delivered.values()].map(({ judgement }) => judgement.cost?.requests ?? 0);
    assert.equal(
      requests.reduce((sum, each) => sum + each),
      80 + faulty,
    );
    assert.ok([...delivered.values()].every(({ judgement }) => judgement.verdict === 'yes'));
  });

  test('a failing agent fails its pair only, and the other one’s answer is not paid again', async (t) => {
    let broken = true;
    const server = await serverFor(t, {
      chat: (request) => {
        const { side, texts } = partIn(request.messages);
        if (broken && side === 'no' && texts['passage']?.startsWith('Passage 3.'))
          return { fault: 'status', status: 400, message: 'too long' };
        return unanimous('yes')(request);
      },
    });
    const cache = cacheFor(t);
    const judge = createCachedJudge(debateOn(server.url, { replies: new PaidReplies(cache.replies) }), cache);
    const report = await judge.judge(pairsOf(10));
    assert.deepEqual([report.answered, report.failed, report.requests], [9, 1, 20]);
    assert.match(report.error?.message ?? '', /too long/);
    broken = false;
    const again = await judge.judge(pairsOf(10));
    assert.deepEqual([again.answered, again.cached, again.requests], [10, 9, 1]);
  });

  test('stops at once on a refused key, keeping decided pairs', async (t) => {
    const server = await serverFor(t, {
      chat: (request) => (request.index < 4 ? unanimous('no')(request) : { fault: 'status', status: 401 }),
    });
    const report = await debateOn(server.url, { concurrency: 1 }).judge(pairsOf(50));
    assert.deepEqual([report.answered, report.failed, report.error?.id], [2, 1, 'model-key']);
    assert.equal(server.requests.length, 6);
  });

  test('an agent that times out is asked again', async (t) => {
    const server = await serverFor(t, {
      chat: (request) => (request.index === 1 ? { fault: 'hang' } : unanimous('no')(request)),
    });
    const agent = { model: modelOn(server.url), timeoutMs: 150 };
    const { judgement } = await debated(server.url, { agents: [agent, agent] });
    assert.deepEqual([judgement.verdict, server.requests.length, server.abandoned], ['no', 3, 1]);
  });

  test('if replies cannot be stored, no more is paid for', async (t) => {
    const server = await serverFor(t, { chat: unanimous('yes') });
    const db = openDatabase(':memory:');
    t.after(() => db.close());
    const replies = new PaidReplies(new JudgementCache(db).replies);
    db.exec("CREATE TRIGGER full BEFORE INSERT ON replies_1 BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    const report = await debateOn(server.url, { concurrency: 1, replies }).judge(pairsOf(9));
    assert.deepEqual([report.failed, report.error?.id, server.requests.length], [1, 'store-unusable', 2]);
  });
});

describe('debate, interrupted and shared', () => {
  test('cancelled between rounds, it continues without paying for the first round again', async (t) => {
    const controller = new AbortController();
    let stalling = true;
    let stalled = 0;
    const server = await serverFor(t, {
      chat: (request) => {
        if (!stalling || partIn(request.messages).isFirstRound) return stubborn(request);
        stalled++;
        if (stalled === 2) controller.abort(); // both sides ask at once, and both requests must have arrived
        return { fault: 'hang' };
      },
    });
    const cache = cacheFor(t);
    const judge = (): ReturnType<typeof debateOn> =>
      debateOn(server.url, { replies: new PaidReplies(cache.replies) });
    const cut = await judge().judge(pairsOf(1), { signal: controller.signal });
    assert.deepEqual([cut.answered, cut.failed, cut.cancelled], [0, 0, true]);
    const before = server.chatRequests.length;
    stalling = false;
    const { delivered, onJudgement } = collector();
    const resumed = await judge().judge(pairsOf(1), { onJudgement });
    assert.deepEqual([resumed.answered, resumed.requests, server.requests.length - before], [1, 2, 2]);
    const { judgement } = delivered.get(0)!;
    assert.equal(judgement.debate?.rounds[0]?.[0]?.argument, 'First argument for yes.');
    assert.deepEqual(
      [judgement.cost?.requests, judgement.cost?.promptTokens],
      [4, 400],
      'the judgement states its whole cost, the report what was paid now',
    );
    assert.deepEqual(resumed.tokens, { prompt: 200, completion: 40 });
  });

  test('a debate with more rounds or an adjudicator starts with the stored rounds', async (t) => {
    const server = await serverFor(t, { chat: stubborn });
    const replies = new PaidReplies(cacheFor(t).replies);
    const adjudicator = { model: modelOn(server.url), timeoutMs: 5_000 };
    const requests = async (setup: Partial<DebateJudgeSettings>): Promise<number> =>
      (await debateOn(server.url, { replies, ...setup }).judge(pairsOf(1))).requests;
    assert.equal(await requests({ rounds: 1 }), 2);
    assert.equal(await requests({ rounds: 2 }), 2);
    assert.equal(await requests({ rounds: 2, adjudicator }), 1);
    assert.equal(await requests({ rounds: 2 }), 0);
  });

  test('on request it continues after an agreement, with the same verdict and no double cost', async (t) => {
    // Agreed in round 1, and on the opposite in each later round.
    const server = await serverFor(t, {
      chat: (request) => {
        const { side, isFirstRound } = partIn(request.messages);
        return argumentReply(isFirstRound || side === 'no' ? 'yes' : 'no', `Argument ${request.index}.`);
      },
    });
    const replies = new PaidReplies(cacheFor(t).replies);
    const finished = async (continueTo?: number) => {
      let judgement: Judgement | undefined;
      const report = await debateOn(server.url, { replies, continueTo }).judge(pairsOf(1), {
        onJudgement: (_, given) => (judgement = given),
      });
      return { judgement: judgement!, requests: report.requests };
    };
    const plain = await finished();
    const { judgement, requests } = await finished(3);
    assert.deepEqual([plain.requests, requests], [2, 4]);
    assert.deepEqual(
      [judgement.verdict, judgement.rationale],
      [plain.judgement.verdict, plain.judgement.rationale],
    );
    assert.deepEqual(judgement.debate?.rounds, plain.judgement.debate?.rounds);
    assert.equal(judgement.debate?.further?.length, 2);
    assert.equal(plain.judgement.debate?.further, undefined);
    assert.equal(judgement.cost?.requests, 6);
  });

  test('identical debates under way send each request once', async (t) => {
    const server = await serverFor(t, { chat: stubborn, delayMs: 10 });
    const judge = debateOn(server.url, { concurrency: 8 });
    const same = Array.from({ length: 4 }, () => pairsOf(1)[0]!);
    const reports = await Promise.all([judge.judge(same), judge.judge(same)]);
    assert.equal(server.requests.length, 4);
    assert.deepEqual(
      reports.map(({ answered }) => answered),
      [4, 4],
    );
    assert.equal(reports[0]!.requests + reports[1]!.requests, 4);
    assert.equal(reports[0]!.tokens.prompt + reports[1]!.tokens.prompt, 400);
  });

  test('stored debates are returned completely, from another process, too', async (t) => {
    const server = await serverFor(t, { chat: stubborn });
    const cache = cacheFor(t);
    const judge = createCachedJudge(debateOn(server.url), cache);
    const [paid, remembered] = [collector(), collector()];
    const first = await judge.judge(pairsOf(3), paid);
    const second = await judge.judge(pairsOf(3), remembered);
    assert.deepEqual([second.cached, second.requests], [3, 0]);
    assert.deepEqual([second.escalated, second.rounds], [first.escalated, first.rounds]);
    for (let i = 0; i < 3; i++)
      assert.deepEqual(
        JSON.parse(JSON.stringify(remembered.delivered.get(i)!.judgement)) as unknown,
        JSON.parse(JSON.stringify(paid.delivered.get(i)!.judgement)) as unknown,
      );
  });

  test('if the question is shown, judgements are stored for each question', async (t) => {
    const server = await serverFor(t, { chat: unanimous('no') });
    const cache = cacheFor(t);
    const requests = async (includeQuestion: boolean, question: string): Promise<number> => {
      const judge = createCachedJudge(debateOn(server.url, { includeQuestion }), cache);
      return (await judge.judge(pairsOf(1).map((pair) => ({ ...pair, question })))).requests;
    };
    assert.deepEqual(
      [await requests(true, 'One?'), await requests(true, 'Two?'), await requests(true, 'One?')],
      [2, 2, 0],
    );
    assert.deepEqual([await requests(false, 'One?'), await requests(false, 'Two?')], [2, 0]);
  });

  test('the time of a round is that of the slower agent, by the judge’s clock', async (t) => {
    let now = 0;
    const timing = new QuickTiming();
    const first = Promise.withResolvers<undefined>();
    const server = await serverFor(t, {
      chat: async (request) => {
        const { side } = partIn(request.messages);
        if (side === 'yes') await first.promise;
        now += 100;
        first.resolve(undefined);
        return unanimous('no')(request);
      },
    });
    const agent = { model: modelOn(server.url, {}, timing), timeoutMs: 5_000 };
    const { judgement } = await debated(server.url, {
      agents: [agent, agent],
      replies: new PaidReplies(undefined, () => now),
    });
    assert.equal(judgement.cost?.milliseconds, 200);
  });
});

describe('a debate of more than two', () => {
  const agentsOn = (url: string, count: number) =>
    Array.from({ length: count }, () => ({ model: modelOn(url), timeoutMs: 5_000 }));

  test('sends a request for every agent in a round, even with the same model', async (t) => {
    const server = await serverFor(t, { chat: agreeingInRound2('no') });
    const { judgement } = await debated(server.url, { agents: agentsOn(server.url, 4) });
    assert.equal(server.requests.length, 8);
    assert.deepEqual([judgement.verdict, judgement.promptVersion], ['no', 'debate-group-1']);
    assert.deepEqual(
      judgement.debate!.rounds.map((turns) => turns.map(({ label }) => label)),
      [
        ['yes', 'no', 'yes', 'no'],
        ['no', 'no', 'no', 'no'],
      ],
    );
  });

  test('decides by majority in the last round if allowed', async (t) => {
    const server = await serverFor(t, { chat: stubborn });
    const agents = agentsOn(server.url, 3);
    const strict = await debated(server.url, { agents });
    assert.deepEqual([strict.judgement.verdict, strict.judgement.escalated], ['unsure', 'human']);
    const { judgement } = await debated(server.url, { agents, agreement: 'majority' });
    assert.deepEqual([judgement.verdict, judgement.escalated], ['yes', undefined]);
    assert.match(judgement.rationale!, /^2 of 3 agents agreed in round 2\./);
  });

  test('is cached as another judge than a debate of two, whose answers stay the same', () => {
    const keyOf = (setup: Partial<DebateJudgeSettings>) => debateOn('http://127.0.0.1:1', setup).key;
    const two = keyOf({});
    assert.equal(two, keyOf({ agreement: 'all' }));
    assert.deepEqual((JSON.parse(two) as unknown[]).slice(0, 3), ['debate', 'debate-1', 'berds-1']);
    assert.equal((JSON.parse(two) as unknown[]).length, 7);
    const agents = agentsOn('http://127.0.0.1:1', 3);
    assert.equal(new Set([two, keyOf({ agents }), keyOf({ agents, agreement: 'majority' })]).size, 3);
  });
});
