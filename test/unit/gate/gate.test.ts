import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gateReport } from '../../../src/features/gate/core/gate.ts';
import {
  exitCodeOf,
  failedQueries,
  gateReportSchema,
  type GateReport,
} from '../../../src/features/gate/core/report.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { toMarkdown } from '../../../src/core/reports/markdown.ts';
import { checksTable, figuresTable, UNKNOWN } from '../../../src/core/reports/tables.ts';
import { accepted, all, dataset, report, run, spec } from './support.ts';

const BASELINE = { baseline: { file: 'main.json' } };
/** All results are judged, so losses are certain. */
const WHOLE = { whole: Object.keys(all(8, 'both')) };

describe('thresholds', () => {
  test('by hand: two of four queries covered reach 50, not 51', () => {
    const set = dataset({ bm25: { a: 'both', b: 'both', c: 'one', d: 'none' } }, { whole: ['c', 'd'] });
    const found = report(
      {
        thresholds: [
          { metric: 'MRecall@2', min: 0.5 },
          { metric: 'MRecall@2', min: 0.51 },
        ],
      },
      set,
    );
    assert.deepEqual(
      found.checks.map(({ outcome, value, failing }) => [outcome, value, failing]),
      [
        ['passed', 0.5, []],
        ['missed', 0.5, ['c', 'd']],
      ],
    );
    assert.equal(found.checks[1]!.reason, 'MRecall@2 over 4 questions is 50.0, which is below 51.0.');
    assert.equal(found.outcome, 'missed');
    assert.equal(exitCodeOf(found), 1);
  });

  test('a figure just below the threshold is not rounded up to it', () => {
    const set = dataset({ bm25: { ...all(2000, 'both'), last: 'none' } }, { whole: ['last'] });
    const [check] = report({ thresholds: [{ metric: 'MRecall@2', min: 0.9999 }] }, set).checks;
    assert.equal(check!.outcome, 'missed');
    assert.match(check!.reason, /is 99\.95\d*, which is below 99\.99/u);
  });

  test('one of three queries reaches 1/3 despite rounding', () => {
    const set = dataset({ bm25: { a: 'both', b: 'one', c: 'one' } });
    const [check] = report({ thresholds: [{ metric: 'MRecall@2', min: 1 / 3 }] }, set).checks;
    assert.equal(check!.outcome, 'passed');
  });

  test('a tag selects its queries; a set without the tag has no such check', () => {
    const tagged = dataset({ bm25: { a: 'both', b: 'one' } }, { tags: { b: ['hard'] }, whole: ['b'] });
    const other = dataset({ bm25: { a: 'none' } }, { name: 'other' });
    const { checks } = report({ thresholds: [{ metric: 'MRecall@2', min: 1, tag: 'hard' }] }, [
      tagged,
      other,
    ]);
    assert.deepEqual(
      checks.map((check) => [check.dataset, check.tag, check.queries, check.failing]),
      [['set', 'hard', 1, ['b']]],
    );
  });

  test('a pipeline or an eval set, by name or path, restricts the check', () => {
    const sets = ['one', 'two'].map((name) =>
      dataset({ a: { q: 'both' }, b: { q: 'one' } }, { name, whole: ['q'] }),
    );
    const thresholds = [
      { metric: 'MRecall@2', min: 1, pipeline: 'b' },
      { metric: 'MRecall@2', min: 1, dataset: 'eval/two.jsonl', pipeline: 'a' },
    ];
    assert.deepEqual(
      report({ thresholds }, sets).checks.map(({ dataset: name, pipeline, outcome }) => [
        name,
        pipeline,
        outcome,
      ]),
      [
        ['one', 'b', 'missed'],
        ['two', 'a', 'passed'],
        ['two', 'b', 'missed'],
      ],
    );
  });

  test('a figure that unjudged passages could lift is undecided and reports its bounds', () => {
    const set = dataset({ bm25: { a: 'both', b: 'one', c: 'one', d: 'none' } }, { whole: ['c'] });
    const checkOf = (min: number, metric = 'MRecall@2') =>
      report({ thresholds: [{ metric, min }] }, set).checks[0]!;
    assert.deepEqual(
      [0.25, 0.5, 0.75, 0.76].map((min) => {
        const { outcome, value, most, failing, open } = checkOf(min);
        return [outcome, value, most, failing, open];
      }),
      [
        ['passed', 0.25, 0.75, [], undefined],
        ['undecided', 0.25, 0.75, [], ['b', 'd']],
        ['undecided', 0.25, 0.75, [], ['b', 'd']],
        ['missed', 0.25, 0.75, ['c'], ['b', 'd']],
      ],
    );
    assert.equal(
      checkOf(0.5).reason,
      'MRecall@2 over 4 questions is 25.0 if no unjudged pair counts as support, and 75.0 if all of them do: whether it reaches 50.0 is not known. Label passages (of b, d), or have a model judge them.',
    );
    assert.equal(
      checkOf(0.76).reason,
      'MRecall@2 over 4 questions is 25.0, and would be 75.0 if all unjudged pairs counted as support, which is below 76.0.',
    );
    const found = report({ thresholds: [{ metric: 'MRecall@2', min: 0.5 }] }, set);
    assert.equal(exitCodeOf(found), 3);
    assert.equal(checksTable(found).rows[0]![4], '≥ 25.0');
    assert.deepEqual(gateReportSchema.parse(found), found);
    // a has both supported; b, c half of them so far; d none.
    const precision = checkOf(0.6, 'Precision@2');
    assert.deepEqual([precision.value, precision.most, precision.outcome], [0.5, 0.875, 'undecided']);
    assert.equal(checkOf(0.6, 'nDCG@2').outcome, 'undecided', 'of a measure without bounds, too');
    assert.equal(checkOf(1, 'Judged@2').outcome, 'missed', 'a share of what is judged is known');
  });

  test('every measure works, the judged share included', () => {
    const set = dataset({ bm25: { a: 'both', b: 'one' } });
    const thresholds = ['AP', 'RR', 'nDCG@3', 'P_IA@1', 'Success@1', 'Judged@2'].map((metric) => ({
      metric,
      min: 0,
    }));
    const { checks } = report({ thresholds, judged: { min: 0.8 } }, set);
    assert.deepEqual(
      checks.map(({ kind, metric, value, outcome }) => [kind, metric, Math.round(value * 1000), outcome]),
      [
        // a: both gold passages at 1 and 2; b: at 1 and 3, (1 + 2/3) / 2.
        ['threshold', 'AP', 917, 'passed'],
        ['threshold', 'RR', 1000, 'passed'],
        ['threshold', 'nDCG@3', 735, 'passed'],
        ['threshold', 'P_IA@1', 500, 'passed'],
        ['threshold', 'Success@1', 1000, 'passed'],
        ['threshold', 'Judged@2', 750, 'passed'],
        ['judged', 'Judged@2', 750, 'missed'],
      ],
    );
  });
});

