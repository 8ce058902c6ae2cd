import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import type { CallSite } from '../../../src/sites/model.ts';
import {
  isRebuilt,
  rebuild,
  type Equipment,
  type NotRebuilt,
  type Rebuilt,
} from '../../../src/sites/rebuild.ts';
import { CHROMA, inPython } from './support.ts';

const NOTHING: Equipment = { embedders: {}, pipelines: {}, bindings: [] };
const IMPORTS = `${CHROMA}from langchain_community.retrievers import BM25Retriever
from langchain.retrievers import EnsembleRetriever, ContextualCompressionRetriever
from langchain_cohere import CohereRerank
`;

async function siteOf(call: string): Promise<CallSite> {
  const { sites } = await inPython(IMPORTS + call);
  const site = sites.at(-1);
  assert.ok(site, call);
  return site;
}

async function rebuilt(call: string, equipment: Partial<Equipment> = {}): Promise<Rebuilt> {
  const result = rebuild(await siteOf(call), 'app/rag.py', { ...NOTHING, ...equipment });
  assert.ok(isRebuilt(result), JSON.stringify(result));
  return result;
}

async function refused(call: string, equipment: Partial<Equipment> = {}): Promise<NotRebuilt> {
  const result = rebuild(await siteOf(call), 'app/rag.py', { ...NOTHING, ...equipment });
  assert.ok(!isRebuilt(result), JSON.stringify(result));
  return result;
}

test('a vector store becomes dense retrieval with the call’s k', async () => {
  const { origin, pipeline, caveats } = await rebuilt('store.as_retriever(search_kwargs={"k": 7})');
  assert.equal(origin, 'rebuilt');
  assert.equal(pipeline.retriever.type, 'dense');
  assert.equal(pipeline.k, 7);
  assert.ok(caveats.some((caveat) => /built-in encoder/u.test(caveat)));
});

test('BM25 stays BM25, also under an alias, and needs no embedder', async () => {
  const { pipeline, caveats } = await rebuilt('BM25Retriever.from_texts(["a"], k=3)');
  assert.equal(pipeline.retriever.type, 'bm25');
  assert.ok(!caveats.some((caveat) => /embedder/u.test(caveat)));
  const aliased = await rebuilt(
    'from langchain_community.retrievers import BM25Retriever as Words\nWords.from_texts(["a"], k=3)',
  );
  assert.equal(aliased.pipeline.retriever.type, 'bm25');
});

test('an ensemble becomes a hybrid with its weights', async () => {
  const { pipeline } = await rebuilt(
    'words = BM25Retriever.from_texts(["a"], k=5)\n# parallax: k=5\nboth = EnsembleRetriever(retrievers=[words, store.as_retriever(search_kwargs={"k": 5})], weights=[0.25, 0.75])',
  );
  assert.ok(pipeline.retriever.type === 'hybrid');
  assert.deepEqual(pipeline.retriever.weights, [0.25, 0.75]);
});

test('MMR keeps its λ and its pool', async () => {
  const { pipeline } = await rebuilt(
    'store.as_retriever(search_type="mmr", search_kwargs={"k": 4, "fetch_k": 40, "lambda_mult": 0.9})',
  );
  assert.deepEqual(pipeline.rerank, [{ type: 'mmr', lambda: 0.9, embedder: 'meaning' }]);
  assert.equal(pipeline.candidates, 40);
});

test('an unknown MMR weight is omitted with a note', async () => {
  const { pipeline, caveats } = await rebuilt(
    'import sys\nstore.as_retriever(search_type="mmr", search_kwargs={"k": 4, "lambda_mult": float(sys.argv[1])})',
  );
  assert.deepEqual(pipeline.rerank, []);
  assert.ok(caveats.some((caveat) => caveat.startsWith('Rebuilt without MMR')));
});

test('uses the embedder with the call’s model, else one of the workspace, with a note', async () => {
  const call = `from langchain_openai import OpenAIEmbeddings
kb = Chroma("kb", OpenAIEmbeddings(model="text-embedding-3-small"))
kb.as_retriever(search_kwargs={"k": 5})`;
  const openai = (model: string) => ({
    type: 'openai' as const,
    baseUrl: 'https://api.example.org/v1',
    model,
    queryPrefix: '',
    passagePrefix: '',
    batchSize: 8,
    key: 'openai',
  });
  const same = await rebuilt(call, {
    embedders: { large: openai('text-embedding-3-large'), small: openai('text-embedding-3-small') },
  });
  assert.ok(same.pipeline.retriever.type === 'dense');
  assert.equal(same.pipeline.retriever.embedder, 'small');
  assert.ok(!same.caveats.some((caveat) => /stands in/u.test(caveat)));
  const other = await rebuilt(call, {
    embedders: { large: openai('text-embedding-3-large') },
    pipelines: { dense: parsePipeline({ retriever: { type: 'dense', embedder: 'large' } }) },
  });
  assert.ok(other.pipeline.retriever.type === 'dense');
  assert.equal(other.pipeline.retriever.embedder, 'large');
  assert.ok(other.caveats.some((caveat) => /No embedder.*text-embedding-3-small.*"large"/u.test(caveat)));
});

