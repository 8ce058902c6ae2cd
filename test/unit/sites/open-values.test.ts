/** No default is stated for an argument that may be there: what cannot be known is left open. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, CHROMA, inPython, inTypeScript } from './support.ts';
import { detectIn, inWorkspace } from './workspace-support.ts';

const OPENSEARCH = 'from opensearchpy import OpenSearch\nclient = OpenSearch()\n';

for (const [what, code] of [
  ['a function of the file', 'store.as_retriever(search_kwargs=make())'],
  ['a function with k among its arguments', 'store.as_retriever(search_kwargs=make(k=7))'],
  ['a class that no rule names', 'store.as_retriever(search_kwargs=Options(k=7))'],
  ['a copy', 'base = {"k": 3}\nstore.as_retriever(search_kwargs=base.copy())'],
  ['a merge', 'base = {"k": 3}\nstore.as_retriever(search_kwargs=base | extra)'],
  ['a dict of something else', 'store.as_retriever(search_kwargs=dict(base))'],
  ['a dict of something else, with more', 'store.as_retriever(search_kwargs=dict(base, fetch_k=9))'],
  ['a comprehension', 'store.as_retriever(search_kwargs={name: 3 for name in names})'],
  ['a subscript of what is not known', 'store.as_retriever(search_kwargs=settings["search"])'],
  ['a parameter', 'def f(kw):\n    return store.as_retriever(search_kwargs=kw)'],
  ['a spread', 'store.as_retriever(search_kwargs={"fetch_k": 9, **rest})'],
  ['a spread after k', 'store.as_retriever(search_kwargs={"k": 9, **rest})'],
  ['a computed key after k', 'store.as_retriever(search_kwargs={"k": 9, name: 3})'],
  ['arguments that are spread', 'store.as_retriever(**rest)'],
  ['a text', 'store.as_retriever(search_kwargs="{}")'],
  ['changed under another name', 'a = {"k": 3}\nb = a\nb["k"] = 9\nstore.as_retriever(search_kwargs=a)'],
  [
    'changed by a function',
    'a = {"k": 3}\ndef f(x):\n    x["k"] = 9\nf(a)\nstore.as_retriever(search_kwargs=a)',
  ],
  ['changed inside', 'a = {"s": {"k": 3}}\na["s"]["k"] = 9\nstore.as_retriever(search_kwargs=a["s"])'],
  [
    'a parameter that a caller sets',
    'def f(n=3):\n    return store.as_retriever(search_kwargs={"k": n})\nf(9)',
  ],
  ['rounded to even', 'store.as_retriever(search_kwargs={"k": round(2.5)})'],
  ['a number to another base', 'store.as_retriever(search_kwargs={"k": int("10", 2)})'],
  ['after a star', '*a, b = [1, 2, 3]\nstore.as_retriever(search_kwargs={"k": b})'],
  [
    'bound by a case',
    'k = 3\nmatch x:\n    case {"k": k}:\n        store.as_retriever(search_kwargs={"k": k})',
  ],
  [
    'set globally below',
    'K = 3\ndef f():\n    global K\n    store.as_retriever(search_kwargs={"k": K})\n    K = 9',
  ],
  [
    'overrun by an import of everything',
    'K = 3\nfrom settings import *\nstore.as_retriever(search_kwargs={"k": K})',
  ],
] as const)
  test(`k is unknown if it is in ${what}`, async () => {
    const { sites } = await inPython(`${CHROMA}${code}\n`);
    assert.deepEqual(brief(sites), ['as_retriever ?']);
  });

for (const [what, body] of [
  ['parsed', 'json.loads(text)'],
  ['built by a function', 'build(5)'],
  ['built by a function that is handed a size', 'build(size=5)'],
  ['a text', '\'{"size": 5, "query": {"match": {"a": "b"}}}\''],
] as const)
  test(`a body that is ${what} has no known size`, async () => {
    const { sites } = await inPython(`import json\n${OPENSEARCH}client.search(index="a", body=${body})\n`);
    assert.deepEqual(brief(sites), ['search ?']);
  });

const OVERRIDDEN = [
  ['an instance', 'class S:\n    k = 3\ns = S()\ns.k = 9\nuse(s.k)'],
  ['an instance of a class below', 'class S:\n    k = 3\nclass T(S):\n    pass\ns = T()\ns.k = 9\nuse(s.k)'],
  [
    'a class below',
    'class S:\n    k = 3\n    def f(self):\n        use(self.k)\nclass T(S):\n    k = 9\nT().f()',
  ],
  [
    'a constructor',
    '@dataclass\nclass S:\n    k: int = 3\n    def f(self):\n        use(self.k)\nS(k=9).f()',
  ],
  ['setattr', 'class S:\n    k = 3\ns = S()\nsetattr(s, "k", 9)\nuse(s.k)'],
  ['a condition', 'class S:\n    k = 3\nclass T:\n    k = 9\ns = S() if x else T()\nuse(s.k)'],
] as const;

for (const [what, code] of OVERRIDDEN)
  test(`a class attribute that ${what} overrides is unknown`, async () => {
    const text = code.replace(/use\((.*)\)/u, 'store.similarity_search("q", k=$1)');
    const { sites } = await inPython(`from dataclasses import dataclass\n${CHROMA}${text}\n`);
    assert.deepEqual(brief(sites), ['similarity_search ?']);
  });

for (const [library, code] of [
  ['pinecone', 'from pinecone import Pinecone\n\ndef f(index, p):\n    index.query(vector=v, top_k=5, **p)'],
  [
    'qdrant',
    'from qdrant_client import QdrantClient\n\ndef f(c, p):\n    c.search(collection_name="a", query_vector=v, limit=5, **p)',
  ],
  ['chroma', 'import chromadb\n\ndef f(c, p):\n    c.query(query_texts=["q"], n_results=5, **p)'],
  ['milvus', 'import pymilvus\n\ndef f(c, p):\n    c.search(collection_name="a", data=[v], limit=5, **p)'],
] as const)
  test(`a spread beside k keeps a proven call of ${library}`, async () => {
    const { sites } = await inPython(`${code}\n`);
    assert.deepEqual(
      sites.map((site) => [site.library, site.k.value]),
      [[library, 5]],
    );
  });

for (const [library, code] of [
  ['pinecone', "import '@pinecone-database/pinecone';\nindex.query({ vector: v, topK: 5, ...p });"],
  ['qdrant', "import '@qdrant/js-client-rest';\nclient.search('a', { vector: v, limit: 5, ...p });"],
  ['chroma', "import 'chromadb';\ncollection.query({ queryTexts: ['q'], nResults: 5, ...p });"],
  [
    'milvus',
    "import '@zilliz/milvus2-sdk-node';\nclient.search({ collection_name: 'a', data: v, limit: 5, ...p });",
  ],
] as const)
  test(`a spread after k keeps a call of ${library} in JavaScript, with k unknown`, async () => {
    const { sites } = await inTypeScript(code);
    assert.deepEqual(
      sites.map((site) => [site.library, site.k.value]),
      [[library, undefined]],
    );
    const before = await inTypeScript(code.replace(/(, ...p)( \})/u, '$2').replace(/\{ /u, '{ ...p, '));
    assert.deepEqual(
      before.sites.map((site) => site.k.value),
      [5],
    );
  });

const CHROMA_JS =
  "import { Chroma } from '@langchain/community/vectorstores/chroma';\nconst store = new Chroma();\n";
for (const [what, code] of [
  ['declared again by var', 'var k = 3; if (x) { var k = 9; } store.asRetriever(k);'],
  ['assigned by a loop', 'let k = 3; for (k of [9]) {} store.asRetriever(k);'],
  ['taken apart by a loop', 'const k = 3; for (const { k } of [{ k: 9 }]) store.asRetriever(k);'],
  ['not assigned yet', 'let k; if (x) k = 3; store.asRetriever(k);'],
  ['after a hole', 'const [, k] = [3, 9]; store.asRetriever(k);'],
  ['in a computed key', 'store.asRetriever({ k: 3, [name]: 9 });'],
  ['changed inside', 'const o = { s: { k: 3 } }; o.s.k = 9; store.asRetriever({ k: o.s.k });'],
  ['assigned into', 'const o = { k: 3 }; Object.assign(o, p); store.asRetriever(o);'],
] as const)
  test(`in JavaScript k is unknown if it is ${what}`, async () => {
    const { sites } = await inTypeScript(CHROMA_JS + code);
    assert.deepEqual(brief(sites), ['asRetriever ?']);
  });

for (const [what, code] of [
  ['a function that nothing calls', 'def f(n=3):\n    store.similarity_search("q", k=n)'],
  [
    'a function of a web framework',
    '@app.get("/ask")\ndef f(q, n=3):\n    store.similarity_search(q, k=n)\nf("q")',
  ],
  [
    'a function with a namesake that is called',
    'class S:\n    def search(self, q, n=3):\n        store.similarity_search(q, k=n)\nindex.search("q")',
  ],
  ['a function that calls itself', 'def f(n=3):\n    store.similarity_search("q", k=n)\n    f()'],
  [
    'a constructor that nothing calls',
    'class S:\n    def __init__(self, n=3):\n        self.n = n\n    def f(self):\n        store.similarity_search("q", k=self.n)',
  ],
  [
    'the fields of an object that is made elsewhere',
    '@dataclass\nclass S:\n    n: int = 3\ndef f(s: S):\n    store.similarity_search("q", k=s.n)',
  ],
] as const)
  test(`the default of a parameter is shown, not stated: of ${what}`, async () => {
    const { sites } = await inWorkspace(`${CHROMA}from dataclasses import dataclass\n${code}\n`);
    assert.deepEqual(brief(sites), ['similarity_search ?']);
  });

const PINECONE =
  "import { Pinecone } from '@pinecone-database/pinecone';\nconst index = new Pinecone().index('a');\n";
for (const [what, code] of [
  ['a schema', 'const s = z.object({ topK: z.number().int().default(8) });\nconst { topK } = s.parse(body);'],
  ['a pattern', 'const { topK = 8 } = options;'],
  ['a condition', 'const topK = options.topK ?? 8;'],
] as const)
  test(`a value that may be set elsewhere shows its default: of ${what}`, async () => {
    const { sites } = await inTypeScript(`${PINECONE}${code}\nindex.query({ vector, topK });\n`);
    const [site] = sites;
    assert.ok(site?.k.provenance === 'unknown');
    assert.equal(site.k.otherwise, 8);
    assert.equal(site.k.why, 'it may be set elsewhere, 8 by default');
  });

for (const [what, code, why] of [
  [
    'a model',
    'class Ask(BaseModel):\n    k: int = Field(6, ge=1)\ndef f(ask: Ask):\n    store.similarity_search("q", k=ask.k)',
    'k is set by the arguments of the constructor, 6 by default',
  ],
  [
    'a request',
    'def f(k: int = Query(default=6, ge=1)):\n    store.similarity_search("q", k=k)',
    'k is a parameter that callers may set, 6 by default',
  ],
] as const)
  test(`the default of a field shows: of ${what}`, async () => {
    const { sites } = await inWorkspace(`${CHROMA}from pydantic import BaseModel, Field\n${code}\n`);
    const [site] = sites;
    assert.ok(site?.k.provenance === 'unknown');
    assert.deepEqual([site.k.why, site.k.otherwise], [why, 6]);
  });

test('no default is stated on an object of another file of the application', async () => {
  const files = {
    'app/strategies.py': 'def get_strategy(name):\n    return None\n',
    'main.py':
      'from langchain_core.documents import Document\nfrom app.strategies import get_strategy\nasync def node(q):\n    return await get_strategy(q).asearch(q, search_type="similarity")\n',
  };
  assert.deepEqual(brief((await detectIn(files, 'main.py')).sites), ['asearch ?']);
});

test('a parameter that callers may set shows its default', async () => {
  const { sites } = await inWorkspace(`${CHROMA}def f(n=3):\n    store.similarity_search("q", k=n)\n`);
  const [site] = sites;
  assert.ok(site?.k.provenance === 'unknown');
  assert.equal(site.k.why, 'n is a parameter that callers may set, 3 by default');
});

for (const [what, code] of [
  ['a function', 'def f(n=3):\n    store.similarity_search("q", k=n)\nf()'],
  [
    'a method',
    'class S:\n    def f(self, n=3):\n        store.similarity_search("q", k=n)\n    def g(self):\n        self.f()',
  ],
  [
    'a method of an object',
    'class S:\n    @staticmethod\n    def f(n=3):\n        store.similarity_search("q", k=n)\ns = S()\ns.f()',
  ],
  [
    'a constructor',
    'class S:\n    def __init__(self, n=3):\n        self.n = n\n    def f(self):\n        store.similarity_search("q", k=self.n)\nS().f()',
  ],
] as const)
  test(`the default of a parameter is stated if every caller omits it: of ${what}`, async () => {
    const { sites } = await inWorkspace(`${CHROMA}${code}\n`);
    assert.deepEqual(brief(sites), ['similarity_search 3']);
    const more = await inWorkspace(`${CHROMA}${code.replace(/(f|S)\(\)(\.f\(\))?$/u, '$1(n=9)$2')}\n`);
    assert.deepEqual(brief(more.sites), ['similarity_search ?']);
  });

test('reads plain values', async () => {
  for (const [code, k] of [
    ['store.as_retriever(search_kwargs=dict(k=3))', 3],
    ['store.as_retriever(search_kwargs=dict(k=3, **rest))', 3],
    ['base = {"k": 3}\nstore.as_retriever(search_kwargs={**base, "fetch_k": 9})', 3],
    ['store.as_retriever(search_kwargs={**rest, "k": 3})', 3],
    ['def f(n=3):\n    return store.as_retriever(search_kwargs={"k": n})\nf()', 3],
    ['a = {"s": {"k": 3}}\nprint(a)\nstore.as_retriever(search_kwargs=a["s"])', 3],
    ['store.as_retriever(search_kwargs={"k": int("3")})', 3],
    ['store.as_retriever(search_kwargs={})', 4],
  ] as const) {
    const { sites } = await inWorkspace(`${CHROMA}${code}\n`);
    assert.deepEqual(brief(sites), [`as_retriever ${k}`], code);
  }
});
