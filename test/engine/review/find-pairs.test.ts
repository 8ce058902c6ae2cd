/** Which answers give people something to decide, and whose answers are known well enough to test attention. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LabelIndex } from '../../../src/core/formats/label-index.ts';
import type { Label } from '../../../src/core/formats/labels.ts';
import type { BriefAnswer } from '../../../src/features/review/engine/answered-pairs.ts';
import { findingOf } from '../../../src/features/review/engine/find-pairs.ts';
import { isMoreUrgent } from '../../../src/features/review/core/queue.ts';
import { labelledPairs, reliable } from '../../../src/features/review/engine/known-answers.ts';

const PAIR = { query: { text: 'Q?' }, perspective: { id: 'p', text: 'It is.' }, passageHash: 'h1' };
const NOW = '2026-06-01T00:00:00Z';

const answer = (
  judgeKey: string,
  verdict: BriefAnswer['verdict'],
  fields: Partial<BriefAnswer> = {},
): BriefAnswer => ({
  judgeKey,
  verdict,
  standard: 'berds-1',
  at: '2026-01-01T00:00:00Z',
  escalated: undefined,
  ...fields,
});

const label = (verdict: Label['verdict'], fields: Partial<Label> = {}): Label => ({
  v: 1,
  query: 'Q?',
  perspective: 'p',
  perspectiveText: 'It is.',
  document: 'a.md',
  hash: 'h1',
  verdict,
  by: { kind: 'human', name: 'ann' },
  at: '2026-02-01T00:00:00Z',
  standard: 'berds-1',
  ...fields,
});

const finding = (answers: readonly BriefAnswer[], labels: readonly Label[] = []): string | undefined => {
  const found = findingOf(PAIR, answers, new LabelIndex(labels), NOW);
  return (
    found && [found.reason, found.standard, ...found.judges, ...(found.since ? ['again'] : [])].join(' ')
  );
};

test('escalated pairs come before contradicted ones, without those that people answered', () => {
  const [yes, no] = [answer('a', 'yes'), answer('b', 'no')];
  assert.equal(finding([answer('d', 'unsure', { escalated: 'human' }), yes, no]), 'escalated berds-1 d');
  assert.equal(finding([answer('d', 'yes', { escalated: 'adjudicator' })]), undefined);
  assert.equal(finding([yes, no, answer('c', 'unsure')]), 'disagreement berds-1 a b');
  assert.equal(finding([yes, answer('c', 'unsure')]), undefined);
  assert.equal(finding([]), undefined);
});

test('a "yes" with a quotation that is not in the passage comes first', () => {
  const unfounded = answer('a', 'yes', { evidenceNotFound: true });
  const escalated = answer('d', 'unsure', { escalated: 'human' });
  assert.equal(finding([escalated, answer('b', 'no'), unfounded]), 'evidence berds-1 a');
  assert.equal(isMoreUrgent('evidence', 'escalated'), true);
});

test('answers under different support standards do not contradict each other', () => {
  assert.equal(finding([answer('a', 'yes'), answer('b', 'no', { standard: 'strict-1' })]), undefined);
  assert.equal(finding([answer('a', 'no', { standard: 'strict-1' })], [label('yes')]), undefined);
});

test('people are asked again if a judge contradicts a label given without seeing its verdict', () => {
  const no = answer('a', 'no');
  assert.equal(finding([no], [label('yes')]), 'disagreement berds-1 a again');
  assert.equal(finding([no], [label('no')]), undefined);
  assert.equal(finding([no], [label('unsure')]), undefined);
  assert.equal(finding([no], [label('yes', { informed: true })]), undefined);
  const since = answer('b', 'no', { at: '2026-03-01T00:00:00Z' });
  assert.equal(finding([since], [label('yes', { informed: true })]), 'disagreement berds-1 b again');
  assert.equal(finding([no], [label('yes', { by: { kind: 'imported', name: 'qrels' } })]), undefined);
});

test('attention is checked by agreement of several people, then of others, then of oneself', () => {
  const by = (name: string): Partial<Label> => ({ by: { kind: 'human', name } });
  const own = label('yes', { hash: 'own' });
  const others = label('no', { hash: 'others', ...by('bob') });
  const agreed = [label('yes', { hash: 'agreed' }), label('yes', { hash: 'agreed', ...by('bob') })];
  const divided = [label('yes', { hash: 'divided' }), label('no', { hash: 'divided', ...by('bob') })];
  const chosen = (...labels: Label[]): string[] =>
    reliable(labelledPairs(new LabelIndex(labels), []), 'ann').map(({ passageHash }) => passageHash);
  assert.deepEqual(chosen(own, others, ...agreed, ...divided), ['agreed']);
  assert.deepEqual(chosen(own, others, ...divided), ['others']);
  assert.deepEqual(chosen(own, ...divided), ['own']);
  assert.deepEqual(chosen(...divided, label('unsure', { hash: 'unsure' })), []);
});

test('a labelled pair has its query’s text, its id in an eval set, or what was typed', () => {
  const labels = [
    label('yes', { query: 'q1', queryText: 'With text?', hash: 'a' }),
    label('yes', { query: 'q2', hash: 'b' }),
    label('yes', { query: 'Typed?', hash: 'c' }),
    label('yes', { hash: 'd', by: { kind: 'imported', name: 'qrels' } }),
  ];
  const pairs = labelledPairs(new LabelIndex(labels), [{ id: 'q2', text: 'Known?', perspectives: [] }]);
  assert.deepEqual(
    pairs.map(({ query }) => query.text),
    ['With text?', 'Known?', 'Typed?'],
  );
});
