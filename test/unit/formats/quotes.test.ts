import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { locateQuote, squeeze } from '../../../src/core/formats/quotes.ts';

/** The text at the located span. `undefined` if there is none. */
function located(passage: string, quote: string): string | undefined {
  const span = locateQuote(squeeze(passage), squeeze(quote));
  return span && passage.slice(span.start, span.end);
}

const QUOTE = 'Remote teams write more down, so newcomers learn faster.';

test('finds a quote whatever changed in its blanks', () => {
  assert.equal(located(`First.\n${QUOTE} Last.`, QUOTE), QUOTE);
  assert.equal(
    located('a  Remote\n  teams\twrite\r\nmore b', 'Remote teams write more'),
    'Remote\n  teams\twrite\r\nmore',
  );
  assert.equal(located('Remote teams', ' Remote   teams\n'), 'Remote teams');
  assert.equal(located('remote teams', 'Remote teams'), undefined, 'all else matters');
});

test('a cut quote belongs to the passage with more than half of it', () => {
  for (let cut = 1; cut < QUOTE.length; cut++) {
    const head = `Before. ${QUOTE.slice(0, cut)}`;
    const tail = `${QUOTE.slice(cut)} After.`;
    const length = (text: string) => text.replaceAll(' ', '').length;
    const share = length(QUOTE.slice(0, cut)) / length(QUOTE);
    assert.equal(located(head, QUOTE), share > 0.5 ? QUOTE.slice(0, cut).trimEnd() : undefined, head);
    assert.equal(located(tail, QUOTE), share < 0.5 ? QUOTE.slice(cut).trimStart() : undefined, tail);
  }
});

test('a passage within a long quote matches from half of the quote on', () => {
  assert.equal(located('teams write more down, so newcomers', QUOTE), 'teams write more down, so newcomers');
  assert.equal(located('write more down', QUOTE), undefined);
});

test('the middle of a quote is not enough between other words', () => {
  assert.equal(located('Some teams write more down, so newcomers learn slower.', QUOTE), undefined);
  assert.equal(located('teams write more down, so newcomers learn slower.', QUOTE), undefined);
});

test('ignores a few matching letters at a border', () => {
  assert.equal(located('She said no', 'note'), undefined);
  assert.equal(located('ever after', 'never'), undefined);
});

test('finds no empty quote', () => {
  assert.equal(located('a text', '  '), undefined);
  assert.equal(located('', QUOTE), undefined);
  assert.equal(located(' \n', QUOTE), undefined);
});

test('finds quotes in repetitive text', () => {
  assert.equal(located(`${'ab'.repeat(30)}x${'ab'.repeat(9)}`, 'ab'.repeat(12) + 'y'), 'ab'.repeat(9));
});

test('finds every part of a text at its place', () => {
  const words = fc.array(fc.constantFrom('a', 'bb', 'c', ' ', '\n', '🦉', 'é'), {
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(words, fc.nat(), fc.nat(), (parts, first, length) => {
      const text = parts.join('');
      const from = first % parts.length;
      const quote = parts.slice(from, from + 1 + (length % parts.length)).join('');
      const found = located(text, quote);
      if (quote.trim() === '') assert.equal(found, undefined);
      else assert.equal(squeeze(found ?? '').text, squeeze(quote).text);
    }),
  );
});
