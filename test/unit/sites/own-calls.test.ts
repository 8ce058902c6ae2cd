/** Functions of a workspace that retrieve: configured in parallax.json, and offered for the call at the cursor. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withWrapper } from '../../../src/features/lens/core/wrapper-edit.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { calledHere, likelyK, mayBeSearch } from '../../../src/sites/call-at.ts';
import { rulesOf } from '../../../src/sites/rules/library.ts';
import { brief, inPython, inTypeScript } from './support.ts';

const rules = rulesOf(configSchema.parse({ sites: { calls: [{ name: 'search_docs', k: 'limit' }] } }));

test('finds a call by its name, on any object or module', async () => {
  const { sites } = await inPython(
    'import kb\nsearch_docs("q", limit=3)\nkb.search_docs("q", limit=4)\nself.store.search_docs("q")\nsearch_docs("q", **more)\n',
    { rules },
  );
  assert.deepEqual(brief(sites), ['search_docs 3', 'search_docs 4', 'search_docs ?', 'search_docs ?']);
  assert.ok(sites.every(({ library }) => library === 'workspace'));
  const script = await inTypeScript(
    "import { search_docs } from './kb';\nawait search_docs('q', { limit: 5 });\nawait search_docs({ query: 'q', limit: 6 });\nclass A { ask() { return this.search_docs('q', { limit: 7 }); } }\n",
    { rules },
  );
  assert.deepEqual(brief(script.sites), ['search_docs 5', 'search_docs 6', 'search_docs 7']);
});

test('accepts a position, a default and a name', async () => {
  const own = rulesOf(
    configSchema.parse({ sites: { calls: [{ name: 'ask', k: '#1', default: 8, library: 'our search' }] } }),
  );
  const { sites } = await inPython('ask("q", 2)\nask("q")\n', { rules: own });
  assert.deepEqual(brief(sites), ['ask 2', 'ask 8']);
  assert.deepEqual(new Set(sites.map(({ library }) => library)), new Set(['our search']));
  const plain = rulesOf(configSchema.parse({ sites: { calls: [{ name: 'look_up', default: 3 }] } }));
  const calls = await inPython('look_up("q", 2)\nself.index.look_up("q")\n', { rules: plain });
  assert.deepEqual(brief(calls.sites), ['look_up 3', 'look_up 3']);
});

for (const [what, call] of [
  ['no name', { name: '' }],
  ['a name that is none', { name: 'a.b' }],
  ['an argument that is none', { name: 'a', k: 'b.c' }],
  ['a default of none', { name: 'a', default: 0 }],
  ['an unknown field', { name: 'a', kk: 1 }],
] as const)
  test(`refuses ${what}`, () => {
    assert.equal(configSchema.safeParse({ sites: { calls: [call] } }).success, false);
  });

test('adds a call to parallax.json and keeps every other character', () => {
  const json = '{\n  "corpora": {},\n  "judge": "labels"\n}\n';
  const first = withWrapper(json, { name: 'search_docs', k: 'limit' });
  assert.ok(first.startsWith('{\n  "corpora": {},\n  "judge": "labels"'));
  const second = withWrapper(first, { name: 'ask' });
  const again = withWrapper(second, { name: 'search_docs', k: 'n' });
  assert.deepEqual(configSchema.parse(JSON.parse(again)).sites.calls, [
    { name: 'search_docs', k: 'n' },
    { name: 'ask' },
  ]);
  assert.match(withWrapper('{\n  // mine\n  "judge": "labels"\n}', { name: 'a' }), /\/\/ mine/u);
  assert.deepEqual(configSchema.parse(JSON.parse(withWrapper('{"sites": {}}', { name: 'a' }))).sites.calls, [
    { name: 'a' },
  ]);
});

/** The position is marked with `|`. */
function at(text: string): ReturnType<typeof calledHere> {
  return calledHere(text.replace('|', ''), text.indexOf('|'));
}

for (const [text, name, names, unnamed] of [
  ['sea|rch_docs("q", limit=3)', 'search_docs', ['limit'], ['"q"']],
  ['kb.|search("a, b", (1, 2), k = 3)', 'search', ['k'], ['"a, b"', '(1, 2)']],
  ["await ask|('q', { topK: 3, filter })", 'ask', ['topK', 'filter'], ["'q'"]],
  ['|f()', 'f', [], []],
  ['f|("it\\"s, not", x == 1)', 'f', [], ['"it\\"s, not"', 'x == 1']],
] as const)
  test(`the call at ${text}`, () => {
    assert.deepEqual(at(text), { name, names, unnamed });
  });

for (const text of ['a| = 1', 'def sea|rch(q):', 'f(x|)', '"|"(', '1|2(3)', ''])
  test(`finds no call at ${JSON.stringify(text)}`, () => {
    assert.equal(text === '' ? calledHere('', 0) : at(text), undefined);
  });

test('guesses the parameter for k by its name, and keeps plain calls', () => {
  assert.equal(likelyK({ name: 'a', names: ['query', 'top_k'], unnamed: [] }), 'top_k');
  assert.equal(likelyK({ name: 'a', names: ['query'], unnamed: [] }), undefined);
  assert.ok(mayBeSearch({ name: 'search_docs', names: [], unnamed: ['q'] }));
  assert.ok(mayBeSearch({ name: 'run', names: ['limit'], unnamed: ['q'] }));
  assert.ok(!mayBeSearch({ name: 'print', names: ['end'], unnamed: ['q'] }));
});
