/** How the compare panel handles successive messages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { broughtFor, EMPTY_DRAFT, shownComparison, type Draft } from '../../../webview/compare/draft.ts';
import { COMPARE_FIXTURES } from '../../panels/compare-fixtures.ts';

const { state, comparison } = COMPARE_FIXTURES.compared;

test('shows the previous comparison until the state of a new one arrives', () => {
  let draft: Draft = EMPTY_DRAFT;
  const bring = (id: string): void => void (draft = { ...draft, arrived: { ...comparison, id } });
  const show = (id: string): void => void (draft = { ...draft, ...broughtFor(draft, id) });
  const shownUnder = (id: string): string | undefined =>
    shownComparison({ state: { ...state, shown: id }, draft })?.id;

  bring('one');
  show('one');
  assert.equal(shownUnder('one'), 'one');
  bring('two');
  assert.equal(shownUnder('one'), 'one', 'the panel lacks nothing');
  show('one');
  assert.equal(shownUnder('one'), 'one', 'another state before it changes nothing');
  show('two');
  assert.equal(shownUnder('two'), 'two');
  show('three');
  assert.equal(shownUnder('three'), undefined, 'what was not brought is lacking');
});
