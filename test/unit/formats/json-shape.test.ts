/** Limits that JSON must meet before it is parsed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonShape } from '../../../src/core/formats/json-shape.ts';

const REFUSALS = {
  tooDeep: (levels: number) => `${levels} levels`,
  tooMany: (parts: number) => `${parts} parts`,
  tooLong: (entries: number) => `${entries} entries`,
};
const bytes = (text: string): Buffer => Buffer.from(text);

/** @param chunks of one text */
function check(mostParts: number | undefined, ...chunks: readonly string[]): void {
  const shape = new JsonShape(REFUSALS, mostParts === undefined ? {} : { mostParts });
  for (const chunk of chunks) shape.check(bytes(chunk));
}

const refused = (message: string) => ({ id: 'too-large', message });

test('counts lists and objects outside of strings, wherever chunks end', () => {
  check(3, '[{"a": "[{[{"}, []]');
  assert.throws(() => check(3, '[{"a": 1}, [], {}]'), refused('3 parts'));
  check(1, '["\\"[", "\\\\", "{"]');
  check(1, '["', '\\', '"[', '"]');
  assert.throws(() => check(1, '["\\\\", [', ']]'), refused('1 parts'));
});

test('counts each line of JSON Lines separately and ignores what is no JSON', () => {
  check(2, '[[]]\n[[]]\n', '{"a": []}\n');
  check(1, ']}]}[]]');
  assert.throws(() => check(2, '[]\n[[],[]]'), refused('2 parts'));
});

test('refuses excessive nesting', () => {
  check(undefined, '['.repeat(1_000) + ']'.repeat(1_000));
  check(undefined, '[[],{}],'.repeat(2_000));
  assert.throws(() => check(undefined, '{"a":['.repeat(501)), refused('1000 levels'));
});

test('refuses lists with too many entries', () => {
  const shape = new JsonShape(REFUSALS);
  const million = bytes(','.repeat(1_000_000));
  shape.check(bytes('['));
  for (let n = 0; n < 32; n++) shape.check(million);
  assert.throws(() => shape.check(bytes(',')), refused('32000000 entries'));
  const lines = new JsonShape(REFUSALS);
  for (let n = 0; n < 33; n++) {
    lines.check(bytes('['));
    lines.check(million);
    lines.check(bytes(']'));
  }
});

test('counts keys, not colons in strings', () => {
  const keys = (text: string): void => new JsonShape(REFUSALS, { mostKeys: 2 }).check(bytes(text));
  keys('{"a": ":::", "b:": 1}\n{"c": 1}');
  assert.throws(() => keys('{"a": 1, "b": 2, "c": 3}'), refused('2 entries'));
});
