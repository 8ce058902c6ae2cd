/** Calls of the workspace's own functions that retrieve, and the retrievals they lead to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Detection } from '../../../src/sites/detector.ts';
import { inPython } from './support.ts';
import { detectIn, type Files } from './workspace-support.ts';

/** `12 search_docs → store.py:7`, with the line number for targets in the text itself. */
function linked(text: string, { links }: Detection): readonly string[] {
  const line = (at: number): number => text.slice(0, at).split('\n').length;
  return links.map(({ range, to }) => {
    const where = to.kind === 'here' ? `line ${line(to.place.start)}` : `${to.file}:${to.line}`;
    return `${line(range.start)} ${text.slice(range.start, range.end)} → ${where}`;
  });
}

async function linksIn(files: Files, file: string): Promise<readonly string[]> {
  return linked(files[file] ?? '', await detectIn(files, file));
}

const STORE = `from langchain_chroma import Chroma

store = Chroma("kb")
retriever = store.as_retriever()

def search_docs(q):
    return store.similarity_search(q, k=5)

def titles(q):
    docs = search_docs(q)
    return [d.metadata["title"] for d in docs]

def count():
    return len(store.get()["ids"])

def show(q):
    print(store.similarity_search(q))

def make():
    return store.as_retriever(search_kwargs={"k": 3})

def run(q):
    return retriever.invoke(q)

class Index:
    def __init__(self):
        self.store = Chroma("kb")

    async def find(self, q):
        hits = await self.store.asimilarity_search(q)
        return [hit.page_content for hit in hits]

    @staticmethod
    def ask(q):
        return store.similarity_search(q)

class Inner(Index):
    pass

index = Index()
`;

const SERVICE = `from .store import Index, search_docs

class Service:
    def __init__(self, index: Index):
        self.index = index

    async def passages(self, q):
        return await self.index.find(q)

    def answer(self, q):
        docs = search_docs(q)
        print(docs)
        return "done"

def again(q):
    return search_docs(q)
`;

const FILES = { 'app/__init__.py': '', 'app/store.py': STORE, 'app/service.py': SERVICE };

for (const [what, code, wanted] of [
  ['a function', 'from app.store import search_docs\nsearch_docs(q)', '2 search_docs → app/store.py:7'],
  ['a function under another name', 'from app.store import search_docs as s\ns(q)', '2 s → app/store.py:7'],
  ['a function of a module', 'from app import store\nstore.search_docs(q)', '2 search_docs → app/store.py:7'],
  ['a function that gives on', 'from app.store import titles\ntitles(q)', '2 titles → app/store.py:7'],
  ['one that runs a retriever', 'from app.store import run\nrun(q)', '2 run → app/store.py:4'],
  ['a method', 'from app.store import index\nawait index.find(q)', '2 find → app/store.py:30'],
  ['a static method', 'from app.store import Index\nIndex.ask(q)', '2 ask → app/store.py:35'],
  ['an inherited method', 'from app.store import Inner\nInner().find(q)', '2 find → app/store.py:30'],
  [
    'a method of an attribute',
    'from app.store import Index\nclass A:\n    def __init__(self, index: Index):\n        self.index = index\n    def go(self, q):\n        self.index.find(q)',
    '6 find → app/store.py:30',
  ],
  [
    'a method that gives on what another file finds',
    'from app.service import Service\nasync def go(s: Service):\n    await s.passages(q)',
    '3 passages → app/store.py:30',
  ],
  ['a function that does', 'from app.service import again\nagain(q)', '2 again → app/store.py:7'],
  [
    'a function that is handed to a thread',
    'import asyncio\nfrom app.store import search_docs\nawait asyncio.to_thread(search_docs, q)',
    '3 search_docs → app/store.py:7',
  ],
] as const)
  test(`links a call of ${what} of another file to its retrieval`, async () => {
    assert.deepEqual(await linksIn({ ...FILES, 'main.py': `${code}\n` }, 'main.py'), [wanted]);
  });

for (const [what, code] of [
  ['retrieves nothing', 'from app.store import count\ncount()'],
  ['only makes a retriever', 'from app.store import make\nmake()'],
  ['gives nothing back', 'from app.store import show\nshow(q)'],
  ['does something else with what is found', 'from app.service import Service\nService(i).answer(q)'],
  ['is only named', 'from app.store import search_docs\nprint(search_docs)'],
  ['has the name of one', 'from other import search_docs\nsearch_docs(q)'],
  ['is hidden by one of the text', 'from app.store import search_docs\ndef search_docs(q):\n    pass'],
] as const)
  test(`links no call to a function that ${what}`, async () => {
    assert.deepEqual(await linksIn({ ...FILES, 'main.py': `${code}\n` }, 'main.py'), []);
  });

