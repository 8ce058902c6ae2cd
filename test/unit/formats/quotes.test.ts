import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { locateQuote, squeeze } from '../../../src/core/formats/quotes.ts';

/** The text at the located span, or `undefined`. */
function located(passage: string, quote: string): string | undefined {
  const span = locateQuote(squeeze(passage), squeeze(quote));
  return span && passage.slice(span.start, span.end);
}

const QUOTE = 'Remote teams write more down, so newcomers learn faster.';

test('a quote is found whatever happened to its blanks', () => {
  assert.equal(located(`First.\n${QUOTE} Last.`, QUOTE), QUOTE);
  assert.equal(
    located('a  Remote\n  teams\twrite\r\nmore b', 'Remote teams write more'),
    'Remote\n  teams\twrite\r\nmore',
  );
  assert.equal(located('Remote teams', ' Remote   teams\n'), 'Remote teams');
  assert.equal(located('remote teams', 'Remote teams'), undefined, 'all else matters');
});

test('the passage that holds more than half of a cut quote holds it', () => {
  for (let cut = 1; cut < QUOTE.length; cut++) {
    const head = `Before. ${QUOTE.slice(0, cut)}`;
    const tail = `${QUOTE.slice(cut)} After.`;
    const length = (text: string) => text.replaceAll(' ', '').length;
    const share = length(QUOTE.slice(0, cut)) / length(QUOTE);
    assert.equal(located(head, QUOTE), share > 0.5 ? QUOTE.slice(0, cut).trimEnd() : undefined, head);
    assert.equal(located(tail, QUOTE), share < 0.5 ? QUOTE.slice(cut).trimStart() : undefined, tail);
  }
});

test('a passage inside a long quote holds it from half of the quote on', () => {
  assert.equal(located('teams write more down, so newcomers', QUOTE), 'teams write more down, so newcomers');
  assert.equal(located('write more down', QUOTE), undefined);
});

test('the middle of a quote is not enough where other words stand around it', () => {
  assert.equal(located('Some teams write more down, so newcomers learn slower.', QUOTE), undefined);
  assert.equal(located('teams write more down, so newcomers learn slower.', QUOTE), undefined);
});

test('a few letters at a border are chance', () => {
  assert.equal(located('She said no', 'note'), undefined);
  assert.equal(located('ever after', 'never'), undefined);
});

test('nothing stands nowhere', () => {
  assert.equal(located('a text', '  '), undefined);
  assert.equal(located('', QUOTE), undefined);
  assert.equal(located(' \n', QUOTE), undefined);
});

test('a repetitive text is no trap', () => {
  assert.equal(located(`${'ab'.repeat(30)}x${'ab'.repeat(9)}`, 'ab'.repeat(12) + 'y'), 'ab'.repeat(9));
});

test('every part of a text is found where its letters stand', () => {
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
