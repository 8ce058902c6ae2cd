import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import type { Judgement } from '../../../src/core/model.ts';
import { createCachedJudge } from '../../../src/engine/judgements/cached-judge.ts';
import type { CachedAnswer } from '../../../src/engine/judgements/answer-rows.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { systemTiming } from '../../../src/engine/models/retry.ts';
import { createLexicalJudge } from '../../../src/engine/judges/lexical-judge.ts';
import { openDatabase, type Database } from '../../../src/engine/store/database.ts';
import { textHash } from '../../../src/engine/text-sums.ts';
import { verdictReply, type ChatReply } from '../../fixtures/model-server.ts';
import { collector, judgeOn, pairsOf, serverFor } from '../judges/support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

function fileFor(t: TestContext): string {
  const folder = temporaryFolder(t);
  return join(folder, 'judgements.sqlite');
}

function open(t: TestContext, path: string): Database {
  const db = openDatabase(path);
  t.after(() => db.close());
  return db;
}

const KEY = { passageHash: textHash('passage'), perspectiveHash: textHash('perspective') };
const JUDGEMENT: Judgement = {
  verdict: 'yes',
  evidence: [
    { start: 0, end: 7 },
    { start: 12, end: 40 },
  ],
  source: 'llm',
  judge: 'main',
  rationale: 'Because “it” says so.',
  confidence: 0.75,
  model: 'm',
  promptVersion: 'pair-1',
  standard: 'berds-1',
  at: '2026-01-01T00:00:00.000Z',
};
const READ: CachedAnswer = { judgement: JUDGEMENT, unparsable: false };
const UNREAD: CachedAnswer = {
  judgement: { ...JUDGEMENT, verdict: 'unsure', evidence: [] },
  unparsable: true,
};

/** Keys in order, so that two judgements can be compared as they cross a wire. */
const sorted = (judgement: Judgement): [string, unknown][] =>
  Object.entries(judgement)
    .sort(([a], [b]) => a.localeCompare(b))
    .filter(([, value]) => value !== undefined);

