/** Edits that are offered: what the detector reads afterwards is what was meant. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commentEdit, type CommentFields } from '../../../src/sites/comment-edit.ts';
import { lostByMmr, mmrEdit } from '../../../src/sites/what-if-edit.ts';
import { applied, CHROMA, inPython, inTypeScript } from './support.ts';

async function said(text: string, words: CommentFields): Promise<string> {
  const { sites } = await inPython(text);
  return applied(text, [commentEdit(text, sites[0]!, 'python', words)]);
}

test('a comment goes above the statement, as far in as it is, and is understood', async () => {
  const text = `${CHROMA}def ask(n):\n    return store.as_retriever(\n        search_kwargs={"k": n})\n`;
  const after = await said(text, { k: 7 });
  assert.equal(after, text.replace('    return', '    # parallax: k=7\n    return'));
  const { sites, problems } = await inPython(after);
  assert.deepEqual([sites[0]!.k.value, sites[0]!.k.provenance, problems.length], [7, 'comment', 0]);
});

test('a comment that is there is amended: what it says else stays', async () => {
  const text = `${CHROMA}store.as_retriever()  # parallax: k=3 eval=faq\n`;
  const after = await said(await said(text, { retriever: 'our prod' }), { k: 9 });
  assert.ok(after.endsWith('# parallax: eval=faq retriever="our prod" k=9\n'), after);
  const [site] = (await inPython(after)).sites;
  assert.deepEqual([site!.comment?.retriever, site!.comment?.eval, site!.k.value], ['our prod', 'faq', 9]);
});

test('TypeScript and Windows lines are written as they are', async () => {
  const text =
    "import { Chroma } from '@langchain/community/vectorstores/chroma';\r\nconst r = store.asRetriever(n);\r\n";
  const { sites } = await inTypeScript(text);
  const after = applied(text, [commentEdit(text, sites[0]!, 'typescript', { k: 4 })]);
  assert.ok(after.includes(';\r\n// parallax: k=4\r\nconst r'), after);
});

const PYTHON_CALLS = [
  'store.as_retriever()',
  'store.as_retriever(search_kwargs={"k": 5})',
  'store.as_retriever(search_type="similarity", search_kwargs={"k": 5})',
  'store.as_retriever(search_kwargs={"k": 5, "filter": {"t": "a, ) b"}},)',
  'store.as_retriever(\n    search_kwargs={"k": 5},\n)',
  'store.similarity_search("what, (then", k=5)',
] as const;

for (const call of PYTHON_CALLS)
  test(`the edit of ${call.replaceAll(/\s+/gu, ' ')} asks for MMR, and for nothing else`, async () => {
    const text = `${CHROMA}${call}\n`;
    const [site] = (await inPython(text)).sites;
    const edits = mmrEdit(text, site!, 100);
    assert.ok(edits);
    const after = applied(text, edits);
    const { sites, problems } = await inPython(after);
    const [edited] = sites;
    assert.deepEqual(
      [edited?.mmr?.relevance.value, edited?.pool?.value, edited?.k.value, problems.length, edited?.filtered],
      [0.75, 100, site!.k.value, 0, site!.filtered],
      after,
    );
  });

const SCRIPT_CALLS = ['store.asRetriever()', 'store.asRetriever(5)', 'store.asRetriever({ k: 5 })'] as const;

for (const call of SCRIPT_CALLS)
  test(`the edit of ${call} asks for MMR in JavaScript`, async () => {
    const text = `import { MemoryVectorStore } from 'langchain/vectorstores/memory';\nconst store = new MemoryVectorStore(e);\n${call};\n`;
    const [site] = (await inTypeScript(text)).sites;
    const after = applied(text, mmrEdit(text, site!, 100) ?? []);
    const [edited] = (await inTypeScript(after)).sites;
    assert.deepEqual(
      [edited?.mmr?.relevance.value, edited?.pool?.value, edited?.k.value],
      [0.75, 100, site!.k.value],
      after,
    );
  });

const LLAMA_INDEX =
  'from llama_index.core import VectorStoreIndex\nindex = VectorStoreIndex.from_documents(docs)\n';
const QDRANT = 'from qdrant_client import QdrantClient\nclient = QdrantClient(":memory:")\n';

for (const [head, call] of [
  [LLAMA_INDEX, 'index.as_retriever()'],
  [LLAMA_INDEX, 'index.as_retriever(similarity_top_k=5)'],
  [LLAMA_INDEX, 'index.as_query_engine(similarity_top_k=5, filters=wanted)'],
  [QDRANT, 'client.query_points("docs", query=embed(question, "m"), limit=5)'],
  [QDRANT, 'client.query_points(collection_name="docs", query = vector, limit=5, query_filter=wanted)'],
] as const)
  test(`the edit of ${call} asks for MMR in its library's words`, async () => {
    const text = `${head}${call}\n`;
    const [site] = (await inPython(text)).sites;
    const after = applied(text, mmrEdit(text, site!, 100) ?? []);
    const { sites, problems } = await inPython(after);
    const [edited] = sites;
    assert.deepEqual(
      [edited?.mmr?.relevance.value, edited?.pool?.value, edited?.k.value, problems.length, edited?.filtered],
      [0.75, 100, site!.k.value, 0, site!.filtered],
      after,
    );
    assert.equal(/import models/u.test(after), head === QDRANT, 'what the edit names is imported');
  });

test('the edit of Qdrant in TypeScript nests the vector, and leaves the other options alone', async () => {
  const text =
    "import { QdrantClient } from '@qdrant/js-client-rest';\nconst qdrant = new QdrantClient();\n" +
    'const { points } = await qdrant.query(NAME, { query: vector, limit: 5, with_payload: true });\n';
  const [site] = (await inTypeScript(text)).sites;
  const after = applied(text, mmrEdit(text, site!, 100) ?? []);
  const nested = 'query: { nearest: vector, mmr: { diversity: 0.25, candidates_limit: 100 } }';
  assert.equal(after, text.replace('query: vector', nested));
  const [edited] = (await inTypeScript(after)).sites;
  assert.deepEqual([edited?.mmr?.relevance.value, edited?.pool?.value, edited?.k.value], [0.75, 100, 5]);
});

for (const [head, call] of [
  [LLAMA_INDEX, 'index.as_retriever(vector_store_query_mode="hybrid")'],
  [LLAMA_INDEX, 'index.as_retriever(**settings)'],
  [QDRANT, 'client.query_points("docs", query=models.FusionQuery(fusion=models.Fusion.RRF), limit=5)'],
] as const)
  test(`there is no clear edit of ${call}`, async () => {
    const text = `${head}${call}\n`;
    const [site] = (await inPython(text)).sites;
    assert.ok(site);
    assert.equal(mmrEdit(text, site, 100), undefined);
  });

for (const call of [
  'store.as_retriever(**settings)',
  'store.as_retriever(search_kwargs=settings)',
  'store.as_retriever(\n    # five is enough\n    search_kwargs={"k": 5})',
  'store.as_retriever(search_type="mmr")',
  'store.similarity_search_with_score("q")',
])
  test(`there is no clear edit of ${call.replaceAll(/\s+/gu, ' ')}`, async () => {
    const text = `${CHROMA}settings = load()\n${call}\n`;
    const [site] = (await inPython(text)).sites;
    assert.ok(site);
    assert.equal(mmrEdit(text, site, 100), undefined);
  });

for (const [what, kwargs, after] of [
  ['a threshold that is computed', '{"score_threshold": limits["low"], "k": 5}', '"k": 5'],
  ['a threshold without its search type', '{"k": 5, "score_threshold": 0.5}', '"k": 5'],
  ['candidates of another number', '{"k": 5, "fetch_k": 7}', '"k": 5'],
] as const)
  test(`the edit to MMR takes out ${what}`, async () => {
    const text = `${CHROMA}limits = load()\nstore.as_retriever(search_kwargs=${kwargs})\n`;
    const [site] = (await inPython(text)).sites;
    assert.equal(lostByMmr(text, site!) !== undefined, kwargs.includes('threshold'));
    assert.ok(
      applied(text, mmrEdit(text, site!, 100) ?? []).includes(
        `store.as_retriever(search_type="mmr", search_kwargs={"fetch_k": 100, "lambda_mult": 0.75, ${after}})`,
      ),
    );
  });

test('no edit to MMR is clear where more settings are spread into the dictionary', async () => {
  const text = `${CHROMA}more = load()\nstore.as_retriever(search_kwargs={"k": 5, **more})\n`;
  const [site] = (await inPython(text)).sites;
  assert.equal(mmrEdit(text, site!, 100), undefined);
});

test('replacing a search by threshold says that the threshold goes, and takes it out', async () => {
  const text = `${CHROMA}store.as_retriever(search_type="similarity_score_threshold", search_kwargs={"k": 5, "score_threshold": 0.5})\n`;
  const [site] = (await inPython(text)).sites;
  assert.match(lostByMmr(text, site!) ?? '', /threshold goes/u);
  const after = applied(text, mmrEdit(text, site!, 100) ?? []);
  assert.ok(
    after.includes('search_type="mmr", search_kwargs={"fetch_k": 100, "lambda_mult": 0.75, "k": 5})'),
    after,
  );
  const plain = `${CHROMA}store.as_retriever()\n`;
  assert.equal(lostByMmr(plain, (await inPython(plain)).sites[0]!), undefined);
});

for (const [what, head, call] of [
  [
    'a store that is handed in',
    'from langchain_chroma import Chroma\nfrom x import store\n',
    'store.as_retriever()',
  ],
  [
    'a store without MMR',
    'from langchain_community.vectorstores import Clickhouse\nstore = Clickhouse(e)\n',
    'store.as_retriever()',
  ],
  [
    'a store whose retriever knows no MMR',
    'from langchain_community.vectorstores import AzureSearch\nstore = AzureSearch(embedding_function=e)\n',
    'store.as_retriever()',
  ],
  [
    'a store that reads the weight the other way round in some versions',
    'from langchain_qdrant import QdrantVectorStore\nstore = QdrantVectorStore(client=c)\n',
    'store.as_retriever()',
  ],
  [
    'LlamaIndex on MongoDB',
    'from llama_index.core import VectorStoreIndex\nfrom llama_index.vector_stores.mongodb import MongoDBAtlasVectorSearch\nindex = VectorStoreIndex.from_vector_store(MongoDBAtlasVectorSearch(c))\n',
    'index.as_retriever()',
  ],
  [
    'LlamaIndex on LanceDB',
    'from llama_index.core import VectorStoreIndex, StorageContext\nfrom llama_index.vector_stores.lancedb import LanceDBVectorStore\ncontext = StorageContext.from_defaults(vector_store=LanceDBVectorStore(uri="x"))\nindex = VectorStoreIndex.from_documents(docs, storage_context=context)\n',
    'index.as_query_engine()',
  ],
] as const)
  test(`MMR is not offered for ${what}`, async () => {
    const text = `${head}${call}\n`;
    const [site] = (await inPython(text)).sites;
    assert.ok(site);
    assert.equal(mmrEdit(text, site, 100), undefined);
  });
