/** Classes of the text that inherit from a library's, and values whose class is declared elsewhere. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, inPython, inTypeScript } from './support.ts';

const QDRANT =
  'from haystack_integrations.components.retrievers.qdrant import QdrantEmbeddingRetriever as Base\n';
const LANGCHAIN = "import { VectorStore, VectorStoreRetriever } from '@langchain/core/vectorstores'\n";

for (const [what, code, wanted] of [
  [
    'one that says nothing',
    'class Mine(Base):\n    """As it is."""\nMine(store, top_k=7)\nMine(store)',
    ['7', '10'],
  ],
  ['one of one', 'class A(Base):\n    pass\nclass Mine(A): ...\nMine(store, top_k=7)', ['7']],
  [
    'one with a constructor',
    'class Mine(Base):\n    def __init__(self, store, top_k):\n        super().__init__(store, top_k=99)\nMine(store, top_k=7)',
    ['?'],
  ],
  ['one with a field', 'class Mine(Base):\n    top_k = 3\nMine(store)', ['?']],
  ['one with a method', 'class Mine(Base):\n    def run(self, q): ...\nMine(store, top_k=7)', ['?']],
  [
    'one below a class with a constructor',
    'class A(Base):\n    def __init__(self): ...\nclass Mine(A): ...\nMine()',
    ['?'],
  ],
  ['one that is decorated', '@wrapped\nclass Mine(Base): ...\nMine(store)', ['?']],
  [
    'one that a class method makes',
    'class Mine(Base):\n    @classmethod\n    def build(cls, store):\n        return cls(store, top_k=3)\nMine.build(store)',
    ['?'],
  ],
  [
    'a class method that makes something else',
    'class Mine(Base):\n    @classmethod\n    def name(cls):\n        return str(1)\nMine.name()',
    [],
  ],
  ['a class of something else', 'from other import Thing\nclass Mine(Thing): ...\nMine(store, top_k=7)', []],
] as const)
  test(`own classes of retrievers: ${what}`, async () => {
    const { sites } = await inPython(`${QDRANT}${code}\n`);
    assert.deepEqual(
      sites.map(({ k }) => String(k.value ?? '?')),
      wanted,
    );
    for (const { k } of sites)
      if (k.value === undefined) assert.equal(k.why, 'the class is defined in this program');
  });

test('states nothing about runs of an own class, and links them', async () => {
  const { sites } = await inPython(
    `${QDRANT}class Mine(Base):\n    def run(self, q, top_k): ...\nr = Mine(store)\nr.run(q, top_k=3)\n`,
  );
  assert.deepEqual(brief(sites), ['Mine ?']);
  assert.equal(sites[0]?.uses.length, 1);
});

test('a class of TypeScript is created by its own static method', async () => {
  const { sites } = await inTypeScript(
    `${LANGCHAIN}class Mine<V extends VectorStore> extends VectorStoreRetriever<V> {\n  static from<V extends VectorStore>(store: V, options: object) {\n    return new this<V>({ ...options, store })\n  }\n}\nconst r = Mine.from(store, { k: 3 })\nawait r.invoke(q)\n`,
  );
  assert.deepEqual(brief(sites), ['Mine ?']);
  assert.equal(sites[0]?.uses.length, 1);
});

for (const [what, code, wanted] of [
  ['a static method', 'class D { static similaritySearch(q, k) {} }\nD.similaritySearch(q, 3)', []],
  ['a static field', 'class D { static similaritySearch = async (q) => 1 }\nD.similaritySearch(q)', []],
  [
    'a method of an own store',
    'class D extends VectorStore { similaritySearch(q) {} other() { return this.similaritySearch(q) } }',
    [],
  ],
  [
    'one that it inherits',
    'class D extends VectorStore {}\nnew D().similaritySearch(q, 3)',
    ['similaritySearch 3'],
  ],
] as const)
  test(`methods of own classes: ${what}`, async () => {
    const { sites } = await inTypeScript(`${LANGCHAIN}${code}\n`);
    assert.deepEqual(brief(sites), wanted);
  });

for (const [what, code, wanted] of [
  ['a class', 'from typing import cast\ncast(CrossEncoder, model).rank(q, docs, top_k=3)', ['rank 3']],
  ['its name', 'import typing\nm = typing.cast("CrossEncoder", model)\nm.rank(q, docs, top_k=3)', ['rank 3']],
  ['the value', 'from typing import cast\ncast(Any, CrossEncoder("m")).rank(q, docs, top_k=3)', ['rank 3']],
  ['a function of the program', 'def cast(a, b): ...\ncast(CrossEncoder, model).rank(q, docs)', []],
] as const)
  test(`casts: ${what}`, async () => {
    const { sites } = await inPython(`from sentence_transformers import CrossEncoder\n${code}\n`);
    assert.deepEqual(brief(sites), wanted);
  });

const inClass = (...lines: readonly string[]): string =>
  `from pymilvus import Collection\nclass S:\n${lines.map((line) => `    ${line}\n`).join('')}    def ask(self, q):\n        return self.col.search([q])\n`;

for (const [what, code, wanted] of [
  [
    'all of one class',
    inClass('def a(self): self.col = Collection("a")', 'def b(self): self.col = Collection("b")'),
    ['search 10'],
  ],
  [
    'one of a class that is not known',
    inClass('def a(self): self.col = Collection("a")', 'def b(self, col): self.col = col'),
    ['search ?'],
  ],
  [
    'one that may be anything',
    inClass(
      'def a(self): self.col = self.make()',
      'def b(self): self.col = Collection("b")',
      'def make(self) -> Any:\n        if x: return 1\n        return 2',
    ),
    ['search ?'],
  ],
  ['none', inClass('def a(self): self.col = other()', 'def b(self): self.col = another()'), []],
] as const)
  test(`several values of an attribute: ${what}`, async () => {
    const { sites } = await inPython(code);
    assert.deepEqual(brief(sites), wanted);
  });

test('the reason for an unknown k is about the value itself', async () => {
  const why = async (value: string): Promise<string | undefined> => {
    const { sites } = await inTypeScript(`${LANGCHAIN}const k = ${value}\nstore.asRetriever(k)\n`);
    const [site] = sites;
    return site?.k.value === undefined ? site?.k.why : undefined;
  };
  assert.equal(await why('topK ? parseFloat(topK) : 4'), 'it depends on a condition');
  assert.equal(await why('options()'), 'it is computed when the program runs');
});
