/** Long texts are read in short stretches, whatever else is read meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeBetween } from '../../../src/sites/parsing.ts';
import { createSiteDetector, type Detection } from '../../../src/sites/detector.ts';
import type { Turns } from '../../../src/sites/turns.ts';
import { brief, CHROMA, detector } from './support.ts';
import { wasm } from './wasm-files.ts';

/** Others have their turn whenever they can. */
function everyTurn(given: { turns: number }): Turns {
  return {
    isDue: () => true,
    give: async () => {
      given.turns++;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** Of another length for each k, so that a tree of one text fits no other. */
const textOf = (k: number): string =>
  `${CHROMA}${'def f(x):\n    return [x, {"a": x}, f(x)]\n'.repeat(150 + 10 * k)}store.similarity_search("q", k=${k})\n`;

test('a long text gives others many turns, and says the same', async () => {
  const given = { turns: 0 };
  const { sites } = await detector.detect(textOf(3), 'python', { turns: everyTurn(given) });
  assert.deepEqual(brief(sites), ['similarity_search 3']);
  assert.ok(given.turns > 50, String(given.turns));
});

test('texts that are read at the same time are not mixed up', async () => {
  const given = { turns: 0 };
  const turns = everyTurn(given);
  const found = await Promise.all([
    ...[2, 3, 4, 5].map((k) => detector.detect(textOf(k), 'python', { turns })),
    detector.detect(textOf(6), 'python'),
    detector.detect('import { Chroma } from "chromadb";\n', 'typescript', { turns }),
  ]);
  assert.deepEqual(
    found.map(({ sites }) => brief(sites)[0]),
    [2, 3, 4, 5, 6].map((k) => `similarity_search ${k}`).concat([undefined as never]),
  );
  const files = await Promise.all(
    [7, 8].map((k) => detector.exports(`${textOf(k)}K = ${k}\n`, 'python', { turns })),
  );
  assert.deepEqual(
    files.map((each) => each.get('K')),
    [7, 8].map((value) => ({ kind: 'value', value })),
  );
});

test('what is typed meanwhile is read after it', async () => {
  const turns = everyTurn({ turns: 0 });
  let [text, before]: [string, Detection] = [
    textOf(3),
    await detector.detect(textOf(3), 'python', { turns }),
  ];
  for (const k of [30, 305, 4]) {
    const after = textOf(k);
    assert.ok(changeBetween(text, after));
    before = await detector.detect(after, 'python', { turns, previous: before });
    assert.deepEqual(brief(before.sites), [`similarity_search ${k}`]);
    text = after;
  }
});

test('a parser that could not be loaded is asked again by the next text', async () => {
  let tries = 0;
  const failing = createSiteDetector({
    wasm: {
      runtime: wasm.runtime,
      grammar: (grammar) => (tries++ === 0 ? Promise.reject(new Error('gone')) : wasm.grammar(grammar)),
    },
  });
  const [first, second] = await Promise.allSettled([
    failing.detect(textOf(3), 'python'),
    failing.detect(textOf(3), 'python'),
  ]);
  assert.equal(first.status, 'rejected');
  assert.equal(second.status, 'fulfilled');
});
