/** Answers with a scripted endpoint: requests, failures, and that nothing is paid for twice. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ParallaxError } from '../../../src/core/errors.ts';
import { HOSTILE_PASSAGES } from '../../fixtures/hostile-passages.ts';
import { MAX_STATEMENTS } from '../../../src/core/judging/prompts/passage-prompt.ts';
import { openAnswers } from '../../../src/features/papers/engine/answers/answer-effort.ts';
import { writeAnswers, type AnswerTask } from '../../../src/features/papers/engine/answers/write-answers.ts';
import { Budget } from '../../../src/engine/judgements/budget.ts';
import type { ChatReply, ChatRequest } from '../../fixtures/model-server.ts';
import { serverFor } from '../judges/support.ts';
import { memory, modelsOn, partIn, plainModel, repeating, written, type Part } from './support.ts';

const task = (n: number): AnswerTask => ({
  question: `What is food ${n} like?`,
  passages: [`Food ${n} is tasty`, `Food ${n} is healthy`],
  perspectives: [`Food ${n} is tasty.`, `Food ${n} is cheap.`],
});
const tasks = (count: number): AnswerTask[] => Array.from({ length: count }, (_, n) => task(n));

/** The plain model, except for some requests. */
const unless =
  (other: (part: Part, request: ChatRequest) => ChatReply | undefined) =>
  (request: ChatRequest): ChatReply =>
    other(partIn(request), request) ?? plainModel(request);

describe('an answer', () => {
  test('is written from the passages, and judged in one request for all perspectives', async (t) => {
    const server = await serverFor(t, { chat: plainModel });
    const models = modelsOn(server.url, memory(t));
    const { outcomes, work, stopped, error } = await writeAnswers([task(1)], models, new Budget(), {});
    assert.deepEqual(outcomes, [
      {
        state: 'judged',
        written: { text: 'Food 1 is tasty [1]. Food 1 is healthy [2].' },
        representations: [
          { verdict: 'yes', evidence: [{ start: 0, end: 41 }], unreadable: false },
          { verdict: 'no', evidence: [], unreadable: false },
        ],
      },
    ]);
    assert.deepEqual(work, { requests: 2, promptTokens: 200, completionTokens: 40 });
    assert.deepEqual([stopped, error], [false, undefined]);
    assert.deepEqual(
      server.chatRequests.map(({ body }) => body['temperature']),
      [0, 0],
    );
  });

  test('of the model alone sees no passage', async (t) => {
    const server = await serverFor(t, { chat: plainModel });
    const alone = { ...task(1), passages: undefined };
    const { outcomes } = await writeAnswers([alone], modelsOn(server.url, memory(t)), new Budget(), {});
    assert.deepEqual(outcomes[0]!.written, { text: 'Everybody says tasty.', missing: 'What it costs.' });
    assert.equal((partIn(server.chatRequests[0]!) as { passages?: unknown }).passages, undefined);
  });

  test('that is empty represents nothing and is not judged', async (t) => {
    const server = await serverFor(t, { chat: [written('', 'Nothing was found.')] });
    const { outcomes } = await writeAnswers([task(1)], modelsOn(server.url, memory(t)), new Budget(), {});
    assert.deepEqual(
      outcomes[0]!.representations.map(({ verdict }) => verdict),
      ['no', 'no'],
    );
    assert.equal(server.chatRequests.length, 1);
  });

  test('to a query with many perspectives is judged in several requests', async (t) => {
    const server = await serverFor(t, { chat: plainModel });
    const perspectives = Array.from({ length: MAX_STATEMENTS + 3 }, (_, i) =>
      i % 3 === 0 ? 'It is tasty.' : `It is thing${i}.`,
    );
    const many = { ...task(1), perspectives };
    const { outcomes } = await writeAnswers([many], modelsOn(server.url, memory(t)), new Budget(), {});
    assert.equal(server.chatRequests.length, 3);
    assert.deepEqual(
      outcomes[0]!.representations.map(({ verdict }) => verdict),
      perspectives.map((text) => (text === 'It is tasty.' ? 'yes' : 'no')),
    );
  });

  test('with a hostile passage keeps its prompts, and the judge’s verdict counts', async (t) => {
    const server = await serverFor(t, {
      chat: unless((part) => (part.kind === 'write' ? repeating(part) : undefined)),
    });
    const hostile = HOSTILE_PASSAGES.filter(({ text }) => text.trim() !== '').map(({ text }) => ({
      ...task(1),
      passages: [text, 'It is healthy'],
    }));
    const { outcomes } = await writeAnswers(hostile, modelsOn(server.url, memory(t)), new Budget(), {});
    for (const [place, { state, representations }] of outcomes.entries()) {
      assert.equal(state, 'judged', HOSTILE_PASSAGES[place]!.name);
      assert.deepEqual(
        representations.map(({ verdict }) => verdict),
        ['no', 'no'],
      );
    }
  });
});

