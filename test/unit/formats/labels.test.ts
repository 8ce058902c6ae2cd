import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LabelIndex, type LabelledPerspective } from '../../../src/core/formats/label-index.ts';
import {
  type AttentionCheck,
  formatLabel,
  type Label,
  labelsPassagesOfWords,
  normalizePerspective,
  labelSchema,
  readLabelLine,
  withdrawalOf,
  withoutWithdrawn,
} from '../../../src/core/formats/labels.ts';
import { parseLabels } from '../../fixtures/parse-labels.ts';

const PERSPECTIVE = { queryId: 'q1', perspectiveId: 'pro', perspectiveText: 'Remote work is good.' };
const PASSAGE = {
  documentId: 'a.md',
  text: 'Commutes vanish. People sleep longer. Offices cost money.',
  hash: 'h1',
};

let clock = 0;
/** A label by Ann about the whole of a.md, each later than the one before. */
function label(fields: Partial<Label> & { person?: string } = {}): Label {
  const { person = 'Ann', ...rest } = fields;
  return {
    v: 1,
    query: 'q1',
    perspective: 'pro',
    perspectiveText: PERSPECTIVE.perspectiveText,
    document: 'a.md',
    verdict: 'yes',
    by: { kind: 'human', name: person },
    at: new Date(Date.UTC(2025, 0, 1, 0, 0, clock++)).toISOString(),
    standard: 'berds-1',
    ...rest,
  };
}

function ask(
  labels: readonly Label[],
  passage: Partial<typeof PASSAGE> = {},
  perspective: LabelledPerspective = PERSPECTIVE,
) {
  return new LabelIndex(labels).lookup(perspective, { ...PASSAGE, ...passage });
}

const verdict = (...args: Parameters<typeof ask>) => ask(...args)?.verdict;
const quoted = (labels: readonly Label[], text = PASSAGE.text) =>
  ask(labels, { text })?.evidence.map(({ start, end }) => text.slice(start, end));

test('lines read back as written; bad ones are reported and skipped', () => {
  const labels = [
    label({ quote: 'Commutes vanish.' }),
    label({ hash: 'h1', verdict: 'no', note: 'off topic' }),
  ];
  const bad = ['<<<<<<< ours', '{"v":2}', JSON.stringify({ ...labels[0], verdict: 'maybe' })];
  const read = parseLabels([...labels.map(formatLabel), bad.join('\n')].join(''));
  assert.deepEqual(read.labels, labels);
  assert.equal(read.warnings.length, 3);
  assert.match(read.warnings[0]!, /^Line 3: left by a merge whose conflict is not resolved/);
  assert.match(read.warnings[1]!, /^Line 4: v: /);
  assert.match(read.warnings[2]!, /^Line 5: verdict: .*"maybe"/);
  assert.deepEqual(parseLabels(''), { labels: [], checks: [], warnings: [] });
});

test('a line that is no object is a bad line', () => {
  for (const text of ['null', '7', '"yes"', '[]'])
    assert.match(readLabelLine({ number: 3, text }) as string, /^Line 3: .*; skipped\.$/u);
});

test('labels without a version refer to corpora split by words', () => {
  const [whole, passage] = [label(), label({ hash: 'h1' })];
  assert.equal(labelsPassagesOfWords(formatLabel(passage)), true);
  assert.equal(labelsPassagesOfWords(formatLabel(whole)), false);
  const sections = formatLabel({ ...passage, split: 'sections' });
  assert.equal(labelsPassagesOfWords(formatLabel(passage) + sections), false);
});

test('lists the passages labelled by their text, with the verdict that counts', () => {
  const labels = [
    label({ hash: 'h1', verdict: 'yes' }),
    label({ hash: 'h1', verdict: 'no' }),
    label({ hash: 'h2', verdict: 'yes' }),
    label({ hash: 'h2', verdict: 'no', person: 'Bob' }),
    label({ hash: 'h3', perspectiveText: 'Another.', verdict: 'yes' }),
    label({ hash: 'h4', verdict: 'yes', by: { kind: 'imported', name: 'qrels' } }),
    label({ quote: 'Commutes vanish.', verdict: 'yes' }),
    label({ verdict: 'yes' }),
  ];
  const listed = new LabelIndex(labels).labelledPassages().map((each) => Object.values(each).join(' | '));
  assert.deepEqual(listed.sort(), [
    'h1 | Remote work is good. | no',
    'h2 | Remote work is good. | unsure',
    'h3 | Another. | yes',
  ]);
});

