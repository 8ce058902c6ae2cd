/** Retrievers, stores and constants from other files of the workspace. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moduleFile } from '../../../src/sites/workspace/modules.ts';
import { importedModules } from '../../../src/sites/workspace/neighbours.ts';
import { brief } from './support.ts';
import { detectIn, neighboursOf } from './workspace-support.ts';

const STORE = `from langchain_chroma import Chroma
from langchain_core.vectorstores import VectorStore
TOP_K = 7
store = Chroma("kb")
retriever = store.as_retriever(search_kwargs={"k": 6})

def get_retriever():
    return store.as_retriever(search_kwargs={"k": 9})

class Index:
    def __init__(self):
        self.store = Chroma("kb")
        self.retriever = self.store.as_retriever(search_kwargs={"k": 3})

    @property
    def finder(self):
        return self.retriever

    def make(self):
        return self.store.as_retriever()

class Settings:
    depth = 8

settings = Settings()
index = Index()
`;

for (const [what, code, wanted] of [
  [
    'a constant',
    'from app.store import TOP_K, store\nstore.similarity_search(q, k=TOP_K)',
    'similarity_search 7',
  ],
  [
    'a constant of the module',
    'from app import store\nstore.store.similarity_search(q, k=store.TOP_K)',
    'similarity_search 7',
  ],
  [
    'an attribute',
    'from app.store import settings, store\nstore.similarity_search(q, k=settings.depth)',
    'similarity_search 8',
  ],
  ['a retriever', 'from app.store import retriever\nretriever.invoke(q)', 'invoke 6'],
  ['a retriever under another name', 'from app.store import retriever as find\nfind.invoke(q)', 'invoke 6'],
  ['a factory', 'from app.store import get_retriever\nget_retriever().invoke(q)', 'invoke 9'],
  ['an object with a retriever', 'from app.store import index\nindex.retriever.invoke(q)', 'invoke 3'],
  ['a class with a retriever', 'from app.store import Index\nIndex().finder.invoke(q)', 'invoke 3'],
  [
    'a parameter of a class with a retriever',
    'from app.store import Index\ndef f(i: Index):\n    return i.make().invoke(q)',
    'invoke 4',
  ],
  [
    'an attribute of a class with a retriever',
    'from app.store import Index\nclass S:\n    def __init__(self, index: Index):\n        self.index = index\n    def f(self):\n        return self.index.retriever.invoke(q)',
    'invoke 3',
  ],
  ['a name that is handed on', 'from app.again import find\nfind.invoke(q)', 'invoke 6'],
] as const)
  test(`follows ${what} of another file`, async () => {
    const files = {
      'app/__init__.py': '',
      'app/store.py': STORE,
      'app/again.py': 'from .store import retriever\nfind = retriever\n',
      'main.py': `${code}\n`,
    };
    const { sites } = await detectIn(files, 'main.py');
    assert.deepEqual(brief(sites), [wanted]);
    assert.equal(sites[0]?.k.place, undefined);
  });

for (const [what, code, inStore] of [
  ['set twice', 'from store import K', 'K = 3\nif x:\n    K = 9\n'],
  ['read from the environment', 'from store import K', 'import os\nK = int(os.getenv("K", 3))\n'],
  ['computed', 'from store import K', 'K = make()\n'],
  ['set again here', 'from store import K\nK = 9', 'K = 3\nK += 1\n'],
  [
    'in a class of settings',
    'from store import s\nK = s.k',
    'from pydantic_settings import BaseSettings\nclass S(BaseSettings):\n    k: int = 3\ns = S()\n',
  ],
  ['changed here', 'from store import s\ns.k = 9\nK = s.k', 'class S:\n    k = 3\ns = S()\n'],
  ['in a file that is not there', 'from other import K', 'K = 3\n'],
] as const)
  test(`a value of another file that is ${what} is not stated`, async () => {
    const files = {
      'store.py': inStore,
      'main.py': `from langchain_chroma import Chroma\n${code}\nChroma("kb").similarity_search(q, k=K)\n`,
    };
    const { sites } = await detectIn(files, 'main.py');
    assert.notEqual(sites[0]?.k.value, 3);
  });

test('an unclosed import is not searched for in the rest of the text', () => {
  const text = 'from one import (a,\nfrom two import (b,\n  c)\nfrom three import (d, e)\n';
  assert.deepEqual(importedModules(text, 'python'), [
    ...['one', 'one.a', 'two', 'two.b', 'two.c', 'three', 'three.d', 'three.e'],
  ]);
});

test('a retriever of another file names the place where it is made', async () => {
  const files = {
    'app/store.py': STORE,
    'app/main.py': 'from .store import retriever\nretriever.invoke(q)\n',
  };
  const { sites } = await detectIn(files, 'app/main.py');
  assert.deepEqual(
    sites.map(({ madeIn }) => madeIn),
    [{ file: 'app/store.py', line: 5 }],
  );
});

test('the same holds in TypeScript', async () => {
  const files = {
    'src/lib/store.ts': `import { Chroma } from '@langchain/community/vectorstores/chroma';
export const TOP_K = 5;
const store = new Chroma();
export const retriever = store.asRetriever({ k: TOP_K });
export async function makeRetriever() { return store.asRetriever(8); }`,
    'src/app/route.ts': `import { retriever, makeRetriever } from '@/lib/store';
await retriever.invoke(q);
const made = await makeRetriever();
await made.invoke(q);`,
  };
  const { sites } = await detectIn(files, 'src/app/route.ts');
  assert.deepEqual(brief(sites), ['invoke 5', 'invoke 8']);
});

test('reads files once until they change, up to a limit', async () => {
  const read: string[] = [];
  const many = Object.fromEntries(
    Array.from({ length: 90 }, (_, at) => [`m${at}.py`, `from m${at + 1} import x\n`]),
  );
  const all = Array.from({ length: 90 }, (_, at) => `from m${at} import x`).join('\n');
  const files = { ...many, 'main.py': `${all}\n`, 'circle.py': 'from main import y\n' };
  const neighbours = neighboursOf(files, read);
  await neighbours.around('main.py', files['main.py'], 'python');
  assert.equal(read.length, 40);
  await neighbours.around('main.py', files['main.py'], 'python');
  assert.equal(read.length, 40);
  neighbours.forget('m0.py');
  await neighbours.around('main.py', files['main.py'], 'python');
  assert.equal(read.length, 41);
});

test('a cycle of names ends', async () => {
  const files = {
    'a.py': 'from b import x\n',
    'b.py': 'from a import x\n',
    'main.py': 'from a import x\nx.invoke(q)\n',
  };
  const { sites } = await detectIn(files, 'main.py');
  assert.deepEqual(sites, []);
});

test('resolves modules as Python and bundlers do', () => {
  const files = new Set(['app/db.py', 'app/rag/__init__.py', 'lib/db.ts', 'lib/rag/index.ts']);
  for (const [importer, module, language, wanted] of [
    ['app/main.py', '.db', 'python', 'app/db.py'],
    ['app/main.py', 'db', 'python', 'app/db.py'],
    ['app/rag/x.py', '..db', 'python', 'app/db.py'],
    ['app/rag/x.py', 'app.rag', 'python', 'app/rag/__init__.py'],
    ['app/main.py', '....db', 'python', undefined],
    ['app/main.py', 'langchain', 'python', undefined],
    ['lib/a.ts', './db.js', 'javascript', 'lib/db.ts'],
    ['lib/a.ts', './rag', 'javascript', 'lib/rag/index.ts'],
    ['lib/a.ts', '../../db', 'javascript', undefined],
    ['lib/a.ts', 'db', 'javascript', undefined],
    ['web/a.ts', '@/lib/db', 'javascript', 'lib/db.ts'],
  ] as const)
    assert.equal(moduleFile(importer, module, language, files), wanted, module);
});
