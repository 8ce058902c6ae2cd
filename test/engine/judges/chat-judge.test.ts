import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { promptVersion } from '../../../src/core/judging/prompts/prompt-form.ts';
import { STANDARDS } from '../../../src/core/judging/standard.ts';
import { createChatJudge } from '../../../src/engine/judges/chat-judge.ts';
import { generatePerspectives } from '../../../src/engine/generation/generate-perspectives.ts';
import { createHostModel } from '../../../src/engine/models/host-model.ts';
import { createOpenAiModel } from '../../../src/engine/models/openai-model.ts';
import { HOSTILE_PASSAGES } from '../../fixtures/hostile-passages.ts';
import { verdictReply, type ChatReply, type ChatRequest } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { collector, judgeOn, PAIR_FORM, pairsOf, QuickTiming, serverFor } from './support.ts';

const INVENTED = verdictReply('yes', 'Words that nobody wrote in this passage at all');

/** Says yes to passages with an even number, quoting their second sentence. */
function evenIsYes({ messages }: ChatRequest): ChatReply {
  const { passage } = readPairPrompt(messages);
  const number = Number(/Passage (\d+)/.exec(passage)?.[1]);
  return verdictReply(number % 2 === 0 ? 'yes' : 'no', `it supports number ${number}`, `Number ${number}.`);
}

