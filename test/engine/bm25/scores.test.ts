import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SyntheticCorpus } from '../../../bench/support/synthetic-corpus.ts';
import { Bm25Index } from '../../../src/engine/bm25/bm25-index.ts';
import type { Bm25Params } from '../../../src/engine/bm25/scoring.ts';
import type { Hit } from '../../../src/engine/types.ts';
import { LiveSlotSet } from '../../../src/engine/store/live-slots.ts';
import { naiveSearch } from './naive-bm25.ts';
import { indexOf, liveSlots, LUCENE, numbered, OKAPI } from './support.ts';

const word = fc.constantFrom(...'a b c d e f g'.split(' '));
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));

function assertSameHits(actual: readonly Hit[], expected: readonly Hit[]): void {
  assert.equal(actual.length, expected.length);
  const bySlot = new Map(expected.map(({ item, score }) => [item, score]));
  for (const [rank, { item, score }] of actual.entries()) {
    assert.ok(Math.abs(score - bySlot.get(item)!) < 1e-9, `slot ${item}: ${score} ≠ ${bySlot.get(item)}`);
    // Ties of the reference up to rounding may come in any order.
    assert.ok(Math.abs(score - expected[rank]!.score) < 1e-9, `rank ${rank}`);
  }
}

describe('scores equal BM25 computed from its definition', () => {
  const params = fc.record({
    k1: fc.constantFrom(0, 0.9, 1.5),
    b: fc.constantFrom(0, 0.4, 1),
    variant: fc.constantFrom('lucene' as const, 'okapi' as const),
    epsilon: fc.constantFrom(0, 0.25),
  });
  for (const analyzer of ['simple', 'whitespace'] as const)
    test(analyzer, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(text, { minLength: 1, maxLength: 12 }),
          text,
          params,
          async (texts, query, given) => {
            const passages = numbered(texts);
            const { index, live } = await indexOf(passages, analyzer);
            assertSameHits(
              index.search(query, given, 100, live),
              naiveSearch(passages, query, given, analyzer),
            );
          },
        ),
        { numRuns: 150 },
      );
    });
});

test('okapi equals rank_bm25, computed by hand', async () => {
  // The example of rank_bm25's documentation: three passages, "windy" in one, "London" in one of two words.
  const texts = ['Hello there good man!', 'It is quite windy in London', 'How is the weather today?'];
  const { index, live } = await indexOf(numbered(texts), 'whitespace');
  const [hit, ...rest] = index.search('windy London', OKAPI, 10, live);
  const idf = Math.log(2.5) - Math.log(1.5);
  const expected = 2 * idf * (2.5 / (1 + 1.5 * (0.25 + (0.75 * 6) / 5)));
  assert.deepEqual([hit!.item, rest], [1, []]);
  assert.ok(Math.abs(hit!.score - expected) < 1e-12);
  assert.ok(Math.abs(hit!.score - 0.93729472) < 1e-8, 'the figure printed in its documentation');
});

describe('a matching passage is found with any score', () => {
  test('0, if a term is in half of the passages', async () => {
    const { index, live } = await indexOf(numbered(['a b', 'c']));
    assert.deepEqual(index.search('a', OKAPI, 10, live), [{ item: 0, score: 0 }]);
  });

  test('below 0, if the mean idf is', async () => {
    const { index, live } = await indexOf(numbered(['a b', 'a b', 'a b', 'z a']));
    const hits = index.search('a', OKAPI, 10, live);
    assert.equal(hits.length, 4);
    assert.ok(hits.every(({ score }) => score < 0));
  });

  test('-0, if epsilon is 0', async () => {
    const { index, live } = await indexOf(numbered(['a b', 'a b', 'a']));
    assert.equal(index.search('a', { ...OKAPI, epsilon: 0 }, 10, live).length, 3);
  });
});

test('ties go to the smaller slot, also at the cut and across segments', async () => {
  const { index } = await Bm25Index.open(undefined, 'simple');
  for (const slot of [40, 7, 23, 2, 99]) {
    index.add(slot, 'same text');
    await index.flush();
  }
  const hits = index.search('same', LUCENE, 3, liveSlots([2, 7, 23, 40, 99]));
  assert.deepEqual(
    hits.map(({ item }) => item),
    [2, 7, 23],
  );
});

test('the best hits are those of the whole ranking, at every depth', async () => {
  const corpus = new SyntheticCorpus(5);
  const { index, live } = await indexOf(numbered(Array.from({ length: 500 }, () => corpus.passage())));
  for (let i = 0; i < 5; i++) {
    const query = corpus.query();
    const all = index.search(query, LUCENE, 1000, live);
    for (const depth of [1, 2, 10, 99, 500])
      assert.deepEqual(index.search(query, LUCENE, depth, live), all.slice(0, depth));
  }
});

