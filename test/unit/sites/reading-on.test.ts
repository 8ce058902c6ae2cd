/** After an edit only what rests on what was edited is found out again, and what is found is what a fresh look finds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editOf, changeBetween, Parsers } from '../../../src/sites/parsing.ts';
import { SyntaxTree, type Node } from '../../../src/sites/syntax/node.ts';
import { Edits, Finding, read } from '../../../src/sites/syntax/reading.ts';
import { fixtureFiles } from './fixture-corpus.ts';
import { TextTests } from '../../../src/sites/text-tests.ts';
import { compareWhileEditing, random } from './random-edits.ts';
import { CHROMA, detector, inPython } from './support.ts';
import { wasm } from './wasm-files.ts';

const EDITS = Number(process.env['PARALLAX_EDITS'] ?? 6);

test('whatever is edited where, what is found is what a fresh look finds', async () => {
  const files = await fixtureFiles();
  let compared = 0;
  for (const [number, file] of files.entries())
    compared += await compareWhileEditing(detector, file, { edits: EDITS, seed: number });
  assert.ok(files.some(({ isNotebook }) => isNotebook));
  assert.ok(compared >= EDITS * files.length, `${compared} compared`);
});

const PROGRAM = `${CHROMA}
K = 5
class Settings:
    k = 7
    def show(self):
        self.k + 1

def limit():
    if quiet:
        pass
    return Settings()

def ask(q):
    return store.similarity_search(q, k=K)

def other(q, s=Settings()):
    return store.similarity_search(q, k=s.k)

def third(q):
    return store.similarity_search(q, k=limit().k)
`;

for (const [what, edit] of [
  ['an argument', (text: string) => text.replace('k=K)', 'k=K + 1)')],
  ['a constant that a function uses', (text: string) => text.replace('K = 5', 'K = 6')],
  ['an attribute of a class', (text: string) => text.replace('    k = 7', '    k = 8')],
  ['an attribute that a method sets now', (text: string) => text.replace('self.k + 1', 'self.k = 1')],
  ['a second thing that a function returns', (text: string) => text.replace('pass', 'return other()')],
  [
    'a constructor',
    (text: string) => text.replace('    k = 7', '    k = 7\n    def __init__(self, k): pass'),
  ],
  ['a class that is made in another way', (text: string) => text.replace('s=Settings()', 's=Settings(k=9)')],
  ['an import that is taken out', (text: string) => text.replace(/^.*import Chroma\n/mu, '')],
  ['a parameter that shadows the constant', (text: string) => text.replace('def ask(q)', 'def ask(q, K=2)')],
  ['a constant that is set again', (text: string) => `${text}K = 9\n`],
  ['an import of everything below', (text: string) => `${text}from settings import *\n`],
  ['attributes that are set by name', (text: string) => `${text}setattr(Settings, "k", 3)\n`],
  [
    'a comment above the call',
    (text: string) => text.replace('    return store', '    # parallax: k=2\n    return store'),
  ],
] as const)
  test(`what is found follows an edit elsewhere: ${what}`, async () => {
    const after = await inPython(edit(PROGRAM), { previous: await inPython(PROGRAM) });
    const fresh = await inPython(edit(PROGRAM));
    assert.deepEqual({ ...after }, { ...fresh });
    const back = await inPython(PROGRAM, { previous: after });
    assert.deepEqual({ ...back }, { ...(await inPython(PROGRAM)) });
  });

test('what is switched off between two keystrokes is switched off', async () => {
  const text = `${PROGRAM}store.as_retriever(k=3)\n`;
  const before = await inPython(text);
  assert.equal(before.problems.length, 1);
  const without = new Set(before.problems.map(({ id }) => id));
  const after = await inPython(text.replace('K = 5', 'K = 15'), { previous: before, without });
  assert.deepEqual(after.problems, []);
});

test('a detection that is handed in twice at once is gone on from once, and what is found is right both times', async () => {
  const [first, second] = [PROGRAM.replace('K = 5', 'K = 6'), PROGRAM.replace('K = 5', 'K = 55')];
  const previous = await inPython(PROGRAM);
  const found = await Promise.all([first, second].map((text) => inPython(text, { previous })));
  const fresh = await Promise.all([first, second].map((text) => inPython(text)));
  assert.deepEqual(
    found.map((each) => each.sites),
    fresh.map((each) => each.sites),
  );
  const again = await inPython(PROGRAM, { previous: found[0] });
  assert.deepEqual(again.sites, previous.sites);
});

test('what was handed out does not move with later edits', async () => {
  const before = await inPython(PROGRAM);
  const kept = structuredClone(before.sites);
  await inPython(`# A line more.\n${PROGRAM}`, { previous: before });
  assert.deepEqual(before.sites, kept);
});

const parsers = new Parsers(wasm);

function everything(node: Node): readonly Node[] {
  return [node, ...node.children.flatMap(everything)];
}

test('nodes stay the same but in the statement that is edited, and stand where they stand now', async () => {
  const before =
    'a = 1\n\ndef f(x):\n    b = x\n    if b:\n        c = g(b, 2)\n        d = 3\n    return b\n\ne = 4\n';
  const first = await parsers.parse('python', before, undefined);
  const tree = new SyntaxTree(first, before);
  const was = everything(tree.root);
  const after = before.replace('g(b, 2)', 'g(b,\n 2, k=77)');
  const change = changeBetween(before, after)!;
  first.edit(editOf(before, after, change));
  const second = await parsers.parse('python', after, first);
  assert.ok(tree.edit(second, after, change));
  first.delete();
  const now = everything(tree.root);
  const gone = was.filter((node) => !now.includes(node));
  assert.deepEqual([...new Set(gone.map(({ type }) => type))].includes('function_definition'), false);
  assert.ok(gone.length > 0 && gone.length < 20, `${gone.length} of ${was.length}`);
  const anew = new SyntaxTree(second, after);
  const shown = (nodes: readonly Node[]): unknown =>
    nodes.map(({ type, text, startIndex, endIndex, hasError }) => [
      type,
      text,
      startIndex,
      endIndex,
      hasError,
    ]);
  assert.deepEqual(shown(now), shown(everything(anew.root)));
});

test('a finding is made again only after what it was read from has changed', () => {
  const edits = new Edits();
  const [a, b] = [{ changedAt: 0 }, { changedAt: 0 }];
  let value = 1;
  const made: string[] = [];
  const inner = new Finding(edits, () => {
    made.push('inner');
    read(a);
    return { value };
  });
  const outer = new Finding(edits, () => {
    made.push('outer');
    read(b);
    return inner.get().value * 10;
  });
  const after = (change: () => void): readonly [number, readonly string[]] => {
    edits.now++;
    change();
    made.length = 0;
    return [outer.get(), [...made]];
  };
  assert.equal(outer.get(), 10);
  assert.deepEqual(
    after(() => {}),
    [10, []],
  );
  // What comes out as it was before leaves all that was made of it.
  assert.deepEqual(
    after(() => (a.changedAt = edits.now)),
    [10, ['inner']],
  );
  assert.deepEqual(
    after(() => {
      a.changedAt = edits.now;
      value = 2;
    }),
    [20, ['inner', 'outer']],
  );
  // What was read for the first making is read for the next ones, too.
  assert.deepEqual(
    after(() => (b.changedAt = edits.now)),
    [20, ['outer']],
  );
  assert.deepEqual(
    after(() => (b.changedAt = edits.now)),
    [20, ['outer']],
  );
});

test('whether an expression matches is known after an edit as it is of the whole text', () => {
  const next = random(7);
  const patterns = [
    /ab/u,
    /\bk\s*=/u,
    /[a-c]+\(/u,
    /(?<![.\w])k=/u,
    /x$/mu,
    /^b/mu,
    /a.b/su,
    /[^a]b/u,
    /q(?!\w)/u,
    /a\s*b/u,
    /k\s*=\s*q/u,
    /(?:a\s*)+b/u,
    /x[\s.]*b/u,
    /a(?=\s+b)/u,
    /(?<=k\s*)q/u,
    /a[^q]{0,9}b/u,
    /a[^q\n]*b\s+x/u,
    /(?:a\s){2}b/u,
    /k(?:[^b]{1,3}q)?[^a]{2}x/u,
    /\Wb\W/u,
    /a(?!\s*b)=/u,
    /ab|x[^q]*\(/u,
    /^(?=[^]*?ab)(?=[^]*k\s*=)/u,
    /^(?=[^]*?\ba\()(?=[^]*?(?:x$|q=))|\(=/u,
  ];
  const signs = ['a', 'b', 'k', '=', '(', ' ', '\n', '\n', '\n', '.', 'q', 'x'];
  const sign = (): string => signs[Math.floor(next() * signs.length)]!;
  let text = Array.from({ length: 40 }, sign).join('');
  const tests = new TextTests(text);
  for (let i = 0; i < 2000; i++) {
    for (const pattern of patterns)
      assert.equal(tests.test(pattern), pattern.test(text), `${pattern} ${text}`);
    const at = Math.floor(next() * (text.length + 1));
    const removed = next() < 0.5 ? Math.floor(next() * 8) : 0;
    const inserted = Array.from({ length: Math.floor(next() * (text.length > 60 ? 2 : 5)) }, sign).join('');
    const after = text.slice(0, at) + inserted + text.slice(at + removed);
    const change = changeBetween(text, after);
    if (change) tests.edit(after, change);
    text = after;
  }
});
