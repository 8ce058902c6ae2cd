/** Checks of calls that say something without effect, and their quick fixes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LintId } from '../../../src/sites/model.ts';
import { applied, CHROMA, detector, inPython } from './support.ts';
import { detectIn } from './workspace-support.ts';

const QDRANT = 'from qdrant_client import QdrantClient, models\nclient = QdrantClient()\n';
const LLAMA = 'from llama_index.core.retrievers import VectorIndexRetriever\nfrom x import index\n';
const LANGCHAIN_JS =
  "import { Chroma } from '@langchain/community/vectorstores/chroma';\nconst store = new Chroma();\n";

interface Case {
  readonly what: string;
  readonly id: LintId;
  readonly head: string;
  readonly language: string;
  /** The call with the mistake. */
  readonly code: string;
  /** The call after the fix. `undefined` if there is no fix. */
  readonly fixed: string | undefined;
}

const FAISS = 'from langchain_community.vectorstores import FAISS\nstore = FAISS.from_texts(texts, e)\n';
const QDRANT_STORE = 'from langchain_qdrant import QdrantVectorStore\nstore = QdrantVectorStore(client=c)\n';
const INDEX =
  'from llama_index.core import VectorStoreIndex\nfrom llama_index.core.postprocessor import SentenceTransformerRerank\nindex = VectorStoreIndex.from_documents(docs)\n';

const COMPRESSED =
  'from langchain.retrievers import ContextualCompressionRetriever\nfrom langchain_cohere import CohereRerank\n';