describe('an unreadable reply', () => {
  test('is requested again; an answer without words is then unreadable, not a retrieval failure', async (t) => {
    let first = true;
    const server = await serverFor(t, {
      chat: unless((part) => {
        if (part.kind !== 'write') return undefined;
        if (part.question.includes('food 1')) return { text: '{"answer": "Foo' };
        if (!part.question.includes('food 0') || !first) return undefined;
        first = false;
        return { text: '' };
      }),
    });
    const database = memory(t);
    const models = modelsOn(server.url, database, { concurrency: 1 });
    const { outcomes, error } = await writeAnswers(tasks(2), models, new Budget(), {});
    assert.deepEqual(
      outcomes.map(({ state }) => state),
      ['judged', 'unreadable'],
    );
    assert.match(outcomes[1]!.note ?? '', /began a JSON object/);
    assert.equal(error, undefined);
    // Two requests for each answer, one for the judgement; and none the next time.
    assert.equal(server.chatRequests.length, 5);
    await writeAnswers(tasks(2), modelsOn(server.url, database), new Budget(), {});
    assert.equal(server.chatRequests.length, 5);
  });

  test('a refusal is no answer', async (t) => {
    const server = await serverFor(t, { chat: [{ refusal: 'I will not.' }] });
    const { outcomes } = await writeAnswers([task(1)], modelsOn(server.url, memory(t)), new Budget(), {});
    assert.equal(outcomes[0]!.state, 'unreadable');
    assert.match(outcomes[0]!.note ?? '', /The model refused: I will not\./);
  });

  test('with a missing verdict is asked only for it, and "unsure" if it stays missing', async (t) => {
    const server = await serverFor(t, {
      chat: unless((part) =>
        part.kind === 'judge' ? { text: '{"A": {"verdict": "perhaps"}, "B": "no"}' } : undefined,
      ),
    });
    const { outcomes } = await writeAnswers([task(1)], modelsOn(server.url, memory(t)), new Budget(), {});
    assert.deepEqual(
      outcomes[0]!.representations.map(({ verdict, unreadable }) => [verdict, unreadable]),
      [
        ['unsure', true],
        ['no', false],
      ],
    );
    assert.match(outcomes[0]!.note ?? '', /no verdict on statement A/);
    const again = partIn(server.chatRequests[2]!);
    assert.deepEqual(again.kind === 'judge' && Object.values(again.statements), ['Food 1 is tasty.']);
  });

  test('is read if the second one is valid', async (t) => {
    const server = await serverFor(t, {
      chat: unless((part, { messages }) =>
        part.kind === 'judge' && !messages[1]!.content.includes('An earlier answer')
          ? { text: 'Hm.' }
          : undefined,
      ),
    });
    const { outcomes } = await writeAnswers([task(1)], modelsOn(server.url, memory(t)), new Budget(), {});
    assert.deepEqual(
      outcomes[0]!.representations.map(({ verdict, unreadable }) => [verdict, unreadable]),
      [
        ['yes', false],
        ['no', false],
      ],
    );
    assert.equal(outcomes[0]!.note, undefined);
  });

  test('garbage, a broken connection and a rate limit are survived', async (t) => {
    const faults: readonly ChatReply[] = [
      { fault: 'garbage' },
      { fault: 'disconnect' },
      { fault: 'rate-limit', retryAfter: '1' },
      { fault: 'status', status: 500 },
      { fault: 'truncated' },
    ];
    let next = 0;
    const server = await serverFor(t, {
      chat: (request) => (request.attempt === 1 ? faults[next++ % faults.length]! : plainModel(request)),
    });
    const { outcomes, error } = await writeAnswers(
      tasks(5),
      modelsOn(server.url, memory(t)),
      new Budget(),
      {},
    );
    assert.deepEqual([...new Set(outcomes.map(({ state }) => state))], ['judged']);
    assert.equal(error, undefined);
    assert.equal(server.chatRequests.length, 20);
  });
});

