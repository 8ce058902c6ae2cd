import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import { calibrate } from '../../../src/core/judging/lara.ts';
import type { Verdict } from '../../../src/core/model.ts';
import type { JudgePair } from '../../../src/engine/judges/judge.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { JudgementService } from '../../../src/engine/judgements/judgement-service.ts';
import { Judges } from '../../../src/engine/judges/judges.ts';
import { LabelsFile } from '../../../src/engine/judgements/labels-file.ts';
import { openDatabase, type Database } from '../../../src/engine/store/database.ts';
import { textHash } from '../../../src/engine/text-sums.ts';
import type { StoredPassage } from '../../../src/engine/types.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import { HOSTILE_PASSAGES } from '../../fixtures/hostile-passages.ts';
import {
  wordReply,
  type ChatReply,
  type ChatRequest,
  type ModelServer,
} from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { collector, pairsOf, serverFor, type Delivered } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const CHILD = fileURLToPath(new URL('lara-child.ts', import.meta.url));
const CONCURRENCY = 2;

/** A pair to which the scripted model gives this probability. */
function pairOf(probability: number, place: number): JudgePair {
  return {
    passage: { text: `Passage ${place}: p=${probability}.` },
    perspective: { text: `Perspective ${place % 3}.` },
  };
}
const pairsWith = (...probabilities: number[]): JudgePair[] => probabilities.map(pairOf);

function scripted({ messages }: ChatRequest): ChatReply {
  const probability = /p=([\d.]+)\./.exec(readPairPrompt(messages).passage)?.[1];
  return probability === undefined ? { fault: 'status', status: 400 } : wordReply(Number(probability));
}

interface Setup {
  readonly share?: number;
  readonly batch?: number;
  readonly database?: Database;
  readonly labels?: LabelsFile;
  readonly judges?: Record<string, unknown>;
}

function judgesOn(
  url: string,
  { share = 0.25, batch = 4, database, labels, judges = {} }: Setup = {},
): {
  judges: Judges;
  cache: JudgementCache;
} {
  const cache = new JudgementCache(database ?? openDatabase(':memory:'));
  const configs = {
    model: {
      type: 'openai',
      baseUrl: url,
      model: 'scripted',
      key: 'none',
      maxRetries: 0,
      concurrency: CONCURRENCY,
    },
    lara: { type: 'lara', judge: 'model', share, batch },
    ...judges,
  };
  const parsed = Object.fromEntries(
    Object.entries(configs).map(([name, config]) => [name, judgeSchema.parse(config)]),
  );
  return { judges: new Judges({ judges: parsed, keys: {} }, cache, undefined, { labels }), cache };
}

const labelsIn = (t: TestContext): LabelsFile =>
  new LabelsFile(join(temporaryFolder(t), 'judgements.jsonl'), (warning) => assert.fail(warning));

let labelled = 0;
/** A person's answer, a second after the one before. */
function label(
  labels: LabelsFile,
  { passage, perspective }: JudgePair,
  verdict: Verdict,
  kind: 'human' | 'imported' = 'human',
) {
  return labels.append({
    v: 1,
    query: 'q',
    perspective: '0',
    perspectiveText: perspective.text,
    document: 'd',
    hash: textHash(passage.text),
    verdict,
    by: { kind, name: 'Ada' },
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, labelled++)).toISOString(),
    standard: 'berds-1',
  });
}

const inOrder = (delivered: ReadonlyMap<number, Delivered>): Delivered[] =>
  [...delivered].sort(([a], [b]) => a - b).map(([, each]) => each);
const escalatedIn = (delivered: ReadonlyMap<number, Delivered>): number[] =>
  [...delivered]
    .filter(([, { judgement }]) => judgement.escalated === 'human')
    .map(([index]) => index)
    .sort((a, b) => a - b);

const isError = (id: ErrorId, message: RegExp) => (error: unknown) => {
  assert.ok(ParallaxError.is(error, id), String(error));
  assert.match(error.message, message);
  return true;
};

test('requests ask for one word with its token probabilities, and not for JSON', async (t) => {
  const server = await serverFor(t, { chat: scripted });
  await judgesOn(server.url).judges.get('lara')!.judge(pairsWith(0.9));
  const [{ body, messages }] = server.chatRequests as [ChatRequest];
  assert.deepEqual(
    { ...body, messages: undefined },
    {
      ...{ model: 'scripted', temperature: 0, max_tokens: 16 },
      ...{ logprobs: true, top_logprobs: 5, messages: undefined },
    },
  );
  assert.match(messages[1]!.content, /Answer with one word, yes or no\.$/);
  assert.match(messages[0]!.content, /explicit \(the passage says it\) or implicit/);
});