const CASES: readonly Case[] = [
  {
    what: 'a call of LangChain that invoke has replaced',
    id: 'replaced-call',
    head: `${CHROMA}retriever = store.as_retriever()\n`,
    language: 'python',
    code: 'retriever.get_relevant_documents("q")',
    fixed: 'retriever.invoke("q")',
  },
  {
    what: 'a replaced call with more than a question',
    id: 'replaced-call',
    head: `${CHROMA}retriever = store.as_retriever()\n`,
    language: 'python',
    code: 'retriever.get_relevant_documents("q", callbacks=[])',
    fixed: undefined,
  },
  {
    what: 'a replaced call of LangChain JS',
    id: 'replaced-call',
    head: `${LANGCHAIN_JS}const retriever = store.asRetriever({ k: 3 });\n`,
    language: 'typescript',
    code: 'retriever.getRelevantDocuments("q")',
    fixed: 'retriever.invoke("q")',
  },
  {
    what: 'a search of Qdrant that the client has no more',
    id: 'replaced-call',
    head: QDRANT,
    language: 'python',
    code: 'client.search("docs", query_vector=v, limit=3)',
    fixed: undefined,
  },
  {
    what: 'top_k for k in search_kwargs',
    id: 'langchain-unknown-k',
    head: CHROMA,
    language: 'python',
    code: 'store.as_retriever(search_kwargs={"top_k": 10})',
    fixed: 'store.as_retriever(search_kwargs={"k": 10})',
  },
  {
    what: 'a reranker that keeps all that it is handed',
    id: 'reranker-without-choice',
    head: `${CHROMA}${COMPRESSED}`,
    language: 'python',
    code: 'ContextualCompressionRetriever(base_compressor=CohereRerank(top_n=5), base_retriever=store.as_retriever(search_kwargs={"k": 5}))',
    fixed:
      'ContextualCompressionRetriever(base_compressor=CohereRerank(top_n=5), base_retriever=store.as_retriever(search_kwargs={"k": 20}))',
  },
  {
    what: 'a query engine whose reranker keeps all',
    id: 'reranker-without-choice',
    head: INDEX,
    language: 'python',
    code: 'index.as_query_engine(similarity_top_k=3, node_postprocessors=[SentenceTransformerRerank(model="m", top_n=3)])',
    fixed:
      'index.as_query_engine(similarity_top_k=20, node_postprocessors=[SentenceTransformerRerank(model="m", top_n=3)])',
  },
  {
    what: 'no threshold',
    id: 'langchain-threshold-missing',
    head: CHROMA,
    language: 'python',
    code: 'store.as_retriever(search_type="similarity_score_threshold", search_kwargs={"k": 5})',
    fixed:
      'store.as_retriever(search_type="similarity_score_threshold", search_kwargs={"k": 5, "score_threshold": 0.5})',
  },
  {
    what: 'no settings at all',
    id: 'langchain-threshold-missing',
    head: CHROMA,
    language: 'python',
    code: 'store.as_retriever(search_type="similarity_score_threshold")',
    fixed:
      'store.as_retriever(search_type="similarity_score_threshold", search_kwargs={"score_threshold": 0.5})',
  },
  {
    what: 'a whole number',
    id: 'langchain-threshold-missing',
    head: FAISS,
    language: 'python',
    code: 'store.as_retriever(search_type="similarity_score_threshold", search_kwargs={"score_threshold": 1})',
    fixed:
      'store.as_retriever(search_type="similarity_score_threshold", search_kwargs={"score_threshold": 1.0})',
  },
  {
    what: 'a threshold alone',
    id: 'langchain-threshold-without-type',
    head: CHROMA,
    language: 'python',
    code: 'store.as_retriever(search_kwargs={"k": 5, "score_threshold": 0.5})',
    fixed:
      'store.as_retriever(search_type="similarity_score_threshold", search_kwargs={"k": 5, "score_threshold": 0.5})',
  },
  {
    what: 'a threshold with MMR',
    id: 'langchain-threshold-without-type',
    head: CHROMA,
    language: 'python',
    code: 'store.as_retriever(search_type="mmr", search_kwargs={"score_threshold": 0.5})',
    fixed: undefined,
  },
  {
    what: 'a retriever of FAISS with a filter',
    id: 'langchain-filter-after-fetching',
    head: FAISS,
    language: 'python',
    code: 'store.as_retriever(search_kwargs={"k": 30, "filter": {"a": 1}})',
    fixed: 'store.as_retriever(search_kwargs={"k": 30, "filter": {"a": 1}, "fetch_k": 120})',
  },
  {
    what: 'a search of FAISS with a filter',
    id: 'langchain-filter-after-fetching',
    head: FAISS,
    language: 'python',
    code: 'store.similarity_search("q", k=30, filter={"a": 1}, fetch_k=10)',
    fixed: 'store.similarity_search("q", k=30, filter={"a": 1}, fetch_k=120)',
  },
  {
    what: 'MMR over Qdrant',
    id: 'langchain-inverted-lambda',
    head: QDRANT_STORE,
    language: 'python',
    code: 'store.as_retriever(search_type="mmr", search_kwargs={"k": 5, "lambda_mult": 0.9})',
    fixed: undefined,
  },
  {
    what: 'Qdrant MMR without a pool',
    id: 'qdrant-mmr-pool',
    head: QDRANT,
    language: 'python',
    code: 'client.query_points("a", query=models.NearestQuery(nearest=v, mmr=models.Mmr(diversity=0.5)), limit=5)',
    fixed:
      'client.query_points("a", query=models.NearestQuery(nearest=v, mmr=models.Mmr(diversity=0.5, candidates_limit=20)), limit=5)',
  },
  {
    what: 'Qdrant MMR with a pool of k',
    id: 'qdrant-mmr-pool',
    head: QDRANT,
    language: 'python',
    code: 'client.query_points("a", query={"nearest": v, "mmr": {"diversity": 0.5, "candidates_limit": 10}}, limit=10)',
    fixed:
      'client.query_points("a", query={"nearest": v, "mmr": {"diversity": 0.5, "candidates_limit": 40}}, limit=10)',
  },
  {
    what: 'Qdrant MMR in TypeScript',
    id: 'qdrant-mmr-pool',
    head: "import { QdrantClient } from '@qdrant/js-client-rest';\nconst client = new QdrantClient();\n",
    language: 'typescript',
    code: "client.query('a', { query: { nearest: v, mmr: { diversity: 0.5 } }, limit: 5 })",
    fixed:
      "client.query('a', { query: { nearest: v, mmr: { diversity: 0.5, candidates_limit: 20 } }, limit: 5 })",
  },
  {
    what: 'OpenSearch MMR with as many candidates as results',
    id: 'opensearch-mmr-pool',
    head: 'from opensearchpy import OpenSearch\nclient = OpenSearch()\n',
    language: 'python',
    code: 'client.search(index="a", body={"size": 10, "query": {"knn": {"v": {"vector": v, "k": 10}}}, "ext": {"mmr": {"candidates": 10}}})',
    fixed:
      'client.search(index="a", body={"size": 10, "query": {"knn": {"v": {"vector": v, "k": 10}}}, "ext": {"mmr": {"candidates": 40}}})',
  },
  {
    what: 'Elasticsearch diversify with its default window',
    id: 'elasticsearch-mmr-window',
    head: 'from elasticsearch import Elasticsearch\nes = Elasticsearch()\n',
    language: 'python',
    code: 'es.search(index="a", size=10, retriever={"diversify": {"type": "mmr", "field": "v", "lambda": 0.5}})',
    fixed:
      'es.search(index="a", size=10, retriever={"diversify": {"type": "mmr", "field": "v", "lambda": 0.5, "rank_window_size": 40}})',
  },
  {
    what: 'fewer candidates than neighbours',
    id: 'candidates-below-k',
    head: 'from elasticsearch import Elasticsearch\nes = Elasticsearch()\n',
    language: 'python',
    code: 'es.search(index="a", size=50, knn={"field": "v", "query_vector": v, "k": 50, "num_candidates": 10})',
    fixed:
      'es.search(index="a", size=50, knn={"field": "v", "query_vector": v, "k": 50, "num_candidates": 200})',
  },
  {
    what: 'the same in MongoDB',
    id: 'candidates-below-k',
    head: "import { MongoClient } from 'mongodb';\nconst docs = new MongoClient(url).db('a').collection('b');\n",
    language: 'typescript',
    code: "docs.aggregate([{ $vectorSearch: { index: 'i', path: 'v', queryVector: v, numCandidates: 5, limit: 8 } }]);",
    fixed:
      "docs.aggregate([{ $vectorSearch: { index: 'i', path: 'v', queryVector: v, numCandidates: 32, limit: 8 } }]);",
  },
  {
    what: 'more hits than neighbours',
    id: 'k-above-bound',
    head: 'from elasticsearch import Elasticsearch\nes = Elasticsearch()\n',
    language: 'python',
    code: 'es.search(index="a", size=20, knn={"field": "v", "query_vector": v, "k": 5, "num_candidates": 50})',
    fixed:
      'es.search(index="a", size=20, knn={"field": "v", "query_vector": v, "k": 20, "num_candidates": 50})',
  },
  {
    what: 'more hits than candidates',
    id: 'k-above-bound',
    head: 'from elasticsearch import Elasticsearch\nes = Elasticsearch()\n',
    language: 'python',
    code: 'es.search(index="a", body={"size": 20, "knn": {"field": "v", "query_vector": v, "k": 5, "num_candidates": 10}})',
    fixed: undefined,
  },
  {
    what: 'more neighbours than hits, of which there are ten where nothing is said',
    id: 'k-above-bound',
    head: 'from elasticsearch import Elasticsearch\nes = Elasticsearch()\n',
    language: 'python',
    code: 'es.search(index="a", knn={"field": "v", "query_vector": v, "k": 50, "num_candidates": 100})',
    fixed:
      'es.search(index="a", knn={"field": "v", "query_vector": v, "k": 50, "num_candidates": 100}, size=50)',
  },
  {
    what: 'the same in a body',
    id: 'k-above-bound',
    head: 'from elasticsearch import Elasticsearch\nes = Elasticsearch()\n',
    language: 'python',
    code: 'es.search(index="a", body={"knn": {"field": "v", "query_vector": v, "k": 50, "num_candidates": 100}})',
    fixed:
      'es.search(index="a", body={"knn": {"field": "v", "query_vector": v, "k": 50, "num_candidates": 100}, "size": 50})',
  },
  {
    what: 'fetch_k not above k',
    id: 'fetch-k-not-above-k',
    head: CHROMA,
    language: 'python',
    code: 'store.as_retriever(search_type="mmr", search_kwargs={"k": 10, "fetch_k": 10})',
    fixed: 'store.as_retriever(search_type="mmr", search_kwargs={"k": 10, "fetch_k": 40})',
  },
  {
    what: 'k above the default fetch_k',
    id: 'fetch-k-not-above-k',
    head: CHROMA,
    language: 'python',
    code: 'store.as_retriever(search_type="mmr", search_kwargs={"k": 25})',
    fixed: 'store.as_retriever(search_type="mmr", search_kwargs={"k": 25, "fetch_k": 100})',
  },
  {
    what: 'fetch_k as an argument of the search',
    id: 'fetch-k-not-above-k',
    head: CHROMA,
    language: 'python',
    code: 'store.max_marginal_relevance_search("q", k=8, fetch_k=8)',
    fixed: 'store.max_marginal_relevance_search("q", k=8, fetch_k=32)',
  },
  {
    what: 'fetch_k without MMR',
    id: 'mmr-argument-without-mmr',
    head: CHROMA,
    language: 'python',
    code: 'store.as_retriever(search_kwargs={"k": 5, "fetch_k": 50})',
    fixed: 'store.as_retriever(search_type="mmr", search_kwargs={"k": 5, "fetch_k": 50})',
  },
  {
    what: 'lambda without MMR in TypeScript',
    id: 'mmr-argument-without-mmr',
    head: LANGCHAIN_JS,
    language: 'typescript',
    code: 'store.asRetriever({ k: 5, searchKwargs: { lambda: 0.3 } })',
    fixed: "store.asRetriever({ searchType: 'mmr', k: 5, searchKwargs: { lambda: 0.3 } })",
  },
  {
    what: 'lambda_mult with another search type',
    id: 'mmr-argument-without-mmr',
    head: CHROMA,
    language: 'python',
    code: 'store.as_retriever(search_type="similarity", search_kwargs={"lambda_mult": 0.3})',
    fixed: undefined,
  },
  {
    what: 'as_retriever(k=10)',
    id: 'langchain-ignored-argument',
    head: CHROMA,
    language: 'python',
    code: 'store.as_retriever(k=10)',
    fixed: 'store.as_retriever(search_kwargs={"k": 10})',
  },
  {
    what: 'k beside search_kwargs',
    id: 'langchain-ignored-argument',
    head: CHROMA,
    language: 'python',
    code: 'store.as_retriever(search_kwargs={"filter": f}, k=10)',
    fixed: 'store.as_retriever(search_kwargs={"k": 10, "filter": f})',
  },
  {
    what: 'k beside a k in search_kwargs',
    id: 'langchain-ignored-argument',
    head: CHROMA,
    language: 'python',
    code: 'store.as_retriever(k=10, search_kwargs={"k": 3})',
    fixed: undefined,
  },
  {
    what: "alpha, of LangChain's own example",
    id: 'langchainjs-unknown-search-kwarg',
    head: LANGCHAIN_JS,
    language: 'typescript',
    code: "store.asRetriever({ searchType: 'mmr', searchKwargs: { alpha: 0.5 } })",
    fixed: "store.asRetriever({ searchType: 'mmr', searchKwargs: { lambda: 0.5 } })",
  },
  {
    what: 'a Python key in TypeScript',
    id: 'langchainjs-unknown-search-kwarg',
    head: LANGCHAIN_JS,
    language: 'typescript',
    code: "store.asRetriever({ searchType: 'mmr', searchKwargs: { fetch_k } })",
    fixed: "store.asRetriever({ searchType: 'mmr', searchKwargs: { fetchK: fetch_k } })",
  },
  {
    what: 'a Python option in TypeScript',
    id: 'langchainjs-unknown-search-kwarg',
    head: LANGCHAIN_JS,
    language: 'typescript',
    code: "store.asRetriever({ search_type: 'mmr' })",
    fixed: "store.asRetriever({ searchType: 'mmr' })",
  },
  {
    what: 'mmr_threshold beside vector_store_kwargs',
    id: 'llamaindex-ignored-argument',
    head: LLAMA,
    language: 'python',
    code: 'VectorIndexRetriever(index=index, vector_store_query_mode="mmr", mmr_threshold=0.5)',
    fixed:
      'VectorIndexRetriever(index=index, vector_store_query_mode="mmr", vector_store_kwargs={"mmr_threshold": 0.5})',
  },
  {
    what: 'vector_store_query_kwargs',
    id: 'llamaindex-ignored-argument',
    head: LLAMA,
    language: 'python',
    code: 'VectorIndexRetriever(index=index, vector_store_query_kwargs={"mmr_threshold": 0.5})',
    fixed: 'VectorIndexRetriever(index=index, vector_store_kwargs={"mmr_threshold": 0.5})',
  },
];

