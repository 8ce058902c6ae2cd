/** A parameter's default is stated as k only if no caller in the workspace sets it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallSite } from '../../../src/sites/model.ts';
import { brief, CHROMA, inPython } from './support.ts';
import { detectIn, neighboursOf } from './workspace-support.ts';

const FUNCTION = `${CHROMA}
def search(q, max_results: int = 5):
    return store.similarity_search(q, k=max_results)
`;
const METHOD = `${CHROMA}
class Index:
    def search(self, q, max_results: int = 5):
        return store.similarity_search(q, k=max_results)
`;
const CONSTRUCTOR = `${CHROMA}
class Index:
    def __init__(self, max_results: int = 5):
        self.max_results = max_results

    def search(self, q):
        return store.similarity_search(q, k=self.max_results)
`;

async function stated(store: string, files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { sites } = await detectIn(
    { 'app/__init__.py': '', 'app/store.py': store, ...files },
    'app/store.py',
  );
  return brief(sites);
}

for (const [what, store, other] of [
  ['by position', FUNCTION, 'from app.store import search\nsearch(q, 20)'],
  ['by name', FUNCTION, 'from app.store import search\nsearch(q, max_results=20)'],
  ['by a spread', FUNCTION, 'from app.store import search\nsearch(q, **options)'],
  ['through the module', FUNCTION, 'from app import store\nstore.search(q, 20)'],
  ['through the package', FUNCTION, 'import app.store\napp.store.search(q, 20)'],
  ['under another name', FUNCTION, 'from app.store import search as find\nfind(q, 20)'],
  ['after a star', FUNCTION, 'from app.store import *\nsearch(q, 20)'],
  ['from a path that is set up elsewhere', FUNCTION, 'from src.app.store import search\nsearch(q, 20)'],
  ['as a value', FUNCTION, 'from app.store import search\nagent(tools=[search])'],
  ['of a method', METHOD, 'from app.store import Index\nIndex().search(q, 20)'],
  ['of an object that is handed in', METHOD, 'def answer(index, q):\n    return index.search(q, 20)'],
  [
    'of an object that a framework keeps',
    METHOD,
    'import fastapi\napp = fastapi.FastAPI()\napp.state.index.search(q, 20)',
  ],
  [
    'of an object that a framework hands in',
    METHOD,
    'from fastapi import Depends\nindex = Depends(make)\nindex.search(q, 20)',
  ],
  [
    'in a class that inherits',
    METHOD,
    'from app.store import Index\nclass Mine(Index):\n    def f(self):\n        return self.search(q, 20)',
  ],
  ['of a constructor', CONSTRUCTOR, 'from app.store import Index\nIndex(20)'],
  [
    'of a constructor that is inherited',
    CONSTRUCTOR,
    'from app.store import Index\nclass Mine(Index):\n    pass\nMine(20)',
  ],
] as const)
  test(`a parameter that another file sets ${what} leaves k unknown`, async () => {
    // A caller of the same file, and one of a third file, leave it.
    const here = `${store}\ndef ask(q):\n    return ${store === FUNCTION ? 'search(q)' : 'Index().search(q)'}\n`;
    const third =
      store === FUNCTION
        ? 'from app.store import search\nsearch(q)\n'
        : 'from app.store import Index\nIndex().search(q)\n';
    assert.deepEqual(await stated(here, { 'main.py': `${other}\n`, 'third.py': third }), [
      'similarity_search ?',
    ]);
  });

for (const [what, store, other] of [
  ['of a function', FUNCTION, 'from app.store import search\nsearch(q)'],
  ['of a function of a module', FUNCTION, 'from app import store\nstore.search(q)'],
  ['of a method', METHOD, 'from app.store import Index\nIndex().search(q)'],
  ['of a constructor', CONSTRUCTOR, 'from app.store import Index\nIndex().search(q)'],
] as const)
  test(`a parameter that callers in other files omit is stated: ${what}`, async () => {
    const namesakes = `import re
class Other:
    def search(self, q, n):
        return re.search(q, n)
Other().search("a", 20)
def f(search):
    return search("a", 20)
`;
    assert.deepEqual(await stated(store, { 'main.py': `${other}\n`, 'namesakes.py': namesakes }), [
      'similarity_search 5',
    ]);
  });

test('k is unknown until other files have been searched', async () => {
  const text = `${FUNCTION}\nsearch(q)\n`;
  const { sites, questions: asked } = await inPython(text);
  assert.deepEqual(brief(sites), ['similarity_search ?']);
  assert.equal(why(sites[0]), 'max_results is a parameter that callers may set, 5 by default');
  assert.deepEqual(asked, [{ name: 'search', owner: undefined, parameter: 'max_results', position: 1 }]);
  assert.deepEqual(brief((await detectIn({ 'store.py': text }, 'store.py')).sites), ['similarity_search 5']);
});

test('a parameter without visible callers is not stated', async () => {
  assert.deepEqual(await stated(FUNCTION, { 'main.py': 'import re\nre.search("a", "b")\n' }), [
    'similarity_search ?',
  ]);
});

test('a parameter without possible callers is stated at once', async () => {
  const nested = `${CHROMA}def main(q):
    def search(q, n=5):
        return store.similarity_search(q, k=n)
    return search(q)
`;
  assert.deepEqual(brief((await inPython(nested)).sites), ['similarity_search 5']);
});

test('the same holds in TypeScript', async () => {
  const store = (
    search: string,
  ): string => `import { Chroma } from '@langchain/community/vectorstores/chroma';
const store = new Chroma();
${search} search(q: string, n = 5) { return store.similaritySearch(q, n); }
`;
  const among = async (search: string, other: string, more = ''): Promise<string[]> => {
    const files = { 'lib/store.ts': store(search) + more, 'app.ts': other };
    return brief((await detectIn(files, 'lib/store.ts')).sites);
  };
  const left = "import { search } from './lib/store';\nawait search(q);";
  assert.deepEqual(await among('export function', left), ['similaritySearch 5']);
  assert.deepEqual(await among('export function', left.replace('(q)', '(q, 20)')), ['similaritySearch ?']);
  assert.deepEqual(await among('export function', left.replace('search }', 'search as find }')), [
    'similaritySearch ?',
  ]);
  // Importers name a default export themselves.
  assert.deepEqual(
    await among('export default function', "import find from './lib/store';\nfind(q, 20);", 'search(q);'),
    ['similaritySearch ?'],
  );
  assert.deepEqual(await among('function', 'find(q, 20);', 'export { search as find };\nsearch(q);'), [
    'similaritySearch ?',
  ]);
  // What is not exported is not used elsewhere.
  assert.deepEqual(await among('function', 'search(q, 20);', 'search(q);'), ['similaritySearch 5']);
});

test('reads a changed file again', async () => {
  const files = { 'store.py': FUNCTION, 'main.py': 'from store import search\nsearch(q)\n' };
  const neighbours = neighboursOf(files);
  assert.deepEqual(brief((await detectIn(files, 'store.py', neighbours)).sites), ['similarity_search 5']);
  files['main.py'] = 'from store import search\nsearch(q, 20)\n';
  neighbours.forget('main.py');
  assert.deepEqual(brief((await detectIn(files, 'store.py', neighbours)).sites), ['similarity_search ?']);
});

test('a name in too many files, or in a notebook, leaves k unknown', async () => {
  const caller = 'from store import search\nsearch(q)\n';
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`m${at}.py`, caller]));
  const some = { 'store.py': FUNCTION, 'main.py': caller };
  assert.deepEqual(brief((await detectIn({ ...some, ...many }, 'store.py')).sites), ['similarity_search ?']);
  const withNotebook = { ...some, 'try.ipynb': '{"cells": [{"source": "search(q, 20)"}]}' };
  assert.deepEqual(brief((await detectIn(withNotebook, 'store.py')).sites), ['similarity_search ?']);
});

function why(site: CallSite | undefined): string | undefined {
  return site?.k.provenance === 'unknown' ? site.k.why : undefined;
}