test('a model that continues after its word is still read', async (t) => {
  const server = await serverFor(t, { chat: (request) => ({ ...scripted(request), finish: 'length' }) });
  const { delivered, onJudgement } = collector();
  await judgesOn(server.url).judges.get('lara')!.judge(pairsWith(0.99), { onJudgement });
  assert.equal(delivered.get(0)!.judgement.verdict, 'yes');
});

test('a batch is asked completely, and its least certain pairs go to people', async (t) => {
  const server = await serverFor(t, { chat: scripted });
  const { delivered, onJudgement } = collector();
  const pairs = pairsWith(0.99, 0.4, 0.02, 0.7, /* next batch */ 0.97, 0.2, 0.9, 0.95, /* last */ 0.5, 0.99);
  const report = await judgesOn(server.url).judges.get('lara')!.judge(pairs, { onJudgement });
  assert.deepEqual(
    inOrder(delivered).map(({ judgement }) => judgement.verdict),
    ['yes', 'unsure', 'no', 'yes', 'yes', 'unsure', 'yes', 'yes', 'yes', 'yes'],
  );
  // A quarter of 4 and of 8 pairs; 0.5 of the last two waits for the twelfth.
  assert.deepEqual(escalatedIn(delivered), [1, 5]);
  assert.deepEqual([report.asked, report.answered, report.escalated, report.requests], [10, 10, 2, 10]);
  assert.deepEqual(report.tokens, { prompt: 1000, completion: 200 });
  const { judgement } = delivered.get(0)!;
  assert.ok(Math.abs(judgement.confidence! - 0.99) < 1e-9);
  assert.match(judgement.rationale!, /0\.990 by the model's own account, 0\.990 calibrated on 0 labels/);
  assert.deepEqual(
    [judgement.source, judgement.judge, judgement.model, judgement.promptVersion, judgement.standard],
    ['llm', 'lara', 'scripted', 'word-1', 'berds-1'],
  );
  assert.equal(judgement.cost?.requests, 1);
});

test('nothing is escalated at 0, and everything at 1', async (t) => {
  const server = await serverFor(t, { chat: scripted });
  for (const [share, escalated] of [
    [0, []],
    [1, [0, 1, 2]],
  ] as const) {
    const { delivered, onJudgement } = collector();
    await judgesOn(server.url, { share })
      .judges.get('lara')!
      .judge(pairsWith(0.5, 0.9, 0.1), { onJudgement });
    assert.deepEqual(escalatedIn(delivered), escalated);
  }
  for (const share of [-0.1, 1.1, Number.NaN])
    assert.throws(() => judgeSchema.parse({ type: 'lara', judge: 'model', share }), /share/);
  assert.throws(() => judgeSchema.parse({ type: 'lara', judge: 'model' }), /share/);
});

test('labels adjust all earlier answers without paying again', async (t) => {
  const server = await serverFor(t, { chat: scripted });
  const labels = labelsIn(t);
  const { judges } = judgesOn(server.url, { labels, share: 0 });
  const judge = judges.get('lara')!;
  // An overconfident model: most of its answers at 0.9 are wrong.
  const confident = Array.from({ length: 12 }, (_, i) => pairOf(0.9, i));
  const pairs = [...confident, ...pairsWith(0.95, 0.05)];
  await judge.judge(pairs);
  for (const [i, pair] of confident.entries()) await label(labels, pair, i < 2 ? 'yes' : 'no');
  await label(labels, pairs[12]!, 'unsure');
  await label(labels, pairs[12]!, 'no', 'imported');

  const again = collector();
  const report = await judge.judge(pairs, { onJudgement: again.onJudgement });
  assert.deepEqual([report.asked, report.cached, server.requests.length], [0, 14, 14]);
  const expected = calibrate(confident.map((_, i) => ({ probability: 0.9, positive: i < 2 })));
  inOrder(again.delivered).forEach(({ judgement }, i) => {
    const own = i < 12 ? 0.9 : i === 12 ? 0.95 : 0.05;
    assert.ok(Math.abs(judgement.confidence! - expected.probability(own)) < 1e-9, `pair ${i}`);
    assert.equal(judgement.verdict, expected.probability(own) >= 0.5 ? 'yes' : 'no');
    assert.match(judgement.rationale!, /calibrated on 12 labels/);
  });
  assert.equal(again.delivered.get(0)!.judgement.verdict, 'no', 'the labels changed nothing');
});

test('labels that arrive during a run affect the escalations of the next batch', async (t) => {
  const labels = labelsIn(t);
  const first = [0.97, 0.96, 0.6, 0.55];
  const pairs = pairsWith(...first, ...first);
  const chat = async (request: ChatRequest): Promise<ChatReply> => {
    // The first request of the second batch. A person has read two pairs of the first since.
    if (request.index === 4) for (const pair of pairs.slice(0, 2)) await label(labels, pair, 'no');
    return scripted(request);
  };
  const server = await serverFor(t, { chat });
  const judge = judgesOn(server.url, { labels, share: 0.5, batch: 4 }).judges.get('lara')!;
  const { delivered, onJudgement } = collector();
  await judge.judge(pairs, { onJudgement });
  const { probability } = calibrate([0.97, 0.96].map((own) => ({ probability: own, positive: false })));
  const nearest = first
    .map((own, i) => ({ i, distance: Math.abs(probability(own) - 0.5) }))
    .sort((x, y) => x.distance - y.distance)
    .slice(0, 2)
    .map(({ i }) => i + 4)
    .sort();
  assert.deepEqual(escalatedIn(delivered), [2, 3, ...nearest]);
  assert.notDeepEqual(nearest, [6, 7], 'the labels make no difference');
});

test('an escalation stays, whatever is labelled later', async (t) => {
  const server = await serverFor(t, { chat: scripted });
  const labels = labelsIn(t);
  const judge = judgesOn(server.url, { labels }).judges.get('lara')!;
  const pairs = pairsWith(0.45, 0.9, 0.1, 0.8);
  await judge.judge(pairs);
  for (const pair of pairs.slice(1)) await label(labels, pair, 'yes');
  const { delivered, onJudgement } = collector();
  await judge.judge(pairs, { onJudgement });
  assert.deepEqual(escalatedIn(delivered), [0]);
  assert.equal(delivered.get(0)!.judgement.verdict, 'unsure');
});

test('the share counts over runs, windows and restarts', async (t) => {
  const server = await serverFor(t, { chat: scripted });
  const path = join(temporaryFolder(t), 'judgements.sqlite');
  let escalated = 0;
  for (let run = 1; run <= 8; run++) {
    const database = openDatabase(path);
    const judge = judgesOn(server.url, { database }).judges.get('lara')!;
    escalated += (await judge.judge([pairOf(0.5, run)])).escalated;
    database.close();
    assert.equal(escalated, Math.floor(run / 4));
  }
});

test('another share uses the same answers and decides again', async (t) => {
  const server = await serverFor(t, { chat: scripted });
  const database = openDatabase(':memory:');
  const pairs = pairsWith(0.5, 0.9, 0.1, 0.6);
  for (const [share, expected] of [
    [0.25, 1],
    [0.5, 2],
    [0.25, 1],
  ] as const) {
    const judge = judgesOn(server.url, { database, share }).judges.get('lara')!;
    assert.equal((await judge.judge(pairs)).escalated, expected);
  }
  assert.equal(server.requests.length, pairs.length);
});

test('paid answers of a cancelled batch are kept', async (t) => {
  const controller = new AbortController();
  const chat = (request: ChatRequest): ChatReply => {
    if (request.index === 5) controller.abort();
    return scripted(request);
  };
  const server = await serverFor(t, { chat, delayMs: 5 });
  const { judges } = judgesOn(server.url, { batch: 100 });
  const pairs = Array.from({ length: 40 }, (_, i) => pairOf(0.9, i));
  const { delivered, onJudgement } = collector();
  const report = await judges.get('lara')!.judge(pairs, { onJudgement, signal: controller.signal });
  assert.ok(report.cancelled && report.error === undefined);
  assert.ok(delivered.size < 40);
  assert.equal(delivered.size, server.requests.length, 'also of the requests that were on their way');
  const rest = await judges.get('lara')!.judge(pairs);
  assert.deepEqual([rest.answered, rest.cached], [40, delivered.size]);
  assert.equal(server.requests.length, 40);
});

test('killed within a batch, it pays again only for requests in flight', async (t) => {
  const path = join(temporaryFolder(t), 'judgements.sqlite');
  const count = 60;
  const chat = (request: ChatRequest): ChatReply => {
    if (request.index === 20) child.kill('SIGKILL');
    return wordReply(0.9);
  };
  const server = await serverFor(t, { chat });
  const child = spawn(process.execPath, [CHILD, server.url, path, String(count)], { stdio: 'inherit' });
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);

  const database = openDatabase(path);
  t.after(() => database.close());
  const { judges } = judgesOn(server.url, { database, share: 0.1, batch: 10_000 });
  const { delivered, onJudgement } = collector();
  const report = await judges.get('lara')!.judge(pairsOf(count), { onJudgement });
  assert.deepEqual([delivered.size, report.failed, report.cached], [count, 0, 0]);
  assert.equal(report.escalated, count / 10);
  assert.ok(server.requests.length <= count + CONCURRENCY, `${server.requests.length} requests`);
  assert.ok(report.requests <= count - 20 + CONCURRENCY, `${report.requests} after the kill`);
});

