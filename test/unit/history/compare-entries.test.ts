/** Why the figures of two evaluations differ. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EvaluatedDataset } from '../../../src/features/gate/core/evaluated.ts';
import { compareEntries } from '../../../src/features/history/core/compare-entries.ts';
import {
  acceptedEntry,
  historyEntry,
  historyEntrySchema,
  type HistoryEntry,
  type HistoryQuery,
} from '../../../src/features/history/core/entry.ts';
import { summaryOf } from '../../../src/features/history/core/summary.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { accepted, all, dataset, report } from '../gate/support.ts';

function entry(set: EvaluatedDataset): HistoryEntry {
  const found = historyEntry('id', report({}, set), [set]);
  // As it is read back from storage.
  return historyEntrySchema.parse(JSON.parse(JSON.stringify(found)));
}

const GOOD = dataset({ bm25: all(8, 'both') });

function changes(then: EvaluatedDataset, now: EvaluatedDataset): readonly string[] {
  const [comparison] = compareEntries(entry(then), entry(now)).comparisons;
  return comparison!.differences.find(({ metric }) => metric === 'MRecall@2')!.attribution.changes;
}

test('an entry stores verdicts of ranked passages, unjudged ones separately', () => {
  const [query] = entry(dataset({ bm25: { a: 'one' } })).datasets[0]!.pipelines[0]!.queries;
  assert.deepEqual(query!.ranked, ['pro of a', 'other of a']);
  assert.deepEqual(query!.verdicts, { pro: '1-', con: '--' });
});

test('a row lists measures that further verdicts may raise; none if all is judged', () => {
  const mayRise = (set: EvaluatedDataset) => summaryOf(entry(set), false, () => undefined).rows[0]!.mayRise;
  const open = mayRise(dataset({ bm25: { a: 'one' } }))!;
  assert.ok(open.includes('MRecall@2') && open.includes('Precision@2'), open.join());
  assert.ok(!open.includes('nDCG@2'), 'more support may lower it');
  assert.equal(mayRise(GOOD), undefined);
});

test('two runs name the figures that further verdicts may raise, over the queries that both have', () => {
  const [open, judged] = [
    dataset({ bm25: { a: 'one', b: 'both' } }),
    dataset({ bm25: { b: 'both', a: 'both' } }),
  ];
  const mayRise = (then: EvaluatedDataset, now: EvaluatedDataset): unknown =>
    compareEntries(entry(then), entry(now)).comparisons[0]!.differences.find(
      ({ metric }) => metric === 'MRecall@2',
    )!.mayRise;
  assert.deepEqual(mayRise(open, judged), { then: true, now: false });
  assert.deepEqual(mayRise(judged, open), { then: false, now: true });
  assert.deepEqual(mayRise(open, dataset({ bm25: { b: 'both' } })), { then: false, now: false });
});

test('an entry stores failed queries; a baseline made of it does not', () => {
  const set = dataset({ bm25: { a: 'one' } });
  const queryErrors = [{ query: 'a', message: 'It did not answer.' }];
  const failing = { ...set, pipelines: set.pipelines.map((pipeline) => ({ ...pipeline, queryErrors })) };
  const kept = entry(failing);
  assert.deepEqual(kept.datasets[0]!.pipelines[0]!.queryErrors, queryErrors);
  assert.deepEqual(summaryOf(kept, false, () => undefined).rows[0]!.queryErrors, queryErrors);
  assert.equal('queryErrors' in entry(set).datasets[0]!.pipelines[0]!, false);
  assert.deepEqual(acceptedEntry(kept), acceptedEntry(entry(set)));
});

test('a circular ranking is marked wherever it is stored, and its changes have no p', () => {
  const own = (set: EvaluatedDataset): EvaluatedDataset => ({
    ...set,
    pipelines: set.pipelines.map((pipeline) => ({ ...pipeline, circular: 'J' })),
  });
  const then = entry(dataset({ bm25: all(8, 'one') }));
  const now = entry(own(GOOD));
  const rowOf = (entered: HistoryEntry) => summaryOf(entered, false, () => then).rows[0]!;
  assert.equal(acceptedEntry(now).datasets[0]!.pipelines[0]!.circular, 'J');
  assert.equal(rowOf(now).circular, 'J');
  assert.equal(rowOf(now).since!.differences['MRecall@2']!.p, undefined);
  assert.match(
    compareEntries(then, now).notes.join(),
    /"bm25" on "set" is circular, and its differences are not tested\. J both ranked/,
  );
  const differences = (one: HistoryEntry, other: HistoryEntry) =>
    compareEntries(one, other).comparisons[0]!.differences;
  assert.ok(differences(then, now).every(({ p }) => p === undefined));
  assert.ok(
    differences(now, then).every(({ p }) => p === undefined),
    'whichever of the two it is',
  );
  assert.match(compareEntries(now, then).notes.join(), /is circular, .* J both ranked/);
  assert.ok(differences(then, entry(GOOD)).every(({ p }) => p !== undefined));
  assert.equal(rowOf(entry(GOOD)).circular, undefined);
  assert.notEqual(rowOf(entry(GOOD)).since!.differences['MRecall@2']!.p, undefined);
});

test('corrected figures are stored, also in a baseline', () => {
  const people = GOOD.qrels;
  const opinions = {
    annotators: people,
    judge: people,
    chances: new Map<string, number>(),
    basis: 'open' as const,
  };
  const kept = entry({ ...GOOD, opinions });
  const { correction } = kept.datasets[0]!.pipelines[0]!;
  assert.deepEqual([correction!.decided, correction!.queries, correction!.lacks], [8, 8, 'negatives']);
  assert.deepEqual(acceptedEntry(kept).datasets[0]!.pipelines[0]!.correction, correction);
  assert.deepEqual(summaryOf(kept, false, () => undefined).rows[0]!.correction, correction);
});

describe('a change is attributed to', () => {
  test('nothing if nothing changed', () => {
    assert.deepEqual(changes(GOOD, GOOD), []);
    assert.deepEqual(compareEntries(entry(GOOD), entry(GOOD)).comparisons[0]!.changed, []);
  });

  test('the pipeline, compared by value and not by name', () => {
    const mmr = { retriever: { type: 'bm25' }, k: 2, rerank: [{ type: 'mmr' }] } as const;
    assert.deepEqual(changes(GOOD, dataset({ bm25: all(8, 'one') }, { pipeline: parsePipeline(mmr) })), [
      'pipeline',
    ]);
    const named = parsePipeline({ retriever: { type: 'bm25' }, k: 2, name: 'other' });
    assert.deepEqual(changes(GOOD, dataset({ bm25: all(8, 'both') }, { pipeline: named })), []);
  });

  test('the corpus', () => {
    assert.deepEqual(changes(GOOD, dataset({ bm25: all(8, 'both') }, { fingerprint: 'f2' })), ['corpus']);
  });

  test('the eval set', () => {
    assert.deepEqual(changes(GOOD, dataset({ bm25: all(8, 'both') }, { digest: 'new' })), ['eval set']);
  });

  test('judgements: another judge, or another verdict on a passage of both rankings', () => {
    assert.deepEqual(changes(GOOD, dataset({ bm25: all(8, 'both') }, { judge: 'gpt' })), ['judgements']);
    const relabelled = dataset({ bm25: all(8, 'both') }, { unsupported: ['q3'] });
    assert.deepEqual(changes(GOOD, relabelled), ['judgements']);
  });

  test('no judgements if only other passages are ranked', () => {
    const other = dataset({ bm25: all(8, 'none') });
    assert.deepEqual(changes(GOOD, other), []);
  });

  test('all changes at once', () => {
    const now = dataset({ bm25: all(8, 'both') }, { fingerprint: 'f2', unsupported: ['q1'], digest: 'new' });
    assert.deepEqual(changes(GOOD, now), ['eval set', 'corpus', 'judgements']);
  });

  test('noise if the interval includes 0', () => {
    const noise = (then: EvaluatedDataset, now: EvaluatedDataset): boolean =>
      compareEntries(entry(then), entry(now)).comparisons[0]!.differences[0]!.attribution.noise;
    assert.equal(noise(GOOD, dataset({ bm25: { ...all(8, 'both'), q1: 'one' } })), true);
    assert.equal(noise(GOOD, dataset({ bm25: all(8, 'one') })), false);
  });
});

test('query by query: figures then and now, perspectives gained and lost', () => {
  const then = dataset({ bm25: { a: 'both', b: 'one', c: 'both', old: 'both' } });
  const now = dataset({ bm25: { c: 'both', b: 'both', a: 'one', new: 'none' } });
  const [comparison] = compareEntries(entry(then), entry(now)).comparisons;
  assert.equal(comparison!.queries, 3);
  assert.deepEqual(
    comparison!.changed.map(({ id, metrics, gained, lost }) => [id, metrics['MRecall@2'], gained, lost]),
    [
      ['b', [0, 1], ['con'], []],
      ['a', [1, 0], [], ['con']],
    ],
  );
});

test('names what only one has and does not compare it', () => {
  const then = dataset({ bm25: { a: 'both' }, dense: { a: 'one' } });
  const now = dataset({ bm25: { a: 'both' }, hybrid: { a: 'one' } });
  const { comparisons, notes } = compareEntries(entry(then), entry(now));
  assert.deepEqual(
    comparisons.map(({ pipeline }) => pipeline),
    ['bm25'],
  );
  assert.deepEqual(notes, ['Only then: "dense" on "set".', 'Only now: "hybrid" on "set".']);
  const apart = compareEntries(entry(GOOD), entry(dataset({ bm25: { z: 'both' } })));
  assert.deepEqual(apart.comparisons, []);
});

test('an entry equals a baseline of the same report, with its commit', () => {
  assert.deepEqual(acceptedEntry(entry(GOOD)), accepted(GOOD));
  const at = historyEntry('id', { ...report({}, GOOD), commit: 'abc' }, [GOOD]);
  assert.equal(at.commit, 'abc');
  assert.equal(acceptedEntry(at).commit, 'abc');
  assert.ok(!('commit' in acceptedEntry(entry(GOOD))));
});

test('lists changed fields of a pipeline or its models, without the name', () => {
  const configured = (pipeline: object, models: object): HistoryEntry => {
    const set = dataset({ bm25: all(8, 'both') }, { pipeline: parsePipeline(pipeline) });
    return entry({ ...set, pipelines: set.pipelines.map((own) => ({ ...own, models })) });
  };
  const base = { retriever: { type: 'bm25' }, k: 2 };
  const fields = (pipeline: object, models: object): string[] =>
    compareEntries(configured(base, {}), configured(pipeline, models)).comparisons[0]!.configuration.map(
      ({ field, now }) => `${field} ${now}`,
    );
  assert.deepEqual(fields({ ...base, name: 'other' }, {}), []);
  assert.deepEqual(fields({ ...base, k: 3 }, {}), ['k 3']);
  assert.deepEqual(fields(base, { encoder: { name: 'e5' } }), ['models.encoder.name "e5"']);
});

test('compares a pipeline with the one of its name on the same eval set', () => {
  const sets = (first: 'both' | 'one', second: 'both' | 'one') => {
    const both = [
      dataset({ bm25: all(8, first) }),
      dataset({ bm25: all(8, second), other: all(8, 'both') }, { name: 'second' }),
    ];
    return historyEntry('id', report({ pipelines: ['bm25', 'other'] }, both), both);
  };
  const [then, now] = [sets('both', 'one'), sets('both', 'both')];
  const moved = compareEntries(then, now).comparisons.map((each) => [
    `${each.pipeline} on ${each.dataset}`,
    each.differences.find(({ metric }) => metric === 'MRecall@2')!.difference,
  ]);
  assert.deepEqual(moved, [
    ['bm25 on set', 0],
    ['bm25 on second', 1],
    ['other on second', 0],
  ]);
  const rows = summaryOf(now, false, () => then).rows;
  assert.deepEqual(
    rows.map(({ since }) => since!.differences['MRecall@2']!.difference),
    [0, 1, 0],
  );
  assert.deepEqual(compareEntries(entry(GOOD), now).notes, [
    'Only now: "bm25" on "second".',
    'Only now: "other" on "second".',
  ]);
});

/** An entry whose queries have other values. */
function rewritten(
  kept: HistoryEntry,
  change: (query: HistoryQuery, place: number) => HistoryQuery,
): HistoryEntry {
  return {
    ...kept,
    datasets: kept.datasets.map((own) => ({
      ...own,
      pipelines: own.pipelines.map((pipeline) => ({ ...pipeline, queries: pipeline.queries.map(change) })),
    })),
  };
}

