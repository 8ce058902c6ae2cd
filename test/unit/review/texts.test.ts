/** The texts of reviews: the current pair, the list of pairs, the report on people's agreement. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Judgement } from '../../../src/core/model.ts';
import { agreementText } from '../../../src/features/review/host/agreement-text.ts';
import { entriesOf, groupsOf, nodeId, parentOf } from '../../../src/features/review/host/review-groups.ts';
import { reviewPair, type ReviewItemView } from '../../../src/features/review/host/review-text.ts';
import type { ReviewEntry } from '../../../src/features/review/contract/review.ts';
import {
  agreementOfLabels,
  labelAgreementSchema,
} from '../../../src/features/review/core/label-agreement.ts';
import type { Label } from '../../../src/core/formats/labels.ts';

const PASSAGE = 'Cats calm everyone.\nThey sleep.';

const entry = (fields: Partial<ReviewEntry> = {}): ReviewEntry => ({
  id: 'i1',
  reason: 'escalated',
  corpus: 'office',
  query: { text: 'Cats?' },
  perspective: { id: 'p', text: 'Cats calm people.' },
  documentId: 'docs/a.md',
  name: 'a › Cats',
  excerpt: 'Cats calm',
  lines: { first: 3, last: 4 },
  people: 1,
  answered: 0,
  divided: false,
  skipped: false,
  ...fields,
});

const debate = {
  rounds: [1, 2].map((round) =>
    (['yes', 'no'] as const).map((label) => ({
      model: `model ${label}`,
      label,
      argument: `Round ${round}\n ${label}.`,
      initialStance: label,
      evidence: label === 'yes' ? [{ start: 0, end: 31 }] : [],
    })),
  ),
};

const opinion: Judgement = {
  verdict: 'unsure',
  evidence: [],
  source: 'debate',
  judge: 'quarrel',
  standard: 'berds-1',
  at: '',
  debate,
};

const item = (fields: Partial<ReviewItemView> = {}): ReviewItemView =>
  ({
    entry: entry(),
    passage: { text: PASSAGE },
    standard: { id: 'berds-1', summary: 'It supports, explicitly or implicitly.' },
    opinions: [opinion],
    answers: [],
    ...fields,
  }) as ReviewItemView;

test('a pair shows its question, passage, what is quoted, and arguments, last round first', () => {
  const pair = reviewPair(item(), 'Odd.');
  const { perspective, question, place, text, facts, note } = pair;
  assert.deepEqual(
    [perspective, question, place, note],
    ['Cats calm people.', 'Cats?', 'a › Cats, lines 3 to 4', 'Odd.'],
  );
  assert.match(text, /^Cats calm everyone\.\s+They sleep\.$/u);
  assert.deepEqual(
    pair.evidence.map(({ side, start, end }) => [side, text.slice(start, end).replace(/\s+/gu, ' ')]),
    [['yes', 'Cats calm everyone. They sleep.']],
  );
  assert.deepEqual(facts, [
    'What counts: It supports, explicitly or implicitly.',
    'Why it is here: the agents of the debate "quarrel" did not agree',
  ]);
  assert.deepEqual(
    pair.opinions.map(({ title }) => title),
    ['Debate: quarrel · Round 2', 'Debate: quarrel · Round 1'],
  );
  assert.deepEqual(pair.opinions[0]!.sides, [
    { who: 'model yes', side: 'yes', argument: 'Round 2 yes.' },
    { who: 'model no', side: 'no', argument: 'Round 2 no.' },
  ]);
});

test('Markdown in a passage is read, not shown, and quotations stay on their words', () => {
  const source = '\n## Calm\n\nCats **calm** everyone.';
  const start = source.indexOf('Cats');
  const quoted = { ...opinion, debate: undefined, verdict: 'yes', judge: 'a' } as Judgement;
  const pair = reviewPair(
    item({
      passage: { text: source } as ReviewItemView['passage'],
      opinions: [{ ...quoted, evidence: [{ start, end: source.length }] }],
    }),
    undefined,
  );
  assert.equal(pair.text.replace(/\s+/gu, ' '), 'Calm Cats calm everyone.');
  const { start: from, end } = pair.evidence[0]!;
  assert.equal(pair.text.slice(from, end), 'Cats calm everyone.');
});

test('gives every reason for a pair', () => {
  const why = (fields: Partial<ReviewItemView>): string =>
    /Why it is here: (.*)/u.exec(reviewPair(item(fields), undefined).facts.join('\n'))![1]!;
  const judges = ['a', 'b'].map(
    (judge) => ({ ...opinion, judge, debate: undefined }) as ReviewItemView['opinions'][number],
  );
  const answers = [{ person: 'ann', verdict: 'yes' as const, at: '' }];
  assert.equal(why({ opinions: judges.slice(0, 1) }), 'the judge "a" could not decide by itself');
  const disagreement = entry({ reason: 'disagreement' });
  assert.equal(why({ entry: disagreement, opinions: judges }), 'the judges "a" and "b" say the opposite');
  assert.equal(
    why({ entry: disagreement, opinions: judges.slice(0, 1), answers }),
    'people and the judge "a" say the opposite',
  );
  assert.equal(why({ entry: disagreement, opinions: [], answers }), 'people are divided about it');
  assert.match(why({ entry: entry({ reason: 'calibration' }) }), /at random/u);
  assert.equal(why({ entry: entry({ reason: 'hole' }) }), 'not judged');
});

test('groups by reason and query in stable places', () => {
  const entries = [
    entry({ id: '1', query: { text: 'B?' } }),
    entry({ id: '2', query: { text: 'A?' } }),
    entry({ id: '3', query: { text: 'B?' } }),
    entry({ id: '4', reason: 'hole' }),
  ];
  const roots = groupsOf(entries);
  assert.deepEqual(roots.map(nodeId), ['escalated', 'hole']);
  assert.deepEqual(roots[0]!.queries.map(nodeId), ['escalated/A?', 'escalated/B?']);
  assert.deepEqual(
    entriesOf(roots[0]!).map(({ id }) => id),
    ['2', '1', '3'],
  );
  const pair = roots[0]!.queries[1]!.pairs[1]!;
  assert.equal(nodeId(pair), '3');
  assert.equal(nodeId(parentOf(roots, pair)!), 'escalated/B?');
  assert.equal(nodeId(parentOf(roots, roots[0]!.queries[1]!)!), 'escalated');
  assert.equal(parentOf(roots, roots[0]!), undefined);
  assert.deepEqual(groupsOf(entries.slice(1)).map(nodeId), ['escalated', 'hole']);
});

const label = (
  person: string,
  document: string,
  verdict: Label['verdict'],
  fields: Partial<Label> = {},
): Label => ({
  v: 1,
  query: 'q',
  perspective: 'p',
  perspectiveText: 'It *is* | good.',
  document,
  hash: `h ${document}`,
  verdict,
  by: { kind: 'human', name: person },
  at: '2026-01-01T00:00:00Z',
  standard: 'berds-1',
  ...fields,
});

const report = (labels: readonly Label[]): string =>
  agreementText(labelAgreementSchema.parse(agreementOfLabels(labels, [])));

test('agreement of people: κ with raw agreement and base rates', () => {
  const text = report([
    label('ann', 'a', 'no', { at: '2025-01-01T00:00:00Z' }),
    ...[label('ann', 'a', 'yes'), label('bob', 'a', 'yes')],
    ...[label('ann', 'b', 'no'), label('bob', 'b', 'no')],
    ...[label('ann', 'c', 'yes'), label('bob', 'c', 'no')],
    ...[label('ann', 'd', 'no'), label('bob', 'd', 'no')],
    label('qrels', 'd', 'yes', { by: { kind: 'imported', name: 'qrels' } }),
    ...[label('ann', 'd', 'yes', { standard: 'strict-1' })],
  ]);
  assert.match(text, /9 by 2 people/u);
  assert.match(
    text,
    /Cohen's κ of ann and bob \| 4 \| 75\.0% \| 50\.0% \| 0\.50 \| ann: yes 50\.0%, no 50\.0%; bob: yes 25\.0%, no 75\.0%/u,
  );
  assert.match(text, /Fleiss' κ \| 4 \| 75\.0%/u);
  assert.match(
    text,
    /Where people are divided[^]*\\\*is\\\* \\\| good\. \| c \| ann: yes, bob: no/u,
    'as text, not markup',
  );
});

test('without people, and with one person', () => {
  assert.match(report([]), /There are no labels yet/u);
  assert.match(report([label('ann', 'a', 'yes')]), /at least two people/u);
});

test('labels with and without the arguments are separate', () => {
  const pair = (document: string, bob: Label['verdict'], informed: boolean): Label[] => [
    label('ann', document, 'yes', { informed }),
    label('bob', document, bob, { informed }),
  ];
  const text = report([...pair('a', 'yes', true), ...pair('b', 'no', false)]);
  assert.match(text, /arguments in view \| 1 \| 100\.0%/u);
  assert.match(text, /Without \| 1 \| 0\.0%/u);
});