describe('failures', () => {
  test('concern one answer, and earlier ones stay', async (t) => {
    const server = await serverFor(t, {
      chat: unless((part) =>
        part.question.includes('food 1') && part.kind === 'judge'
          ? { fault: 'status', status: 400, message: 'too long' }
          : undefined,
      ),
    });
    const { outcomes, error } = await writeAnswers(
      tasks(3),
      modelsOn(server.url, memory(t)),
      new Budget(),
      {},
    );
    assert.deepEqual(
      outcomes.map(({ state }) => state),
      ['judged', 'failed', 'judged'],
    );
    assert.ok(outcomes[1]!.written?.text.startsWith('Food 1'));
    assert.match(error?.message ?? '', /too long/);
  });

  test('that need the user’s action end the run at once, several in a row soon', async (t) => {
    const keyless = await serverFor(t, { key: 'secret', chat: plainModel });
    const first = await writeAnswers(
      tasks(20),
      modelsOn(keyless.url, memory(t), { concurrency: 1 }),
      new Budget(),
      {},
    );
    assert.equal(first.error?.id, 'model-key');
    assert.equal(keyless.requests.length, 1);
    assert.deepEqual([...new Set(first.outcomes.map(({ state }) => state))], ['failed', 'open']);
    assert.equal(first.stopped, false);

    const broken = await serverFor(t, { chat: [{ fault: 'status', status: 400 }] });
    const second = await writeAnswers(
      tasks(20),
      modelsOn(broken.url, memory(t), { concurrency: 1 }),
      new Budget(),
      {},
    );
    assert.equal(second.outcomes.filter(({ state }) => state === 'failed').length, 3);
  });
});

