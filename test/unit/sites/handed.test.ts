/** What receives a retriever is shown as its use. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallSite } from '../../../src/sites/model.ts';
import { CHROMA, inPython, inTypeScript } from './support.ts';

function usesIn(text: string, sites: readonly CallSite[]): string[][] {
  return sites.map(({ uses }) => uses.map(({ start, end }) => text.slice(start, end)));
}

const MADE = `${CHROMA}retriever = store.as_retriever()\n`;

for (const [what, code, wanted] of [
  ['a chain', 'chain = create_retrieval_chain(retriever, answer)', ['create_retrieval_chain']],
  ['a chain by name', 'RetrievalQA.from_chain_type(llm=llm, retriever=retriever)', ['from_chain_type']],
  ['a tool', 'tool = create_retriever_tool(retriever, "docs", "…")', ['create_retriever_tool']],
  ['a pipe', 'chain = {"context": retriever | format_docs} | prompt', ['retriever']],
  ['a list', 'agent = Agent(tools=[retriever])', ['Agent']],
  ['a dict', 'chain = RunnableParallel({"context": retriever})', ['RunnableParallel']],
  [
    'another retriever, and what that is handed to',
    'aware = create_history_aware_retriever(llm, retriever, p)\nchain = create_retrieval_chain(aware, a)\naware.invoke(q)',
    ['create_history_aware_retriever', 'create_retrieval_chain', 'invoke'],
  ],
  [
    'a run of a chain',
    'chain = create_retrieval_chain(retriever, a)\nchain.invoke(q)\nchain.get_graph()',
    ['create_retrieval_chain', 'invoke'],
  ],
  [
    'a run of a pipe around it',
    'chain = {"context": retriever | format_docs, "again": retriever} | prompt | llm\nchain.stream(q)',
    ['retriever', 'retriever', 'stream'],
  ],
  [
    'a run of parallel parts',
    'chain = RunnablePassthrough.assign(context=retriever | format_docs) | prompt\nchain.batch([q])',
    ['retriever', 'batch'],
  ],
  [
    'a run at once',
    '(RunnablePassthrough.assign(context=retriever) | prompt).invoke(q)',
    ['assign', 'invoke'],
  ],
  [
    'a run of a tool',
    'tool = create_retriever_tool(retriever, "d", "…")\ntool.invoke(q)',
    ['create_retriever_tool', 'invoke'],
  ],
  [
    'no run of a name that holds something else, too',
    'chain = create_retrieval_chain(retriever, a)\nchain = other\nchain.invoke(q)',
    ['create_retrieval_chain'],
  ],
  [
    'no run of what is made of other arguments',
    'chain = build(retriever | f) | prompt\nchain.invoke(q)',
    ['retriever'],
  ],
  ['a run', 'retriever.invoke(q)', ['invoke']],
  ['a look', 'print(retriever)', []],
  ['a union of sets', 'found = retriever & others', []],
] as const)
  test(`a retriever is used by ${what}`, async () => {
    const text = `${MADE}${code}\n`;
    const { sites } = await inPython(text);
    assert.deepEqual(usesIn(text, sites), [wanted]);
  });

test('a retriever made as an argument is used there', async () => {
  const text = `${CHROMA}tool = create_retriever_tool(store.as_retriever(), "docs", "…")\n`;
  const { sites } = await inPython(text);
  assert.deepEqual(usesIn(text, sites), [['create_retriever_tool']]);
});

test('a retriever inside another known one has no use there: the other has its own figures', async () => {
  const text = `${MADE}from langchain.retrievers import EnsembleRetriever\nboth = EnsembleRetriever(retrievers=[retriever])\nRetrievalQA(retriever=both)\n`;
  const { sites } = await inPython(text);
  assert.deepEqual(usesIn(text, sites), [[], ['RetrievalQA']]);
});

test('a pipeline of Haystack with input for a retriever runs it', async () => {
  const text = `from haystack import Pipeline
from haystack.nodes import BM25Retriever

def start(store):
    words = BM25Retriever(document_store=store)
    pipe = Pipeline()
    pipe.add_node(component=words, name="words", inputs=["Query"])
    return pipe

def ask(pipe, question, k):
    params = {"words": {"top_k": k}}
    return pipe.run(question, params=params)

def other(pipe, question):
    return pipe.run(question, params={"reader": {"top_k": 1}})
`;
  const { sites } = await inPython(text);
  assert.deepEqual(usesIn(text, sites), [['add_node', 'run']]);
});

test('a chain runs neither of two retrievers of one name', async () => {
  const text = `${MADE}chain = retriever | f\nretriever = store.as_retriever(search_kwargs={"k": 9})\nchain.invoke(q)\n`;
  const { sites } = await inPython(text);
  assert.equal(sites.length, 2);
  assert.ok(usesIn(text, sites).every((uses) => !uses.includes('invoke')));
});

test('the same holds in TypeScript', async () => {
  const text = `import { Chroma } from '@langchain/community/vectorstores/chroma';
const store = new Chroma();
const retriever = store.asRetriever();
const tool = createRetrieverTool(retriever, { name: 'docs' });
const chain = await createRetrievalChain({ retriever, combineDocsChain });
await chain.invoke({ input });
`;
  const { sites } = await inTypeScript(text);
  assert.deepEqual(usesIn(text, sites), [['createRetrieverTool', 'createRetrievalChain', 'invoke']]);
});