test('does not compare measures that either lacks for a query', () => {
  const lacking = rewritten(entry(GOOD), (query, place) => {
    const { 'MRecall@2': _, ...others } = query.metrics;
    return place === 3 ? { ...query, metrics: others } : query;
  });
  for (const [one, other] of [
    [entry(GOOD), lacking],
    [lacking, entry(GOOD)],
  ] as const) {
    const measures = compareEntries(one, other).comparisons[0]!.differences.map(({ metric }) => metric);
    assert.ok(measures.length > 0 && !measures.includes('MRecall@2'), measures.join());
  }
});

test('the history lists what changed since, and the judge if it changed', () => {
  const then = entry(GOOD);
  const sinceOf = (now: HistoryEntry) => summaryOf(now, false, () => then).rows[0]!.since!;
  const corpus = entry(dataset({ bm25: all(8, 'both') }, { fingerprint: 'f2' }));
  assert.deepEqual(sinceOf(corpus).changes, ['corpus']);
  assert.ok(!('judge' in sinceOf(corpus)));
  assert.equal(sinceOf({ ...corpus, judge: 'another' }).judge, then.judge);
  assert.equal(
    summaryOf(entry(dataset({ new: all(8, 'both') })), false, () => then).rows[0]!.since,
    undefined,
  );
});

test('another lost perspective changes its query, even with equal figures', () => {
  const one = entry(dataset({ bm25: { a: 'one' } }));
  const swapped = rewritten(one, (query) => ({
    ...query,
    lost: query.lost.map((lost) => ({ ...lost, perspective: 'pro' })),
  }));
  const [query] = compareEntries(one, swapped).comparisons[0]!.changed;
  assert.deepEqual(query, { id: 'a', metrics: {}, gained: ['con'], lost: ['pro'] });
});