describe('the baseline', () => {
  test('by hand: six of six queries lost have p = 2/64 and miss at 0.05, with every name', () => {
    const baseline = accepted(dataset({ bm25: all(6, 'both') }));
    const found = report(BASELINE, dataset({ bm25: all(6, 'one') }, WHOLE), baseline);
    const [check] = found.checks;
    assert.equal(check!.outcome, 'missed');
    assert.equal(check!.baseline!.paired!.p, 2 / 64);
    assert.equal(
      check!.reason,
      'MRecall@2 is 0.0, in the baseline 100.0: −100.0 points [−100.0, −8.1] on 6 questions (0 won, 6 lost), p .031, significantly worse at α 0.05. Changed since the baseline: nothing that is known of.',
    );
    assert.equal(check!.baseline!.paired!.difference, -1);
    assert.deepEqual(
      [check!.baseline!.paired!.wins, check!.baseline!.paired!.losses, check!.baseline!.paired!.ties],
      [0, 6, 0],
    );
    assert.deepEqual(check!.failing, ['q1', 'q2', 'q3', 'q4', 'q5', 'q6']);
    const [first] = failedQueries(found);
    assert.equal(first!.pipeline.name, 'bm25');
    assert.deepEqual(
      first!.query.lost.map(({ perspective, where, newly, reason }) => [perspective, where, newly, reason]),
      [['con', 'below-k', true, 'First supported at rank 3, below 2.']],
    );
    assert.deepEqual(first!.query.moved, [
      { item: 'pro of q1', ranks: [1, 1] },
      { item: 'con of q1', ranks: [2, null] },
      { item: 'other of q1', ranks: [null, 2] },
    ]);
  });

  test('a ranking scored by its own judge is compared, but neither tested nor decided', () => {
    const own = (cover: 'both' | 'one') => {
      const set = dataset({ bm25: all(6, cover), plain: all(6, cover) }, WHOLE);
      const [first, second] = set.pipelines;
      return { ...set, pipelines: [{ ...first!, circular: 'J' }, second!] };
    };
    const gate = { ...BASELINE, pipelines: ['bm25', 'plain'] };
    const plain = dataset({ bm25: all(6, 'one'), plain: all(6, 'one') }, WHOLE);
    for (const [then, now] of [
      [own('both'), own('one')],
      [own('both'), plain],
      [own('one'), own('both')],
    ] as const) {
      const found = report(gate, now, accepted(then, gate));
      const [circular, tested] = found.checks;
      assert.equal(circular!.outcome, 'undecided');
      assert.equal(circular!.baseline!.paired!.p, undefined);
      assert.equal(Math.abs(circular!.baseline!.paired!.difference), 1);
      assert.deepEqual(circular!.failing, []);
      assert.match(circular!.reason, /J both ranked and judged these passages/);
      const better = circular!.value === 1;
      assert.ok(
        circular!.reason.startsWith(
          better
            ? 'MRecall@2 is 100.0, in the baseline 0.0: +100.0 points'
            : 'MRecall@2 is 0.0, in the baseline 100.0: −100.0 points',
        ),
      );
      assert.notEqual(tested!.outcome, 'undecided');
      // Six of six, in a family of one: untested comparisons make no other test harder.
      assert.equal(tested!.baseline!.paired!.p, 2 / 64);
      assert.notEqual(found.outcome, 'passed');
      assert.equal(checksTable(found).rows[0]!.at(-1), 'circular');
    }
  });

  test('a loss is undecided if unjudged passages may explain it, else missed', () => {
    const baseline = accepted(dataset({ bm25: all(8, 'both') }));
    const checkOf = (whole: readonly string[]) =>
      report(BASELINE, dataset({ bm25: all(8, 'one') }, { whole }), baseline).checks[0]!;
    const open = checkOf([]);
    assert.deepEqual([open.outcome, open.value, open.most, open.failing], ['undecided', 0, 1, []]);
    assert.deepEqual(open.open, Object.keys(all(8, 'one')));
    assert.match(
      open.reason,
      /^MRecall@2 is ≥ 0\.0 so far, compared with 100\.0 in the baseline; it would be 100\.0 if .*\. It is not known whether this is a loss that counts\. Label passages \(of q1, q2, q3, q4, q5, …\)/u,
    );
    const settled = checkOf(['q1', 'q2', 'q3', 'q4', 'q5', 'q6']);
    assert.deepEqual(
      [settled.outcome, settled.failing, settled.open],
      ['missed', ['q1', 'q2', 'q3', 'q4', 'q5', 'q6'], ['q7', 'q8']],
    );
    assert.match(settled.reason, /it would be 25\.0 if .*\. Either way, it is a loss that counts\./u);
    assert.doesNotMatch(settled.reason, /Label/u);
    // Five losses are no longer significant.
    assert.equal(checkOf(['q1', 'q2', 'q3', 'q4', 'q5']).outcome, 'undecided');
  });

  test('the figures of a baseline count as accepted: equal rankings are equal, judged or not', () => {
    const half = dataset({ bm25: all(8, 'one') });
    const same = report(BASELINE, half, accepted(half));
    assert.deepEqual([same.outcome, same.checks[0]!.baseline!.paired], ['passed', undefined]);
    assert.ok(
      same.notes.includes(
        'When the baseline of "set" was accepted, 16 of 32 pairs were judged: its figures count the others as not supporting.',
      ),
      same.notes.join('\n'),
    );
  });

  test('a loss with too few judgements is undecided, without figure and difference', () => {
    // As after a change of BM25 without a judge: 0.0 against 20.0, most of it unjudged.
    const before = { ...all(5, 'one'), q1: 'both' } as const;
    const baseline = accepted(dataset({ bm25: before }));
    const now = dataset({ bm25: all(5, 'none') }, { whole: ['q5'] });
    const found = report(BASELINE, now, baseline);
    const [check] = found.checks;
    assert.deepEqual([check!.outcome, found.outcome, exitCodeOf(found)], ['undecided', 'undecided', 3]);
    assert.equal(check!.baseline!.paired, undefined);
    assert.deepEqual(checksTable(found).rows[0]!.slice(0, 1), ['undecided']);
    assert.deepEqual(checksTable(found).rows[0]!.slice(4), ['≥ 0.0', '20.0', UNKNOWN, '', '']);
    assert.match(figuresTable(found).rows[0]!.join(' '), /≥ 0\.0/u);
  });

  test('a limit on lost perspectives finds what a mean hides and names the queries', () => {
    const demand = (lostPerspectives: number) => ({ baseline: { file: 'main.json', lostPerspectives } });
    const baseline = accepted(dataset({ bm25: { a: 'one', b: 'both', c: 'both' } }));
    const now = dataset({ bm25: { a: 'both', b: 'both', c: 'one' } }, { whole: ['c'] });
    const found = report(demand(0), now, baseline);
    const [mean, lost] = found.checks;
    assert.equal(mean!.outcome, 'passed', 'as many queries are covered as before');
    assert.deepEqual(
      [lost!.kind, lost!.outcome, lost!.failing, lost!.lost],
      ['perspectives', 'missed', ['c'], { count: 1, most: 0 }],
    );
    assert.equal(lost!.value, 4 / 5);
    assert.match(lost!.reason, /^Lost: 1 of the 5 perspectives that the baseline covered; allowed: 0\.$/);
    assert.deepEqual(
      failedQueries(found).map(({ query }) => query.id),
      ['c'],
    );
    assert.deepEqual(checksTable(found).rows[1]!.slice(3, 5), ['lost perspectives ≤ 0', '1']);
    assert.equal(report(demand(1), now, baseline).outcome, 'passed');
    const same = report(demand(0), dataset({ bm25: { a: 'both', b: 'both', c: 'both' } }), baseline);
    assert.equal(same.checks[1]!.reason, 'All 5 perspectives that the baseline covered are covered.');
    assert.equal(report(BASELINE, now, baseline).checks.length, 1, 'not demanded');
  });

  test('a perspective with unjudged passages in the top k is not known to be lost', () => {
    const demand = (lostPerspectives: number) => ({ baseline: { file: 'main.json', lostPerspectives } });
    const baseline = accepted(dataset({ bm25: all(3, 'both') }));
    const two = { q1: 'one', q2: 'one', q3: 'both' } as const;
    const checkOf = (most: number, whole: readonly string[]) => {
      const found = report(demand(most), dataset({ bm25: two }, { whole }), baseline);
      return { found, check: found.checks.find(({ kind }) => kind === 'perspectives')! };
    };

    const { found, check } = checkOf(0, []);
    assert.deepEqual(
      [check.outcome, check.lost, check.failing],
      ['undecided', { count: 0, most: 0, unjudged: 2 }, []],
    );
    assert.equal(
      check.reason,
      'Lost: 0 of the 6 perspectives that the baseline covered; allowed: 0. Unknown for 2 more, because passages of the top k are unjudged for them. Label passages, or have a model judge them.',
    );
    assert.equal(exitCodeOf(found), 3);
    const [lost] = found.datasets[0]!.pipelines[0]!.queries[0]!.lost;
    assert.deepEqual(lost, {
      perspective: 'con',
      text: 'against q1',
      where: 'below-k',
      reason: '2 of the top 2 are unjudged for it; first supported at rank 3, below 2.',
      newly: false,
      unjudged: 2,
    });
    assert.equal(checkOf(2, []).check.outcome, 'passed', 'so many may be lost');

    const mixed = checkOf(0, ['q1']).check;
    assert.deepEqual(
      [mixed.outcome, mixed.lost, mixed.failing],
      ['missed', { count: 1, most: 0, unjudged: 1 }, ['q1']],
    );
    assert.equal(
      mixed.reason,
      'Lost: 1 of the 6 perspectives that the baseline covered; allowed: 0. Unknown for 1 more, because passages of the top k are unjudged for them.',
      'whatever they say, it stays missed',
    );
    assert.equal(checkOf(1, ['q1']).check.outcome, 'undecided');
    assert.deepEqual(checkOf(1, ['q1', 'q2']).check.lost, { count: 2, most: 1 });
  });

  test('losses that repeated runs of the judge do not confirm are quarantined in every report', () => {
    const gate = { baseline: { file: 'main.json', lostPerspectives: 0, repeats: 5 } };
    const baseline = accepted(dataset({ bm25: all(3, 'both') }));
    const now = dataset({ bm25: { q1: 'one', q2: 'one', q3: 'both' } }, WHOLE);
    const verdict = { pipeline: 'bm25', perspective: 'con', runs: 5 };
    const again = (times: number) => ({
      ...now,
      repeated: [
        { ...verdict, query: 'q1', now: times, then: 5 },
        { ...verdict, query: 'q2', now: 0, then: 5 },
      ],
    });
    const found = report(gate, again(3), baseline);
    const check = found.checks.find(({ kind }) => kind === 'perspectives')!;
    assert.deepEqual([check.outcome, check.failing, check.lost?.count], ['missed', ['q2'], 1]);
    const [first, second] = found.datasets[0]!.pipelines[0]!.queries.map(({ lost }) => lost[0]);
    assert.deepEqual([first!.newly, first!.quarantined], [false, true]);
    assert.match(
      first!.reason,
      /Quarantined: judged again 5 times, it is covered 3 times now, and 5 times .*p = 0\.222\)\.$/u,
    );
    assert.deepEqual([second!.newly, second!.quarantined], [true, undefined]);
    assert.match(
      second!.reason,
      /Judged again 5 times, it is covered 0 times now, and 5 times .*p = 0\.004\)/u,
    );
    const note = found.notes.find((each) => each.startsWith('Quarantined'));
    assert.match(note ?? '', /^Quarantined of "bm25" on "set".*: 1 perspective \(of q1\)\./u);
    assert.match(toMarkdown(found), /Quarantined/u);
    // A smaller count is significant.
    assert.deepEqual(report(gate, again(1), baseline).checks.at(-1)!.failing, ['q1', 'q2']);
    const unasked = report(gate, now, baseline);
    assert.deepEqual(unasked.checks.at(-1)!.failing, ['q1', 'q2']);
    assert.ok(
      unasked.notes.some((each) => each.includes('was not judged again')),
      unasked.notes.join('\n'),
    );
  });

  test('quarantined losses are noted once, with their queries', () => {
    const gate = { baseline: { file: 'main.json', repeats: 5 } };
    const baseline = accepted(dataset({ bm25: all(3, 'both') }));
    const now = dataset({ bm25: { q1: 'none', q2: 'one', q3: 'both' } }, WHOLE);
    const verdict = (query: string, perspective: string) => ({
      pipeline: 'bm25',
      query,
      perspective,
      runs: 5,
      now: 4,
      then: 5,
    });
    const repeated = [verdict('q1', 'pro'), verdict('q1', 'con'), verdict('q2', 'con')];
    const notesOf = (...args: Parameters<typeof report>): string[] =>
      report(...args).notes.filter((note) => /Quarantined|judged again/u.test(note));
    assert.deepEqual(notesOf(gate, { ...now, repeated }, baseline), [
      'Quarantined of "bm25" on "set", and not counted as lost: 3 perspectives (of q1, q2). The judge answers differently about the same passages, and no loss is certain at α 0.05.',
    ]);
    const kept = dataset({ bm25: all(3, 'both') });
    assert.deepEqual(notesOf(gate, kept, baseline), []);
    assert.deepEqual(notesOf(gate, { ...kept, repeated: [] }, baseline), []);
    assert.deepEqual(notesOf(BASELINE, { ...now, repeated }, baseline), []);
    assert.deepEqual(notesOf(gate, { ...now, name: 'new' }, baseline), []);
  });

  test('losses are undecided for another question, a new pipeline or a circular ranking', () => {
    const gate = { baseline: { file: 'main.json', lostPerspectives: 0 } };
    const set = dataset({ bm25: all(8, 'both') });
    const now = dataset({ bm25: all(8, 'one') });
    const lostOf = (...args: Parameters<typeof report>) =>
      report(...args).checks.find(({ kind }) => kind === 'perspectives')!;
    const other = dataset({ bm25: all(8, 'one') }, { digest: 'another question' });
    const circular = { ...now, pipelines: now.pipelines.map((own) => ({ ...own, circular: 'J' })) };
    const unjudged = { ...now, judgements: { ...now.judgements, judged: 0 } };
    const twin = { ...gate, pipelines: ['twin'] };
    for (const [found, reason] of [
      [lostOf(gate, other, accepted(set)), /shares no question with "set".*Accept a new baseline/],
      [lostOf(gate, circular, accepted(set)), /J both ranked and judged these passages/],
      [lostOf(gate, unjudged, accepted(set)), /nothing that was retrieved has been judged/],
      [lostOf(twin, dataset({ twin: all(8, 'both') }), accepted(set)), /no pipeline "twin"/],
    ] as const) {
      assert.equal(found.outcome, 'undecided');
      assert.match(found.reason, reason);
    }
  });

  test('a perspective lost before is not newly lost', () => {
    const gate = { baseline: { file: 'main.json', metrics: ['StRecall@2'] } };
    const baseline = accepted(dataset({ bm25: all(8, 'one') }), gate);
    const [first] = failedQueries(report(gate, dataset({ bm25: all(8, 'none') }, WHOLE), baseline));
    assert.deepEqual(
      first!.query.lost.map(({ perspective, newly }) => [perspective, newly]),
      [
        ['pro', true],
        ['con', false],
      ],
    );
  });

  test('Holm over the comparisons: the same loss among two comparisons has p = 4/64 and passes', () => {
    const sets = (cover: 'both' | 'one'): ReturnType<typeof dataset> =>
      dataset({ bm25: all(6, cover), twin: all(6, 'both') }, { whole: Object.keys(all(6, cover)) });
    const found = report({ ...BASELINE, pipelines: ['bm25', 'twin'] }, sets('one'), accepted(sets('both')));
    assert.deepEqual(
      found.checks.map(({ pipeline, outcome, baseline }) => [pipeline, outcome, baseline!.paired!.p]),
      [
        ['bm25', 'passed', 4 / 64],
        ['twin', 'passed', 1],
      ],
    );
    assert.match(found.checks[0]!.reason, /not significantly worse at α 0\.05/u);
    assert.deepEqual(found.checks[0]!.failing, []);
    assert.deepEqual(failedQueries(found), []);
  });

  test('a gain never misses, nor does a loss within the tolerance', () => {
    const better = report(
      BASELINE,
      dataset({ bm25: all(8, 'both') }),
      accepted(dataset({ bm25: all(8, 'one') })),
    );
    assert.equal(better.outcome, 'passed');
    const metrics = ['StRecall@2'];
    const tolerated = report(
      { baseline: { file: 'main.json', metrics, tolerance: 0.5 } },
      dataset({ bm25: all(8, 'one') }, { whole: Object.keys(all(8, 'one')) }),
      accepted(dataset({ bm25: all(8, 'both') })),
    );
    assert.equal(tolerated.outcome, 'passed');
    assert.match(tolerated.checks[0]!.reason, /within the tolerance/u);
  });

  test('what the baseline lacks is unknown, not passed', () => {
    const baseline = accepted(dataset({ bm25: all(3, 'both') }));
    const cases = [
      report(BASELINE, dataset({ bm25: all(3, 'both') }, { name: 'new' }), baseline),
      report({ ...BASELINE, pipelines: ['new'] }, dataset({ new: all(3, 'both') }), baseline),
      report(BASELINE, dataset({ bm25: { x: 'both' } }), baseline),
      report(
        { baseline: { file: 'main.json', metrics: ['nDCG@3'] } },
        dataset({ bm25: all(3, 'both') }),
        baseline,
      ),
    ];
    assert.deepEqual(
      cases.map(({ outcome, checks }) => [outcome, checks[0]!.outcome, checks[0]!.reason.split('.')[0]]),
      [
        ['undecided', 'undecided', 'The baseline has no eval set "new"'],
        ['undecided', 'undecided', 'The baseline has no pipeline "new" on "set"'],
        ['not-evaluated', 'undecided', 'The baseline shares no question with "set"'],
        [
          'undecided',
          'undecided',
          'The baseline has nDCG@2 in place of nDCG@3: it was accepted with another k',
        ],
      ],
    );
    assert.deepEqual(cases.map(exitCodeOf), [3, 3, 3, 3]);
  });

  test('a missed check outweighs an undecided one', () => {
    const gate = { ...BASELINE, thresholds: [{ metric: 'MRecall@2', min: 1 }] };
    const found = report(
      gate,
      dataset({ bm25: all(2, 'one') }, { name: 'new', ...WHOLE }),
      accepted(dataset({ bm25: all(2, 'one') })),
    );
    assert.equal(exitCodeOf(found), 1);
  });

  test('compares the queries that both have, and names the others', () => {
    const baseline = accepted(dataset({ bm25: all(6, 'both'), gone: all(6, 'both') }));
    const found = report(BASELINE, dataset({ bm25: { q1: 'both', q2: 'both', new: 'none' } }), baseline);
    assert.equal(found.checks[0]!.queries, 2);
    assert.deepEqual(found.notes.slice(0, 2), [
      'The baseline has the pipeline "gone" on "set", which was not evaluated.',
      'New in "set" since the baseline, and not compared: 1 question.',
    ]);
    assert.deepEqual(found.datasets[0]!.gaps, [
      'The baseline has 4 questions that are no longer there (q3, q4, q5, q6). Put them back, or accept a new baseline: parallax gate --accept.',
    ]);
    assert.equal(found.outcome, 'not-evaluated');
  });

  test('reports arrive whole: missing queries, circular judges, texts and times', () => {
    const baseline = accepted(dataset({ bm25: all(6, 'both') }));
    const found = report(BASELINE, dataset({ bm25: { q1: 'both' } }), baseline);
    const passages = [{ id: 'pro of q1', name: 'pro.md', text: 'for' }];
    const counts = { decided: 1, queries: 1, labels: 1, positives: 1, more: 9, assumesRandom: true };
    const sent: GateReport = {
      ...found,
      datasets: found.datasets.map((set) => ({
        ...set,
        pipelines: set.pipelines.map((one) => ({
          ...one,
          circular: 'reranker',
          correction: { figures: {}, lacks: 'queries', ...counts },
          queries: one.queries.map((query) => ({ ...query, passages, milliseconds: 1.5 })),
        })),
      })),
    };
    assert.equal(sent.datasets[0]!.gaps?.length, 1);
    assert.deepEqual(gateReportSchema.parse(sent), sent);
  });

  test('a test without the power to find a loss does not pass', () => {
    const few = dataset({ bm25: all(5, 'both') });
    assert.match(report(BASELINE, few, accepted(few)).notes.join(), /"set" is too small to prove a loss/u);
    const enough = dataset({ bm25: all(6, 'both') });
    assert.doesNotMatch(report(BASELINE, enough, accepted(enough)).notes.join(), /significant/u);
  });

  test('a figure without any judgements is neither missed nor passed', () => {
    const set = dataset({ bm25: all(6, 'none') });
    const unjudged = { ...set, judgements: { ...set.judgements, judged: 0, by: [] } };
    const found = report({ thresholds: [{ metric: 'MRecall@2', min: 0.5 }], judged: { min: 0.9 } }, unjudged);
    assert.deepEqual(
      found.checks.map(({ metric, outcome }) => [metric, outcome]),
      [
        ['MRecall@2', 'undecided'],
        ['Judged@2', 'missed'],
      ],
    );
    assert.match(found.checks[0]!.reason, /nothing that was retrieved has been judged/u);
    const compared = report(BASELINE, unjudged, accepted(dataset({ bm25: all(6, 'both') })));
    assert.deepEqual([compared.outcome, compared.checks[0]!.outcome], ['undecided', 'undecided']);
    const empty = {
      ...unjudged,
      judgements: { ...unjudged.judgements, pairs: 0 },
      pipelines: unjudged.pipelines.map((own) => ({ ...own, run: new Map() })),
    };
    const lost = report(BASELINE, empty, accepted(dataset({ bm25: all(6, 'both') })));
    assert.equal(lost.checks[0]!.outcome, 'missed', 'where nothing was retrieved, nothing is left to judge');
  });

  test('verdicts of a heuristic are called guesses', () => {
    const set = dataset({ bm25: all(2, 'both') });
    const by = [{ source: 'lexical' as const, judge: 'lexical', count: 4, heuristic: true }];
    const guessed = { ...set, judgements: { ...set.judgements, by } };
    assert.deepEqual(report({ thresholds: [{ metric: 'MRecall@2', min: 0 }] }, guessed).notes, [
      '4 of 4 judgements on "set" are guesses of the offline heuristic "lexical".',
    ]);
  });

  test('verdicts without their quotation in the passage are noted with their number', () => {
    const set = dataset({ bm25: all(2, 'both') });
    const by = [{ source: 'llm' as const, judge: 'main', count: 4, heuristic: false, evidenceNotFound: 1 }];
    const found = report(
      { thresholds: [{ metric: 'MRecall@2', min: 0 }] },
      { ...set, judgements: { ...set.judgements, by } },
    );
    assert.deepEqual(found.notes, [
      '"set": 1 "yes" verdict quotes words that are not in the passage, but counts.',
    ]);
    assert.equal(found.datasets[0]!.judgements.by[0]!.evidenceNotFound, 1);
  });
});

