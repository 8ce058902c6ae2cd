/** Programs that are made to break the parser, or to take long. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { brief, CHROMA, detector } from './support.ts';

const CALL = `${CHROMA}store.similarity_search("q", k=3)\n`;

/** Each level is one blank further in, from the second line on. */
function indented(levels: number): string {
  return (
    Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}if x:\n`).join('') +
    `${' '.repeat(levels)}pass\n`
  );
}

test('skips a program with excessive indentation and reads the next', async () => {
  for (const levels of [520, 600, 700, 800, 900]) {
    assert.deepEqual((await detector.detect(indented(levels) + CALL, 'python')).sites, []);
    assert.deepEqual(brief((await detector.detect(CALL, 'python')).sites), ['similarity_search 3']);
  }
});

const wide = (width: number): string => '\t'.repeat(width / 8) + ' '.repeat(width % 8);

/** Levels that only the parser counts as they are. */
for (const [what, level] of Object.entries<(width: number) => string>({
  tabs: (width) => `${wide(width)}if x:\n`,
  'texts of several lines between them': (width) => `${wide(width)}if x:\n${wide(width + 1)}"""\na"""\n`,
  'form feeds': (width) => `\f${' '.repeat(width)}if x:\n`,
  'lines that go on': (width) => `${' '.repeat(width - 1)}\\\n if x:\n`,
}))
  test(`skips a program with excessive indentation and ${what} and reads the next`, async () => {
    const levels = Array.from({ length: 520 }, (_, width) => level(width + 1)).join('');
    assert.deepEqual((await detector.detect(`if x:\n${levels}${CALL}`, 'python')).sites, []);
    assert.deepEqual(brief((await detector.detect(CALL, 'python')).sites), ['similarity_search 3']);
  });

test('detects a parser that a program damaged and replaces it', () => {
  const { stdout } = spawnSync(process.execPath, [path.resolve('test/unit/sites/damaged-parser.ts')], {
    encoding: 'utf8',
  });
  assert.equal(stdout, 'damaged\ndamaged\n');
});

test('reads a program with the deepest allowed indentation', async () => {
  const { sites } = await detector.detect(indented(200) + CALL, 'python');
  assert.deepEqual(brief(sites), ['similarity_search 3']);
});

for (const [what, text] of Object.entries({
  'chained calls': `x = a${'\\\n.b()'.repeat(30_000)}\n`,
  'texts that are added up': `x = (""${'\n + "a"'.repeat(30_000)})\n`,
  'dictionaries in dictionaries': `x = ${'{"a":\n'.repeat(5_000)}1${'}\n'.repeat(5_000)}\n`,
  conditions: `k = (1${' if a else\n 1'.repeat(30_000)})\n`,
}))
  test(`refuses a program with endless ${what} with a sentence`, async () => {
    await assert.rejects(detector.detect(text + CALL, 'python'), (error) => {
      assert.ok(ParallaxError.is(error, 'too-large'));
      assert.match(error.message, /nested more than 600 levels/u);
      return true;
    });
  });

test('reads a program with the deepest allowed nesting', async () => {
  const levels = 280;
  const k = `(1${' + 1'.repeat(levels)})`;
  const chain = `store${'.b()'.repeat(levels)}.similarity_search("q", k=${k})\n`;
  const dictionary = `x = ${'{"a": '.repeat(levels)}1${'}'.repeat(levels)}\n`;
  const { sites } = await detector.detect(CALL + chain + dictionary, 'python');
  assert.equal(sites.length, 2);
});

test('reads a long chain of derived classes in time', async () => {
  const size = 8_000;
  const classes = Array.from({ length: size }, (_, n) => `class C${n + 1}(C${n}): pass\n`).join('');
  const { sites } = await detector.detect(`class C0: pass\n${classes}x = C${size}()\n${CALL}`, 'python');
  assert.deepEqual(brief(sites), ['similarity_search 3']);
});
