import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { DEFAULT_FORM } from '../../../src/core/judging/prompts/prompt-form.ts';
import type { Judgement, Verdict } from '../../../src/core/model.ts';
import { createCachedJudge } from '../../../src/engine/judgements/cached-judge.ts';
import { createFilterJudge } from '../../../src/engine/judges/filter-judge.ts';
import type { Judge } from '../../../src/engine/judges/judge.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { createLexicalJudge } from '../../../src/engine/judges/lexical-judge.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import {
  verdictReply,
  type ChatReply,
  type ChatRequest,
  type ModelServer,
} from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { collector, debateOn, judgeOn, pairsOf, serverFor, stubborn } from './support.ts';

const numberIn = ({ messages }: ChatRequest): number =>
  Number(/Passage (\d+)/.exec(readPairPrompt(messages).passage)?.[1]);

/** A chat judge of this name that answers by the number of the passage. */
async function judgeSaying(
  t: TestContext,
  name: string,
  say: (number: number) => Verdict | ChatReply,
): Promise<{ judge: Judge; server: ModelServer }> {
  const server = await serverFor(t, {
    chat: (request) => {
      const said = say(numberIn(request));
      return typeof said === 'string' ? verdictReply(said, null, `${name} says ${said}.`) : said;
    },
  });
  const inner = judgeOn(server.url, { model: name });
  return { judge: { ...inner, name, key: inner.key, judge: inner.judge.bind(inner) }, server };
}

const asked = ({ chatRequests }: ModelServer): number[] => chatRequests.map(numberIn).sort((a, b) => a - b);

