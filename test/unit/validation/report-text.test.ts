/** The Markdown report of a validation, and its cost before it runs. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { judgeChoices } from '../../../src/extension/judging/judge-choice.ts';
import {
  pairsWithin,
  partOf,
  validationEffort,
} from '../../../src/features/validation/host/validation-cost.ts';
import { describeValidation } from '../../../src/features/validation/cli/validation-tables.ts';
import { validationText } from '../../../src/features/validation/host/validation-controller.ts';
import { configSchema } from '../../../src/shared/config.ts';
import {
  validationReportSchema,
  type JudgeView,
  type TogetherView,
  type ValidationReport,
} from '../../../src/features/validation/core/report.ts';

const FIGURES = {
  pairs: 100,
  accuracy: 0.81,
  balancedAccuracy: 0.8,
  f1: 0.79,
  macroF1: 0.8,
  precision: 0.77,
  recall: { yes: 0.84, no: 0.76 },
  kappa: 0.613,
  positiveShare: 0.52,
  referencePositiveShare: 0.5,
};
const NONE = { yes: 0, no: 0, unsure: 0, unparsed: 0, escalated: 0 };
const confusion = { yes: NONE, no: NONE };
const interval = { low: 0.7, high: 0.9 };

const judgeOf = (change: Partial<JudgeView> = {}): JudgeView => ({
  judge: 'debate',
  label: 'Debate of two',
  heuristic: false,
  ...FIGURES,
  confusion,
  intervals: { accuracy: interval, f1: interval, balancedAccuracy: interval, kappa: { low: 0.5, high: 0.7 } },
  allCases: { ...FIGURES, accuracy: 0.834, adjudicated: 3, decidedByReference: 9 },
  escalated: 0.12,
  unparsed: 0.01,
  unsure: 0.02,
  failed: 0,
  error: null,
  cost: { asked: 88, cached: 12, requests: 2.4, promptTokens: 1830.4, completionTokens: 212 },
  latency: { median: 940, p95: 2100, amortised: 118 },
  chance: { accuracy: 0.501, f1: 0.51 },
  byPerspective: [
    { ...FIGURES, confusion, question: 'Why?', perspective: 'Easy', stance: null, accuracy: 0.9 },
    { ...FIGURES, confusion, question: null, perspective: 'Hard | <b>', stance: 'oppose', accuracy: 0.4 },
  ],
  byStance: [
    { ...FIGURES, confusion, stance: 'support' },
    { ...FIGURES, confusion, stance: 'oppose', accuracy: 0.61 },
  ],
  consistency: { repeats: 3, pairs: 100, same: 93, share: 0.93 },
  swappedOrder: { pairs: 100, same: 95, share: 0.95, yesToNo: 2, noToYes: 3 },
  debateRounds: [{ round: 1, agreed: 70, spurious: 7, spuriousShare: 0.1 }],
  persistence: [
    { round: 1, debates: 70, consensus: 70, persistence: 1, spurious: 7, spuriousShare: 0.1 },
    { round: 2, debates: 70, consensus: 63, persistence: 0.9, spurious: 6, spuriousShare: 0.095 },
  ],
  ...change,
});

const reportOf = (change: Partial<ValidationReport> = {}): ValidationReport =>
  validationReportSchema.parse({
    labels: { by: 'people', judge: null, pairs: 100, yes: 50, no: 50, unsure: 4, unlabelled: 2 },
    baselines: [
      { baseline: 'always yes', positiveShare: 1, accuracy: 0.5, f1: 0.667 },
      { baseline: 'random', positiveShare: 0.5, accuracy: 0.5, f1: 0.5 },
    ],
    judges: [judgeOf()],
    together: [],
    filters: [],
    reference: [
      {
        source: 'DREAM, Table 1',
        method: 'DREAM',
        data: 'BRIDGE labels',
        cases: 'non-escalated',
        accuracy: 0.95,
        escalated: 0.035,
      },
    ],
    referenceNote: 'Measured on other data.',
    warnings: [],
    ...change,
  });

/** The cells of the row that begins with this text. */
function rowOf(text: string, start: string, after = ''): string[] {
  const line = text
    .slice(text.indexOf(after))
    .split('\n')
    .find((one) => one.startsWith(`| ${start}`));
  assert.ok(line, `no row ${start}`);
  return line
    .split('|')
    .slice(1, -1)
    .map((one) => one.trim());
}