test('perspectives are equal up to case, blanks and final punctuation', () => {
  assert.equal(
    normalizePerspective(' Remote\n WORK is good !'),
    normalizePerspective('remote work is good.'),
  );
  assert.notEqual(normalizePerspective('It is good'), normalizePerspective('It is not good'));
  assert.notEqual(normalizePerspective('Every day'), normalizePerspective('Everyday'));
  const other = { queryId: 'other', perspectiveId: 'p9' };
  assert.equal(verdict([label()], {}, { ...other, perspectiveText: 'remote work  is GOOD' }), 'yes');
  assert.equal(verdict([label()], {}, { ...other, perspectiveText: 'Remote work is bad.' }), undefined);
});

test('a perspective with changed wording is found by its two ids', () => {
  const reworded = { ...PERSPECTIVE, perspectiveText: 'Working from home is good.' };
  assert.equal(verdict([label()], {}, reworded), 'yes');
  assert.equal(verdict([label()], {}, { ...reworded, perspectiveId: 'con' }), undefined);
  const index = new LabelIndex([label()]);
  assert.equal(index.lookup({ perspectiveText: reworded.perspectiveText }, PASSAGE), undefined);
  // Half of the words are not enough, even if the question was asked before.
  for (const [perspectiveText, said] of [
    [reworded.perspectiveText, 'yes'],
    ['Remote islands attract.', undefined],
    ['Nobody misses the office.', undefined],
  ] as const)
    assert.equal(index.lookup({ ...PERSPECTIVE, perspectiveText }, PASSAGE)?.verdict, said);
  const two = new LabelIndex([label({ perspectiveText: 'Remote work.' })]);
  assert.equal(two.lookup({ ...PERSPECTIVE, perspectiveText: 'Remote islands.' }, PASSAGE), undefined);
});

test('finds the labels given at a time, newest first', () => {
  const at = LATER;
  const [one, other] = [label({ at }), label({ at, hash: 'h1' })];
  const index = new LabelIndex([one, label(), other, label({ at, perspectiveText: 'Another.' })]);
  assert.deepEqual(index.givenAt(at, 'remote work is good'), [other, one]);
  assert.deepEqual(index.givenAt(at, 'Nobody said so.'), []);
});

test('a hash matches its text in every document, and no other text', () => {
  const labels = [label({ hash: 'h1', document: 'elsewhere.md' })];
  assert.equal(verdict(labels), 'yes');
  assert.equal(verdict(labels, { hash: 'h2' }), undefined);
  assert.equal(
    verdict([label({ hash: 'h1' })], { hash: 'h2' }),
    undefined,
    'nor of the rest of its document',
  );
});

test('a quote matches the passages of its document that contain it', () => {
  const labels = [label({ quote: 'People sleep longer.' })];
  assert.equal(verdict(labels), 'yes');
  assert.deepEqual(quoted(labels), ['People sleep longer.']);
  assert.deepEqual(quoted(labels, 'x People\n sleep  longer. y'), ['People\n sleep  longer.']);
  assert.equal(verdict(labels, { text: 'Offices cost money.' }), undefined);
  assert.equal(verdict(labels, { documentId: 'b.md' }), undefined);
});

test('a quote across passages counts for the passage with more than half of it', () => {
  const labels = [label({ quote: 'People sleep much longer.' })];
  assert.deepEqual(quoted(labels, 'Commutes vanish. People sleep much'), ['People sleep much']);
  assert.equal(verdict(labels, { text: 'longer. Offices cost money.' }), undefined);
});

test('only a "yes" has evidence', () => {
  assert.deepEqual(quoted([label({ quote: 'People sleep longer.', verdict: 'no' })]), []);
  assert.deepEqual(quoted([label()]), []);
});

test('labels by id and labels by text count together', () => {
  const reworded = { ...PERSPECTIVE, perspectiveText: 'Working from home is good.' };
  const yes = label();
  const no = label({ verdict: 'no', perspectiveText: reworded.perspectiveText });
  assert.equal(verdict([yes, no], {}, { ...PERSPECTIVE, perspectiveText: yes.perspectiveText }), 'no');
  assert.equal(verdict([yes, no], {}, reworded), 'no');
  const index = new LabelIndex([yes, no]);
  assert.deepEqual([index.supporting(PERSPECTIVE), index.supporting(reworded)], [[], []]);
});

test('a "no" for the document counts if no quote says "yes"', () => {
  const labels = [label({ quote: 'People sleep longer.' }), label({ verdict: 'no' })];
  assert.equal(verdict(labels), 'yes', 'although the "no" is newer');
  assert.equal(verdict(labels, { text: 'Offices cost money.' }), 'no');
  assert.deepEqual(ask(labels, { text: 'Offices cost money.' })!.evidence, []);
});

