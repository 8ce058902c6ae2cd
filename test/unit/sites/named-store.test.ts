/** The store that a call names. `undefined` if the code leaves something open. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedStore, type NamedStore } from '../../../src/sites/named-store.ts';
import { inPython, inTypeScript } from './support.ts';

type Fields = NamedStore['fields'] & { readonly type: string };

async function storeIn(text: string, detect: typeof inPython): Promise<Fields | undefined> {
  const { sites } = await detect(text);
  assert.equal(sites.length, 1, 'one call');
  const store = namedStore(sites[0]!, text);
  return store && { type: store.type, ...store.fields };
}

const CHROMA = 'import chromadb\ncollection = chromadb.HttpClient().get_collection("kb")\n';
const QDRANT = 'from qdrant_client import QdrantClient\nc = QdrantClient()\n';
const LC_QDRANT = 'from langchain_qdrant import QdrantVectorStore\n';
const PG = 'import psycopg\ndb = psycopg.connect()\n';
const LANCE = 'import lancedb\ntable = lancedb.connect("data/lance").open_table("kb")\n';
const MONGO =
  'from pymongo import MongoClient\nclient = MongoClient(os.environ["MONGODB_URI"])\nkb = client["shop"]["articles"]\n';
const ES = 'from elasticsearch import Elasticsearch\nes = Elasticsearch()\n';

for (const [what, code, wanted] of [
  [
    'Chroma',
    `${CHROMA}r = collection.query(query_texts=[q], n_results=5)\n`,
    { type: 'chroma', collection: 'kb' },
  ],
  [
    'LanceDB, with its distance',
    `${LANCE}for row in table.search(v).distance_type("cosine").limit(5).to_list():\n    print(row["text"])\n`,
    { type: 'lancedb', table: 'kb', textField: 'text', distance: 'cosine' },
  ],
  [
    'LanceDB by words',
    `${LANCE}for r in table.search(q, query_type="fts").limit(5).to_list():\n    print(r["content"])\n`,
    { type: 'lancedb', table: 'kb', mode: 'bm25', textField: 'content' },
  ],
  [
    'LanceDB with a condition',
    `${LANCE}for r in table.search(v).where("a = 1").limit(5).to_list():\n    print(r["text"])\n`,
    undefined,
  ],
  ['LanceDB, of whose texts nothing is read', `${LANCE}r = table.search(v).limit(5).to_list()\n`, undefined],
  [
    'MongoDB, with how widely it looks',
    `${MONGO}for doc in kb.aggregate([{"$vectorSearch": {"index": "vi", "path": "plot.embedding", "queryVector": v, "numCandidates": 150, "limit": 5}}, {"$project": {"_id": 0, "content": 1}}]):\n    print(doc["title"])\n`,
    {
      type: 'mongodb',
      database: 'shop',
      collection: 'articles',
      index: 'vi',
      vectorField: 'plot.embedding',
      textField: 'content',
      numCandidates: 150,
    },
  ],
  [
    'MongoDB with a filter',
    `${MONGO}r = kb.aggregate([{"$vectorSearch": {"index": "vi", "path": "e", "queryVector": v, "exact": True, "limit": 5, "filter": {"a": 1}}}, {"$project": {"text": 1}}])\n`,
    undefined,
  ],
  [
    'MongoDB, whose collection cannot be known',
    'import pymongo\nr = kb.aggregate([{"$vectorSearch": {"index": "vi", "path": "e", "queryVector": v, "numCandidates": 9, "limit": 5}}])\nt = [d["text"] for d in r]\n',
    undefined,
  ],
  [
    'a filter of Chroma',
    `${CHROMA}r = collection.query(query_texts=[q], n_results=5, where={"a": 1})\n`,
    undefined,
  ],
  [
    'a collection that cannot be known',
    'import chromadb\ncollection = chromadb.HttpClient().get_collection(name())\nr = collection.query(query_texts=[q])\n',
    undefined,
  ],
  [
    'Qdrant, whose texts are read',
    `${QDRANT}for p in c.query_points("kb", query=v, limit=5).points:\n    print(p.payload["title"], p.payload["content"])\n`,
    { type: 'qdrant', collection: 'kb', textField: 'content' },
  ],
  [
    'Qdrant, whose texts are read by get',
    `${QDRANT}for p in c.query_points("kb", query=v, limit=5).points:\n    print(p.payload.get("chunk", ""))\n`,
    { type: 'qdrant', collection: 'kb', textField: 'chunk' },
  ],
  [
    'Qdrant, with two that may be the text',
    `${QDRANT}for p in c.query_points("kb", query=v).points:\n    print(p.payload["text"], p.payload["content"])\n`,
    undefined,
  ],
  [
    'Qdrant, of whose texts nothing is read',
    `${QDRANT}r = c.query_points("kb", query=v, limit=5)\n`,
    undefined,
  ],
  [
    'LangChain over Qdrant',
    `${LC_QDRANT}r = QdrantVectorStore(client, collection_name="kb", embedding=e).as_retriever()\n`,
    { type: 'qdrant', collection: 'kb', textField: 'page_content' },
  ],
  [
    'LangChain over Chroma',
    'from langchain_chroma import Chroma\nr = Chroma(collection_name="kb", client=c).as_retriever()\n',
    { type: 'chroma', collection: 'kb' },
  ],
  [
    'LangChain over FAISS',
    'from langchain_community.vectorstores import FAISS\nr = FAISS.load_local("kb", e).as_retriever()\n',
    undefined,
  ],
  [
    'LangChain over Qdrant with texts elsewhere',
    `${LC_QDRANT}r = QdrantVectorStore(client, collection_name="kb", content_payload_key="x").as_retriever()\n`,
    undefined,
  ],
  [
    'words in Elasticsearch',
    `${ES}r = es.search(index="kb", query={"match": {"body": q}}, size=5)\n`,
    { type: 'opensearch', index: 'kb', engine: 'elasticsearch', mode: 'bm25', textField: 'body' },
  ],
  [
    'vectors in Elasticsearch',
    `${ES}r = es.search(index="kb", knn={"field": "emb", "query_vector": v, "k": 5, "num_candidates": 50})\nt = [h["_source"]["text"] for h in r["hits"]["hits"]]\n`,
    {
      type: 'opensearch',
      index: 'kb',
      engine: 'elasticsearch',
      mode: 'knn',
      textField: 'text',
      vectorField: 'emb',
    },
  ],
  [
    'PostgreSQL',
    `${PG}rows = db.execute("SELECT doc_id, content FROM kb.chunks ORDER BY embedding <=> %s LIMIT 5", (v,))\n`,
    {
      type: 'postgres',
      schema: 'kb',
      table: 'chunks',
      columns: { id: 'doc_id', text: 'content', embedding: 'embedding' },
      distance: 'cosine',
    },
  ],
  [
    'PostgreSQL with a condition',
    `${PG}rows = db.execute("SELECT id, content FROM chunks WHERE lang = 'en' ORDER BY v <-> %s LIMIT 5", (v,))\n`,
    undefined,
  ],
  [
    'PostgreSQL without an id',
    `${PG}rows = db.execute("SELECT content FROM chunks ORDER BY v <-> %s LIMIT 5", (v,))\n`,
    undefined,
  ],
] as const)
  test(`the store of a call: ${what}`, async () => {
    assert.deepEqual(await storeIn(code, inPython), wanted);
  });

for (const [what, code, wanted] of [
  [
    'MongoDB, which is to compare everything',
    `import { MongoClient } from 'mongodb';\nconst kb = new MongoClient(process.env.ATLAS_URI).db('shop').collection<Article>('articles');\nconst r = await kb.aggregate([{ $vectorSearch: { index: 'vi', path: 'e', queryVector, exact: true, limit: 5 } }]).toArray();\nconst t = r.map((doc) => doc.text);\n`,
    {
      ...{ type: 'mongodb', database: 'shop', collection: 'articles' },
      ...{ index: 'vi', vectorField: 'e', textField: 'text', exact: true },
    },
  ],
  [
    'Qdrant',
    `import { QdrantClient } from '@qdrant/js-client-rest';\nconst c = new QdrantClient({});\nconst r = await c.search('kb', { vector, limit: 5 });\nconst t = r.map((p) => p.payload?.text);\n`,
    { type: 'qdrant', collection: 'kb', textField: 'text' },
  ],
  [
    'PostgreSQL',
    'import pg from \'pg\';\nconst db = new pg.Pool();\nconst r = await db.query(`SELECT id, "body" FROM "chunks"\n  ORDER BY "vec" <#> $1 LIMIT 5`, [v]);\n',
    {
      type: 'postgres',
      table: 'chunks',
      columns: { id: 'id', text: 'body', embedding: 'vec' },
      distance: 'inner-product',
    },
  ],
] as const)
  test(`the store of a call in TypeScript: ${what}`, async () => {
    assert.deepEqual(await storeIn(code, inTypeScript), wanted);
  });

test('the folder of LanceDB is the one that the code connects to', async () => {
  const text = `${LANCE}for row in table.search(v).limit(5).to_list():\n    print(row["text"])\n`;
  const { sites } = await inPython(text);
  assert.equal(namedStore(sites[0]!, text)?.address, 'data/lance');
});