describe('the report of a query', () => {
  const BOTH = dataset({ bm25: all(6, 'both') });

  test('has its line and the duration of its search if they are known', () => {
    const [query] = report({}, BOTH).datasets[0]!.pipelines[0]!.queries;
    assert.deepEqual([query!.line, query!.milliseconds], [1, 0.5]);
    const bare = {
      ...BOTH,
      queries: BOTH.queries.map((each) => ({ ...each, line: undefined })),
      pipelines: BOTH.pipelines.map((each) => ({ ...each, times: new Map() })),
    };
    const [plain] = report({}, bare).datasets[0]!.pipelines[0]!.queries;
    assert.ok(!('line' in plain!) && !('milliseconds' in plain!));
  });

  test('has its unjudged pairs of the top k, and whether all are unjudged', () => {
    const set = dataset({ bm25: { a: 'both', b: 'none', c: 'none', d: 'one' } }, { whole: ['c'] });
    const { queries } = report({}, set).datasets[0]!.pipelines[0]!;
    assert.deepEqual(
      queries.map(({ unjudged, unknown }) => [unjudged, unknown]),
      [
        [2, undefined],
        [4, true],
        [0, undefined],
        [3, undefined],
      ],
    );
  });

  test('has unjudged pairs and verdicts of the top k only, however deep measures look', () => {
    const shown = ['pro', 'other', 'con'].map((kind) => ({ id: `${kind} of a`, name: kind, text: kind }));
    const set = dataset({ bm25: { a: 'one' } });
    const passages = new Map(shown.map((passage) => [passage.id, passage]));
    const deep = report({ thresholds: [{ metric: 'nDCG@3', min: 0 }] }, { ...set, passages });
    const [query] = deep.datasets[0]!.pipelines[0]!.queries;
    assert.equal(query!.ranked.length, 3);
    assert.equal(query!.unjudged, 3);
    assert.deepEqual(query!.passages, shown.slice(0, 2));
  });

  test('has the missed or open checks that depend on it', () => {
    const sets = ['set', 'other'].map((name) =>
      dataset(
        { bm25: { a: 'one' }, mmr: { a: name === 'set' ? 'both' : 'none' } },
        { name, whole: name === 'set' ? ['a'] : [] },
      ),
    );
    const { checks, datasets } = report({ thresholds: [{ metric: 'MRecall@2', min: 1 }] }, sets);
    assert.deepEqual(
      checks.map(({ outcome }) => outcome),
      ['missed', 'passed', 'undecided', 'undecided'],
    );
    assert.deepEqual(
      datasets.flatMap(({ pipelines }) =>
        pipelines.map(({ queries: [query] }) => [query!.missed, query!.open]),
      ),
      [
        [[0], undefined],
        [[], undefined],
        [[], [2]],
        [[], [3]],
      ],
    );
  });

  test('has the moves of its passages only if a check is missed or a perspective lost', () => {
    const movedIn = (before: ReturnType<typeof dataset>, now: ReturnType<typeof dataset>, min: number) =>
      report({ ...BASELINE, thresholds: [{ metric: 'MRecall@2', min }] }, now, accepted(before)).datasets[0]!
        .pipelines[0]!.queries[0]!.moved;
    const one = dataset({ bm25: { q1: 'one' } }, WHOLE);
    assert.equal(movedIn(one, one, 0), undefined);
    assert.equal(movedIn(one, one, 1)!.length, 2, 'missed, though nothing is lost since the baseline');
    assert.equal(
      movedIn(dataset({ bm25: { q1: 'both' } }), one, 0)!.length,
      3,
      'lost, though nothing is missed',
    );
  });

  test('says why it is not compared with the baseline, and how to fix that', () => {
    const reasonOf = (baseline: Parameters<typeof report>[2]): (string | undefined)[] =>
      report(BASELINE, BOTH, baseline).datasets[0]!.pipelines[0]!.queries.map(({ uncompared }) => uncompared);
    const remedy = 'Accept a new baseline: parallax gate --accept.';
    assert.deepEqual(new Set(reasonOf(accepted(BOTH))), new Set([undefined]));
    assert.equal(
      reasonOf(accepted(dataset({ bm25: { q1: 'both' } })))[1],
      `The baseline does not have the question "q2". ${remedy}`,
    );
    assert.equal(
      reasonOf(accepted(dataset({ other: { q1: 'both' } })))[0],
      `The baseline has no pipeline "bm25" on "set". ${remedy}`,
    );
    assert.deepEqual(new Set(reasonOf(undefined)), new Set([undefined]));
  });

  test('counts the checks of its pipeline and data set that include it', () => {
    const sets = ['set', 'other'].map((name) =>
      dataset(
        { bm25: { a: 'both', b: 'none' }, mmr: { a: 'both', b: 'both' } },
        { name, tags: { a: ['hard'] } },
      ),
    );
    const demandsOf = (gate: Parameters<typeof report>[0], baseline?: Parameters<typeof report>[2]) =>
      report(gate, sets, baseline).datasets.map(({ pipelines }) =>
        pipelines.map(({ queries }) => queries.map(({ demands }) => demands)),
      );
    const metric = 'MRecall@2';
    assert.deepEqual(
      demandsOf({
        thresholds: [
          { metric, min: 0, tag: 'hard' },
          { metric, min: 0, pipeline: 'bm25' },
          { metric, min: 0, dataset: 'other' },
        ],
      }),
      [
        [
          [2, 1],
          [1, 0],
        ],
        [
          [3, 2],
          [2, 1],
        ],
      ],
    );
    const nothingLost = { baseline: { file: 'main.json', lostPerspectives: 0 } };
    assert.deepEqual(demandsOf(nothingLost, accepted(sets[0]!))[0], [
      [3, 0],
      [3, 3],
    ]);
    const circular = sets.map((set) => ({
      ...set,
      pipelines: set.pipelines.map((own) => ({ ...own, circular: 'J' })),
    }));
    const undecided = report(BASELINE, circular, accepted(sets[0]!)).datasets[0]!.pipelines[0]!;
    assert.equal(undecided.queries[0]!.demands, 1, 'a check that cannot be decided demands nothing');
    // Only pipelines, and means other than 0, of the baseline can be lost.
    assert.deepEqual(demandsOf(BASELINE, accepted(sets[0]!)), [
      [
        [2, 0],
        [2, 2],
      ],
      [
        [0, 0],
        [0, 0],
      ],
    ]);
  });
});