test('a failing pair does not stop its batch', async (t) => {
  const server = await serverFor(t, { chat: scripted });
  const { delivered, onJudgement } = collector();
  const pairs = pairsWith(0.9, 0.2, 0.7, 0.6);
  const broken = { passage: { text: 'No figure here.' }, perspective: { text: 'Perspective.' } };
  const report = await judgesOn(server.url)
    .judges.get('lara')!
    .judge([pairs[0]!, broken, ...pairs.slice(1)], { onJudgement });
  assert.deepEqual([...delivered.keys()].sort(), [0, 2, 3, 4]);
  assert.equal(report.failed, 1);
  assert.ok(isError('model-answer', /rejected the request/)(report.error));
});

test('answers without a yes or no are "unsure", never escalated, and can be repeated', async (t) => {
  let repaired = false;
  const chat = (request: ChatRequest): ChatReply => {
    if (repaired || request.index > 0) return scripted(request);
    const top = [{ token: 'Maybe', logprob: -0.1 }];
    return { text: 'Maybe', logprobs: [{ ...top[0]!, top_logprobs: top }] };
  };
  const server = await serverFor(t, { chat });
  const judge = judgesOn(server.url, {
    share: 1,
    judges: { model: { type: 'openai', baseUrl: server.url, model: 'scripted', concurrency: 1 } },
  }).judges.get('lara')!;
  const pairs = pairsWith(0.9, 0.8);
  const { delivered, onJudgement } = collector();
  const report = await judge.judge(pairs, { onJudgement });
  assert.equal(report.unparsable, 1);
  assert.deepEqual(escalatedIn(delivered), [1]);
  const { judgement, delivery } = delivered.get(0)!;
  assert.deepEqual(
    [judgement.verdict, judgement.confidence, delivery.unparsable],
    ['unsure', undefined, true],
  );
  assert.match(judgement.rationale!, /began its answer with "Maybe"/);
  repaired = true;
  const second = collector();
  await judge.judge(pairs, { onJudgement: second.onJudgement, repeatUnparsable: true });
  assert.deepEqual(escalatedIn(second.delivered), [0, 1]);
});