test('links calls within a file to the retrieval of their function', async () => {
  assert.deepEqual(linked(STORE, await inPython(STORE)), ['10 search_docs → line 7']);
});

test('links nothing to an ignored call', async () => {
  const text = STORE.replace('k=5)', 'k=5)  # parallax: ignore');
  assert.deepEqual(linked(text, await inPython(text)), []);
});

test('the same holds in TypeScript', async () => {
  const files = {
    'src/lib/search.ts': `import { Pinecone } from '@pinecone-database/pinecone';
const index = new Pinecone().index('kb');
export async function searchDocs(vector: number[]) {
  const { matches } = await index.query({ vector, topK: 4 });
  return matches.map((match) => match.metadata);
}
export const near = async (vector: number[]) => (await index.query({ vector, topK: 4 })).matches;
export class Store {
  constructor(private readonly name: string) {}
  async find(vector: number[]) {
    return Promise.all([1].map(async () => index.query({ vector, topK: 3 })));
  }
}
`,
    'src/lib/service.ts': `import { Store } from './search';
export class Service {
  constructor(private readonly store: Store) {}
  async ask(vector: number[]) {
    const found = await this.store.find(vector);
    return found.slice(0, 2);
  }
}
`,
    'src/app/route.ts': `import { searchDocs, near } from '@/lib/search';
import { Service } from '../lib/service';
const docs = await searchDocs([1]);
near([2]);
export async function POST(service: Service) { return service.ask([3]); }
`,
  };
  assert.deepEqual(await linksIn(files, 'src/app/route.ts'), [
    '3 searchDocs → src/lib/search.ts:4',
    '4 near → src/lib/search.ts:7',
    '5 ask → src/lib/search.ts:11',
  ]);
  assert.deepEqual(await linksIn(files, 'src/lib/service.ts'), ['5 find → src/lib/search.ts:11']);
});

test("a method of the workspace named after a library's is no search", async () => {
  const files = {
    'index.py': `from langchain_chroma import Chroma
class Index:
    def __init__(self):
        self.store = Chroma("kb")
    def similarity_search(self, q, k=4):
        return self.store.similarity_search(q, k=k)
`,
    'main.py':
      'from langchain_core.documents import Document\nfrom index import Index\nIndex().similarity_search(q, k=3)\n',
  };
  const found = await detectIn(files, 'main.py');
  assert.deepEqual(found.sites, []);
  assert.deepEqual(linked(files['main.py'], found), ['3 similarity_search → index.py:6']);
});

test('stops at functions that call each other', async () => {
  const files = {
    'a.py': 'from b import two\ndef one(q):\n    return two(q)\n',
    'b.py': 'from a import one\ndef two(q):\n    return one(q)\n',
    'main.py': 'from a import one\none(q)\n',
  };
  assert.deepEqual(await linksIn(files, 'main.py'), []);
});

test('links FastAPI dependencies to what they return', async () => {
  const files = {
    'store.py': `${STORE}\ndef get_index():\n    return Index()\n`,
    'api.py':
      'from fastapi import Depends\nfrom store import Index, get_index\n\ndef ask(q, index=Depends(get_index)):\n    return index.find(q)\n\ndef same(q, index=Depends(Index)):\n    return index.find(q)\n\ndef other(q, index=get_index):\n    return index.find(q)\n',
  };
  const found = await linksIn(files, 'api.py');
  assert.deepEqual(
    found.map((each) => each.split(' → ')[0]),
    ['5 find', '8 find'],
  );
});

const BY_CHROMA = `class ByChroma(Base):
    def fetch(self, q):
        return Chroma("kb").similarity_search(q, k=4)
`;