describe('nothing is paid for twice', () => {
  test('the same prompt from two pipelines is sent once', async (t) => {
    const server = await serverFor(t, { chat: plainModel, delayMs: 5 });
    const same = [task(1), task(1), { ...task(1) }];
    const { outcomes } = await writeAnswers(same, modelsOn(server.url, memory(t)), new Budget(), {});
    assert.equal(server.chatRequests.length, 2);
    assert.deepEqual(outcomes[0], outcomes[2]);
  });

  test('a cancelled run continues where it stopped', async (t) => {
    const abort = new AbortController();
    const server = await serverFor(t, {
      chat: (request) => {
        if (request.index === 9) abort.abort();
        return plainModel(request);
      },
    });
    const database = memory(t);
    await assert.rejects(
      writeAnswers(tasks(20), modelsOn(server.url, database), new Budget(), { signal: abort.signal }),
      (error) => ParallaxError.is(error, 'cancelled'),
    );
    // Requests that were under way when it was cancelled may still be arriving.
    let before = -1;
    for (; before !== server.chatRequests.length; await delay(300)) before = server.chatRequests.length;
    assert.ok(before < 20, String(before));
    const { outcomes, work } = await writeAnswers(
      tasks(20),
      modelsOn(server.url, database),
      new Budget(),
      {},
    );
    assert.ok(outcomes.every(({ state }) => state === 'judged'));
    // Two requests an answer; only those that were under way when it was cancelled were sent again.
    const twice = server.chatRequests.length - 40;
    assert.ok(twice >= 0 && twice <= 4, `${twice} twice`);
    assert.equal(work.requests, server.chatRequests.length - before);
  });

  test('a budget stops it cleanly, and known answers need none', async (t) => {
    const server = await serverFor(t, { chat: plainModel });
    const database = memory(t);
    const limited = (): Budget => new Budget({ requests: 7 });
    const first = await writeAnswers(tasks(6), modelsOn(server.url, database), limited(), {});
    assert.equal(first.stopped, true);
    assert.equal(server.abandoned, 0);
    assert.ok(first.work.requests >= 7 && first.work.requests <= 10, String(first.work.requests));
    assert.ok(first.outcomes.some(({ state }) => state === 'open'));
    assert.ok(first.outcomes.every(({ state }) => state === 'judged' || state === 'open'));
    const second = await writeAnswers(tasks(6), modelsOn(server.url, database), limited(), {});
    assert.equal(second.stopped, false);
    assert.equal(server.chatRequests.length, 12);
    const third = await writeAnswers(
      tasks(6),
      modelsOn(server.url, database),
      new Budget({ requests: 0 }),
      {},
    );
    assert.deepEqual(third.outcomes, second.outcomes);
    assert.equal(third.stopped, false);
  });

  test('tokens can be the budget', async (t) => {
    const server = await serverFor(t, { chat: plainModel });
    const models = modelsOn(server.url, memory(t), { concurrency: 1 });
    const { work, stopped } = await writeAnswers(tasks(6), models, new Budget({ tokens: 300 }), {});
    assert.deepEqual([work.requests, stopped], [3, true]);
  });

  test('requests in flight stay within either model’s limit', async (t) => {
    const server = await serverFor(t, { chat: plainModel, delayMs: 2 });
    const models = modelsOn(server.url, memory(t), { concurrency: 8 });
    await writeAnswers(
      tasks(12),
      { ...models, judge: { ...models.judge, concurrency: 2 } },
      new Budget(),
      {},
    );
    assert.ok(server.maxConcurrent <= 2, String(server.maxConcurrent));
  });
});

test('the number of requests is announced: all, some, or none', async (t) => {
  const server = await serverFor(t, { chat: plainModel });
  const database = memory(t);
  const models = modelsOn(server.url, database);
  const prices = { scripted: { input: 1, output: 2 } };
  const repeated = [...tasks(3), task(0)];
  const all = await openAnswers(repeated, models, prices);
  assert.deepEqual([all.answers, all.known, all.effort.requests.most], [3, 0, 6]);
  assert.ok(all.effort.price!.most > 0);
  // No request was sent.
  assert.equal(server.chatRequests.length, 0);

  await writeAnswers([task(0)], models, new Budget(), {});
  const some = await openAnswers(repeated, models, prices);
  assert.deepEqual([some.known, some.effort.requests.most], [1, 4]);
  const another = await openAnswers([{ ...task(0), perspectives: ['Food is dear.'] }], models, prices);
  assert.deepEqual([another.known, another.effort.requests.most], [0, 1]);

  await writeAnswers(repeated, models, new Budget(), {});
  const nothing = await openAnswers(repeated, models, prices);
  assert.deepEqual([nothing.known, nothing.effort.requests.most, nothing.effort.price!.most], [3, 0, 0]);
});

test('progress counts answers', async (t) => {
  const server = await serverFor(t, { chat: plainModel });
  const seen: number[] = [];
  await writeAnswers(tasks(3), modelsOn(server.url, memory(t)), new Budget(), {
    onProgress: ({ done, total }) => {
      assert.equal(total, 3);
      seen.push(done);
    },
  });
  assert.deepEqual(seen, [1, 2, 3]);
});