describe('judgement cache', () => {
  test('returns stored judgements, also after reopening', (t) => {
    const path = fileFor(t);
    const db = openDatabase(path);
    const cache = new JudgementCache(db);
    assert.equal(cache.get('judge', KEY), undefined);
    assert.deepEqual(cache.put('judge', KEY, READ), READ);
    assert.deepEqual(cache.get('judge', KEY), READ);
    db.close();
    assert.deepEqual(new JudgementCache(open(t, path)).get('judge', KEY), READ);
  });

  test('omits fields that a judgement does not have', (t) => {
    const cache = new JudgementCache(open(t, ':memory:'));
    const { verdict, source, judge, standard, at } = JUDGEMENT;
    const bare = { verdict, source, judge, standard, at };
    cache.put('judge', KEY, { judgement: { ...bare, evidence: [] }, unparsable: false });
    const { judgement } = cache.get('judge', KEY)!;
    assert.deepEqual(JSON.parse(JSON.stringify(judgement)), { ...bare, evidence: [] });
  });

  const DETAILED: Judgement = {
    ...JUDGEMENT,
    cost: { requests: 0.5, promptTokens: 12.5, milliseconds: 7 },
    escalated: 'human',
    stage: 'second',
    debate: {
      rounds: [
        [
          {
            model: 'a',
            initialStance: 'yes',
            label: 'no',
            argument: 'Why “not”.',
            evidence: [{ start: 0, end: 3 }],
          },
          { model: 'b', initialStance: 'no', argument: '', evidence: [], unparsable: 'Not readable.' },
        ],
      ],
      adjudication: { model: 'c', label: 'yes', argument: 'So.', evidence: [] },
    },
  };

  test('keeps cost, debate, escalation and stage', (t) => {
    const cache = new JudgementCache(open(t, ':memory:'));
    const answer = { judgement: DETAILED, unparsable: false };
    cache.put('judge', KEY, answer);
    assert.deepEqual(cache.get('judge', KEY), answer);
    assert.deepEqual(cache.ofPerspective('judge', KEY.perspectiveHash).get(KEY.passageHash), answer);
  });

  test('returns the verdict even if details are damaged', (t) => {
    const db = open(t, ':memory:');
    const cache = new JudgementCache(db);
    const damages = [
      ['1 2', '{"debate":'],
      ['1 ? ? -1', '{"debate":{"rounds":[[{"label":"maybe"}]]}}'],
      ['many', '[]'],
      ['', '{"escalated":"nobody"}'],
    ] as const;
    for (const [cost, details] of damages) {
      cache.put('judge', KEY, { judgement: DETAILED, unparsable: true });
      db.prepare('UPDATE answers_1 SET cost = ?, details = ?').run(cost, details);
      assert.deepEqual(cache.get('judge', KEY), { judgement: JUDGEMENT, unparsable: true });
    }
  });

  test('keeps source, model and versions of a passed-on answer', (t) => {
    const cache = new JudgementCache(open(t, ':memory:'));
    const { verdict, evidence, judge, rationale, confidence, at } = JUDGEMENT;
    const passedOn: Judgement = {
      verdict,
      evidence,
      judge,
      rationale,
      confidence,
      at,
      source: 'lexical',
      standard: 'strict-1',
      stage: 'words',
    };
    cache.put('judge', KEY, READ);
    cache.put('judge', { ...KEY, passageHash: 'other' }, { judgement: passedOn, unparsable: false });
    const { judgement } = cache.get('judge', { ...KEY, passageHash: 'other' })!;
    assert.deepEqual(sorted(judgement), sorted(passedOn));
    assert.deepEqual(cache.get('judge', KEY), READ);
  });

  test('distinguishes judges, passages and perspectives', (t) => {
    const cache = new JudgementCache(open(t, ':memory:'));
    cache.put('judge', KEY, READ);
    assert.equal(cache.get('other judge', KEY), undefined);
    assert.equal(cache.get('judge', { ...KEY, passageHash: textHash('other') }), undefined);
    assert.equal(cache.get('judge', { ...KEY, perspectiveHash: textHash('other') }), undefined);
  });

  test('keeps the first answer, but replaces an unreadable one', (t) => {
    const cache = new JudgementCache(open(t, ':memory:'));
    const other: CachedAnswer = {
      judgement: { ...JUDGEMENT, verdict: 'no', evidence: [] },
      unparsable: false,
    };
    cache.put('judge', KEY, UNREAD);
    assert.deepEqual(cache.put('judge', KEY, READ), READ);
    assert.deepEqual(cache.put('judge', KEY, other), READ);
    assert.deepEqual(cache.put('judge', KEY, UNREAD), READ);
    assert.deepEqual(cache.get('judge', KEY), READ);
  });

  test('shares a file between two windows without counting twice', (t) => {
    const path = fileFor(t);
    const [one, two] = [open(t, path), open(t, path)];
    const [first, second] = [new JudgementCache(one), new JudgementCache(two)];
    for (let i = 0; i < 50; i++) {
      const key = { ...KEY, passageHash: textHash(String(i)) };
      first.put('judge', key, READ);
      second.put('judge', key, READ);
      assert.deepEqual(second.get('judge', key), READ);
    }
    assert.equal(first.ofPerspective('judge', KEY.perspectiveHash).size, 50);
    assert.equal(Number(one.prepare('SELECT count(*) AS n FROM answers_1').get()?.['n']), 50);
    assert.equal(Number(two.prepare('SELECT count(*) AS n FROM judges_1').get()?.['n']), 1);
  });

  test('lists the answers about one perspective', (t) => {
    const cache = new JudgementCache(open(t, ':memory:'));
    cache.put('judge', KEY, READ);
    cache.put('judge', { ...KEY, passageHash: 'p2' }, UNREAD);
    cache.put('judge', { ...KEY, perspectiveHash: 'other' }, READ);
    cache.put('other', KEY, READ);
    assert.deepEqual(
      [...cache.ofPerspective('judge', KEY.perspectiveHash)].sort(([a], [b]) => a.localeCompare(b)),
      [
        [KEY.passageHash, READ],
        ['p2', UNREAD],
      ].sort(([a], [b]) => String(a).localeCompare(String(b))),
    );
  });

  test('looks up many at once, in order', (t) => {
    const cache = new JudgementCache(open(t, ':memory:'));
    const keys = Array.from({ length: 100 }, (_, i) => ({ ...KEY, passageHash: textHash(String(i)) }));
    for (const key of keys.filter((_, i) => i % 3 === 0)) cache.put('judge', key, READ);
    assert.deepEqual(
      cache.getMany('judge', keys),
      keys.map((_, i) => (i % 3 === 0 ? READ : undefined)),
    );
    assert.deepEqual(cache.getMany('judge', []), []);
    assert.deepEqual(cache.getMany('nobody', [KEY]), [undefined]);
  });

  test('reports a file that is no database', (t) => {
    const path = fileFor(t);
    writeFileSync(path, 'not a database, but long enough to be taken for the head of one'.repeat(50));
    assert.throws(() => new JudgementCache(openDatabase(path)), { id: 'store-unusable' });
  });
});