test('looking up frequent words only beside a rare one changes no hit and no score', async () => {
  const percentages = { the: 95, of: 80, and: 60, in: 50, owl: 6, elk: 4, yak: 2 };
  const words = Object.entries(percentages);
  const percent = fc.nat({ max: 99 });
  const passage = fc
    .array(percent, { minLength: words.length, maxLength: words.length })
    .map((draws) => words.flatMap(([one, share], i) => (draws[i]! < share ? [one, one].slice(i % 2) : [])))
    .map((found) => found.join(' '));
  const query = fc.shuffledSubarray(
    words.map(([one]) => one),
    { minLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(passage, { minLength: 200, maxLength: 400 }),
      fc.array(query, { minLength: 3, maxLength: 3 }),
      async (texts, queries) => {
        const { index } = await Bm25Index.open(undefined, 'simple');
        for (const [slot, text] of texts.entries()) {
          index.add(slot, text);
          if (slot % 90 === 89) await index.flush();
        }
        await index.flush();
        const live = liveSlots([...texts.keys()].filter((slot) => slot % 7 !== 0));
        for (const words of queries)
          for (const params of [LUCENE, { ...LUCENE, k1: 0 }, OKAPI, { ...OKAPI, epsilon: -0.5 }]) {
            const all = index.search(words.join(' '), params, texts.length, live);
            for (const depth of [1, 3, 20])
              assert.deepEqual(index.search(words.join(' '), params, depth, live), all.slice(0, depth));
          }
      },
    ),
    { numRuns: 30 },
  );
});

test('any history of an index gives the scores of a fresh one, to the last bit', async () => {
  const operation = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), text }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }) },
    { weight: 2, arbitrary: fc.constant({ kind: 'flush' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'merge' as const }) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: 5, maxLength: 60 }),
      text,
      async (operations, query) => {
        const { index } = await Bm25Index.open(undefined, 'simple');
        const live = new LiveSlotSet();
        const passages = new Map<number, string>();
        let slot = 0;
        for (const step of operations) {
          if (step.kind === 'add') {
            index.add(slot, step.text);
            live.add(slot);
            passages.set(slot, step.text);
            slot += 3;
          } else if (step.kind === 'delete') {
            const victim = [...passages.keys()][step.which % Math.max(1, passages.size)];
            if (victim === undefined) continue;
            live.delete(victim);
            passages.delete(victim);
          } else if (step.kind === 'flush') {
            await index.flush();
          } else {
            await index.merge(live);
          }
          if (step.kind !== 'add') index.search(query, OKAPI, 10, live); // what it remembers must not go stale
        }
        await index.flush();
        const fresh = await indexOf(passages);
        for (const params of [LUCENE, OKAPI])
          assert.deepEqual(
            index.search(query, params, 100, live),
            fresh.index.search(query, params, 100, fresh.live),
          );
      },
    ),
    { numRuns: 130 },
  );
});

test('ranks like SQLite FTS5, with its idf', async () => {
  const corpus = new SyntheticCorpus(3);
  const texts = Array.from({ length: 3000 }, () => corpus.passage());
  const { index, live } = await indexOf(numbered(texts));
  const db = new DatabaseSync(':memory:');
  db.exec("CREATE VIRTUAL TABLE t USING fts5(text, content='', tokenize='unicode61')");
  const insert = db.prepare('INSERT INTO t (rowid, text) VALUES (?, ?)');
  texts.forEach((passage, slot) => insert.run(slot, passage));
  const select = db.prepare('SELECT rowid, rank FROM t WHERE t MATCH ? ORDER BY rank, rowid LIMIT 100');
  const params: Bm25Params = { ...LUCENE, k1: 1.2, b: 0.75 };

  const score = fts5Scorer(texts, params);
  let shared = 0;
  let expected = 0;
  for (let i = 0; i < 30; i++) {
    const query = [...new Set(corpus.query().split(' '))].join(' ');
    const theirs = select.all(query.split(' ').join(' OR ')).map((row) => Number(row['rowid']));
    // The two idfs differ little, so the best 100 by one are among the best 500 by the other.
    const candidates = index.search(query, params, 500, live).map(({ item }) => item);
    const ours = candidates
      .map((slot) => ({ slot, score: score(query, slot) }))
      .sort((a, b) => b.score - a.score || a.slot - b.slot)
      .slice(0, theirs.length);
    shared += ours.filter(({ slot }) => theirs.includes(slot)).length;
    expected += theirs.length;
  }
  assert.ok(shared / expected > 0.99, `${shared} of ${expected}`);
});

/** FTS5's bm25(): ln((N − n + 0.5) / (n + 0.5)), at least 1e-6, and tf (k1 + 1) over the usual denominator. */
function fts5Scorer(
  texts: readonly string[],
  { k1, b }: Bm25Params,
): (query: string, slot: number) => number {
  const passages = texts.map((own) => own.split(' '));
  const averageLength = passages.flat().length / passages.length;
  const having = new Map<string, number>();
  for (const term of passages.flatMap((words) => [...new Set(words)]))
    having.set(term, (having.get(term) ?? 0) + 1);
  return (query, slot) => {
    const words = passages[slot]!;
    const norm = k1 * (1 - b + (b * words.length) / averageLength);
    return query.split(' ').reduce((sum, term) => {
      const [tf, df] = [words.filter((own) => own === term).length, having.get(term) ?? 0];
      const idf = Math.max(1e-6, Math.log((passages.length - df + 0.5) / (df + 0.5)));
      return sum + (idf * tf * (k1 + 1)) / (tf + norm);
    }, 0);
  };
}