const REFUSALS: Record<string, ChatReply | ((request: ChatRequest) => ChatReply)> = {
  'rejects the parameter': {
    fault: 'status',
    status: 400,
    message: 'logprobs is not supported by this model',
    param: 'logprobs',
  },
  'answers without them': { text: 'yes' },
  'answers with none': { text: 'yes', logprobs: [] },
};
for (const [what, reply] of Object.entries(REFUSALS))
  test(`an endpoint that ${what} is named once`, async (t) => {
    const server: ModelServer = await serverFor(t, { chat: typeof reply === 'function' ? reply : [reply] });
    const report = await judgesOn(server.url)
      .judges.get('lara')!
      .judge(pairsWith(...new Array<number>(20).fill(0.9)));
    assert.equal(report.answered, 0);
    assert.ok(
      isError(
        'bad-config',
        /^scripted at 127\.0\.0\.1:\d+ .*token probabilities.*Name a judge whose endpoint .*"logprobs"\.$/,
      )(report.error),
    );
    assert.ok(server.requests.length <= 2, `${server.requests.length} requests`);
  });

test('judges without an endpoint cannot provide token probabilities', async (t) => {
  const server = await serverFor(t, { chat: scripted });
  const named = (judge: string, judges: Record<string, unknown> = {}): Judges =>
    judgesOn(server.url, { judges: { lara: { type: 'lara', judge, share: 0.1 }, ...judges } }).judges;
  assert.throws(
    () => named('vscode').get('lara'),
    isError('bad-config', /"lara" names "vscode", which is of type "vscode"\. Only endpoints/),
  );
  assert.throws(() => named('lara').get('lara'), isError('bad-config', /of type "lara"/));
  assert.throws(
    () => named('nobody').get('lara'),
    isError('bad-config', /"lara" names "nobody", which is not in/),
  );
  assert.equal(named('model').chatModel('lara').model.model, 'scripted');
});

