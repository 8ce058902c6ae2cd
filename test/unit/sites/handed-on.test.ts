/**
 * Wrappers that return the results of their only retriever: the site is where that is made, and the wrapper is a use.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inPython } from './support.ts';

const HEAD = `from llama_index.core.retrievers import VectorIndexRetriever
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.postprocessor import SentenceTransformerRerank
`;
const RETRIEVER = 'retriever = VectorIndexRetriever(index, similarity_top_k=8)\n';

async function found(code: string): Promise<unknown[]> {
  const text = HEAD + code;
  const { sites } = await inPython(text);
  return sites.map(({ callee, k, uses }) => [
    callee,
    k.value ?? '?',
    uses.map(({ start }) => text.slice(0, start).split('\n').length),
  ]);
}

test('links an engine around a retriever, and its calls, to the retriever', async () => {
  assert.deepEqual(
    await found(`${RETRIEVER}engine = RetrieverQueryEngine.from_args(retriever)\nanswer = engine.query(q)\n`),
    [['VectorIndexRetriever', 8, [5, 6]]],
  );
});

test('links calls of an engine that a method returns', async () => {
  const text = `${HEAD}class App:
    def __init__(self):
        self.engine = self.make()
    def make(self):
        ${RETRIEVER}        return RetrieverQueryEngine.from_args(retriever)
    def ask(self, q):
        return self.engine.query(q)
`;
  const { sites } = await inPython(text);
  assert.deepEqual(
    sites.map(({ callee, uses }) => [
      callee,
      uses.map(({ start }) => text.slice(0, start).split('\n').length),
    ]),
    [['VectorIndexRetriever', [9, 11]]],
  );
});

test('a reranking engine has its own figures', async () => {
  assert.deepEqual(
    await found(
      `${RETRIEVER}engine = RetrieverQueryEngine(retriever=retriever, node_postprocessors=[SentenceTransformerRerank(model="m", top_n=3)])\n`,
    ),
    [['RetrieverQueryEngine', 3, []]],
  );
});

test('an engine with unknown rerankers or an unknown retriever has its own site', async () => {
  assert.deepEqual(
    await found(`${RETRIEVER}engine = RetrieverQueryEngine(retriever, node_postprocessors=make())\n`),
    [['RetrieverQueryEngine', '?', []]],
  );
  assert.deepEqual(
    await found('def ask(retriever, q):\n    return RetrieverQueryEngine(retriever).query(q)\n'),
    [['RetrieverQueryEngine', '?', [5]]],
  );
});
