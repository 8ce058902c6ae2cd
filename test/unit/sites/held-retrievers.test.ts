/** Retrievers in a dict or object, and those that another file passes to a chain or an engine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallSite } from '../../../src/sites/model.ts';
import { brief, CHROMA, inPython, inTypeScript } from './support.ts';
import { detectIn } from './workspace-support.ts';

/** Each call with the lines that are linked to it: `as_retriever 3: 5, 6`. */
function withUses(text: string, sites: readonly CallSite[]): readonly string[] {
  const line = (at: number): number => text.slice(0, at).split('\n').length;
  return sites.map((site) => `${brief([site])[0]}: ${site.uses.map(({ start }) => line(start)).join(', ')}`);
}

for (const [what, run, wanted] of [
  ['by its key', 'held["docs"].invoke(q)', ['as_retriever 3: 4', 'as_retriever 4: ']],
  ['with get', 'held.get("code").invoke(q)', ['as_retriever 3: ', 'as_retriever 4: 4']],
  ['by any key', 'held[name].invoke(q)', ['as_retriever 3: 4', 'as_retriever 4: 4']],
  ['by no key', 'held["web"].invoke(q)', ['as_retriever 3: ', 'as_retriever 4: ']],
  ['for a chain', 'make_chain(held["docs"])', ['as_retriever 3: 4', 'as_retriever 4: ']],
] as const)
  test(`links a retriever in a dict where it is read ${what}`, async () => {
    const made = ['docs', 'code'].map(
      (key, at) => `"${key}": s.as_retriever(search_kwargs={"k": ${3 + at}})`,
    );
    const text = `${CHROMA.replace('store =', 's =')}held = {${made.join(', ')}}\n${run}\n`;
    assert.deepEqual(withUses(text, (await inPython(text)).sites), wanted);
  });

for (const [what, code] of [
  ['set by a key', 'held = {}\nheld["docs"] = store.as_retriever()\nheld["docs"].invoke(q)\n'],
  [
    'of a class',
    'class A:\n    def __init__(self):\n        self.held = {"docs": store.as_retriever()}\n    def go(self):\n        self.held["docs"].invoke(q)\n',
  ],
] as const)
  test(`links a retriever in a dict ${what} to its run`, async () => {
    const text = `${CHROMA}${code}`;
    const last = text.split('\n').length - 1;
    assert.deepEqual(withUses(text, (await inPython(text)).sites), [`as_retriever 4: ${last}`]);
  });

for (const [what, code, wanted] of [
  ['the entries of a dict', 'held = {"a": r()}\nfor name, each in held.items():\n    each.invoke(q)\n', '7'],
  ['the values of a dict', 'held = {"a": r()}\nfound = [each.invoke(q) for each in held.values()]\n', '6'],
  ['a list', 'held = [r(), other]\nfor each in held:\n    each.invoke(q)\n', '7'],
] as const)
  test(`links a retriever to its run in a loop over ${what}`, async () => {
    const text = `${CHROMA}\n\n${code.replace('r()', 'store.as_retriever()')}`;
    assert.deepEqual(withUses(text, (await inPython(text)).sites), [`as_retriever 4: ${wanted}`]);
  });

test('overwriting a key of a dict is no run of the old value', async () => {
  const text = `${CHROMA}held = {"docs": store.as_retriever()}\nheld["docs"] = other\n`;
  assert.deepEqual(withUses(text, (await inPython(text)).sites), ['as_retriever 4: ']);
});

test('the same holds for an object of JavaScript', async () => {
  const text = `import { Chroma } from '@langchain/community/vectorstores/chroma';
const store = new Chroma();
const held = { docs: store.asRetriever(3), code: store.asRetriever(4) };
await held.docs.invoke(q);
await held[name].invoke(q);
`;
  assert.deepEqual(withUses(text, (await inTypeScript(text)).sites), [
    'asRetriever 3: 4, 5',
    'asRetriever 4: 5',
  ]);
});

const MAKER = `from langchain.retrievers import MultiQueryRetriever
from langchain_chroma import Chroma

def one():
    return Chroma("kb").as_retriever(search_kwargs={"k": 6})

def several(args):
    retriever = Chroma("kb").as_retriever(search_kwargs={"k": 6})
    if args.many:
        retriever = MultiQueryRetriever.from_llm(retriever=retriever, llm=llm)
    return retriever

class Maker:
    def get(self):
        return several(1)
`;

for (const [what, imported, made, wanted] of [
  ['gets from a function', 'one', 'one()', 'retriever 6 store.py:5'],
  ['gets from a function that makes several', 'several', 'several(args)', 'retriever ? store.py:7'],
  ['gets from a method', 'Maker', 'Maker().get()', 'retriever ? store.py:14'],
] as const)
  test(`links a chain around a retriever that it ${what} of another file`, async () => {
    const main = `from langchain.chains import create_retrieval_chain
from store import ${imported}

def chain(args):
    retriever = ${made}
    return create_retrieval_chain(retriever, answer)
`;
    const { sites } = await detectIn({ 'store.py': MAKER, 'main.py': main }, 'main.py');
    const found = sites.map(({ madeIn }) => (madeIn ? `${madeIn.file}:${madeIn.line}` : '-'));
    assert.deepEqual([`${brief(sites).join()} ${found.join()}`], [wanted]);
  });

test('links an engine of LlamaIndex, and none of another library', async () => {
  const engine = (from: string): string => `from ${from} import CondensePlusContextChatEngine
from llama_index.core import Settings
from .store import make

class Chat:
    def start(self):
        retriever = make()
        return CondensePlusContextChatEngine.from_defaults(retriever=retriever)
`;
  const [own, other] = await Promise.all(
    ['llama_index.core.chat_engine', 'engines'].map((from) => inPython(engine(from))),
  );
  assert.deepEqual(brief(own?.sites ?? []), ['retriever ?']);
  assert.deepEqual(brief(other?.sites ?? []), []);
});