test('hostile passages do not change the structure of the prompt', async (t) => {
  const server = await serverFor(t, { chat: [wordReply(0.1)] });
  const pairs = HOSTILE_PASSAGES.map(({ text }) => ({
    passage: { text },
    perspective: { text: 'The city should ban cars.' },
  }));
  const report = await judgesOn(server.url).judges.get('lara')!.judge(pairs);
  assert.equal(report.answered, pairs.length);
  for (const { messages } of server.chatRequests)
    assert.equal(readPairPrompt(messages).statement, 'The city should ban cars.');
});

test('the review shows what cached answers mean now, and people before them', async (t) => {
  const server = await serverFor(t, { chat: scripted });
  const labels = labelsIn(t);
  const { judges, cache } = judgesOn(server.url, { labels, share: 0 });
  const judgementService = new JudgementService(labels, cache);
  const judge = judges.get('lara')!;
  const probabilities = [0.9, 0.9, 0.9, 0.9, 0.9];
  const passages = probabilities.map((probability, slot) => {
    const { text } = pairOf(probability, slot).passage;
    return { slot, id: `p${slot}`, documentId: `d${slot}`, text, hash: textHash(text) } as StoredPassage;
  });
  const perspectives = [{ id: 'a', text: 'Perspective.' }];
  const judgingTask = { query: { id: 'q', text: 'Question?' }, perspectives, passages };
  await judgementService.judge(judgingTask, judge, () => undefined, {});
  const verdicts = async (): Promise<(string | undefined)[]> =>
    (await judgementService.known(judgingTask, judge)).map(
      ({ judgement }) => `${judgement.source} ${judgement.verdict}`,
    );
  assert.deepEqual(await verdicts(), new Array(5).fill('llm yes'));
  for (const passage of passages.slice(0, 4))
    await judgementService.label(
      { query: judgingTask.query, passage, perspective: perspectives[0]! },
      { verdict: 'no', by: 'Ada' },
    );
  assert.deepEqual(await verdicts(), [...new Array<string>(4).fill('human no'), 'llm no']);
});

test('compared with people it is read without the labels of the same perspectives', async (t) => {
  const server = await serverFor(t, { chat: scripted });
  const labels = labelsIn(t);
  const { judges, cache } = judgesOn(server.url, { labels, share: 0 });
  const service = new JudgementService(labels, cache);
  const judge = judges.get('lara')!;
  const passages = [0, 1, 2, 3].map((slot) => {
    const { text } = pairOf(0.9, slot).passage;
    return { slot, id: `p${slot}`, documentId: `d${slot}`, text, hash: textHash(text) } as StoredPassage;
  });
  const taskOf = (text: string) => ({
    query: { id: text, text: 'Question?' },
    perspectives: [{ id: 'a', text }],
    passages,
  });
  const [own, other] = [taskOf('Own.'), taskOf('Other.')];
  for (const task of [own, other]) await service.judge(task, judge, () => undefined, {});
  for (const passage of passages)
    await service.label(
      { query: own.query, passage, perspective: own.perspectives[0]! },
      { verdict: 'no', by: 'Ada' },
    );
  const verdicts = async (task: typeof own): Promise<string[]> =>
    (await service.answered(task, judge)).map(({ judgement }) => judgement.verdict);
  assert.deepEqual(await verdicts(own), new Array(4).fill('yes'), 'nobody labelled anything else');
  assert.deepEqual(await verdicts(other), new Array(4).fill('no'), 'it learns from the labels of others');
  assert.equal(judge.reading!.labels!(), 4);
});