test('a report lists its inputs: commit, baseline, requests, and unreadable files', () => {
  const set = dataset({ bm25: all(6, 'both') });
  const baseline = { ...accepted(set), commit: 'before' };
  const input = { spec: spec(BASELINE), datasets: [set], judge: 'labels', at: 'now' };
  const found = gateReport({
    ...input,
    baseline: { file: 'main.json', content: baseline },
    commit: 'after',
    asked: { requests: 1, tokens: 2 },
  });
  assert.deepEqual(found.baseline, { file: 'main.json', at: baseline.at, commit: 'before' });
  assert.deepEqual([found.commit, found.asked], ['after', { requests: 1, tokens: 2 }]);
  const plain = gateReport(input);
  for (const field of ['commit', 'asked', 'baseline']) assert.ok(!(field in plain), field);
  assert.equal(report(BASELINE, set, accepted(set)).baseline!.commit, undefined);
  const unread = report({}, { ...set, unreadable: ['Line 3 is not JSON.'] });
  assert.deepEqual([unread.outcome, unread.datasets[0]!.gaps], ['not-evaluated', ['Line 3 is not JSON.']]);
  assert.ok(!('gaps' in report({}, set).datasets[0]!));
});

test('a query removed since the baseline is named under its data set', () => {
  const other = dataset({ bm25: all(5, 'both') }, { name: 'other' });
  const both = accepted([dataset({ bm25: all(6, 'both') }), other]);
  assert.equal(report(BASELINE, other, both).datasets[0]!.gaps, undefined);
  const found = report(
    BASELINE,
    dataset({ bm25: all(5, 'both') }),
    accepted(dataset({ bm25: all(6, 'both') })),
  );
  assert.deepEqual(found.datasets[0]!.gaps, [
    'The baseline has 1 question that is no longer there (q6). Put it back, or accept a new baseline: parallax gate --accept.',
  ]);
});