test('a hash overrides a quote, and its own quote is its evidence', () => {
  const quote = 'People sleep longer.';
  assert.equal(verdict([label({ hash: 'h1', verdict: 'no' }), label({ quote })]), 'no');
  assert.deepEqual(quoted([label({ hash: 'h1', quote })]), [quote]);
  assert.deepEqual(quoted([label({ hash: 'old', quote })]), [quote], 'and survives another splitting');
});

test('the newest label of a person counts, whatever its line', () => {
  const yes = label();
  const no = label({ verdict: 'no' });
  assert.equal(verdict([yes, no]), 'no');
  assert.equal(verdict([no, yes]), 'no', 'merged files are out of order');
  const sameTime = { ...no, at: yes.at };
  assert.equal(verdict([yes, sameTime]), 'no', 'at the same time the later line');
  assert.equal(verdict([{ ...no, at: 'yesterday' }, yes]), 'yes', 'an unreadable time is the oldest');
  assert.equal(
    verdict([yes, { ...no, at: '2025-01-01T00:00:00+09:00' }]),
    'yes',
    'times are compared, not their text',
  );
});

test('withdrawing a label by hash also withdraws its quote', () => {
  const labels = [label({ hash: 'h1', quote: 'People sleep longer.' }), label({ hash: 'h1', verdict: 'no' })];
  assert.equal(verdict(labels), 'no');
  assert.equal(verdict(labels, { hash: 'h2' }), undefined);
  assert.deepEqual(new LabelIndex(labels).supporting(PERSPECTIVE), []);
});

test('several quotes of one person: one supporting quote is enough, and all are evidence', () => {
  const labels = [
    label({ quote: 'People sleep longer.' }),
    label({ quote: 'Commutes vanish.' }),
    label({ quote: 'Offices cost money.', verdict: 'no' }),
  ];
  assert.equal(verdict(labels), 'yes');
  assert.deepEqual(quoted(labels), ['Commutes vanish.', 'People sleep longer.']);
});

test('the majority of people counts, and a tie is an open conflict', () => {
  const vote = (person: string, says: Label['verdict']) => label({ person, verdict: says });
  const [ann, bob, eve] = [vote('Ann', 'yes'), vote('Bob', 'no'), vote('Eve', 'no')];
  assert.deepEqual([verdict([ann, bob, eve]), ask([ann, bob, eve])!.conflict], ['no', false]);
  assert.deepEqual(ask([ann, bob, eve])!.label, eve, 'the newest label with that verdict');
  assert.equal(verdict([bob, eve, vote('Ann', 'yes')]), 'no', 'whoever spoke last');
  assert.deepEqual([verdict([ann, bob]), ask([ann, bob])!.conflict], ['unsure', true]);
  assert.deepEqual(ask([ann, bob])!.label, bob, 'the newest label of all');
  const changed = label({ person: 'Bob', verdict: 'yes' });
  assert.deepEqual([verdict([ann, bob, changed]), ask([ann, bob, changed])!.conflict], ['yes', false]);
  assert.equal(ask([vote('Ann', 'unsure')])!.conflict, false);
});

test('imported labels are ignored if a person labelled at the same level', () => {
  const imported = label({ by: { kind: 'imported', name: 'qrels.txt' } });
  assert.equal(verdict([imported]), 'yes');
  assert.deepEqual(
    [verdict([imported, label({ verdict: 'no' })]), ask([imported, label({ verdict: 'no' })])!.conflict],
    ['no', false],
  );
});

test('lists every supporting label, newest first', () => {
  const labels = [
    label({ document: 'b.md' }),
    label({ document: 'c.md', verdict: 'no' }),
    label({ document: 'd.md', quote: 'x y z' }),
    label({ document: 'd.md', quote: 'x y z' }),
    label({ document: 'e.md', perspective: 'con', perspectiveText: 'Remote work is bad.' }),
  ];
  const documents = new LabelIndex(labels).supporting(PERSPECTIVE).map(({ document }) => document);
  assert.deepEqual(documents, ['d.md', 'd.md', 'b.md']);
});

const LATER = '2026-06-01T00:00:00Z';

function checkOf(
  { v, query, perspective, perspectiveText, document, hash, by, at, standard }: Label,
  answer: Label['verdict'],
): AttentionCheck {
  return {
    v,
    query,
    perspective,
    perspectiveText,
    document,
    hash,
    by,
    at,
    standard,
    expected: 'yes',
    answer,
  };
}

const lines = (...all: Parameters<typeof formatLabel>[0][]) => parseLabels(all.map(formatLabel).join(''));

