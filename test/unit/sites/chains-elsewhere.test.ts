/** Chains that are called like functions, and chains and engines that other functions and files make. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallSite } from '../../../src/sites/model.ts';
import { brief, CHROMA, inPython, inTypeScript } from './support.ts';
import { detectIn } from './workspace-support.ts';

function usesIn(text: string, sites: readonly CallSite[]): string[][] {
  return sites.map(({ uses }) => uses.map(({ start, end }) => text.slice(start, end)));
}

const QA = `${CHROMA}from langchain.chains import RetrievalQA\n`;
const LOCAL = 'qa = RetrievalQA.from_chain_type(llm, retriever=store.as_retriever())\n';
const MADE = 'from_chain_type';

for (const [what, code, wanted] of [
  ['a function', 'qa(question)', [MADE, 'qa']],
  ['a function of a dict', 'qa({"query": question})', [MADE, 'qa']],
  [
    'its methods',
    'qa.run(q)\nqa.arun(q)\nqa.apply(qs)\nqa.acall(q)',
    [MADE, 'run', 'arun', 'apply', 'acall'],
  ],
  ['nothing but a look', 'qa.dict()\nprint(qa)', [MADE]],
  ['a name that holds something else, too', 'qa = other\nqa(question)', [MADE]],
] as const)
  test(`a chain around a retriever of the text is run like ${what}`, async () => {
    const text = `${QA}${LOCAL}${code}\n`;
    assert.deepEqual(usesIn(text, (await inPython(text)).sites), [wanted]);
  });

for (const [what, code, wanted] of [
  [
    'as an attribute of a class',
    'class A:\n    def __init__(self):\n        r = store.as_retriever()\n        self.chain = ConversationalRetrievalChain.from_llm(llm, r)\n    def ask(self, q):\n        return self.chain({"question": q})\n',
    ['from_llm', 'chain'],
  ],
  [
    'by a function that gives it back',
    `def make():\n    return RetrievalQA.from_chain_type(llm, retriever=store.as_retriever())\ndef ask(q):\n    qa = make()\n    return qa(q)\n`,
    [MADE, 'qa'],
  ],
  [
    'by another function of that name',
    `def make():\n    return RetrievalQA.from_chain_type(llm, retriever=store.as_retriever())\nclass B:\n    def make(self): ...\ndef ask(b, q):\n    qa = b.make()\n    return qa(q)\n`,
    [MADE],
  ],
] as const)
  test(`a chain is run ${what}`, async () => {
    const text = `${QA}${code}`;
    assert.deepEqual(usesIn(text, (await inPython(text)).sites), [wanted]);
  });

const IN = 'from langchain.chains import RetrievalQA\ndef ask(self, llm, retriever, q):\n    ';
for (const [what, code, wanted] of [
  ['called', 'qa = RetrievalQA.from_chain_type(llm, retriever=retriever)\n    return qa(q)', ['qa ?']],
  ['run', 'qa = RetrievalQA.from_chain_type(llm, retriever=retriever)\n    return qa.run(q)', ['run ?']],
  [
    'named so only',
    'qa = RetrievalQA.from_chain_type(llm, retriever=self.found)\n    return qa(q)',
    ['qa ?'],
  ],
  ['known by its class', 'qa = RetrievalQA.from_chain_type(llm, self.found)\n    return qa(q)', ['qa ?']],
  ['run at once', 'return RetrievalQA.from_chain_type(llm, retriever=retriever)(q)', ['from_chain_type ?']],
  ['of the program', 'chain = make_chain(llm, retriever)\n    return chain.invoke(q)', ['invoke ?']],
  ['without a retriever', 'chain = LLMChain(llm=llm, prompt=self.p)\n    return chain(q)', []],
  ['without one that is set', 'chain = make_chain(llm, retriever=None)\n    return chain(q)', []],
  [
    'that others run',
    'qa = RetrievalQA.from_chain_type(llm, retriever=retriever)\n    return qa',
    ['retriever ?'],
  ],
] as const)
  test(`a chain around a retriever from elsewhere: ${what}`, async () => {
    assert.deepEqual(brief((await inPython(`${IN}${code}\n`)).sites), wanted);
  });

const CHAINS =
  'from langchain.chains import RetrievalQA\nfrom langchain_chroma import Chroma\ndef get_qa(config) -> RetrievalQA:\n    return RetrievalQA.from_chain_type(llm, retriever=Chroma("x").as_retriever(**config))\ndef get_llm(config) -> LLM:\n    return LLM(config)\n';

for (const [what, code, wanted] of [
  ['called', 'from chains import get_qa\nqa = get_qa(config)\nanswer = qa(question)\n', ['qa ?']],
  ['run', 'from chains import get_qa\nanswer = get_qa(config).run(question)\n', ['run ?']],
  [
    'called in a function',
    'from chains import get_qa\ndef ui():\n    qa = get_qa(1)\n    def ask(q):\n        return qa(q)\n',
    ['qa ?'],
  ],
  ['something else', 'from chains import get_llm\nllm = get_llm(config)\nanswer = llm(question)\n', []],
  ['of another module', 'from others import get_qa\nqa = get_qa(config)\nanswer = qa(question)\n', []],
] as const)
  test(`a chain from another file: ${what}`, async () => {
    const { sites } = await detectIn({ 'main.py': code, 'chains.py': CHAINS }, 'main.py');
    assert.deepEqual(brief(sites), wanted);
  });

const TS = `import { Chroma } from '@langchain/community/vectorstores/chroma'\nconst store = new Chroma()\n`;

for (const [what, code, wanted] of [
  [
    'of which one of two branches makes the retriever',
    'async function ask(bot, q) {\n  let retriever\n  if (bot.own) { retriever = new Own() } else { retriever = store.asRetriever({}) }\n  const chain = createChain({ llm, retriever })\n  return chain.invoke(q)\n}\n',
    [['createChain', 'invoke']],
  ],
  [
    'of which something later makes another one',
    'async function ask(bot, q) {\n  let retriever = store.asRetriever({})\n  const chain = createChain({ llm, retriever })\n  retriever = other()\n  return chain.invoke(q)\n}\n',
    [['createChain']],
  ],
  [
    'whose retriever is among what a function gives back',
    'async function make() {\n  const retriever = store.asRetriever({})\n  return { retriever, documents }\n}\nasync function ask(q) {\n  const { retriever } = await make()\n  const chain = createChain({ llm, retriever })\n  return chain.stream(q)\n}\n',
    [['stream']],
  ],
] as const)
  test(`in TypeScript, a run of a chain ${what}`, async () => {
    const text = `${TS}${code}`;
    assert.deepEqual(usesIn(text, (await inTypeScript(text)).sites), wanted);
  });

test('a chat engine around a retriever is run, a simple one is not', async () => {
  const text = `from llama_index.core import VectorStoreIndex
from llama_index.core.chat_engine import ContextChatEngine, SimpleChatEngine
index = VectorStoreIndex.from_documents(documents)
engine = ContextChatEngine.from_defaults(index.as_retriever(similarity_top_k=3))
engine.stream_chat(question)
simple = SimpleChatEngine.from_defaults(llm)
simple.chat(question)
`;
  const { sites } = await inPython(text);
  assert.deepEqual(brief(sites), ['as_retriever 3']);
  assert.deepEqual(usesIn(text, sites), [['from_defaults', 'stream_chat']]);
});

test('the return value of a mock in a test is no search', async () => {
  const { sites } = await inPython(
    `${CHROMA}store.as_retriever().invoke.return_value = found\nstore.as_retriever().search_kwargs = {}\n`,
  );
  assert.equal(sites.length, 1);
});