describe('chat judge', () => {
  test('gives each pair a separate verdict, with evidence, provenance and cost', async (t) => {
    const server = await serverFor(t, { chat: evenIsYes });
    const { delivered, onJudgement } = collector();
    const progress: number[] = [];
    const report = await judgeOn(server.url, { model: 'm-1' }).judge(pairsOf(10), {
      onJudgement,
      onProgress: ({ done, total }) => progress.push(done, total!),
    });
    assert.deepEqual(report, {
      asked: 10,
      answered: 10,
      cached: 0,
      unparsable: 0,
      failed: 0,
      escalated: 0,
      rounds: [],
      requests: 10,
      tokens: { prompt: 1_000, completion: 200 },
      evidenceNotFound: 0,
      cancelled: false,
    });
    assert.deepEqual(
      [...Array(10).keys()].map((i) => delivered.get(i)?.judgement.verdict),
      Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? 'yes' : 'no')),
    );
    assert.deepEqual(delivered.get(4), {
      judgement: {
        verdict: 'yes',
        evidence: [{ start: 11, end: 31 }],
        source: 'llm',
        judge: 'main',
        rationale: 'Number 4.',
        model: 'm-1',
        promptVersion: promptVersion(PAIR_FORM),
        standard: 'berds-1',
        at: '2026-01-01T00:00:00.000Z',
        cost: { requests: 1, promptTokens: 100, completionTokens: 20, milliseconds: 0 },
      },
      delivery: { unparsable: false, cached: false },
    });
    assert.deepEqual(delivered.get(5)?.judgement.evidence, [], 'no evidence of support beside a "no"');
    assert.deepEqual(progress.slice(-2), [10, 10]);
  });

  test('limits concurrent requests, and delivers while others are under way', async (t) => {
    const allThree = Promise.withResolvers<undefined>();
    const held = Promise.withResolvers<undefined>();
    const server = await serverFor(t, {
      chat: async (request) => {
        if (request.index === 2) allThree.resolve(undefined);
        if (request.index < 3) await allThree.promise;
        if (request.index === 0) await held.promise;
        return evenIsYes(request);
      },
    });
    const { delivered, onJudgement } = collector();
    await judgeOn(server.url, { concurrency: 3 }).judge(pairsOf(12), {
      onJudgement: (...answer) => {
        onJudgement(...answer);
        if (delivered.size === 11) held.resolve(undefined);
      },
    });
    assert.equal(delivered.size, 12);
    assert.equal(server.maxConcurrent, 3);
  });

  test('an unreadable answer is "unsure", counted, with the reason; never "no"', async (t) => {
    const replies: ChatReply[] = [
      { text: '' },
      { text: 'I will not say.' },
      { text: '{"verdict": "yes", "reas' },
      { refusal: 'No way.' },
      { text: '{"verdict":"no"}', finish: 'content_filter' },
    ];
    const server = await serverFor(t, { chat: replies });
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url, { concurrency: 1 }).judge(pairsOf(5), { onJudgement });
    assert.equal(report.unparsable, 5);
    assert.equal(report.answered, 5);
    assert.equal(report.requests, 5, 'no request is repeated for it');
    for (const { judgement, delivery } of delivered.values()) {
      assert.equal(judgement.verdict, 'unsure');
      assert.equal(delivery.unparsable, true);
      assert.ok((judgement.rationale ?? '').length > 10);
    }
    assert.match(delivered.get(3)?.judgement.rationale ?? '', /refused: No way/);
  });

  test('an "unsure" of the model is no failure', async (t) => {
    const server = await serverFor(t, { chat: [verdictReply('unsure')] });
    const report = await judgeOn(server.url).judge(pairsOf(1));
    assert.deepEqual([report.answered, report.unparsable], [1, 0]);
  });

  test('a "yes" with a quotation that is not in the passage is asked once more, and flagged', async (t) => {
    const server = await serverFor(t, { chat: [INVENTED] });
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url).judge(pairsOf(1), { onJudgement });
    const { verdict, evidence, evidenceNotFound, cost } = delivered.get(0)!.judgement;
    assert.deepEqual([verdict, evidence, evidenceNotFound, cost?.requests], ['yes', [], true, 2]);
    assert.deepEqual([report.evidenceNotFound, report.requests, report.failed], [1, 2, 0]);
    assert.match(JSON.stringify(server.requests[1]), /quoted words that do not stand in the passage/);
  });

  test('the second answer counts if it is a "no", or quotes the passage', async (t) => {
    for (const second of [verdictReply('no'), verdictReply('yes', 'It supports number 0.')]) {
      const server = await serverFor(t, { chat: [INVENTED, second] });
      const { delivered, onJudgement } = collector();
      const report = await judgeOn(server.url).judge(pairsOf(1), { onJudgement });
      const { verdict, evidence, evidenceNotFound } = delivered.get(0)!.judgement;
      assert.equal(evidence.length, verdict === 'yes' ? 1 : 0);
      assert.deepEqual([evidenceNotFound, report.evidenceNotFound], [undefined, 0]);
    }
  });

  test('the first answer counts if the second is missing or unusable', async (t) => {
    const useless: ChatReply[] = [{ text: 'Hm.' }, { fault: 'status', status: 400 }, verdictReply('yes')];
    for (const second of useless) {
      const server = await serverFor(t, { chat: [INVENTED, second] });
      const { delivered, onJudgement } = collector();
      const report = await judgeOn(server.url).judge(pairsOf(1), { onJudgement });
      const { verdict, evidenceNotFound } = delivered.get(0)!.judgement;
      assert.deepEqual([verdict, evidenceNotFound, report.failed], ['yes', true, 0]);
    }
  });

  test('asks once if configured, and stores that separately', async (t) => {
    const server = await serverFor(t, { chat: [INVENTED] });
    const once = judgeOn(server.url, { askAgain: false });
    const report = await once.judge(pairsOf(1));
    assert.deepEqual([report.evidenceNotFound, report.requests], [1, 1]);
    assert.notEqual(once.key, judgeOn(server.url).key);
    assert.equal(judgeOn(server.url, { askAgain: true }).key, judgeOn(server.url).key);
  });

  test('a quotation beside a "no" is no evidence', async (t) => {
    const server = await serverFor(t, { chat: [verdictReply('no', 'Words that nobody wrote')] });
    const report = await judgeOn(server.url).judge(pairsOf(1));
    assert.deepEqual([report.evidenceNotFound, report.requests], [0, 1]);
  });

  test('marks a judgement whose passage was cut', async (t) => {
    const server = await serverFor(t, { chat: [verdictReply('no')] });
    const { delivered, onJudgement } = collector();
    const long = { passage: { text: 'word '.repeat(20_000) }, perspective: { text: 'P.' } };
    await judgeOn(server.url).judge([long], { onJudgement });
    assert.match(
      delivered.get(0)?.judgement.rationale ?? '',
      /^Scripted\. Only the first 16,000 of 100,000 characters/,
    );
  });

  test('hostile passages reach the model as one passage each', async (t) => {
    const server = await serverFor(t, {
      chat: ({ messages }) =>
        verdictReply(readPairPrompt(messages).statement === 'A statement.' ? 'no' : 'yes'),
    });
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url).judge(
      HOSTILE_PASSAGES.map(({ text }) => ({ passage: { text }, perspective: { text: 'A statement.' } })),
      { onJudgement },
    );
    assert.equal(report.failed, 0, report.error?.message);
    assert.deepEqual([...new Set([...delivered.values()].map(({ judgement }) => judgement.verdict))], ['no']);
  });

  test('with every fifth request failing, all pairs are answered once', async (t) => {
    const faults: ChatReply[] = [
      { fault: 'rate-limit', retryAfter: '1' },
      { fault: 'status', status: 500 },
      { fault: 'disconnect' },
      { fault: 'garbage' },
      { fault: 'truncated' },
    ];
    const server = await serverFor(t, {
      chat: (request) =>
        request.index % 5 === 4 ? faults[Math.floor(request.index / 5) % faults.length]! : evenIsYes(request),
    });
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url, { concurrency: 8 }).judge(pairsOf(200), { onJudgement });
    assert.equal(delivered.size, 200);
    assert.equal(report.failed, 0);
    const faulty = Math.floor(server.requests.length / 5);
    assert.equal(report.requests, 200 + faulty);
    assert.equal(server.requests.length, 200 + faulty);
  });

  test('one pair that fails does not stop the others', async (t) => {
    const server = await serverFor(t, {
      chat: (request) =>
        readPairPrompt(request.messages).passage.startsWith('Passage 3.')
          ? { fault: 'status', status: 400, message: 'too long' }
          : evenIsYes(request),
    });
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url).judge(pairsOf(20), { onJudgement });
    assert.deepEqual([report.asked, report.answered, report.failed], [20, 19, 1]);
    assert.match(report.error?.message ?? '', /too long/);
    assert.equal(delivered.has(3), false);
  });

  test('stops when pair after pair fails', async (t) => {
    const server = await serverFor(t, { chat: [{ fault: 'status', status: 500 }] });
    const report = await judgeOn(server.url, { concurrency: 1, maxRetries: 1 }).judge(pairsOf(50));
    assert.deepEqual([report.asked, report.failed, report.requests], [3, 3, 6]);
    assert.equal(report.error?.id, 'model-answer');
    assert.equal(report.cancelled, false);
  });

  test('continues if pairs fail now and then', async (t) => {
    const server = await serverFor(t, {
      chat: (request) =>
        request.index % 3 === 2 ? evenIsYes(request) : { fault: 'status', status: 400, message: 'no' },
    });
    const report = await judgeOn(server.url, { concurrency: 1 }).judge(pairsOf(12));
    assert.deepEqual([report.asked, report.answered, report.failed], [12, 4, 8]);
  });

  test('stops at once on a refused key, keeping earlier answers', async (t) => {
    const server = await serverFor(t, {
      chat: (request) => (request.index < 2 ? evenIsYes(request) : { fault: 'status', status: 401 }),
    });
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url, { concurrency: 1 }).judge(pairsOf(50), { onJudgement });
    assert.equal(delivered.size, 2);
    assert.equal(server.requests.length, 3);
    assert.deepEqual([report.answered, report.failed, report.error?.id], [2, 1, 'model-key']);
  });

  test('sends few requests to a dead endpoint', async (t) => {
    const server = await serverFor(t, {});
    const { url } = server;
    await server.close();
    const report = await judgeOn(url, { concurrency: 4, maxRetries: 20 }).judge(pairsOf(500));
    assert.equal(report.error?.id, 'model-unreachable');
    assert.ok(report.requests <= 6, `${report.requests} attempts`);
    assert.equal(report.answered, 0);
    assert.ok(report.asked <= 4);
  });

  test('cancelling stops promptly and keeps earlier answers', async (t) => {
    const server = await serverFor(t, {
      chat: (request) => (request.index < 10 ? evenIsYes(request) : { fault: 'hang' }),
    });
    const controller = new AbortController();
    const { delivered, onJudgement } = collector();
    const report = await judgeOn(server.url, { timeoutMs: 60_000 }).judge(pairsOf(500), {
      signal: controller.signal,
      onJudgement: (...answer) => {
        onJudgement(...answer);
        if (delivered.size === 10) controller.abort();
      },
    });
    assert.equal(delivered.size, 10);
    assert.deepEqual([report.answered, report.failed, report.cancelled], [10, 0, true]);
    assert.equal(report.error, undefined);
    assert.ok(server.requests.length <= 14);
  });

  test('does nothing when cancelled before', async (t) => {
    const server = await serverFor(t, { chat: evenIsYes });
    const report = await judgeOn(server.url).judge(pairsOf(5), { signal: AbortSignal.abort() });
    assert.deepEqual([report.asked, report.cancelled, server.requests.length], [0, true, 0]);
  });

  test('identical pairs under way are asked once, and paid for once', async (t) => {
    const server = await serverFor(t, { chat: evenIsYes, delayMs: 30 });
    const judge = judgeOn(server.url, { concurrency: 8 });
    const same = Array.from({ length: 8 }, () => pairsOf(1)[0]!);
    const [first, second] = await Promise.all([judge.judge(same), judge.judge(same)]);
    assert.equal(server.requests.length, 1);
    assert.deepEqual([first.answered, second.answered], [8, 8]);
    assert.equal(first.requests + second.requests, 1);
    assert.equal(first.tokens.prompt + second.tokens.prompt, 100);
  });

  test('cancelling one of two users of a request leaves it to the other', async (t) => {
    const server = await serverFor(t, { chat: evenIsYes, delayMs: 60 });
    const judge = judgeOn(server.url);
    const controller = new AbortController();
    const leaving = judge.judge(pairsOf(1), { signal: controller.signal });
    const staying = judge.judge(pairsOf(1));
    setTimeout(() => controller.abort(), 20);
    const [left, stayed] = await Promise.all([leaving, staying]);
    assert.deepEqual([left.answered, left.cancelled], [0, true]);
    assert.deepEqual([stayed.answered, stayed.tokens.prompt], [1, 100]);
    assert.equal(server.requests.length, 1);
  });

  test('skips pairs that are answered before their turn', async (t) => {
    const server = await serverFor(t, { chat: evenIsYes });
    const report = await judgeOn(server.url).judge(pairsOf(10), { isAnswered: (index) => index % 2 === 0 });
    assert.deepEqual([report.asked, report.answered, server.requests.length], [5, 5, 5]);
  });

  test('throws errors of its listener', async (t) => {
    const server = await serverFor(t, { chat: evenIsYes });
    const onJudgement = (): void => {
      throw new Error('listener');
    };
    await assert.rejects(judgeOn(server.url).judge(pairsOf(3), { onJudgement }), /listener/);
  });

  test('its key depends on model, endpoint and standard', () => {
    const key = (baseUrl: string, model: string, standard: keyof typeof STANDARDS): string =>
      createChatJudge({
        name: 'any',
        form: PAIR_FORM,
        model: createOpenAiModel({ baseUrl, model, keyName: 'k', maxRetries: 0 }),
        standard: STANDARDS[standard],
        concurrency: 1,
        timeoutMs: 1,
      }).key;
    const keys = [
      key('http://a/v1', 'm', 'berds'),
      key('http://b/v1', 'm', 'berds'),
      key('http://a/v1', 'n', 'berds'),
      key('http://a/v1', 'm', 'strict'),
    ];
    assert.equal(new Set(keys).size, 4);
    assert.equal(key('http://a/v1', 'm', 'berds'), keys[0]);
    assert.ok(keys[0]?.includes(promptVersion(PAIR_FORM)));
  });
});