test('a withdrawal removes exactly one label, wherever it is in a merged file', () => {
  const [first, second] = [label({ hash: 'h1', verdict: 'no' }), label({ hash: 'h1', verdict: 'yes' })];
  const withdrawal = withdrawalOf(second, LATER);
  for (const order of [
    [first, second, withdrawal],
    [withdrawal, second, first],
    [first, second, withdrawal, withdrawal],
  ])
    assert.deepEqual(lines(...order).labels, [first]);
  assert.equal(verdict(lines(first, second, withdrawal).labels), 'no', 'what was said before stands again');
  assert.deepEqual(lines(first, second, withdrawal, withdrawalOf(first, LATER)).labels, []);
});

test('a withdrawal does not affect other people or other targets', () => {
  const own = label({ hash: 'h1' });
  const others = [
    { ...own, by: { kind: 'human' as const, name: 'Bob' } },
    { ...own, by: { kind: 'imported' as const, name: 'Ann' } },
    { ...own, hash: 'h2' },
    { ...own, document: 'b.md' },
    { ...own, quote: 'People sleep longer.' },
    { ...own, perspectiveText: 'Another.' },
    { ...own, at: LATER },
  ];
  assert.deepEqual(lines(own, ...others, withdrawalOf(own, LATER)).labels, others);
});

test('an attention check is no label and can be withdrawn', () => {
  const check = checkOf(label({ hash: 'h1' }), 'no');
  assert.deepEqual(lines(check), { labels: [], checks: [check], warnings: [] });
  assert.deepEqual(lines(check, withdrawalOf(check, LATER)).checks, []);
});

test('a reader of labels ignores withdrawals and checks', () => {
  for (const line of [withdrawalOf(label(), LATER), checkOf(label(), 'yes')])
    assert.equal(labelSchema.safeParse(JSON.parse(formatLabel(line))).success, false);
});

test('generated ids of another eval set do not match', () => {
  const other = label({ perspectiveText: 'Nuclear power is good.' });
  assert.equal(verdict([other]), undefined);
  assert.deepEqual(new LabelIndex([other]).supporting(PERSPECTIVE), []);
  const asked = { ...PERSPECTIVE, queryText: 'Is remote work good?' };
  const renamed = { ...asked, perspectiveText: 'Nobody misses the office.' };
  const withQuery = (queryText: string) => label({ queryText });
  assert.equal(verdict([withQuery('is remote  work good')], {}, renamed), 'yes', 'the same question');
  assert.equal(verdict([withQuery('Is nuclear power good?')], {}, renamed), undefined);
  const reworded = { ...asked, perspectiveText: 'Working from home is good.' };
  assert.equal(
    verdict([withQuery('Is nuclear power good?')], {}, reworded),
    undefined,
    'the question decides',
  );
  assert.equal(verdict([label({ queryText: 'Is it?' })], {}, PERSPECTIVE), 'yes', 'equal words need no ids');
});

test('labels of another support standard do not count; imported and unspecified ones do', () => {
  const strict = { ...PERSPECTIVE, standard: 'strict-1' };
  const imported = label({ by: { kind: 'imported', name: 'qrels' }, standard: 'imported' });
  assert.equal(verdict([label()], {}, strict), undefined);
  assert.equal(verdict([label({ standard: 'strict-1' })], {}, strict), 'yes');
  assert.equal(verdict([label({ standard: 'strict-1' })]), 'yes', 'nothing was asked for');
  assert.equal(verdict([imported], {}, strict), 'yes');
  const both = [label({ standard: 'strict-1', verdict: 'no' }), label()];
  assert.equal(verdict(both, {}, strict), 'no', 'neither replaces the other');
  assert.equal(verdict(both, {}, { ...PERSPECTIVE, standard: 'berds-1' }), 'yes');
  const passages = new LabelIndex(both.map((each) => ({ ...each, hash: 'h1' })));
  assert.deepEqual(
    passages.labelledPassages('strict-1').map((each) => each.verdict),
    ['no'],
  );
});

test('lists the newest label of each person, without imported ones', () => {
  const index = new LabelIndex([
    label({ verdict: 'no', note: 'first' }),
    label({ verdict: 'yes', note: 'second' }),
    label({ verdict: 'no', person: 'Bob' }),
    label({ by: { kind: 'imported', name: 'qrels' } }),
  ]);
  assert.deepEqual(
    index
      .verdicts(PERSPECTIVE, PASSAGE)
      .map(({ person, verdict: said, label: { note } }) => [person, said, note])
      .sort(),
    [
      ['Ann', 'yes', 'second'],
      ['Bob', 'no', undefined],
    ],
  );
  assert.deepEqual(
    new LabelIndex([label({ by: { kind: 'imported', name: 'qrels' } })]).verdicts(PERSPECTIVE, PASSAGE),
    [],
  );
});