describe('why a figure changed', () => {
  const before = accepted(dataset({ bm25: all(6, 'both') }));
  const attribution = (now: ReturnType<typeof dataset>) =>
    report(BASELINE, now, before).checks[0]!.baseline!.attribution;

  test('no change', () => {
    const { changes, noise, parts } = attribution(dataset({ bm25: all(6, 'both') }));
    assert.deepEqual([changes, noise, parts], [[], true, { judgements: 0, retrieval: 0 }]);
    const one = dataset({ bm25: { q: 'both' } });
    assert.equal(
      report(BASELINE, one, accepted(one)).checks[0]!.reason,
      'MRecall@2 is 100.0, in the baseline 100.0: 0.0 points [0.0, 0.0] on 1 question (0 won, 0 lost), p 1, not worse at α 0.05. Nothing changed.',
    );
  });

  test('the pipeline, compared by value, not by name or omitted defaults', () => {
    const other = parsePipeline({ retriever: { type: 'bm25', k1: 0 }, k: 2 });
    const found = attribution(dataset({ bm25: all(6, 'one') }, { pipeline: other }));
    assert.deepEqual(
      [found.changes, found.noise, found.parts],
      [['pipeline'], false, { judgements: 0, retrieval: -1 }],
    );
    const renamed = parsePipeline({ name: 'x', retriever: { type: 'bm25' }, k: 2 });
    assert.deepEqual(attribution(dataset({ bm25: all(6, 'both') }, { pipeline: renamed })).changes, []);
  });

  test('the judgements: equal rankings judged again', () => {
    const found = attribution(dataset({ bm25: all(6, 'both') }, { unsupported: ['q1', 'q2'] }));
    assert.deepEqual(found.changes, ['judgements']);
    assert.ok(Math.abs(found.parts!.judgements + 1 / 3) < 1e-12 && Math.abs(found.parts!.retrieval) < 1e-12);
  });

  test('the judgements and the pipeline, each with its share', () => {
    const now = { ...all(6, 'both'), q3: 'one', q4: 'one' } as const;
    const other = parsePipeline({ retriever: { type: 'bm25', k1: 0 }, k: 2 });
    const found = attribution(dataset({ bm25: now }, { unsupported: ['q1'], pipeline: other }));
    assert.deepEqual(found.changes, ['pipeline', 'judgements']);
    assert.deepEqual(
      [found.parts!.judgements, found.parts!.retrieval].map((part) => Math.round(part * 600)),
      [-100, -200],
    );
  });

  test('answers missing on this machine are not changed judgements', () => {
    const accepted6 = accepted(dataset({ bm25: all(6, 'both') }, WHOLE));
    const now = dataset({ bm25: all(6, 'none') }, WHOLE);
    const fresh = {
      ...now,
      qrels: new Map(
        [...now.qrels].map(([id, perspectives]) => [
          id,
          new Map([...perspectives].map(([one]) => [one, new Map([[`noise of ${id}`, 0]])])),
        ]),
      ),
    };
    const { baseline } = report(BASELINE, fresh, accepted6).checks[0]!;
    assert.deepEqual(baseline!.attribution, {
      changes: [],
      noise: false,
      parts: { judgements: 0, retrieval: -1 },
    });
    const refuted = {
      ...fresh,
      qrels: new Map([
        ...fresh.qrels,
        ['q1', dataset({ bm25: all(6, 'none') }, { ...WHOLE, unsupported: ['q1'] }).qrels.get('q1')!],
      ]),
    };
    const found = report(BASELINE, refuted, accepted6).checks[0]!.baseline!.attribution;
    assert.deepEqual(found.changes, ['judgements']);
    assert.ok(Math.abs(found.parts!.judgements + 1 / 6) < 1e-12);
  });

  test('the corpus and the eval set; judgements of old rankings are then ignored', () => {
    const corpus = attribution(dataset({ bm25: all(6, 'one') }, { fingerprint: 'f2' }));
    assert.deepEqual([corpus.changes, corpus.parts], [['corpus'], undefined]);
    const evalSet = attribution(dataset({ bm25: all(6, 'one') }, { digest: 'another' }));
    assert.deepEqual([evalSet.changes, evalSet.parts], [['eval set'], undefined]);
  });

  test('a store, by its texts, if both runs read them', () => {
    const sample = { store: 'pgvector (docs)', records: 50, checksum: 'a' };
    const set = (options: object): ReturnType<typeof dataset> => dataset({ bm25: all(6, 'both') }, options);
    const changes = (now: object, then: object): unknown =>
      report(BASELINE, set(now), accepted(set(then))).checks[0]!.baseline!.attribution.changes;
    assert.deepEqual(changes({ sample }, { sample }), []);
    assert.deepEqual(changes({ sample: { ...sample, checksum: 'b' } }, { sample }), ['corpus']);
    assert.deepEqual(changes({ sample }, {}), []);
    assert.deepEqual(changes({ sample: { store: sample.store, records: 0 } }, { sample }), []);
  });

  test('names unknown properties of a store', () => {
    const store = 'pgvector (docs)';
    const notes = (sample: object): readonly string[] =>
      report(
        BASELINE,
        dataset({ bm25: all(6, 'both') }, { sample: { store, records: 0, ...sample } }),
        before,
      ).notes;
    assert.match(
      notes({ records: 50, checksum: 'a' })[0]!,
      /number of its passages \(100\) and .* first 50;/u,
    );
    assert.match(notes({})[0]!, /"docs" in pgvector \(docs\) .* \(100\);/u);
    assert.doesNotMatch(notes({ records: 100, checksum: 'a' }).join(), /unnoticed/u);
  });

  test('noise: an interval that includes 0', () => {
    const one = { ...all(6, 'both'), q1: 'one' } as const;
    assert.equal(attribution(dataset({ bm25: one })).noise, true);
    const whole = Object.keys(one);
    const { reason } = report(BASELINE, dataset({ bm25: one }, { whole }), before).checks[0]!;
    assert.match(reason, /Changed since the baseline: nothing that is known of\. The interval includes 0/u);
  });

  test('a model that a pipeline names is part of the pipeline', () => {
    const now = dataset({ bm25: all(6, 'both') });
    const pipelines = now.pipelines.map((own) => ({
      ...own,
      models: { minilm: { type: 'onnx', path: 'b' } },
    }));
    assert.deepEqual(attribution({ ...now, pipelines }).changes, ['pipeline']);
  });
});

