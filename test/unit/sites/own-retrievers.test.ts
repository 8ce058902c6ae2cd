/** Retrievers whose class is one of the text: the site is the search inside, and what runs them is linked to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallSite } from '../../../src/sites/model.ts';
import { brief, inPython, inTypeScript } from './support.ts';

function linesOfUses(text: string, sites: readonly CallSite[]): number[][] {
  return sites.map(({ uses }) => uses.map(({ start }) => text.slice(0, start).split('\n').length));
}

const MINE = `from langchain_core.retrievers import BaseRetriever
class Mine(BaseRetriever):
    store: object
    def _get_relevant_documents(self, query, *, run_manager):
        return self.store.similarity_search(query, k=5)
`;

for (const [what, code, wanted] of [
  ['a run', 'r = Mine(store=s)\nr.invoke(q)\n', [[7]]],
  ['runs of two of them', 'Mine(store=s).invoke(q)\nother = Mine(store=t)\nother.batch([q])\n', [[6, 8]]],
  [
    'a chain',
    'retriever = Mine(store=s)\nqa = RetrievalQA.from_chain_type(llm, retriever=retriever)\nqa(q)\n',
    [[8]],
  ],
  [
    'an attribute',
    'class App:\n    def __init__(self):\n        self.r = Mine(store=s)\n    def ask(self, q):\n        return self.r.invoke(q)\n',
    [[10]],
  ],
  [
    'nothing of another class',
    'class Other:\n    def invoke(self, q): ...\nr = Other()\nr.invoke(q)\n',
    [[]],
  ],
  [
    'neither of two',
    'class Two(Mine):\n    pass\nretriever = Mine(store=s) if x else Two(store=s)\nretriever.invoke(q)\n',
    [[]],
  ],
] as const)
  test(`links the search inside an own retriever to ${what}`, async () => {
    const text = `${MINE}${code}`;
    const { sites } = await inPython(text);
    assert.deepEqual(brief(sites), ['similarity_search 5']);
    assert.deepEqual(linesOfUses(text, sites), wanted);
  });

test('finds an own retriever with an unknown search at its run', async () => {
  const { sites } = await inPython(
    'from langchain_core.retrievers import BaseRetriever\nclass Mine(BaseRetriever):\n    def _get_relevant_documents(self, query):\n        return ask(query)\nr = Mine()\nr.invoke(q)\n',
  );
  assert.deepEqual(brief(sites), ['invoke ?']);
});

test('a class with only the name of a retriever is none', async () => {
  const { sites } = await inPython(
    'from langchain_core.documents import Document\nclass Mine:\n    def invoke(self, q): ...\nretriever = Mine()\nretriever.invoke(q)\n',
  );
  assert.deepEqual(brief(sites), []);
});

test('finds an own retriever of LlamaIndex that joins two others', async () => {
  const text = `from llama_index.core.retrievers import BaseRetriever, VectorIndexRetriever
class Both(BaseRetriever):
    def __init__(self, vectors: VectorIndexRetriever, words):
        self._vectors = vectors
    def _retrieve(self, bundle):
        return self._vectors.retrieve(bundle)
both = Both(made, words)
both.retrieve(question)
`;
  const { sites } = await inPython(text);
  assert.deepEqual(brief(sites), ['retrieve ?']);
  assert.deepEqual(linesOfUses(text, sites), [[8]]);
});

test('the same holds in TypeScript', async () => {
  const text = `import { BaseRetriever } from '@langchain/core/retrievers'
class Mine extends BaseRetriever {
  async _getRelevantDocuments(query) {
    return this.store.similaritySearch(query, 6)
  }
}
const mine = new Mine()
await mine.invoke(q)
`;
  const { sites } = await inTypeScript(text);
  assert.deepEqual(brief(sites), ['similaritySearch 6']);
  assert.deepEqual(linesOfUses(text, sites), [[8]]);
});

const STORE = `from langchain_chroma import Chroma
class Store:
    def __init__(self):
        self.db = Chroma("kb")
    def search(self, q, k=5):
        return self.db.similarity_search(q, k=k)
`;

for (const [what, code, wanted] of [
  ['nobody is seen to', '', 'similarity_search ?'],
  ['callers leave it', 'Store().search("x")\n', 'similarity_search ?'],
  ['callers set it', 's = Store()\ns.search("x", k=9)\n', 'similarity_search ?'],
] as const)
  test(`finds the search inside an own store, whose k ${what}`, async () => {
    const { sites } = await inPython(`${STORE}${code}`);
    assert.deepEqual(brief(sites), [wanted]);
  });

const MINI = "import MiniSearch from 'minisearch'\n";

for (const [what, code] of [
  [
    'a method makes',
    'index = null; build() { this.index = this.make() } make() { return new MiniSearch({}) }',
  ],
  [
    'a method is said to give',
    'index = null; build() { this.index = this.make() } make(): MiniSearch { return x }',
  ],
  ['its type tells', 'index: MiniSearch; build() { this.index = made() }'],
] as const)
  test(`a search of an attribute that ${what}`, async () => {
    const { sites } = await inTypeScript(
      `${MINI}class A { ${code}\n  ask(q) { return this.index.search(q, {}) }\n}\n`,
    );
    assert.deepEqual(brief(sites), ['search ?']);
  });

test('a method of a class of TypeScript identifies what it makes', async () => {
  const { sites } = await inTypeScript(
    `${MINI}class B { make() { return new MiniSearch({}) } }\nclass A { make() { return other() }\n  ask(q) { return this.make().search(q, {}) }\n}\n`,
  );
  assert.deepEqual(brief(sites), []);
});