describe('the report of a validation', () => {
  let text = '';
  beforeEach(() => void (text = validationText(reportOf(), 'labels.jsonl')));

  test('names its labels and what was excluded', () => {
    assert.match(
      text,
      /^# How good are the judges\?\n\n100 labelled pairs of labels\.jsonl, 50 of them labelled as support \(50\.0%\)\./,
    );
    assert.match(text, /Left out: 4 on which the reference is unsure, 2 without a label\./);
    const labels = {
      by: 'judge',
      judge: 'strong',
      pairs: 1,
      yes: 1,
      no: 0,
      unsure: 0,
      unlabelled: 0,
    } as const;
    const one = validationText(reportOf({ labels }), 'x');
    assert.match(
      one,
      /1 labelled pair of x, 1 of them labelled as support by the judge strong \(100\.0%\)\.\n/,
    );
    assert.doesNotMatch(text + one, /no answer|strong:.*Left out/u);
  });

  test('gives figures with intervals beside guessing', () => {
    assert.deepEqual(rowOf(text, 'debate, Debate of two'), [
      'debate, Debate of two',
      ...['100', '52.0%', '81.0% \\[70.0%, 90.0%\\]', '50.1%', '79.0% \\[70.0%, 90.0%\\]'],
      ...['80.0% \\[70.0%, 90.0%\\]', '84.0%', '76.0%', '0.61 \\[0.50, 0.70\\]'],
      ...['2.0%', '1.0%', '12.0%'],
    ]);
    assert.equal(rowOf(text, 'guess: always yes')[3], '50.0%');
    assert.equal(rowOf(text, 'guess: at random')[5], '50.0%');
  });

  test('gives stances, escalation, cost, consistency and rounds, and marks the papers as other data', () => {
    assert.equal(rowOf(text, 'debate, Debate of two | against')[3], '61.0%');
    assert.deepEqual(rowOf(text, 'debate, Debate of two', '## With escalated').slice(1, 5), [
      '100',
      '3',
      '9',
      '83.4%',
    ]);
    assert.deepEqual(rowOf(text, 'debate, Debate of two', '## Cost').slice(1, 6), [
      '88',
      '12',
      '2.40',
      '1830',
      '212',
    ]);
    assert.match(text, /the same answer in all 3 runs for 93\.0% of 100 pairs/);
    assert.match(text, /2 turned from yes to no, 3 from no to yes/);
    assert.equal(rowOf(text, 'debate, Debate of two', '## Agreement of the agents')[4], '10.0%');
    const lasting = text.slice(text.indexOf('still agree after going on'));
    assert.deepEqual(rowOf(lasting, 'debate, Debate of two | 2').slice(2), ['70', '63 (90.0%)', '6 (9.5%)']);
    const papers = text.slice(text.indexOf('## The papers, on other data'));
    assert.match(papers, /Measured on other data\./);
    assert.deepEqual(rowOf(papers, 'DREAM').slice(0, 3), [
      'DREAM',
      'BRIDGE labels, non-escalated pairs',
      'DREAM, Table 1',
    ]);
  });

  test('every row of a table has as many cells as its header', () => {
    for (const block of text.split('\n\n').filter((one) => one.startsWith('|'))) {
      const widths = block.split('\n').map((line) => line.split(/(?<!\\)\|/u).length);
      assert.equal(new Set(widths).size, 1, block);
    }
  });

  test('gives the number of labels that calibrate a judge, except for judges that do not learn', () => {
    assert.doesNotMatch(text, /calibrated/u);
    const learnt = (calibrationLabels: number): string =>
      validationText(reportOf({ judges: [judgeOf({ judge: 'lara', calibrationLabels })] }), 'x');
    assert.match(learnt(0), /lara is calibrated on 0 labels:/u);
    assert.match(learnt(1), /lara is calibrated on 1 label: that of a pair/u);
    assert.match(learnt(88), /lara is calibrated on 88 labels: those of pairs/u);
  });

  test('states the weight of votes with common errors in one sentence', () => {
    const wrong = { both: 4, first: 2, second: 3, neither: 41 };
    const judges: TogetherView = {
      of: 'judges',
      judges: ['a', 'b'],
      votes: 2,
      pairs: 100,
      support: wrong,
      none: wrong,
      byPerspective: [],
      correlation: 0.54,
      interval: { low: 0.2, high: 0.8 },
      used: 0.54,
      effectiveVotes: 2 / 1.54,
    };
    const of = (...together: TogetherView[]): string =>
      validationText(
        reportOf({
          together,
          filters: [{ judge: 'sift', cheap: ['a', 'b'], lost: 0.08, ifIndependent: 0.017 }],
        }),
        'x',
      );
    assert.match(
      of(judges),
      /“a” and “b” make joint errors: their two answers carry the information of 1\.3 independent ones\.\n/,
    );
    assert.deepEqual(rowOf(of(judges), 'a and b').slice(1), [
      ...['100', '4', '5', '41', '4', '5', '41', '0.54 \\[0.20, 0.80\\]', '0.54', '1.3 of 2 votes'],
    ]);
    assert.match(
      of(judges),
      /“sift” discards pairs that “a” and “b” both answer with no. That loses 8\.0%.*it would be 1\.7%/,
    );
    const unseen = { ...judges, pairs: 20, interval: { low: -0.1, high: 0.8 } };
    assert.match(of(unseen), /show no joint errors on 20 pairs.*fewer than 30.*drawn towards 0\.50/);
    assert.match(of({ ...judges, correlation: null }), /a and b: there are too few errors on 100 pairs/);
    const three = { ...judges, judges: ['a'], votes: 3 };
    assert.match(
      of({ ...three, of: 'repeats' }),
      /“a” repeats its errors: 3 answers carry the information of 1\.3 independent ones/,
    );
    assert.match(of({ ...three, of: 'agents' }), /agents of “a” make joint errors in round 1: 3 agents/);
    assert.doesNotMatch(text, /Joint errors/);
  });

  test('begins with the perspectives with the worst figures, shown as text', () => {
    const rows = text.slice(text.indexOf('## By perspective')).split('\n');
    const places = ['Hard', 'Easy'].map((word) => rows.findIndex((row) => row.startsWith(`| ${word}`)));
    assert.ok(places[0]! < places[1]!);
    assert.match(rows[places[0]!]!, /Hard \\\| &lt;b&gt;/);
    const one = judgeOf().byPerspective[0]!;
    assert.deepEqual(rowOf(text, 'Easy').slice(1, 5), ['Why?', '', '100', '90.0%']);
    assert.match(rows[places[0]!]!, /&gt; \|\s+\| against \|/u);
    const equal = [50, 90].map((pairs) => ({ ...one, perspective: `Of ${pairs}`, pairs }));
    const ordered = validationText(reportOf({ judges: [judgeOf({ byPerspective: equal })] }), 'x');
    assert.ok(ordered.indexOf('Of 90') < ordered.indexOf('Of 50'), 'of equals the one with more pairs');
    assert.doesNotMatch(ordered, / more, with no lower accuracy/u);
    const many = judgeOf({ byPerspective: Array.from({ length: 45 }, () => one) });
    assert.match(validationText(reportOf({ judges: [many] }), 'x'), /\n5 more, with no lower accuracy/);
  });

  test('warns of a judge without answers, marks a heuristic, and omits empty parts', () => {
    const lexical = judgeOf({
      judge: 'lexical',
      label: 'Offline word overlap',
      heuristic: true,
      failed: 7,
      error: 'No `model`.',
      escalated: 0,
      consistency: null,
      swappedOrder: null,
      debateRounds: [],
      persistence: [],
      byStance: [],
      byPerspective: [],
      kappa: null,
      accuracy: null,
    });
    const plain = validationText(reportOf({ judges: [lexical], warnings: ['Line 3: bad.'] }), 'x');
    assert.match(plain, /> ⚠ lexical: 7 pairs have no answer\. No \\`model\\`\./);
    assert.match(plain, /> ⚠ Line 3: bad\./);
    assert.equal(rowOf(plain, 'lexical')[0], 'lexical, Offline word overlap (heuristic)');
    assert.equal(rowOf(plain, 'lexical')[3], '');
    assert.doesNotMatch(
      plain,
      /escalated pairs decided|For and against|By perspective|same answer again|agents/,
    );
  });

  test('names a judge once if its label is its name, and gives the cases of a figure of the papers', () => {
    const named = (judge: string, label: string): string =>
      rowOf(validationText(reportOf({ judges: [judgeOf({ judge, label })] }), 'x'), judge.slice(0, 3))[0]!;
    assert.equal(named('gpt', 'gpt'), 'gpt');
    assert.equal(named('gpt', 'gpt-4 of OpenAI'), 'gpt-4 of OpenAI');
    assert.equal(named('gpt, mine', 'gpt'), 'gpt, mine');
    const row = reportOf().reference[0]!;
    const reference = [
      { ...row, method: 'One', cases: 'all', adjudicator: 'human', fleissKappa: 0.5 },
      { ...row, method: 'Two', cases: 'people', kappa: 0.25, escalated: undefined },
      {
        ...row,
        method: 'Six',
        cases: 'against-model',
        dollars: 0.1,
        seconds: { sequential: 9, parallel: 3 },
      },
    ] as const;
    const papers = validationText(reportOf({ reference: [...reference] }), 'x');
    const cells = ['One', 'Two', 'Six'].map((method) => rowOf(papers, method));
    assert.deepEqual(
      cells.map((row) => row[1]),
      [
        'BRIDGE labels, all pairs, adjudicator: human',
        'BRIDGE labels, people',
        'BRIDGE labels, against a stronger model',
      ],
    );
    assert.deepEqual(
      cells.map((row) => row.slice(-4)),
      [
        ['0.50', '3.5%', '', ''],
        ['0.25', '', '', ''],
        ['', '3.5%', '0.1', '3'],
      ],
    );
  });

  test('names people and the pairs that divide them', () => {
    const people: ValidationReport['people'] = {
      people: [
        { name: 'ann', labels: 9 },
        { name: 'bob', labels: 8 },
      ],
      pairs: [
        {
          first: 'ann',
          second: 'bob',
          items: 8,
          observed: 0.875,
          expected: 0.5,
          kappa: 0.75,
          shares: [{ yes: 0.5 }, { yes: 0.6 }],
        },
      ],
      all: { items: 8, observed: 0.875, expected: 0.5, kappa: 0.7, shares: { yes: 0.5 } },
      conflicts: [
        {
          question: null,
          perspective: 'It rains.',
          passage: 'Wet…',
          votes: [
            { person: 'ann', verdict: 'yes' },
            { person: 'bob', verdict: 'no' },
          ],
        },
      ],
    };
    const said = validationText(reportOf({ people }), 'x');
    assert.deepEqual(rowOf(said, 'ann and bob'), ['ann and bob', '8', '87.5%', '0.75', '50.0%, 60.0%']);
    assert.match(said, /\| It rains\. \| Wet… \| ann: yes, bob: no \|/);
    assert.deepEqual(rowOf(said, "All 2, Fleiss' κ").slice(1), ['8', '87.5%', '0.70', '50.0%']);
    const agreed = validationText(reportOf({ people: { ...people, conflicts: [] } }), 'x');
    assert.doesNotMatch(agreed, /Without a majority/u);
    assert.doesNotMatch(text, /## People/u);
  });
});

describe('the cost of a validation', () => {
  const choices = judgeChoices(
    configSchema.parse({
      judges: {
        a: { type: 'openai', baseUrl: 'http://x', model: 'm' },
        b: { type: 'openai', baseUrl: 'http://x', model: 'dear' },
      },
    }),
  );
  const named = (...names: string[]) => choices.filter(({ name }) => names.includes(name));

  test('is the sum over all judges, built-in ones included', () => {
    const workload = { pairs: 10, passages: 5, passageLength: 400 };
    const effort = (names: string[], prices = {}) =>
      validationEffort(named(...names), choices, workload, prices);
    assert.equal(effort(['a', 'b']).requests.most, 10);
    assert.equal(effort(['vscode']).requests.most, 5);
    assert.equal(effort(['lexical']).requests.most, 0);
    const prices = { m: { input: 1, output: 1 } };
    assert.ok(effort(['a'], prices).price!.most > 0);
    assert.equal(effort(['a', 'b'], prices).price, undefined, 'the price of one is not known');
  });

  test('stays within the budget by validating a sample of the pairs', () => {
    const workload = { pairs: 100, passages: 30, passageLength: 400 };
    const perPair = ({ pairs }: { pairs: number }) => ({ requests: { least: 2 * pairs, most: 3 * pairs } });
    assert.equal(pairsWithin(0, workload, perPair), undefined);
    assert.equal(pairsWithin(300, workload, perPair), undefined);
    assert.equal(pairsWithin(90, workload, perPair), 30);
    assert.equal(pairsWithin(1, workload, perPair), 1);
    assert.deepEqual(partOf(workload, 30), { pairs: 30, passages: 30, passageLength: 400 });
    assert.deepEqual(partOf(workload, 300), workload);
    // Thirty random pairs may belong to thirty passages.
    const perPassage = ({ passages }: { passages: number }) => ({
      requests: { least: passages, most: passages },
    });
    assert.equal(pairsWithin(30, workload, perPassage), undefined);
    assert.equal(pairsWithin(29, workload, perPassage), 29);
  });
});

describe('the report on the command line', () => {
  const none = { accuracy: null, f1: null, balancedAccuracy: null, kappa: null };
  const described = (change: Partial<JudgeView> = {}): string =>
    describeValidation(reportOf({ judges: [judgeOf(change)] }), 'x');
  const rowOfDebate = (text: string): string => /^debate, Debate of two +100 .*$/mu.exec(text)![0];

  test('shows a figure that has no interval', () => {
    assert.match(rowOfDebate(described()), / 81\.0% \[70\.0%, 90\.0%\] /u);
    assert.match(
      rowOfDebate(described({ intervals: none })),
      / 81\.0% +50\.1% +79\.0% +80\.0% +84\.0% .* 0\.61 /u,
    );
  });

  test("matches the editor's report with fewer perspectives", () => {
    const one = judgeOf().byPerspective[0]!;
    const many = { byPerspective: Array.from({ length: 45 }, () => one) };
    const titles = [...validationText(reportOf({ judges: [judgeOf(many)] }), 'x').matchAll(/^## (.*)$/gmu)];
    const terminal = described(many).split('\n');
    assert.ok(titles.length > 7);
    for (const [, title] of titles) assert.ok(terminal.includes(title!), title);
    assert.ok(terminal.includes('35 more, with no lower accuracy, are in the JSON.'));
  });

  test('removes control characters', () => {
    const people = [{ ...judgeOf().byPerspective[0]!, perspective: 'red \u001B[31m' }];
    assert.doesNotMatch(described({ judge: 'a\u001B[2J', byPerspective: people }), /\u001B/u);
  });
});
