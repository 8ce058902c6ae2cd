/** Searches beside the questions: sides, perspectives with a group, and roots. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Query } from '../../../src/core/model.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import {
  askedFromPerspectives,
  askedFromSide,
  askedWithoutPerspective,
  groupedPerspectives,
  withStances,
} from '../../../src/engine/experiment/questions.ts';
import '../../fixtures/built.ts';

const queryOf = (id: string, ...perspectives: Query['perspectives']): Query => ({
  id,
  text: `${id}?`,
  perspectives,
});
const SUPPORT = { id: 'support', text: 'Power.' };
const OPPOSE = { id: 'oppose', text: 'Floods.' };

test('perspectives called support and oppose are on these sides, unless the eval set says otherwise', () => {
  const stances = (...perspectives: Query['perspectives']): unknown[] =>
    withStances(queryOf('dam', ...perspectives)).perspectives.map(({ stance }) => stance);
  assert.deepEqual(stances(OPPOSE, SUPPORT), ['oppose', 'support']);
  // An explicit stance is kept.
  assert.deepEqual(stances({ ...SUPPORT, stance: 'oppose' }, OPPOSE), ['oppose', undefined]);
  assert.deepEqual(stances(SUPPORT, { ...OPPOSE, id: 'other' }), [undefined, undefined]);
  assert.deepEqual(stances({ ...SUPPORT, id: 'other' }, OPPOSE), [undefined, undefined]);
  assert.deepEqual(stances(SUPPORT, OPPOSE, { id: 'third', text: 'Fish.' }), [
    undefined,
    undefined,
    undefined,
  ]);
  const [support] = withStances(queryOf('dam', SUPPORT, OPPOSE)).perspectives;
  assert.deepEqual(support, { ...SUPPORT, stance: 'support' });
});

test('a side searches the pages of its question by its perspective', () => {
  const dam = withStances(queryOf('dam', SUPPORT, OPPOSE));
  const other = queryOf('tax', { id: 'fair', text: 'Fair.' });
  const { perspectives } = dam;
  assert.deepEqual(askedFromSide([other, dam], 'oppose'), [
    { id: 'dam', query: { id: 'dam', text: 'Floods.', perspectives, pagesOf: 'dam?' } },
  ]);
  assert.equal(askedFromSide([other, dam], 'support')[0]!.query.text, 'Power.');
});

const LEFT = { id: 'l', text: 'Fair.', group: 'left' };
const RIGHT = { id: 'r', text: 'Growth.', group: 'right' };
const FORMS = { id: 'f', text: 'Forms.' };

test('a perspective of a group is searched after its question, separate for a projection', () => {
  const grouped = groupedPerspectives([queryOf('tax', LEFT, FORMS), queryOf('toll', RIGHT)]);
  assert.deepEqual(
    grouped.map(({ query, perspective, group }) => [query.id, perspective.id, group]),
    [
      ['tax', 'l', 'left'],
      ['toll', 'r', 'right'],
    ],
  );
  const [id] = grouped.map((each) => each.id);
  const asked = (input: Parameters<typeof parsePipeline>[0]): object =>
    askedFromPerspectives(grouped, parsePipeline(input))[0]!;
  assert.deepEqual(asked({ retriever: { type: 'bm25' } }), {
    id,
    query: { id: 'tax', text: 'tax? Fair.', perspectives: [LEFT], pagesOf: 'tax?' },
  });
  assert.deepEqual(asked({ retriever: { type: 'dense' }, projection: {} }), {
    id,
    query: { id: 'tax', text: 'tax?', perspectives: [LEFT], fullTexts: ['tax? Fair.'] },
  });
});

test('perspectives of two questions are distinct, even if their joined ids are equal', () => {
  const grouped = groupedPerspectives([
    queryOf('a', { ...LEFT, id: 'b c' }),
    queryOf('a b', { ...LEFT, id: 'c' }),
  ]);
  assert.equal(new Set(grouped.map(({ id }) => id)).size, 2);
});

test('the root of several perspectives is searched once, without any', () => {
  const grouped = groupedPerspectives([queryOf('tax', LEFT, RIGHT, FORMS), queryOf('plain', FORMS)]);
  assert.deepEqual(askedWithoutPerspective(grouped), [
    { id: 'tax', query: { id: 'tax', text: 'tax?', perspectives: [] } },
  ]);
});
