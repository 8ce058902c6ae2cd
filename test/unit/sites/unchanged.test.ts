/** Edits beside what was found: it is only moved, and is what a fresh look would find. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Detection } from '../../../src/sites/detector.ts';
import { Parsers } from '../../../src/sites/parsing.ts';
import { spokenBy } from '../../../src/sites/syntax/language.ts';
import { fixtureFiles } from './fixture-corpus.ts';
import { CHROMA, detector, inPython } from './support.ts';
import { wasm } from './wasm-files.ts';

const EDITS = Number(process.env['PARALLAX_EDITS'] ?? 40);
const INSERTED = [
  ...[
    '1',
    'x',
    ' ',
    '\n',
    'y = 2\n',
    '    z = a + b\n',
    'k',
    '(',
    ')',
    ', k=3',
    '"',
    '#',
    'return x\n',
    'query',
    'limit = 4\n',
  ],
  ...[
    '.search(',
    'self.k = 9\n',
    'TOP_K = 3\n',
    'const q = 1;\n',
    'q.k = 4;\n',
    ' + 1',
    'setattr(a, b, 1)\n',
    'pass\n',
    '...',
  ],
];

/** A small generator of numbers from 0 to 1 (mulberry32), so that every run makes the same edits. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Below the fixture's own code, which speaks of searches nearly everywhere. */
const PLAIN = {
  python:
    '\n\nwidth = 12\ndepth = width + 3\narea = width * depth\n\n\ndef sized(a, b):\n    c = a + b\n    d = c * 2\n    e = d - 1\n    return c + d + e\n',
  other:
    '\nlet width = 12;\nlet depth = width + 3;\nwidth = width * depth;\nfunction sized(a, b) {\n  let c = a + b;\n  let d = c * 2;\n  c = d - 1;\n  return c + d;\n}\n',
};
const TYPED = ['1', '2', 'x', ' ', '9', ' + 1', ' * depth', '.b', 'k', '7', '\n', 'q'];

/** Mostly in the plain code at the end of the text, and mostly a character. */
function edited(text: string, plain: string, next: () => number): string {
  const isPlain = next() < 0.75;
  const from = isPlain ? text.length - plain.length : 0;
  const at = from + Math.floor(next() * (text.length - from + 1));
  const removed = next() < 0.2 ? Math.floor(next() * 6) : 0;
  const all = isPlain && next() < 0.8 ? TYPED : INSERTED;
  const inserted = all[Math.floor(next() * all.length)]!;
  return text.slice(0, at) + inserted + text.slice(at + removed);
}

function said({ sites, problems }: Detection): string {
  return JSON.stringify({ sites, problems });
}

const parsers = new Parsers(wasm);

async function isHalfTyped(text: string, languageId: string): Promise<boolean> {
  const tree = await parsers.parse(spokenBy(languageId)!.grammar, text, undefined);
  const { hasError } = tree.rootNode;
  tree.delete();
  return hasError || /=[ \t]*$/mu.test(text);
}

test('whatever is typed where, what is found is what a fresh look finds', async () => {
  const files = (await fixtureFiles()).filter(({ cells }) => cells.length === 1);
  let moved = 0;
  let compared = 0;
  for (const [number, { name, cells }] of files.entries()) {
    const next = random(number + 1);
    const [{ text: original, languageId } = { text: '', languageId: '' }] = cells;
    const plain = PLAIN[languageId === 'python' ? 'python' : 'other'];
    let text = original + plain;
    let found = await detector.detect(text, languageId);
    for (let i = 0; i < EDITS; i++) {
      const last = text;
      text = i % 4 === 0 ? original + plain : edited(text, plain, next);
      const { asked } = found;
      found = await detector.detect(text, languageId, { previous: found });
      if (found.asked === asked && text !== last) moved++;
      // While the text does not parse, what was found before is kept.
      if (await isHalfTyped(text, languageId)) continue;
      const fresh = await detector.detect(text, languageId);
      detector.release(fresh);
      compared++;
      assert.equal(said(found), said(fresh), `${name} after ${i} edits:\n${last}\n---\n${text}`);
    }
    detector.release(found);
  }
  assert.ok(moved > 10 && compared > 10 * files.length, `${moved} moved, ${compared} compared`);
});

const PROGRAM = `${CHROMA}
def ask(q):
    return store.similarity_search(q, k=5)

total = 1
`;

for (const [what, edit, isMoved] of [
  ['a number of another statement', (text: string) => text.replace('total = 1', 'total = 12'), true],
  ['a word of another statement', (text: string) => text.replace('total = 1', 'total = one'), true],
  ['an argument of the call', (text: string) => text.replace('k=5', 'k=51'), false],
  ['a name that the call uses', (text: string) => text.replace('total = 1', 'store = 1'), false],
  ['a statement more', (text: string) => `${text}more = 1\n`, false],
  ['a call', (text: string) => text.replace('total = 1', 'total = run(1)'), false],
  ['a text', (text: string) => text.replace('total = 1', 'total = "1"'), false],
] as const)
  test(`after a change of ${what} the text is looked through again: ${!isMoved}`, async () => {
    const before = await inPython(PROGRAM);
    const { asked } = before;
    const after = await inPython(edit(PROGRAM), { previous: before });
    assert.equal(after.asked === asked, isMoved);
    const fresh = await inPython(edit(PROGRAM));
    assert.equal(said(after), said(fresh));
  });

test('what is switched off between two keystrokes is switched off', async () => {
  const text = `${PROGRAM}store.as_retriever(k=3)\n`;
  const before = await inPython(text);
  assert.equal(before.problems.length, 1);
  const without = new Set(before.problems.map(({ id }) => id));
  const after = await inPython(text.replace('total = 1', 'total = 12'), { previous: before, without });
  assert.deepEqual(after.problems, []);
});
