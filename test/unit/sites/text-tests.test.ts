/** After an edit the text is asked about as if it were new, although only the lines around the edit are looked at. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeBetween } from '../../../src/sites/parsing.ts';
import { builtInRules } from '../../../src/sites/rules/library.ts';
import { patternOf } from '../../../src/sites/rules/pattern.ts';
import { conditionOf } from '../../../src/sites/rules/reach.ts';
import { TextTests } from '../../../src/sites/text-tests.ts';
import { random as seeded } from './random-edits.ts';

const rules = builtInRules();
const examples = rules.flatMap((library) => library.examples.map(({ code }) => code));
const patterns = [
  ...new Set(
    rules.flatMap(({ mentions, calls }) => [
      mentions,
      ...calls.flatMap(({ contains, carries, beside, receiver, receiverText }) => [
        contains,
        carries,
        beside,
        receiver,
        receiverText,
      ]),
    ]),
  ),
].flatMap((source) => (source === undefined ? [] : patternOf(source)));

test('every expression of the rules has the answer of the whole text at a first look', () => {
  for (const code of examples) {
    const tests = new TextTests(code);
    for (const pattern of patterns)
      assert.equal(tests.test(pattern), new RegExp(pattern, pattern.flags).test(code), pattern.source);
  }
});

test('where some lines of a text match an expression of the rules, the text is said to hold and to mention it', () => {
  const random = seeded(20_261_128);
  const below = (end: number): number => Math.floor(random() * end);
  let matched = 0;
  for (const code of examples) {
    const tests = new TextTests(`${code}\n${examples[below(examples.length)]}`);
    const lines = code.split('\n');
    for (let part = 0; part < 20; part++) {
      const from = below(lines.length);
      const text = lines.slice(from, from + below(9)).join('\n');
      for (const pattern of patterns) {
        if (!new RegExp(pattern, pattern.flags).test(text)) continue;
        matched++;
        assert.ok(tests.mayHold(pattern) && tests.mayMention(pattern), `${pattern.source} in ${text}`);
      }
    }
  }
  assert.ok(matched > 10_000);
});

const TEXTS = 60;
const EDITS = 60;

test('every expression of the rules has the answer of a fresh look after random edits of the rules’ own examples', () => {
  const random = seeded(20_261_127);
  const below = (end: number): number => Math.floor(random() * end);
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  for (let i = 0; i < TEXTS; i++) {
    let text = Array.from({ length: 3 }, () => one(examples)).join('\n');
    const tests = new TextTests(text);
    for (const pattern of patterns) tests.test(pattern);
    for (let edit = 0; edit < EDITS; edit++) {
      const [at, example] = [below(text.length + 1), one(examples)];
      const from = below(example.length);
      const inserted = one(['', '\n', 'x', '\n\n\n\n', example.slice(from, from + 30)]);
      const next = text.slice(0, at) + inserted + text.slice(at + one([0, 1, 8, 40, 200]));
      const change = changeBetween(text, next);
      if (!change) continue;
      tests.edit(next, change);
      text = next;
      for (const pattern of patterns)
        assert.equal(tests.test(pattern), new RegExp(pattern, pattern.flags).test(text), pattern.source);
    }
  }
});

test('a name is looked for over lines that go on, and without a look at the whole text', () => {
  const pattern = patternOf(String.raw`\.[\s\\]*(?:search)[\s\\]*\(`);
  const condition = conditionOf(pattern);
  assert.deepEqual('reach' in condition && condition.reach, { jumps: 2, characters: 0 });
  const far = '\nx = 1'.repeat(9);
  const without = `${far}\nfound = store. \\\n  \\\n\n  searc \\\n\\\n(q)${far}`;
  const end = without.indexOf('searc') + 'searc'.length;
  const whole = `${without.slice(0, end)}h${without.slice(end)}`;
  const called = whole.replace('(q)', 'q)');
  const tests = new TextTests(without);
  for (const [before, after, isThere] of [
    [without, whole, true],
    [whole, called, false],
    [called, whole, true],
    [whole, without, false],
  ] as const) {
    assert.equal(tests.test(pattern), pattern.test(before));
    tests.edit(after, changeBetween(before, after)!);
    assert.equal(tests.test(pattern), isThere);
  }
});
