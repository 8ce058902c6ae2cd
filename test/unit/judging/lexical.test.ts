import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeLexically, LEXICAL_THRESHOLD } from '../../../src/core/judging/lexical.ts';

const STOP = new Set(['the', 'a', 'is', 'are', 'of', 'in', 'should', 'be', 'to', 'and', 'not', 'it', 'for']);
const analyze = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z]+/g) ?? [])
    .filter((word) => !STOP.has(word))
    .map((word) => word.replace(/s$/, ''));

describe('judgeLexically', () => {
  test('says yes to the same words close together, with the sentence as evidence', () => {
    const passage = 'First things first. Zoos protect endangered species. The end.';
    const answer = judgeLexically(passage, 'Zoos protect endangered species.', analyze);
    assert.equal(answer.verdict, 'yes');
    assert.equal(answer.score, 1);
    assert.equal(
      passage.slice(answer.evidence!.start, answer.evidence!.end),
      'Zoos protect endangered species.',
    );
  });

  test('says no to the same words far apart', () => {
    const passage =
      'Zoos exist. We ate lunch. They protect us. Rain fell. Endangered paint. Snow fell. Species differ.';
    const answer = judgeLexically(passage, 'Zoos protect endangered species.', analyze);
    assert.equal(answer.verdict, 'no');
    assert.ok(answer.score < LEXICAL_THRESHOLD);
    assert.equal(answer.evidence, undefined);
  });

  test('takes two neighbouring sentences together', () => {
    assert.equal(
      judgeLexically(
        'Zoos exist to protect. Endangered species live there.',
        'Zoos protect endangered species.',
        analyze,
      ).verdict,
      'yes',
    );
  });

  test('says no where one negates and the other does not, and yes where both do', () => {
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

  test('says no to an empty passage and unsure about a perspective without content', () => {
    assert.equal(judgeLexically('', 'Zoos protect species.', analyze).verdict, 'no');
    assert.equal(judgeLexically('Zoos protect species.', 'It is the.', analyze).verdict, 'unsure');
  });
});