for (const { what, id, head, language, code, fixed } of CASES) {
  test(`${id}: ${what}`, async () => {
    const text = `${head}${code}\n`;
    const { problems } = await detector.detect(text, language);
    assert.deepEqual(
      problems.map((problem) => problem.id),
      [id],
    );
    const [problem] = problems;
    assert.ok(problem);
    assert.match(problem.message, /^.+\.$/u);
    assert.ok(problem.docs?.startsWith('https://'));
    assert.ok(problem.place.start >= head.length && problem.place.end <= text.length);
    assert.equal(problem.fix && applied(text, problem.fix.edits), fixed && `${head}${fixed}\n`);
  });

  if (fixed !== undefined)
    test(`${id}: reports nothing after the fix: ${what}`, async () => {
      const { problems, sites } = await detector.detect(`${head}${fixed}\n`, language);
      assert.equal(sites.length, 1);
      assert.deepEqual(problems, []);
    });

  test(`${id} can be disabled: ${what}`, async () => {
    const { problems } = await detector.detect(`${head}${code}\n`, language, { without: new Set([id]) });
    assert.deepEqual(problems, []);
  });
}

test('several ignored arguments move together', async () => {
  const text = `${CHROMA}store.as_retriever(k=10, search_type="mmr", fetch_k=50)\n`;
  const { problems } = await inPython(text);
  assert.equal(problems.length, 2);
  const [first] = problems;
  assert.ok(first?.fix);
  assert.equal(
    applied(text, first.fix.edits),
    `${CHROMA}store.as_retriever(search_kwargs={"k": 10, "fetch_k": 50}, search_type="mmr")\n`,
  );
});