describe('cached judge', () => {
  test('asks about a pair only once', async (t) => {
    const server = await serverFor(t, { chat: [verdictReply('yes', 'It supports')] });
    const path = fileFor(t);
    const first = createCachedJudge(judgeOn(server.url), new JudgementCache(open(t, path)));
    const asked = collector();
    const paid = await first.judge(pairsOf(20), asked);
    assert.deepEqual([paid.asked, paid.answered, paid.cached, paid.requests], [20, 20, 0, 20]);

    const again = createCachedJudge(judgeOn(server.url), new JudgementCache(open(t, path)));
    const remembered = collector();
    const free = await again.judge(pairsOf(22), remembered);
    assert.deepEqual([free.asked, free.answered, free.cached, free.requests], [2, 22, 20, 2]);
    assert.equal(server.requests.length, 22);
    for (let i = 0; i < 20; i++) {
      assert.equal(
        JSON.stringify(sorted(remembered.delivered.get(i)!.judgement)),
        JSON.stringify(sorted(asked.delivered.get(i)!.judgement)),
      );
      assert.deepEqual(remembered.delivered.get(i)?.delivery, { unparsable: false, cached: true });
    }
    const known = await again.known(pairsOf(23));
    assert.equal(known.filter((answer) => answer !== undefined).length, 22);
    assert.equal(server.requests.length, 22);
  });

  test('uses the hash of a passage if there is one', async (t) => {
    const server = await serverFor(t, { chat: [verdictReply('yes')] });
    const judge = createCachedJudge(judgeOn(server.url), new JudgementCache(open(t, ':memory:')));
    const [pair] = pairsOf(1);
    await judge.judge([pair!]);
    await judge.judge([{ ...pair!, passage: { ...pair!.passage, hash: textHash(pair!.passage.text) } }]);
    assert.equal(server.requests.length, 1);
  });

  test('stores each answer before it is delivered', async (t) => {
    const server = await serverFor(t, { chat: [verdictReply('no')] });
    const cache = new JudgementCache(open(t, ':memory:'));
    const inner = judgeOn(server.url);
    const [pair] = pairsOf(1);
    let stored: CachedAnswer | undefined;
    await createCachedJudge(inner, cache).judge([pair!], {
      onJudgement: () => {
        const key = {
          passageHash: textHash(pair!.passage.text),
          perspectiveHash: textHash(pair!.perspective.text),
        };
        stored = cache.get(inner.key, key);
      },
    });
    assert.equal(stored?.judgement.verdict, 'no');
  });

  test('remembers unreadable answers and asks again only on request', async (t) => {
    const server = await serverFor(t, { chat: [{ text: 'Hm.' }, { text: 'Hm.' }, verdictReply('yes')] });
    const judge = createCachedJudge(judgeOn(server.url), new JudgementCache(open(t, ':memory:')));
    assert.equal((await judge.judge(pairsOf(1))).unparsable, 1);
    const remembered = await judge.judge(pairsOf(1));
    assert.deepEqual([remembered.unparsable, remembered.cached, server.requests.length], [1, 1, 1]);
    const still = await judge.judge(pairsOf(1), { repeatUnparsable: true });
    assert.deepEqual([still.unparsable, still.cached, still.requests], [1, 0, 1]);
    const { delivered, onJudgement } = collector();
    const read = await judge.judge(pairsOf(1), { repeatUnparsable: true, onJudgement });
    assert.deepEqual([read.unparsable, read.requests, delivered.get(0)?.judgement.verdict], [0, 1, 'yes']);
    assert.equal((await judge.judge(pairsOf(1), { repeatUnparsable: true })).requests, 0);
  });

  test('keeps answers that arrived before cancelling', async (t) => {
    const replies = (count: number): ChatReply[] => [
      ...Array<ChatReply>(count).fill(verdictReply('yes')),
      { fault: 'hang' },
    ];
    const path = fileFor(t);
    const stalling = await serverFor(t, { chat: replies(7) });
    const controller = new AbortController();
    const { delivered, onJudgement } = collector();
    const cut = await createCachedJudge(
      judgeOn(stalling.url, { model: 'same' }),
      new JudgementCache(open(t, path)),
    ).judge(pairsOf(30), {
      signal: controller.signal,
      onJudgement: (...answer) => {
        onJudgement(...answer);
        if (delivered.size === 7) controller.abort();
      },
    });
    assert.deepEqual([cut.answered, cut.cancelled, cut.error], [7, true, undefined]);
    const known = await createCachedJudge(
      judgeOn(stalling.url, { model: 'same' }),
      new JudgementCache(open(t, path)),
    ).known(pairsOf(30));
    assert.equal(known.filter(Boolean).length, 7);
  });

  test('keeps answers that are on their way when it is cancelled', async (t) => {
    const controller = new AbortController();
    const all = Promise.withResolvers<undefined>();
    const server = await serverFor(t, {
      chat: async ({ index }) => {
        if (index === 3) {
          controller.abort();
          all.resolve(undefined);
        }
        await all.promise;
        return verdictReply('yes');
      },
    });
    const cache = new JudgementCache(open(t, ':memory:'));
    const judge = createCachedJudge(judgeOn(server.url, { concurrency: 4, timing: systemTiming }), cache);
    const { delivered, onJudgement } = collector();
    const cut = await judge.judge(pairsOf(10), { signal: controller.signal, onJudgement });
    assert.deepEqual([cut.answered, cut.requests, cut.cancelled, delivered.size], [4, 4, true, 4]);
    const rest = await judge.judge(pairsOf(10));
    assert.deepEqual([rest.cached, rest.requests, server.requests.length], [4, 6, 10]);
  });

  test('pays once for each pair in two concurrent calls', async (t) => {
    const server = await serverFor(t, { chat: [verdictReply('yes')] });
    const judge = createCachedJudge(
      judgeOn(server.url, { concurrency: 7 }),
      new JudgementCache(open(t, ':memory:')),
    );
    const [a, b] = [collector(), collector()];
    const reports = await Promise.all([judge.judge(pairsOf(300), a), judge.judge(pairsOf(300), b)]);
    assert.deepEqual([a.delivered.size, b.delivered.size], [300, 300]);
    assert.deepEqual(
      reports.map(({ answered }) => answered),
      [300, 300],
    );
    assert.equal(server.requests.length, 300);
  });

  test('does not ask about a pair that another window answered since', async (t) => {
    const path = fileFor(t);
    const pairs = pairsOf(2);
    const other = new JudgementCache(open(t, path));
    const server = await serverFor(t, {
      chat: () => {
        const key = {
          passageHash: textHash(pairs[1]!.passage.text),
          perspectiveHash: textHash(pairs[1]!.perspective.text),
        };
        other.put(inner.key, key, READ);
        return verdictReply('no');
      },
    });
    const inner = judgeOn(server.url, { concurrency: 1 });
    const { delivered, onJudgement } = collector();
    const report = await createCachedJudge(inner, new JudgementCache(open(t, path))).judge(pairs, {
      onJudgement,
    });
    assert.deepEqual([report.answered, report.asked, report.cached, server.requests.length], [2, 1, 1, 1]);
    assert.deepEqual(
      [delivered.get(0)?.judgement.verdict, delivered.get(1)?.judgement.verdict],
      ['no', 'yes'],
    );
  });

  test('shows the answer and stops paying if nothing can be stored', async (t) => {
    const server = await serverFor(t, { chat: [verdictReply('yes')] });
    const db = open(t, ':memory:');
    const judge = createCachedJudge(judgeOn(server.url, { concurrency: 1 }), new JudgementCache(db));
    db.exec("CREATE TRIGGER full BEFORE INSERT ON answers_1 BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    const { delivered, onJudgement } = collector();
    const report = await judge.judge(pairsOf(20), { onJudgement });
    assert.equal(report.error?.id, 'store-unusable');
    assert.match(report.error.message, /disk full/);
    assert.deepEqual([delivered.size, server.requests.length, report.cancelled], [1, 1, false]);
  });

  test('passes on failures of the judge, and counts cached answers as progress', async (t) => {
    const server = await serverFor(t, {
      chat: ({ index }) => (index < 5 ? verdictReply('yes') : { fault: 'status', status: 401 }),
    });
    const judge = createCachedJudge(
      judgeOn(server.url, { concurrency: 1 }),
      new JudgementCache(open(t, ':memory:')),
    );
    await judge.judge(pairsOf(5));
    const progress: unknown[] = [];
    const report = await judge.judge(pairsOf(8), { onProgress: (note) => progress.push(note) });
    assert.deepEqual(
      [report.answered, report.cached, report.failed, report.error?.id],
      [5, 5, 1, 'model-key'],
    );
    assert.deepEqual(progress.at(-1), { done: 5, total: 8 });
  });

  test('shows the judge’s current name', async (t) => {
    const server = await serverFor(t, { chat: [verdictReply('yes')] });
    const cache = new JudgementCache(open(t, ':memory:'));
    const inner = judgeOn(server.url);
    await createCachedJudge(inner, cache).judge(pairsOf(1));
    const { delivered, onJudgement } = collector();
    const renamed = { ...inner, key: inner.key, name: 'renamed', judge: inner.judge.bind(inner) };
    await createCachedJudge(renamed, cache).judge(pairsOf(1), { onJudgement });
    assert.equal(delivered.get(0)?.judgement.judge, 'renamed');
  });
});

describe('lexical judge', () => {
  const analyze = (text: string): string[] => text.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  const judge = createLexicalJudge('lexical', analyze, () => Date.UTC(2026, 0, 1));

  test('labels itself and its judgements as a heuristic', async () => {
    const { delivered, onJudgement } = collector();
    const pair = { passage: { text: 'Rain. Cats chase mice.' }, perspective: { text: 'Cats chase mice.' } };
    const report = await judge.judge([pair], { onJudgement });
    assert.equal(judge.heuristic, true);
    assert.match(judge.label, /heuristic/i);
    assert.deepEqual(delivered.get(0)?.judgement, {
      verdict: 'yes',
      evidence: [{ start: 6, end: 22 }],
      source: 'lexical',
      judge: 'lexical',
      rationale: '3 of the 3 content words stand together.',
      confidence: 1,
      promptVersion: 'lexical-1',
      standard: 'berds-1',
      at: '2026-01-01T00:00:00.000Z',
    });
    assert.deepEqual([report.asked, report.answered, report.requests, report.tokens.prompt], [1, 1, 0, 0]);
  });

  test('can be cancelled between pairs, and yields to other work', async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    const { delivered, onJudgement } = collector();
    const report = await judge.judge(pairsOf(5_000), { signal: controller.signal, onJudgement });
    assert.equal(report.cancelled, true);
    assert.ok(delivered.size < 5_000);
    assert.equal(report.answered, delivered.size);
    assert.ok(!ParallaxError.is(report.error));
  });
});