describe('filter', () => {
  test('discards a pair only if all cheap judges say no', async (t) => {
    // Pair by pair: no no, no yes, yes no, no unsure, unsure no, yes yes.
    const first = await judgeSaying(
      t,
      'one',
      (n) => (['no', 'no', 'yes', 'no', 'unsure', 'yes'] as const)[n]!,
    );
    const second = await judgeSaying(
      t,
      'two',
      (n) => (['no', 'yes', 'no', 'unsure', 'no', 'yes'] as const)[n]!,
    );
    const then = await judgeSaying(t, 'then', () => 'no');
    const filter = createFilterJudge({
      name: 'main',
      cheap: [first.judge, second.judge],
      then: then.judge,
    });
    const { delivered, onJudgement } = collector();
    const progress: number[] = [];
    const report = await filter.judge(pairsOf(6), {
      onJudgement,
      onProgress: ({ done }) => progress.push(done),
    });

    assert.deepEqual(asked(first.server), [0, 1, 2, 3, 4, 5]);
    assert.deepEqual(
      asked(second.server),
      [0, 1, 3],
      'the second is not asked where the first did not say no',
    );
    assert.deepEqual(asked(then.server), [1, 2, 3, 4, 5]);
    assert.deepEqual([report.asked, report.answered, report.requests], [6, 6, 14]);
    assert.deepEqual(report.tokens, { prompt: 1_400, completion: 280 });
    assert.equal(progress.at(-1), 6);

    const discarded = delivered.get(0)!.judgement;
    assert.deepEqual(
      [discarded.verdict, discarded.judge, discarded.stage, discarded.model],
      ['no', 'main', 'two', 'two'],
    );
    assert.equal(discarded.rationale, 'Discarded by the filter (one, two). two says no.');
    assert.equal(discarded.cost?.requests, 2);
    const judged = delivered.get(1)!.judgement;
    assert.deepEqual([judged.verdict, judged.stage, judged.rationale], ['no', 'then', 'then says no.']);
    assert.equal(judged.cost?.requests, 3, 'what the filter cost is part of it');
  });

  test('is asked about whole passages where one of its stages is, with the question', () => {
    const byPassage = judgeOn('http://a/v1', { form: DEFAULT_FORM });
    const byPair = judgeOn('http://a/v1');
    const shown = [
      createFilterJudge({ name: 'f', cheap: [byPair], then: byPassage }),
      createFilterJudge({ name: 'f', cheap: [byPair], then: byPair }),
    ].map(({ byPassage: whole, usesQuestion }) => [whole, usesQuestion]);
    assert.deepEqual(shown, [
      [true, true],
      [false, false],
    ]);
  });

  test('an unreadable answer discards nothing', async (t) => {
    const cheap = await judgeSaying(t, 'cheap', () => ({ text: 'Hm.' }));
    const then = await judgeSaying(t, 'then', () => 'yes');
    const { delivered, onJudgement } = collector();
    const report = await createFilterJudge({ name: 'main', cheap: [cheap.judge], then: then.judge }).judge(
      pairsOf(2),
      { onJudgement },
    );
    assert.deepEqual([report.answered, report.unparsable], [2, 0]);
    assert.equal(delivered.get(0)?.judgement.verdict, 'yes');
  });

  test('a pair on which a cheap judge fails reaches the next judge', async (t) => {
    const cheap = await judgeSaying(t, 'cheap', (n) =>
      n === 2 ? { fault: 'status', status: 400, message: 'too long' } : 'no',
    );
    const then = await judgeSaying(t, 'then', () => 'yes');
    const report = await createFilterJudge({ name: 'main', cheap: [cheap.judge], then: then.judge }).judge(
      pairsOf(5),
    );
    assert.deepEqual([report.answered, report.failed, report.error], [5, 0, undefined]);
    assert.deepEqual(asked(then.server), [2]);
  });

  test('a dead cheap judge does not send everything to the expensive one', async (t) => {
    const cheap = await judgeSaying(t, 'cheap', () => ({ fault: 'status', status: 401 }));
    const then = await judgeSaying(t, 'then', () => 'yes');
    const filter = createFilterJudge({ name: 'main', cheap: [cheap.judge], then: then.judge });
    for (const pairs of [1, 50]) {
      const report = await filter.judge(pairsOf(pairs));
      assert.equal(then.server.requests.length, 0);
      assert.deepEqual([report.answered, report.error?.id], [0, 'model-key']);
      assert.ok(report.failed >= 1 && report.failed <= 4);
    }
  });

  test('failures of the main judge are passed on', async (t) => {
    const cheap = await judgeSaying(t, 'cheap', (n) => (n === 0 ? 'no' : 'yes'));
    const then = await judgeSaying(t, 'then', () => ({ fault: 'status', status: 401 }));
    const report = await createFilterJudge({ name: 'main', cheap: [cheap.judge], then: then.judge }).judge(
      pairsOf(3),
    );
    assert.deepEqual([report.answered, report.error?.id], [1, 'model-key']);
  });

  test('cancelling in the cheap stage asks the main judge nothing', async (t) => {
    const controller = new AbortController();
    const cheap = await judgeSaying(t, 'cheap', (n) => {
      if (n === 3) controller.abort();
      return 'yes';
    });
    const then = await judgeSaying(t, 'then', () => 'yes');
    const report = await createFilterJudge({ name: 'main', cheap: [cheap.judge], then: then.judge }).judge(
      pairsOf(50),
      { signal: controller.signal },
    );
    assert.deepEqual([report.answered, report.cancelled, report.error], [0, true, undefined]);
    assert.equal(then.server.requests.length, 0);
  });

  test('a pair that a heuristic discards is unjudged, and stored with stage and source', async (t) => {
    const server = await serverFor(t, { chat: stubborn });
    const db = openDatabase(':memory:');
    t.after(() => db.close());
    const lexical = createLexicalJudge('words', (text) => text.toLowerCase().match(/[a-z]{4,}/g) ?? []);
    const filter = createFilterJudge({ name: 'main', cheap: [lexical], then: debateOn(server.url) });
    assert.deepEqual([filter.heuristic, filter.source], [false, 'debate']);
    const judge = createCachedJudge(filter, new JudgementCache(db));
    const pairs = [
      { passage: { text: 'Cats sleep all day long.' }, perspective: { text: 'Trains should run at night.' } },
      {
        passage: { text: 'Trains should run at night.' },
        perspective: { text: 'Trains should run at night.' },
      },
    ];
    const [fresh, remembered] = [collector(), collector()];
    await judge.judge(pairs, fresh);
    const report = await judge.judge(pairs, remembered);
    assert.deepEqual([report.answered, report.cached, report.requests, report.escalated], [1, 1, 0, 1]);
    for (const { delivered } of [fresh, remembered]) {
      const of = (index: number): Judgement => delivered.get(index)!.judgement;
      assert.equal(delivered.has(0), false);
      assert.deepEqual(
        [of(1).verdict, of(1).source, of(1).stage, of(1).escalated, of(1).debate?.rounds.length],
        ['unsure', 'debate', 'debate', 'human', 2],
      );
    }
  });

  test('a discard has the cheap model’s name, never the heuristic’s', async (t) => {
    const cheap = await judgeSaying(t, 'cheap', () => 'no');
    const then = await judgeSaying(t, 'then', () => 'yes');
    const words = createLexicalJudge('words', (text) => text.toLowerCase().match(/[a-z]{4,}/g) ?? []);
    for (const stages of [
      [cheap.judge, words],
      [words, cheap.judge],
    ]) {
      const { delivered, ...options } = collector();
      const filter = createFilterJudge({ name: 'main', cheap: stages, then: then.judge });
      assert.equal(filter.heuristic, false);
      await filter.judge(
        [{ passage: { text: 'Cats sleep all day long.' }, perspective: { text: 'Trains run at night.' } }],
        options,
      );
      const { judgement } = delivered.get(0)!;
      assert.deepEqual([judgement.verdict, judgement.source, judgement.stage], ['no', 'llm', 'cheap']);
    }
    assert.equal(then.server.requests.length, 0);
    assert.equal(createFilterJudge({ name: 'main', cheap: [cheap.judge], then: words }).heuristic, true);
  });

  test('pairs that are answered since are not asked about again', async (t) => {
    const cheap = await judgeSaying(t, 'cheap', () => 'yes');
    const then = await judgeSaying(t, 'then', () => 'yes');
    const report = await createFilterJudge({ name: 'main', cheap: [cheap.judge], then: then.judge }).judge(
      pairsOf(4),
      { isAnswered: (index) => index === 0 || (index === 1 && cheap.server.requests.length > 0) },
    );
    assert.deepEqual(asked(cheap.server), [1, 2, 3]);
    assert.deepEqual(asked(then.server), [2, 3]);
    assert.equal(report.answered, 2);
  });

  test('its key depends on the stages and their order', async (t) => {
    const [a, b, c] = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => (await judgeSaying(t, name, () => 'no')).judge),
    );
    const key = (cheap: Judge[], then: Judge): string => createFilterJudge({ name: 'n', cheap, then }).key;
    const keys = [key([a!], b!), key([b!], a!), key([a!, b!], c!), key([b!, a!], c!)];
    assert.equal(new Set(keys).size, 4);
  });
});