for (const [what, head, call] of [
  [
    'k of a store with a retriever of its own',
    'from langchain_community.vectorstores import AzureSearch\nstore = AzureSearch(embedding_function=e)\n',
    'store.as_retriever(k=10)',
  ],
  [
    'k of a store that is handed in',
    'import langchain_core\nfrom x import store\n',
    'store.as_retriever(k=10)',
  ],
  [
    'fetch_k that a search by similarity reads, too',
    'from langchain_elasticsearch import ElasticsearchStore\nstore = ElasticsearchStore("i")\n',
    'store.as_retriever(search_kwargs={"k": 5, "fetch_k": 50})',
  ],
  [
    'fetch_k of FAISS',
    FAISS,
    'store.as_retriever(search_kwargs={"k": 5, "filter": {"a": 1}, "fetch_k": 50})',
  ],
  ['a filter that may be None', FAISS, 'store.as_retriever(search_kwargs={"k": 30, "filter": wanted()})'],
  [
    'a threshold that FAISS reads by itself',
    FAISS,
    'store.as_retriever(search_kwargs={"score_threshold": 0.5})',
  ],
  [
    'a threshold that is computed',
    CHROMA,
    'store.as_retriever(search_type="similarity_score_threshold", search_kwargs={"score_threshold": low})',
  ],
  [
    'settings that are handed in',
    CHROMA,
    'store.as_retriever(search_type="similarity_score_threshold", search_kwargs=settings())',
  ],
  [
    'a weight of one half, which is the same both ways',
    QDRANT_STORE,
    'store.as_retriever(search_type="mmr", search_kwargs={"k": 5})',
  ],
] as const)
  test(`no check reports ${what}`, async () => {
    const { problems, sites } = await inPython(`${head}${call}\n`);
    assert.equal(sites.length, 1);
    assert.deepEqual(problems, []);
  });

