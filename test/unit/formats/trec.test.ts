import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import {
  columnId,
  formatQrels,
  formatRun,
  parseQrels,
  parseRun,
} from '../../../src/core/formats/exchange/trec.ts';
import type { Qrels, Run } from '../../../src/core/model.ts';

const DATA = '../shared/data/metrics';
const skip = existsSync(DATA) ? false : 'cannot run here: ../shared/data is absent';

const order = (run: Run, topic = 'q1') => run.get(topic)?.map(({ item }) => item);
const isBadFile = (sentence: RegExp) => (error: unknown) =>
  ParallaxError.is(error, 'bad-file') && sentence.test(error.message);

test('sorts a run by score, with any separator', () => {
  const { run, tag, warnings } = parseRun(
    '\uFEFF# a comment\r\nq1 Q0 a 1 2.5 mine\r\n\r\n  q1\tQ0\t b\t2  -1e-3 mine\nq2 Q0 a 1 .5 other',
  );
  assert.deepEqual(run.get('q1'), [
    { item: 'a', score: 2.5 },
    { item: 'b', score: -0.001 },
  ]);
  assert.deepEqual([order(run, 'q2'), tag, warnings], [['a'], 'mine', []]);
});

test('reads numbers of a run in every common notation', () => {
  const scores = ['1e5', '+2e+1', '3.', '.55', '-1.5E-1'];
  const { run, warnings } = parseRun(
    scores.map((score, at) => `q1 Q0 d${at} +${at + 1} ${score} t`).join('\n'),
  );
  assert.deepEqual(
    run.get('q1')!.map(({ score }) => score),
    [100_000, 20, 3, 0.55, -0.15],
  );
  assert.deepEqual(warnings, []);
});

test('sorts by score and warns of ranks that contradict it', () => {
  const { run, warnings } = parseRun('q1 Q0 a 1 1 t\nq1 Q0 b 2 3 t\nq1 Q0 c 3 2 t\n');
  assert.deepEqual(order(run), ['b', 'c', 'a']);
  assert.deepEqual(warnings, [
    'Ranks contradict scores in 1 topic (first in topic "q1": "c" and "a"); the scores make the order.',
  ]);
});

test('ties go to the larger passage id, with one warning for all topics', () => {
  const { run, warnings } = parseRun(
    'q1 Q0 a 0 1 t\nq1 Q0 b 0 1 t\nq2 Q0 a 0 1 t\nq2 Q0 c 0 1 t\nq3 Q0 a 0 1 t\n',
  );
  assert.deepEqual(order(run), ['b', 'a']);
  assert.equal(warnings.length, 1, 'rank 0 everywhere, as BEIR writes it, contradicts nothing');
  assert.match(warnings[0]!, /^Equal scores in 2 topics \(first in topic "q1": "b" and "a"\)/);
});

test('keeps the best score of a repeated passage', () => {
  const { run, warnings } = parseRun('q1 Q0 a 3 1 t\nq1 Q0 b 2 2 t\nq1 Q0 a 1 3 t\nq2 Q0 a 1 1 t\n');
  assert.deepEqual(run.get('q1'), [
    { item: 'a', score: 3 },
    { item: 'b', score: 2 },
  ]);
  assert.deepEqual(warnings, [
    'Repeated passages in 1 topic (first in topic "q1": "a"); the best score of each counts.',
  ]);
});

test('reports bad lines of a run and skips them', () => {
  const { run, warnings } = parseRun(
    [
      'q1 Q0 a 1 2 t',
      'q1 Q0 b 2 t',
      'q1 Q0 c x 2 t',
      'q1 Q0 d 4 high t',
      'q1 Q0 e 5 NaN t',
      'q1 Q0 f 6 1e999 t',
      'q1 Q0 g 7th 2 t',
      'q1 Q0 h 8 v2 t',
      'q1 Q0 i 9 2% t',
    ].join('\n'),
  );
  assert.deepEqual(order(run), ['a']);
  assert.deepEqual(warnings, [
    'Line 2: expected 6 columns, found 5; skipped.',
    'Line 3: rank "x" is not a whole number; skipped.',
    'Line 4: score "high" is not a number; skipped.',
    'Line 5: score "NaN" is not a number; skipped.',
    'Line 6: score "1e999" is not a number; skipped.',
    'Line 7: rank "7th" is not a whole number; skipped.',
    'Line 8: score "v2" is not a number; skipped.',
    'Line 9: score "2%" is not a number; skipped.',
  ]);
});

test('refuses another file format', () => {
  assert.throws(
    () => parseRun('{"_id": "q1"}\n'),
    isBadFile(/^Not a TREC run .*Line 1: expected 6 columns, found 2\.$/),
  );
  assert.throws(() => parseRun(''), isBadFile(/no lines to read/));
  assert.throws(() => parseQrels('q1 Q0 a 1 2 t\n'), isBadFile(/^Not a TREC qrels file .*found 6\.$/));
});

