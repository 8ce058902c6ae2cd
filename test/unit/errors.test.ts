import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  asParallaxError,
  cancelled,
  inContext,
  messageOf,
  ParallaxError,
  throwIfCancelled,
} from '../../src/core/errors.ts';

test('cuts a long text of a server or file before a word', () => {
  const told = (text: string): string => new ParallaxError('bad-file', text).message;
  assert.equal(told('It is no file.'), 'It is no file.');
  const words = told(`It says: ${'word '.repeat(10_000)}`);
  assert.match(words, /^It says: (?:word )+…$/u);
  assert.ok(words.length > 1_400 && words.length < 1_600);
  assert.equal(told(`It says: ${'['.repeat(10_000)}`), 'It says: …');
  assert.equal(told('['.repeat(10_000)), '…');
});

test('errors have an id; other thrown values are internal', () => {
  const error = new ParallaxError('bad-file', 'It is no file.', { corpus: 'docs' });
  assert.ok(ParallaxError.is(error) && ParallaxError.is(error, 'bad-file'));
  assert.ok(!ParallaxError.is(error, 'not-found') && !ParallaxError.is(new Error('bad-file')));
  assert.equal(asParallaxError(error), error);
  const thrown = new TypeError('x is not a function');
  const internal = asParallaxError(thrown);
  assert.deepEqual([internal.id, internal.message, internal.cause], ['internal', thrown.message, thrown]);
  assert.equal(messageOf('no error'), 'no error');
  assert.match(messageOf({ message: 'no error' }), /^Something failed/u);
});

test('throws if the signal is cancelled', () => {
  assert.throws(() => throwIfCancelled(AbortSignal.abort()), { id: 'cancelled', message: 'Cancelled.' });
  throwIfCancelled(new AbortController().signal);
  throwIfCancelled(undefined);
});

test('adds context to an error, except to cancellations and unexpected errors', () => {
  const about = (sentence: string): string => `Query "q": ${sentence}`;
  const error = new ParallaxError('not-indexed', 'There is no index.', { corpus: 'docs' });
  const told = inContext(about, error);
  assert.ok(ParallaxError.is(told, 'not-indexed'));
  assert.deepEqual([told.message, told.corpus, told.cause], ['Query "q": There is no index.', 'docs', error]);
  for (const other of [cancelled(), new TypeError('x')]) assert.equal(inContext(about, other), other);
});