describe("a threshold on a figure without the judge's errors", () => {
  const COUNT = 40;
  /** The judge finds both sides everywhere; people decided the first queries, and found `con` in some of them. */
  const judged = (decided: number, isCovered: (at: number) => boolean): ReturnType<typeof dataset> => {
    const own = dataset({ bm25: all(COUNT, 'both') });
    const ids = own.queries.map(({ id }) => id);
    const topic = (id: string, con: number): [string, ReadonlyMap<string, ReadonlyMap<string, number>>] => [
      id,
      new Map([
        [
          'pro',
          new Map([
            [`pro of ${id}`, 1],
            [`con of ${id}`, 0],
          ]),
        ],
        [
          'con',
          new Map([
            [`pro of ${id}`, 0],
            [`con of ${id}`, con],
          ]),
        ],
      ]),
    ];
    const open = (id: string): [string, ReadonlyMap<string, ReadonlyMap<string, number>>] => [
      id,
      new Map([
        ['pro', new Map()],
        ['con', new Map()],
      ]),
    ];
    const people = new Map(ids.map((id, at) => (at < decided ? topic(id, isCovered(at) ? 1 : 0) : open(id))));
    const judge = new Map(ids.map((id) => topic(id, 1)));
    return { ...own, opinions: { annotators: people, judge, chances: new Map(), basis: 'open' } };
  };
  const checkOf = (min: number, own: ReturnType<typeof dataset>) =>
    report({ thresholds: [{ metric: 'MRecall@2', min, corrected: true }] }, own).checks[0]!;

  test('is reached or missed by the whole interval, else undecided', () => {
    const half = judged(30, (at) => at % 2 === 0);
    assert.equal(checkOf(0.2, half).outcome, 'passed');
    assert.equal(checkOf(0.9, half).outcome, 'missed');
    assert.equal(checkOf(0.5, half).outcome, 'undecided');
    assert.match(checkOf(0.2, half).reason, /; the whole interval is at or above 20\.0\./u);
    assert.match(checkOf(0.9, half).reason, /; the whole interval is below 90\.0\./u);
    assert.match(
      checkOf(0.5, half).reason,
      /; the interval includes 50\.0, so the labels cannot decide it\./u,
    );
    assert.ok(report({}, half).datasets[0]!.pipelines[0]!.correction!.figures['MRecall@2']);
    const { value, corrected, reason } = checkOf(0.5, half);
    assert.ok(Math.abs(value - 0.5) < 1e-9);
    assert.equal(corrected!.counted, 1);
    assert.match(
      reason,
      /MRecall@2 is 50\.0 \[\d+\.\d, \d+\.\d\] without the judge's errors, 100\.0 as counted/,
    );
    assert.match(reason, /30 of 40 questions/);
  });

  test('is unknown if too few queries are decided, whatever the judge says', () => {
    const { outcome, reason } = checkOf(
      0.5,
      judged(5, () => true),
    );
    assert.equal(outcome, 'undecided');
    assert.match(reason, /5 questions are labelled, and 10 are needed/);
  });

  test('uses the plain figure if it does not depend on a judge', () => {
    assert.equal(checkOf(0.5, dataset({ bm25: all(4, 'both') })).outcome, 'passed');
  });

  describe('against the baseline', () => {
    const gate = { baseline: { file: 'main.json', corrected: true } };
    const before = (decided: number, options: Parameters<typeof dataset>[1] = {}) =>
      accepted({ ...judged(decided, () => true), ...options }, gate);
    /** Rankings that omit `con`, while the judge finds support in every passage. */
    const worse = (decided: number) => {
      const own = judged(decided, () => true);
      const ids = own.queries.map(({ id }) => id);
      const lenient = new Map(
        ids.map((id) => [
          id,
          new Map(
            ['pro', 'con'].map((perspective) => [
              perspective,
              new Map(['pro', 'con', 'other'].map((kind) => [`${kind} of ${id}`, 1])),
            ]),
          ),
        ]),
      );
      const people = new Map(
        [...own.opinions!.annotators].map(([id, topic]) => [
          id,
          topic.get('pro')!.size === 0
            ? topic
            : new Map([...topic].map(([name, said]) => [name, new Map([...said, [`other of ${id}`, 0]])])),
        ]),
      );
      const pipelines = own.pipelines.map((each) => ({
        ...each,
        run: run(Object.fromEntries(ids.map((id) => [id, 'one' as const]))),
      }));
      return { ...own, pipelines, opinions: { ...own.opinions!, judge: lenient, annotators: people } };
    };

    test('a loss that the judge does not see is missed by the whole interval', () => {
      const [check] = report(gate, worse(30), before(30)).checks;
      assert.equal(check!.outcome, 'missed', check!.reason);
      const { paired, counted } = check!.baseline!;
      const { difference, low, high, p } = paired!;
      assert.ok(difference < -0.8 && low <= difference && high < 0, `${low} ${difference} ${high}`);
      assert.equal(p, undefined);
      assert.equal(counted, check!.value - 1);
      assert.match(check!.reason, /without the judge's errors, .* as counted; the whole interval is a loss/);
      assert.match(check!.reason, /decide 30 of 40 questions/);
    });

    test('no change is no loss; a circular ranking is decided, because the correction removes the mark', () => {
      const own = judged(30, () => true);
      const circular = { ...own, pipelines: own.pipelines.map((each) => ({ ...each, circular: 'J' })) };
      const found = report(gate, circular, before(30));
      assert.equal(found.checks[0]!.outcome, 'passed');
      assert.match(found.checks[0]!.reason, /the interval shows no loss that counts/);
      assert.equal(checksTable(found).rows[0]!.at(-1), 'corrected');
    });

    test('too few labels, or a changed corpus, decide nothing', () => {
      const [few] = report(
        gate,
        judged(5, () => true),
        before(5),
      ).checks;
      assert.equal(few!.outcome, 'undecided');
      assert.match(few!.reason, /5 questions are labelled, and 10 are needed/);
      const corpus = { name: 'docs', fingerprint: 'f2', passages: 90 };
      const [changed] = report(gate, { ...judged(30, () => true), corpus }, before(30)).checks;
      assert.equal(changed!.outcome, 'undecided');
      assert.match(changed!.reason, /the corpus changed since the baseline.*Accept a new baseline/);
    });

    test('figures without a judge are compared as usual; other measures cannot be corrected', () => {
      const [plain] = report(
        gate,
        dataset({ bm25: all(8, 'both') }),
        accepted(dataset({ bm25: all(8, 'both') })),
      ).checks;
      assert.equal(plain!.baseline!.paired!.p, 1);
      assert.throws(
        () => spec({ baseline: { file: 'main.json', corrected: true, metrics: ['nDCG@2'] } }),
        /MRecall, Precision/,
      );
    });
  });

  test('is refused for a measure that a few labels cannot settle', () => {
    assert.throws(
      () => spec({ thresholds: [{ metric: 'nDCG@2', min: 0.5, corrected: true }] }),
      /MRecall, Precision/,
    );
  });
});

test('notes what a store withheld or may have withheld', () => {
  const set = dataset({ bm25: { a: 'both', b: 'both' } });
  const withStore = (pipeline: object): string[] =>
    report({}, { ...set, pipelines: set.pipelines.map((own) => ({ ...own, ...pipeline })) }).notes.filter(
      (note) => note.startsWith('"bm25" on "set": '),
    );
  const certainty = { certain: 2, queries: 2, k: 2, least: 2, approximate: true };
  assert.deepEqual(withStore({ certainty }), []);
  assert.deepEqual(
    withStore({
      short: { returned: 40, asked: 100, queries: 1 },
      certainty: { ...certainty, certain: 1, least: 1 },
    }),
    [
      '"bm25" on "set": for 1 of 2 questions the store returned fewer candidates than it was asked for, at worst 40 of 100: either no more pass its filter, or its index stopped early.',
      '"bm25" on "set": questions whose first 2 are certainly those of the whole store: 1 of 2. At worst certainty ends at rank 1; below it a passage that the store did not return could still belong. Ask for more candidates to be sure.',
    ],
  );
});