for (const [what, code] of [
  [
    'an interface',
    `from abc import ABC
class Base(ABC):
    def fetch(self, q): ...
${BY_CHROMA}
class Service:
    def __init__(self, base: Base):
        self.base = base
    def ask(self, q):
        return self.base.fetch(q)
`,
  ],
  [
    'a registry',
    `class Base: pass\n${BY_CHROMA}\nALL = {"chroma": ByChroma}\ndef ask(q, name):\n    return ALL[name]().fetch(q)\n`,
  ],
  [
    'what a constructor is handed',
    `class Base: pass\n${BY_CHROMA}
class Service:
    def __init__(self, base):
        self.base = base
    def ask(self, q):
        return self.base.fetch(q)
service = Service(ByChroma())
`,
  ],
] as const)
  test(`links calls of a retriever that only the running program chooses: ${what}`, async () => {
    const text = `from langchain_chroma import Chroma\n${code}`;
    const found = linked(text, await inPython(text));
    const at = text.split('\n').findIndex((line) => line.includes('similarity_search')) + 1;
    assert.deepEqual(
      found.map((each) => each.replace(/^\d+ /u, '')),
      [`fetch → line ${at}`],
    );
    const other = text.replace(/(base|ALL\[name\]\(\))\.fetch/u, 'requests.fetch');
    assert.deepEqual(linked(other, await inPython(other)), []);
  });

const BY_PINECONE = `import { Pinecone } from '@pinecone-database/pinecone';
import type { Retriever } from './retriever';
export class ByPinecone implements Retriever {
  private index = new Pinecone().index('a');
  async fetch(q: string) { return (await this.index.query({ vector: embed(q), topK: 4 })).matches; }
}
`;
const INTERFACE = 'export interface Retriever { fetch(q: string): Promise<string[]>; }\n';

for (const [how, file, code] of [
  [
    'imported and injected',
    'src/chat.ts',
    `import type { Retriever } from './retriever';
export class Chat {
  constructor(private readonly retriever: Retriever) {}
  ask(q: string) { return this.retriever.fetch(q); }
}
`,
  ],
  [
    'imported and passed',
    'src/chat.ts',
    `import { type Retriever } from './retriever';
export const ask = (q: string, retriever: Retriever) => retriever.fetch(q);
`,
  ],
  [
    'declared beside the call',
    'src/retriever.ts',
    `${INTERFACE}export const ask = (q: string, r: Retriever) => r.fetch(q);\n`,
  ],
] as const)
  test(`links calls of an interface whose implementations are not imported: ${how}`, async () => {
    const files = { 'src/pinecone.ts': BY_PINECONE, 'src/retriever.ts': INTERFACE, [file]: code };
    const [link, ...more] = await linksIn(files, file);
    assert.match(link ?? '', /^\d fetch → src\/pinecone\.ts:5$/u);
    assert.deepEqual(more, []);
    // A class that implements something else has nothing to do with it.
    const other = {
      ...files,
      'src/pinecone.ts': BY_PINECONE.replace('implements Retriever', 'implements Other'),
    };
    assert.deepEqual(await linksIn(other, file), []);
  });

test('links calls of a protocol whose implementations are not imported', async () => {
  const files = {
    'app/base.py': 'from typing import Protocol\nclass Base(Protocol):\n    def fetch(self, q): ...\n',
    'app/chroma.py':
      'from langchain_chroma import Chroma\nfrom .base import Base\nclass ByChroma(Base):\n    def fetch(self, q):\n        return Chroma("kb").similarity_search(q)\n',
    'app/service.py':
      'from .base import Base\nclass Service:\n    def __init__(self, base: Base):\n        self.base = base\n    def ask(self, q):\n        return self.base.fetch(q)\n',
  };
  assert.deepEqual(await linksIn(files, 'app/service.py'), ['6 fetch → app/chroma.py:5']);
});

test('links calls of an interface and of classes of other files', async () => {
  const files = {
    'main.ts': `import { Pinecone } from '@pinecone-database/pinecone';
interface Retriever { fetch(q: string): Promise<string[]>; }
class ByPinecone implements Retriever {
  index = new Pinecone().index('a');
  async fetch(q: string) { return (await this.index.query({ vector: embed(q), topK: 4 })).matches; }
}
export const ask = (q: string, retriever: Retriever) => retriever.fetch(q);
`,
    'store.py':
      'from langchain_chroma import Chroma\nclass ByChroma:\n    def fetch(self, q):\n        return Chroma("kb").similarity_search(q)\n',
    'app.py':
      'from store import ByChroma\nALL = {"chroma": ByChroma}\ndef ask(q, name):\n    return ALL[name]().fetch(q)\n',
  };
  assert.deepEqual(await linksIn(files, 'main.ts'), ['7 fetch → line 5']);
  assert.deepEqual(await linksIn(files, 'app.py'), ['4 fetch → store.py:4']);
});
