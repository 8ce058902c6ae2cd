import assert from 'node:assert/strict';
import { test } from 'node:test';
import { servingProgram } from '../../../src/sites/serving-program.ts';
import { inPython, inTypeScript } from './support.ts';

const python = (returns: string): string => `
from langchain_community.retrievers import BM25Retriever

def answer(question: str)${returns}:
    retriever = BM25Retriever.from_documents(pages)
    found = retriever.invoke(question)
    return "".join(page.page_content for page in found)
`;

const typescript = (returns: string): string => `
import { MemoryVectorStore } from 'langchain/vectorstores/memory';

export async function answer(question: string)${returns} {
  const found = await store.similaritySearch(question, 4);
  return found.map(({ pageContent }) => pageContent).join();
}
`;

async function written(text: string, isPython: boolean): Promise<string> {
  const { sites } = await (isPython ? inPython(text) : inTypeScript(text));
  const site = sites.find(({ within }) => within === 'answer');
  assert.ok(site, 'there is a call in the function');
  return servingProgram(
    { ...site, library: 'of-its-own' },
    { text, isPython, module: 'rag', place: 'rag:1' },
  );
}

const WARNING = '"answer" returns text: return the passages themselves.';

test('a function that returns one text is told to return passages', async () => {
  for (const returns of [' -> str', '->str', ' -> Optional[str]'])
    assert.ok((await written(python(returns), true)).includes(`# ${WARNING}`), returns);
  for (const returns of [': Promise<string>', ' : string'])
    assert.ok((await written(typescript(returns), false)).includes(`// ${WARNING}`), returns);
});

test('a function that returns a list, or has no return type, is not', async () => {
  for (const returns of ['', ' -> list[str]', ' -> list[Document]', ' -> str | list[Document]'])
    assert.ok(!(await written(python(returns), true)).includes('returns text'), returns);
  for (const returns of ['', ': Promise<string[]>', ': string[]'])
    assert.ok(!(await written(typescript(returns), false)).includes('returns text'), returns);
});

const CHAIN = `
from langchain_chroma import Chroma
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

def open_index():
    return Chroma(embedding_function=OpenAIEmbeddings())

def make_chain(K=4):
    retriever = open_index().as_retriever(search_kwargs={"k": 4})
    return {"context": retriever} | ChatOpenAI(model="gpt-4o-mini")
`;

async function servedFrom(text: string, isPython = true): Promise<string> {
  const { sites } = await (isPython ? inPython(text) : inTypeScript(text));
  const site = sites.find(({ within }) => within === 'make_chain' || within === 'makeChain');
  assert.ok(site, 'there is a call in the function');
  return servingProgram(site, { text, isPython, module: 'rag', place: 'rag:1' });
}

test('a chain that asks a model is not called: its retriever is made as the function makes it', async () => {
  const program = await servedFrom(CHAIN);
  assert.match(program, /^from rag import open_index$/mu);
  assert.match(program, /^retriever = open_index\(\)\.as_retriever\(search_kwargs=\{"k": 4\}\)$/mu);
  assert.match(program, /^serve\(lambda query, k: retriever\.invoke\(query\)\)$/mu);
  assert.doesNotMatch(program, /make_chain/u);
});

test('a function that returns its retriever is called, and so is one whose retriever needs its parameters', async () => {
  const returned = CHAIN.replace(/return \{.*/u, 'return retriever');
  for (const text of [returned, CHAIN.replace('"k": 4', '"k": K')])
    assert.match(await servedFrom(text), /^retriever = make_chain\(\)$/mu);
});