test('notes a reranker and a filter that it cannot rebuild', async () => {
  const { pipeline, caveats } = await rebuilt(
    'ContextualCompressionRetriever(base_compressor=CohereRerank(model="rerank-v3.5", top_n=3), base_retriever=store.as_retriever(search_kwargs={"k": 20, "filter": {"a": 1}}))',
  );
  assert.equal(pipeline.k, 3);
  assert.equal(pipeline.retriever.type, 'dense');
  assert.ok(caveats.includes('Rebuilt without the reranker rerank-v3.5.'));
  assert.ok(caveats.includes("The call's filter is not applied."));
});

test('an unknown k gives no pipeline', async () => {
  const { reason, message } = await refused(
    'import sys\nstore.as_retriever(search_kwargs={"k": int(sys.argv[1])})',
  );
  assert.equal(reason, 'k-unknown');
  assert.match(message, /^k is not known: /u);
});

test('a call that only reorders passages gives no pipeline', async () => {
  const { reason } = await refused(
    'import cohere\nco = cohere.Client()\nco.rerank(model="m", query="q", documents=["a"], top_n=3)',
  );
  assert.equal(reason, 'only-reorders');
});

const PROD = parsePipeline({ retriever: { type: 'command', command: ['node', 'own.js'] }, k: 5 });
const OWN = parsePipeline({ retriever: { type: 'bm25' }, k: 5 });
const CALL = 'store.as_retriever(search_kwargs={"k": 7})';

test('a comment binds a call to the user’s own retriever: measured, with the k of the call', async () => {
  const { origin, pipeline, boundTo } = await rebuilt(`# parallax: retriever=prod\n${CALL}`, {
    pipelines: { prod: PROD },
  });
  assert.deepEqual(
    [origin, pipeline.retriever.type, pipeline.k, boundTo],
    ['measured', 'command', 7, 'prod'],
  );
});

test('a binding to a pipeline on Parallax’s own index is not measured', async () => {
  const { origin, caveats } = await rebuilt(`# parallax: retriever=mine\n${CALL}`, {
    pipelines: { mine: OWN },
  });
  assert.equal(origin, 'rebuilt');
  assert.ok(caveats.some((caveat) => /did not answer/u.test(caveat)));
});

test('a binding of parallax.json applies to its file and function only', async () => {
  const inAsk = `def ask():\n  return ${CALL}\n`;
  const binding = { file: 'app/rag.py', within: 'ask', pipeline: 'prod' };
  const pipelines = { prod: PROD };
  assert.equal((await rebuilt(inAsk, { pipelines, bindings: [binding] })).origin, 'measured');
  for (const other of [
    { ...binding, within: 'tell' },
    { ...binding, file: 'app/other.py' },
    { ...binding, callee: 'similarity_search' },
  ])
    assert.equal((await rebuilt(inAsk, { pipelines, bindings: [other] })).origin, 'rebuilt');
});

test('reports an unknown pipeline, whatever its name', async () => {
  for (const name of ['gone', 'constructor', '__proto__']) {
    const { reason, message } = await refused(`# parallax: retriever=${name}\n${CALL}`);
    assert.equal(reason, 'no-such-pipeline');
    assert.ok(message.includes(`"${name}"`));
  }
});

test('the search in SQL is no filter; other conditions after WHERE are', async () => {
  const statement = (where: string): string =>
    `db.execute("SELECT body FROM notes_fts WHERE ${where} ORDER BY bm25(notes_fts) LIMIT 5", (q,))`;
  for (const [where, expected] of [
    ['notes_fts MATCH ?', false],
    ['notes_fts MATCH ? AND k = 5', false],
    ["notes_fts MATCH ? AND lang = 'en'", true],
    ['notes_fts MATCH ? OR pinned', true],
    ['id IN (SELECT id FROM notes WHERE draft = 0) AND notes_fts MATCH ?', true],
  ] as const) {
    const { caveats } = await rebuilt(`import sqlite3\n${statement(where)}`);
    assert.equal(caveats.includes("The call's filter is not applied."), expected, where);
  }
});
