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
