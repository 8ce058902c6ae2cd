import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeLexically, LEXICAL_THRESHOLD } from '../../../src/core/judging/lexical.ts';

const STOP = new Set(['the', 'a', 'is', 'are', 'of', 'in', 'should', 'be', 'to', 'and', 'not', 'it', 'for']);
const analyze = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z]+/g) ?? [])
    .filter((word) => !STOP.has(word))
    .map((word) => word.replace(/s$/, ''));

describe('judgeLexically', () => {
  test('answers yes to the same words close together, with the sentence as evidence', () => {
    const passage = 'First things first. Zoos protect endangered species. The end.';
    const answer = judgeLexically(passage, 'Zoos protect endangered species.', analyze);
    assert.equal(answer.verdict, 'yes');
    assert.equal(answer.score, 1);
    assert.equal(answer.rationale, '4 of the 4 content words stand together.');
    assert.equal(
      passage.slice(answer.evidence!.start, answer.evidence!.end),
      'Zoos protect endangered species.',
    );
  });

  test('answers no to the same words far apart', () => {
    const passage =
      'Zoos exist. We ate lunch. They protect us. Rain fell. Endangered paint. Snow fell. Species differ.';
    const answer = judgeLexically(passage, 'Zoos protect endangered species.', analyze);
    assert.equal(answer.verdict, 'no');
    assert.ok(answer.score < LEXICAL_THRESHOLD);
    assert.equal(answer.evidence, undefined);
    assert.equal(answer.rationale, 'Only 1 of the 4 content words stand together.');
    assert.equal(answer.score, 1 / 4);
  });

  test('joins two neighbouring sentences', () => {
    assert.equal(
      judgeLexically(
        'Zoos exist to protect. Endangered species live there.',
        'Zoos protect endangered species.',
        analyze,
      ).verdict,
      'yes',
    );
  });

  test('answers no if one side is negated, and yes if both are', () => {
    const passage = 'Zoos do not protect endangered species.';
    const against = judgeLexically(passage, 'Zoos protect endangered species.', analyze);
    assert.equal(against.verdict, 'no');
    assert.match(against.rationale, /negates/);
    assert.equal(judgeLexically(passage, "Zoos don't protect endangered species.", analyze).verdict, 'yes');
    assert.equal(
      judgeLexically(
        'Zoos never fail to protect endangered species.',
        'Zoos protect endangered species.',
        analyze,
      ).verdict,
      'yes',
    );
  });

  test('accepts three words of five', () => {
    const perspective = 'Zoos protect endangered species everywhere.';
    assert.equal(judgeLexically('Zoos protect endangered paint.', perspective, analyze).verdict, 'yes');
  });

  test('shows the sentence that shares most, the first of equal ones', () => {
    const shown = (passage: string): string => {
      const { evidence } = judgeLexically(passage, 'Zoos protect endangered species.', analyze);
      return passage.slice(evidence!.start, evidence!.end);
    };
    assert.equal(shown('Zoos protect endangered species. Zoos exist.'), 'Zoos protect endangered species.');
    assert.equal(shown('Zoos protect us. Endangered species live there.'), 'Zoos protect us.');
    const twice = 'Zoos protect species. Rain fell. Zoos protect species too.';
    assert.equal(shown(twice), 'Zoos protect species.');
  });

  test('checks the shown sentence for negation in all its forms', () => {
    const perspective = 'Zoos protect endangered species.';
    const verdict = (passage: string): string => judgeLexically(passage, perspective, analyze).verdict;
    assert.equal(verdict('Rain never fell. Snow fell. Zoos protect endangered species.'), 'yes');
    const words =
      'not no never neither nor none nothing nobody without cannot hardly scarcely barely against wrong false ' +
      'fail fails failed lack lacks lacked refuse refused refuses reject rejects rejected oppose opposed opposes ' +
      "deny denies denied don't won’t";
    for (const word of words.split(' '))
      assert.equal(verdict(`Zoos ${word} protect endangered species.`), 'no', word);
    for (const word of ['knot', 'nonetheless', 'laconic', 'denim', 'failing'])
      assert.equal(verdict(`Zoos ${word} protect endangered species.`), 'yes', word);
  });

  test('answers no to an empty passage and unsure to a perspective without words', () => {
    const empty = judgeLexically('', 'Zoos protect species.', analyze);
    assert.deepEqual([empty.verdict, empty.score], ['no', 0]);
    assert.equal(empty.rationale, 'Only 0 of the 3 content words stand together.');
    assert.equal(judgeLexically('Zoos protect species.', 'It is the.', analyze).verdict, 'unsure');
  });
});