test('the weight of MMR is not stated if versions read it differently', async () => {
  const { sites } = await inPython(
    `${QDRANT_STORE}store.as_retriever(search_type="mmr", search_kwargs={"lambda_mult": 0.9})\n`,
  );
  assert.equal(sites[0]?.mmr?.own.value, 0.9);
  assert.equal(sites[0].mmr.relevance.provenance, 'unknown');
});

for (const [what, code] of [
  [
    'MMR whose parameters are not known',
    'store.as_retriever(search_type=kind, search_kwargs={"fetch_k": 5})',
  ],
  ['a pool that is not known', 'store.as_retriever(search_type="mmr", search_kwargs={"k": 5, "fetch_k": n})'],
  [
    'a call with everything right',
    'store.as_retriever(search_type="mmr", search_kwargs={"k": 5, "fetch_k": 50})',
  ],
  ['a call that is not finished', 'store.as_retriever(search_kwargs={"fetch_k": 50'],
  ['arguments of the call that runs the retriever', 'store.as_retriever().invoke("q", k=10)'],
] as const)
  test(`no check reports ${what}`, async () => {
    assert.deepEqual((await inPython(`${CHROMA}${code}\n`)).problems, []);
  });

for (const [what, code] of [
  [
    'a field of a class of the program',
    'from langchain_core.pydantic_v1 import BaseModel, Field\n\nclass Own:\n    def get_relevant_documents(self, q):\n        return self.pick(q)\n\nclass Uses(BaseModel):\n    own_retriever: Own = Field(exclude=True)\n\n    def ask(self, q):\n        return self.own_retriever.get_relevant_documents(q)',
  ],
  [
    'a retriever of the program with a method by the same name',
    'class Own:\n    def get_relevant_documents(self, q):\n        return store.similarity_search(q, k=3)\n\nOwn().get_relevant_documents("q")',
  ],
  [
    'a retriever that nothing is known of',
    'def ask(retriever):\n    return retriever.get_relevant_documents("q")',
  ],
] as const)
  test(`no call is reported as replaced on ${what}`, async () => {
    assert.deepEqual((await inPython(`${CHROMA}${code}\n`)).problems, []);
  });

test('no call is reported as replaced on a workspace class that inherits from the library', async () => {
  const { sites, problems } = await detectIn(
    {
      'own.ts':
        "import { BaseRetriever } from '@langchain/core/retrievers';\nexport class Own extends BaseRetriever {\n  getRelevantDocuments(q: string) { return []; }\n}\n",
      'main.ts':
        "import { Own } from './own';\nconst retriever = new Own();\nexport const ask = (q: string) => retriever.getRelevantDocuments(q);\n",
    },
    'main.ts',
  );
  assert.equal(sites.length, 1);
  assert.deepEqual(problems, []);
});

test('a class of the file with the name of the library is not checked', async () => {
  const { problems } = await inPython(
    `import langchain\nclass Store:\n    def as_retriever(self, k): ...\nStore().as_retriever(k=10)\n`,
  );
  assert.deepEqual(problems, []);
});