test('writes ranks from 1 and strictly decreasing scores', () => {
  const run: Run = new Map([
    ['q1', ['a', 'b', 'c', 'd'].map((item, index) => ({ item, score: index === 3 ? 0.25 : 0.5 }))],
  ]);
  const lines = formatRun(run, 'mine').trim().split('\n');
  const columns = lines.map((line) => line.split(' '));
  assert.deepEqual(
    columns.map(([, , item, rank]) => [item, rank]),
    [
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
      ['d', '4'],
    ],
  );
  const scores = columns.map((column) => Number(column[4]));
  assert.deepEqual([scores[0], scores[3]], [0.5, 0.25], 'scores that decrease stay as they are');
  for (let index = 1; index < scores.length; index++)
    assert.ok(Math.fround(scores[index]!) < Math.fround(scores[index - 1]!), 'also in single precision');
});

test('spreads scores that differ in double precision only', () => {
  const run: Run = new Map([
    [
      'q1',
      [
        { item: 'a', score: 0.1 + 1e-12 },
        { item: 'b', score: 0.1 },
      ],
    ],
  ]);
  const [first, second] = parseRun(formatRun(run, 't')).run.get('q1')!;
  assert.ok(Math.fround(second!.score) < Math.fround(first!.score));
});

test('writes a rising run in its own order', () => {
  const run: Run = new Map([
    [
      'q1',
      [
        { item: 'a', score: 1 },
        { item: 'b', score: 2 },
      ],
    ],
  ]);
  assert.deepEqual(order(parseRun(formatRun(run, 't')).run), ['a', 'b']);
});

test('refuses or percent-encodes what a column cannot contain', () => {
  assert.equal(columnId('my notes/a\tb.md#3'), 'my%20notes/a%09b.md#3');
  assert.equal(columnId('#1'), '%231');
  assert.equal(columnId('no\u00a0break'), 'no\u00a0break');
  const isBadArgument = (error: unknown) => ParallaxError.is(error, 'bad-argument');
  assert.throws(() => formatRun(new Map([['q1', [{ item: '', score: 1 }]]]), 't'), isBadArgument);
  assert.throws(() => formatRun(new Map([['q1', [{ item: 'a', score: NaN }]]]), 't'), isBadArgument);
});

/** Any text except the empty one, and numbers, which collide more often. */
const ids = fc.oneof(
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.integer({ min: 0, max: 20 }).map(String),
);
const scores = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -1, max: 1, noNaN: true }),
);

test('reads back a written run in its order, with decreasing scores unchanged', () => {
  const rankings = fc.uniqueArray(fc.record({ item: ids, score: scores }), {
    selector: ({ item }) => columnId(item),
  });
  const runs = fc.uniqueArray(
    fc.tuple(
      ids,
      rankings.filter((ranking) => ranking.length > 0),
    ),
    {
      minLength: 1,
      selector: ([topic]) => columnId(topic),
    },
  );
  fc.assert(
    fc.property(runs, (entries) => {
      const written = new Map(
        entries.map(([topic, ranked]) => [topic, ranked.sort((a, b) => b.score - a.score)]),
      );
      const { run, warnings } = parseRun(formatRun(written, 'tag'));
      assert.deepEqual(warnings, []);
      assert.deepEqual([...run.keys()], [...written.keys()].map(columnId));
      for (const [topic, ranked] of written) {
        const read = run.get(columnId(topic))!;
        assert.deepEqual(
          read.map(({ item }) => item),
          ranked.map(({ item }) => columnId(item)),
        );
        const decreasing = ranked.every(
          ({ score }, index) => index === 0 || Math.fround(score) < Math.fround(ranked[index - 1]!.score),
        );
        // JSON-like equality: −0 is written as 0.
        if (decreasing) assert.ok(read.every(({ score }, index) => score === ranked[index]!.score));
      }
    }),
  );
});

test('qrels are plain if their second column is 0 throughout', () => {
  const plain = parseQrels('q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n');
  assert.equal(plain.kind, 'plain');
  assert.deepEqual(
    plain.qrels.get('q1'),
    new Map([
      [
        '0',
        new Map([
          ['a', 1],
          ['b', 0],
        ]),
      ],
    ]),
  );
  assert.equal(parseQrels('q1 Q0 a 1\n').kind, 'plain');
  assert.deepEqual([...parseQrels('q1 Q0 a 1\n').qrels.get('q1')!.keys()], ['0']);
});

test('other second columns name perspectives unless specified otherwise', () => {
  const text = 'q1 0 a 1\nq1 1 a 0\nq1 1 b 2\n';
  const diversity = parseQrels(text);
  assert.equal(diversity.kind, 'diversity');
  assert.deepEqual([...diversity.qrels.get('q1')!.keys()], ['0', '1']);
  const plain = parseQrels(text, { kind: 'plain' });
  assert.equal(plain.kind, 'plain');
  assert.deepEqual(
    plain.qrels.get('q1'),
    new Map([
      [
        '0',
        new Map([
          ['a', 1],
          ['b', 2],
        ]),
      ],
    ]),
  );
  assert.equal(parseQrels('q1 0 a 1\n', { kind: 'diversity' }).kind, 'diversity');
  for (const perspective of ['10', '01', 'Q01']) {
    const { kind, qrels } = parseQrels(`q1 ${perspective} a 1\n`);
    assert.deepEqual([kind, [...qrels.get('q1')!.keys()]], ['diversity', [perspective]]);
  }
});

