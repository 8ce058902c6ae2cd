/** Runs of chains with a retriever made elsewhere, and of retrievers known by type only. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, CHROMA, inPython, inTypeScript } from './support.ts';

const IMPORT =
  'from langchain_core.runnables import RunnableParallel, RunnablePassthrough\nfrom langchain_core.retrievers import BaseRetriever\n';
const IN = 'def ask(self, q, retriever, prompt):\n    ';

for (const [what, code, wanted] of [
  ['a pipe', 'chain = {"context": retriever | text} | prompt\n    return chain.invoke(q)', ['invoke ?']],
  ['a pipe at once', 'return (retriever | text | prompt).invoke(q)', ['invoke ?']],
  [
    'a part with a name of its own',
    'both = RunnableParallel({"context": retriever, "q": RunnablePassthrough()})\n    return (both | prompt).ainvoke(q)',
    ['ainvoke ?'],
  ],
  ['an assigned part', 'return RunnablePassthrough.assign(context=retriever).stream(q)', ['stream ?']],
  ['a chain with options', 'return (retriever | prompt).with_config(tags=[]).invoke(q)', ['invoke ?']],
  ['an attribute', 'return (self.retriever | prompt).invoke(q)', ['invoke ?']],
  ['one that names itself', 'chain = chain | chain | prompt\n    return chain.invoke(q)', []],
  ['one without a retriever', 'return (text | prompt).invoke(q)', []],
  ['a sum', 'return (retriever + prompt).invoke(q)', []],
  ['what something else makes of it', 'return (build(retriever) | prompt).invoke(q)', []],
] as const)
  test(`a run of a chain: ${what}`, async () => {
    const { sites } = await inPython(`${IMPORT}${IN}${code}\n`);
    assert.deepEqual(brief(sites), wanted);
  });

for (const [what, code, wanted] of [
  ['a parameter', 'def ask(r: BaseRetriever, q):\n    return r.invoke(q)', ['invoke ?']],
  [
    'what it inherits',
    'class Mine(BaseRetriever):\n    def ask(self, q):\n        return self.invoke(q)',
    ['invoke ?'],
  ],
  ['a model', 'def ask(r: RunnablePassthrough, q):\n    return r.invoke(q)', []],
] as const)
  test(`a retriever known by its type: ${what}`, async () => {
    const { sites } = await inPython(`${IMPORT}${code}\n`);
    assert.deepEqual(brief(sites), wanted);
  });

test('links a chain to the retriever that a method of the class makes', async () => {
  const text = `${CHROMA}${IMPORT}class A:
    def found(self):
        made = store.as_retriever(search_kwargs={"k": 7})
        return made
    def ask(self, q):
        retriever = self.found()
        return ({"context": retriever} | self.prompt).invoke(q)
    def other(self, q):
        held = self.found()
        return held.invoke(q)
`;
  const { sites } = await inPython(text);
  assert.deepEqual(brief(sites), ['as_retriever 7']);
  assert.deepEqual(
    sites[0]?.uses.map(({ start, end }) => text.slice(start, end)),
    ['retriever', 'invoke', 'invoke'],
  );
});

for (const [what, code, wanted] of [
  ['a sequence', 'await RunnableSequence.from([{ context: retriever, q }, prompt]).invoke(q)', ['invoke ?']],
  [
    'a pipe',
    'const chain = RunnableMap.from({ context: retriever }).pipe(prompt)\n  await chain.stream(q)',
    ['stream ?'],
  ],
  ['a pipe of its own', 'await retriever.pipe(text).invoke(q)', ['pipe ?']],
  ['a sequence without', 'await RunnableSequence.from([prompt, model]).invoke(q)', []],
  ['a typed parameter', 'await found.invoke(q)', ['invoke ?']],
] as const)
  test(`in TypeScript, a run of a chain: ${what}`, async () => {
    const { sites } = await inTypeScript(
      `import { RunnableMap, RunnableSequence } from '@langchain/core/runnables'\nimport type { BaseRetriever } from '@langchain/core/retrievers'\nasync function ask(retriever, found: BaseRetriever, q) {\n  ${code}\n}\n`,
    );
    assert.deepEqual(brief(sites), wanted);
  });

for (const [what, code, wanted] of [
  ['a pipe', 'def build(retriever, f):\n    return {"documents": retriever | f}', ['retriever ?']],
  [
    'an assigned part',
    'def build(retriever, f):\n    return RunnablePassthrough.assign(documents=retriever)',
    ['retriever ?'],
  ],
  [
    'an attribute',
    'class A:\n    def __init__(self, retriever: BaseRetriever):\n        self.retriever = retriever\n    def chain(self):\n        return self.retriever | text',
    ['retriever ?'],
  ],
  [
    'a function of its own',
    'def build(retriever):\n    return make_chain(retriever)\ndef make_chain(r): ...',
    [],
  ],
  ['a name', 'def build(retriever):\n    return RunnableParallel(retriever=None)', []],
  ['what is only looked at', 'def build(retriever):\n    print(retriever)', []],
  ['what nobody hands over', 'retriever = load()\nchain = retriever | text', []],
] as const)
  test(`a retriever passed to a function is in a chain that others run: ${what}`, async () => {
    const { sites } = await inPython(`${IMPORT}${code}\n`);
    assert.deepEqual(brief(sites), wanted);
  });

test('links what is made of a retriever passed to a function', async () => {
  const text = `import { createHistoryAwareRetriever, createRetrievalChain } from 'langchain/chains'
export async function build(llm, retriever) {
  const aware = await createHistoryAwareRetriever({ llm, retriever });
  return createRetrievalChain({ retriever: aware });
}
`;
  const { sites } = await inTypeScript(text);
  assert.deepEqual(brief(sites), ['retriever ?']);
  assert.deepEqual(
    sites[0]?.uses.map(({ start, end }) => text.slice(start, end)),
    ['createHistoryAwareRetriever', 'createRetrievalChain'],
  );
});

test('links what receives a retriever that a function returns', async () => {
  const text = `${CHROMA}from langchain.tools.retriever import create_retriever_tool
from langchain.chains import create_history_aware_retriever, create_retrieval_chain

def found(kind):
    return store.as_retriever(search_kwargs={"k": 7, "filter": kind})

def tool():
    return create_retriever_tool(found("a"), "Retriever", "Finds.")

def chain(llm, prompt, answer):
    near = found("b")
    aware = create_history_aware_retriever(llm, near, prompt)
    return create_retrieval_chain(aware, answer)
`;
  const { sites } = await inPython(text);
  assert.deepEqual(brief(sites), ['as_retriever 7']);
  assert.deepEqual(
    sites[0]?.uses.map(({ start, end }) => text.slice(start, end)),
    ['create_retriever_tool', 'create_history_aware_retriever', 'create_retrieval_chain'],
  );
});