test('hashes of every form read back as written', () => {
  const hash = 'abcdef'.padStart(32, '0');
  const forms = [
    hash,
    '9f'.repeat(16),
    hash.toUpperCase(),
    `${hash.slice(1)}g`,
    `${hash.slice(1)}/`,
    `${hash.slice(1)}:`,
    `${hash.slice(1)}\``,
    `${hash.slice(1)}é`,
    hash.repeat(2),
    hash.slice(1),
    'h1',
    '',
  ];
  const labels = forms.map((form) => label({ hash: form }));
  assert.deepEqual([...new LabelIndex(labels).labels()], labels);
});

const few = (...values: readonly string[]) => fc.constantFrom(...values);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const times = few(
  ...['2026-11-26T10:00:00.000Z', '2026-11-26T10:00:00.001Z', '2026-01-31T10:00:00.000Z'],
  ...['1970-01-01T00:00:00.000Z', '2026-11-26', '2026-11-26T10:00:00+02:00', 'yesterday', ''],
);
const anyLabel = fc
  .record({
    v: fc.constant(1 as const),
    query: few('q1', 'q2'),
    queryText: maybe(few('Q1?', 'Q2?')),
    perspective: few('pro', 'con'),
    perspectiveText: few('Remote work is good.', 'Remote work is bad.', 'remote work is good'),
    document: few('a.md', 'b.md'),
    quote: maybe(few('People sleep longer.', 'Commutes vanish.')),
    hash: maybe(few('h1', '0'.repeat(32), 'f'.repeat(32))),
    split: maybe(few('sections', 'words')),
    by: fc.record({ kind: fc.constantFrom('human' as const, 'imported' as const), name: few('Ann', 'Bob') }),
    at: times,
    standard: few('berds-1', 'strict-1'),
    verdict: fc.constantFrom('yes' as const, 'no' as const, 'unsure' as const),
    note: maybe(few('why')),
    informed: maybe(fc.boolean()),
    chance: maybe(fc.constantFrom(0.5, 1)),
  })
  .map((given): Label => JSON.parse(JSON.stringify(given)) as Label);

test('labels are kept as written, whatever they share', () => {
  const random = { seed: 20_261_127 };
  fc.assert(
    fc.property(fc.array(anyLabel, { maxLength: 20, size: 'max' }), (labels) => {
      assert.deepEqual([...new LabelIndex(labels).labels()], labels);
    }),
    random,
  );
  // More than one chunk of the store.
  const many = fc.sample(anyLabel, { ...random, numRuns: 1_100 });
  assert.deepEqual([...new LabelIndex(many).labels()], many);
});

test('an index queried between changes equals one built at the end', () => {
  const questions: readonly LabelledPerspective[] = [
    PERSPECTIVE,
    { ...PERSPECTIVE, queryText: 'Q1?', perspectiveText: 'Working from home is good.' },
    { queryId: 'q2', perspectiveId: 'con', perspectiveText: 'Remote work is bad.', standard: 'strict-1' },
  ];
  const passages = ['h1', '0'.repeat(32)].map((hash) => ({ ...PASSAGE, hash }));
  const answers = (index: LabelIndex): unknown =>
    questions.flatMap((perspective) => [
      ...passages.map((passage) => index.lookup(perspective, passage)),
      index.supporting(perspective),
    ]);
  const step = fc.oneof(anyLabel, fc.nat(30));
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 15, size: 'max' }), (steps) => {
      const asked = new LabelIndex();
      const labels: Label[] = [];
      const withdrawals: ReturnType<typeof withdrawalOf>[] = [];
      for (const one of steps) {
        if (typeof one !== 'number') labels.push(one);
        else if (labels.length === 0) continue;
        else withdrawals.push(withdrawalOf(labels[one % labels.length]!, LATER));
        if (typeof one === 'number') asked.withdraw(withdrawals.slice(-1));
        else asked.add(one);
        const standing = withoutWithdrawn([...labels, ...withdrawals]).labels;
        assert.deepEqual(answers(asked), answers(new LabelIndex(standing)));
        assert.deepEqual([...asked.labels()], standing);
        // Merging may move a label behind the line that withdraws it.
        const merged = new LabelIndex();
        merged.withdraw(withdrawals);
        for (const one of labels) merged.add(one);
        assert.deepEqual([...merged.labels()], standing);
      }
    }),
    { seed: 20_261_127, numRuns: 50 },
  );
});
