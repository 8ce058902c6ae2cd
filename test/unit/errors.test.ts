import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../src/core/errors.ts';

test('what a server or a file says at any length is cut in a message, before a word', () => {
  const told = (text: string): string => new ParallaxError('bad-file', text).message;
  assert.equal(told('It is no file.'), 'It is no file.');
  const words = told(`It says: ${'word '.repeat(10_000)}`);
  assert.match(words, /^It says: (?:word )+…$/u);
  assert.ok(words.length > 1_400 && words.length < 1_600);
  assert.equal(told(`It says: ${'['.repeat(10_000)}`), 'It says: …');
  assert.equal(told('['.repeat(10_000)), '…');
});