test('a negative relevance is unjudged and keeps the perspective', () => {
  const { qrels, warnings } = parseQrels('q1 pro a 1\nq1 con b -1\nq1 con c -2\n');
  assert.deepEqual(qrels.get('q1')!.get('con'), new Map());
  assert.deepEqual(warnings, ['2 judgements with a negative relevance count as unjudged.']);
});

test('keeps the higher of contradicting judgements with a warning', () => {
  const { qrels, warnings } = parseQrels('q1 pro a 1\nq1 pro a 0\nq1 pro b 1\nq2 pro b 1\nq2 pro b 1\n');
  assert.deepEqual(
    qrels.get('q1')!.get('pro'),
    new Map([
      ['a', 1],
      ['b', 1],
    ]),
  );
  assert.deepEqual(warnings, [
    'Contradicting judgements in 1 topic (first in topic "q1": "a"); the higher relevance counts.',
  ]);
});

test('reads qrels of BEIR as plain, with or without a header', () => {
  const { qrels, kind, warnings } = parseQrels('query-id\tcorpus-id\tscore\nq1\ta b\t1\nq1\tc\t0\n');
  assert.deepEqual([kind, warnings], ['plain', []]);
  const judged = new Map([
    ['a b', 1],
    ['c', 0],
  ]);
  assert.deepEqual(qrels, new Map([['q1', new Map([['0', judged]])]]));
  assert.deepEqual(parseQrels('q1\ta b\t1\nq1\tc\t0 \n').qrels, qrels);
  for (const name of ['queryid', 'query_id', 'Query-ID']) {
    const headed = parseQrels(`${name}\tcorpus-id\tscore\nq1\ta b\t1\nq1\tc\t0\n`);
    assert.deepEqual([headed.qrels, headed.warnings], [qrels, []]);
  }
  // Names like a header in later lines, or similar to one, are queries.
  const queries = ['query-ids', 'query-id', 'my-query-id'];
  const odd = parseQrels(queries.map((query) => `${query}\ta\t1\n`).join(''));
  assert.deepEqual([...odd.qrels.keys()], queries);
});

test('reports bad lines of qrels and skips them', () => {
  const { qrels, warnings } = parseQrels(
    '# a comment\nq1 pro a 1\nq1 pro\nq1 pro b yes\nq1 pro c 0.5\nq1 pro d x1\n',
  );
  assert.deepEqual(qrels.get('q1')!.get('pro'), new Map([['a', 1]]));
  assert.deepEqual(warnings, [
    'Line 3: expected 4 columns, found 2; skipped.',
    'Line 4: relevance "yes" is not a whole number; skipped.',
    'Line 5: relevance "0.5" is not a whole number; skipped.',
    'Line 6: relevance "x1" is not a whole number; skipped.',
  ]);
});

test('reads back written qrels', () => {
  const plainIds = ids.map(columnId);
  const judged = fc.dictionary(
    plainIds.filter((id) => id !== '__proto__'),
    fc.integer({ min: 0, max: 4 }),
    { minKeys: 1 },
  );
  const perspectives = fc.uniqueArray(fc.tuple(plainIds, judged), { minLength: 1, selector: ([id]) => id });
  const topics = fc.uniqueArray(fc.tuple(plainIds, perspectives), { minLength: 1, selector: ([id]) => id });
  fc.assert(
    fc.property(topics, (entries) => {
      const qrels: Qrels = new Map(
        entries.map(([topic, list]) => [
          topic,
          new Map(list.map(([id, values]) => [id, new Map(Object.entries(values))])),
        ]),
      );
      const read = parseQrels(formatQrels(qrels), { kind: 'diversity' });
      assert.deepEqual(read.qrels, qrels);
      assert.deepEqual(read.warnings, []);
    }),
  );
});

test('real files survive a round trip', { skip }, () => {
  const { run, warnings } = parseRun(readFileSync(`${DATA}/run.txt`, 'utf8'));
  assert.deepEqual([run.size, warnings], [161, []]);
  const again = parseRun(formatRun(run, 'bm25'));
  assert.deepEqual(again.warnings, []);
  for (const topic of run.keys()) assert.deepEqual(order(again.run, topic), order(run, topic));
  for (const file of ['qrels.txt', 'qrels.diversity.txt']) {
    const { qrels } = parseQrels(readFileSync(`${DATA}/${file}`, 'utf8'));
    assert.equal(qrels.size, 178);
    assert.deepEqual(parseQrels(formatQrels(qrels)).qrels, qrels);
  }
});
