import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { linesOf, parseJson, readLines } from '../../../src/core/formats/lines.ts';

test('numbers lines from 1 and skips blank ones', () => {
  assert.deepEqual(
    [...linesOf('\uFEFFa\r\n\n  \t\nb c \r\n\r\nlast')],
    [
      { number: 1, text: 'a' },
      { number: 4, text: 'b c ' },
      { number: 6, text: 'last' },
    ],
  );
  assert.deepEqual([...linesOf('\na\r')], [{ number: 2, text: 'a' }]);
  assert.deepEqual([...linesOf('')], []);
  assert.deepEqual([...linesOf('\n\r\n')], []);
});

const evenOnly = ({ text }: { text: string }) => (Number(text) % 2 === 0 ? undefined : `"${text}" is odd`);

test('reports bad lines and reads the rest', () => {
  assert.deepEqual(readLines(linesOf('2\n3\n4\n5'), 'list', evenOnly), [
    'Line 2: "3" is odd; skipped.',
    'Line 4: "5" is odd; skipped.',
  ]);
});

test('parses a line as JSON or returns the reason', () => {
  const read = (text: string): unknown => Object.values(parseJson(text))[0];
  assert.deepEqual(read('{"a": 1}'), { a: 1 });
  for (const mark of ['<<<<<<< ours', '=======', '||||||| base', '>>>>>>> theirs'])
    assert.match(String(read(mark)), /merge whose conflict/u);
  for (const text of ['<<<<<<<< a', '"<<<<<<< a', '======= =======x{'.slice(8)])
    assert.match(String(read(text)), /^not JSON \(.+\)$/u);
});

test('refuses a file without a valid line or with too many bad ones', () => {
  const refused = (text: string, sentence: RegExp) =>
    assert.throws(
      () => readLines(linesOf(text), 'Not a list of even numbers', evenOnly),
      (error) => ParallaxError.is(error, 'bad-file') && sentence.test(error.message),
    );
  refused('1\n3', /^Not a list of even numbers\. Line 1: "1" is odd\.$/);
  refused('\n\n', /^Not a list of even numbers\. There are no lines to read\.$/);
  refused('2\n' + '1\n'.repeat(101), /more than 100 bad lines\. Line 2: "1" is odd\.$/);
  assert.equal(readLines(linesOf('2\n' + '1\n'.repeat(100)), 'list', evenOnly).length, 100);
});