describe('host model', () => {
  const asked = (
    request: Parameters<typeof createHostModel>[0]['request'],
    maxRetries = 2,
    timing = new QuickTiming(),
  ) => createHostModel({ model: 'copilot gpt', maxRetries, request }, timing);

  test('judges like any other model', async () => {
    const judge = createChatJudge({
      name: 'vscode',
      form: PAIR_FORM,
      model: asked((messages) =>
        Promise.resolve({
          text: readPairPrompt(messages).passage === 'Passage 0. It supports number 0.' ? 'Yes' : 'No',
        }),
      ),
      standard: STANDARDS.berds,
      concurrency: 2,
      timeoutMs: 1_000,
    });
    const { delivered, onJudgement } = collector();
    await judge.judge(pairsOf(2), { onJudgement });
    assert.deepEqual(
      [delivered.get(0)?.judgement.verdict, delivered.get(1)?.judgement.verdict],
      ['yes', 'no'],
    );
    assert.equal(delivered.get(0)?.judgement.model, 'copilot gpt');
  });

  test('retries failed requests a limited number of times', async () => {
    let requests = 0;
    const failing = asked(() => Promise.reject(new Error(`busy ${++requests}`)));
    await assert.rejects(failing.complete([], { timeoutMs: 1_000 }), {
      id: 'model-answer',
      message: /busy 3/,
    });
    assert.equal(requests, 3);
  });

  test('cancels a request that never ends', async () => {
    const signals: AbortSignal[] = [];
    const silent = asked((_, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    }, 1);
    await assert.rejects(silent.complete([], { timeoutMs: 20 }), {
      id: 'model-answer',
      message: /0\.02 s\./,
    });
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true],
    );
  });

  test('cancelling ends it at once', async () => {
    const controller = new AbortController();
    const silent = asked(() => new Promise(() => undefined));
    const waiting = silent.complete([], { timeoutMs: 60_000, signal: controller.signal });
    controller.abort();
    await assert.rejects(waiting, { id: 'cancelled' });
  });
});

describe('generatePerspectives', () => {
  test('asks once and returns named perspectives', async (t) => {
    const server = await serverFor(t, {
      chat: [{ text: '{"for": "Tax meat.", "against": "Do not tax meat.", "third": "Wait."}' }],
    });
    const model = createOpenAiModel({ baseUrl: server.url, model: 'm', keyName: 'k', maxRetries: 0 });
    assert.deepEqual(
      await generatePerspectives(model, 'Should meat be taxed?', { count: 2, timeoutMs: 5_000 }),
      [
        { name: 'for', text: 'Tax meat.' },
        { name: 'against', text: 'Do not tax meat.' },
      ],
    );
    assert.equal(server.requests.length, 1);
    assert.match(server.chatRequests[0]!.messages[1]!.content, /Should meat be taxed\?/);
  });

  test('gives advice if there are none, and asks nothing without a question', async (t) => {
    const server = await serverFor(t, { chat: [{ refusal: 'Not this.' }] });
    const model = createOpenAiModel({ baseUrl: server.url, model: 'm', keyName: 'k', maxRetries: 0 });
    await assert.rejects(generatePerspectives(model, 'Q?', { count: 2, timeoutMs: 5_000 }), {
      id: 'model-answer',
      message: /Not this.*type them yourself/,
    });
    await assert.rejects(generatePerspectives(model, ' ', { count: 2, timeoutMs: 5_000 }), {
      id: 'bad-argument',
    });
    assert.equal(server.requests.length, 1);
  });
});
